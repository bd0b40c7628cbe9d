"""Lists of messages, in both directions."""

from __future__ import annotations

import re
from typing import Final

from toolcanon.formats.anthropic.reading import read_message
from toolcanon.formats.anthropic.spelling import ID
from toolcanon.formats.anthropic.writing import WRITERS
from toolcanon.formats.wire.blocks import is_blank, read_list
from toolcanon.formats.wire.hand import Hand
from toolcanon.formats.wire.turns import SYSTEM
from toolcanon.ir.conversation import Message
from toolcanon.jsonio.types import Json, JsonObject

_IS_LEGAL_ID: Final = re.compile(r"[a-zA-Z0-9_-]+").fullmatch
_LONGEST_ID: Final = 64  # undocumented; accepted by every model


def _complete(blocks: list[JsonObject], role: str) -> list[JsonObject]:
    """Drop texts that are rejected: empty ones, and blank ones without another block."""
    said = [block for block in blocks if not is_blank(_words(block))]
    if not said or len(said) == len(blocks) or role == SYSTEM:
        return said
    return [block for block in blocks if _words(block) != ""]


def _words(block: JsonObject) -> Json:
    """Return the text of a text block; other blocks count as not empty."""
    return block.get("text") if block.get("type") == "text" else None


HAND: Final = Hand(
    id=ID,
    writers=WRITERS,
    complete=_complete,
    is_legal_id=_IS_LEGAL_ID,
    longest_id=_LONGEST_ID,
)


def read_messages(messages: list[Json], model: str | None) -> list[Message]:
    return read_list(messages, read_message, model, "")
