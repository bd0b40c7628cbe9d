"""Lists of messages, in both directions."""

from __future__ import annotations

import re
from typing import Final

from toolcanon.formats.anthropic.reading import read_message
from toolcanon.formats.anthropic.spelling import ID
from toolcanon.formats.anthropic.writing import write_own, write_part, write_words
from toolcanon.formats.wire.codec import Told
from toolcanon.formats.wire.hand import Hand, read_list
from toolcanon.formats.wire.turns import SYSTEM, legal_id
from toolcanon.ir.conversation import Message
from toolcanon.jsonio.types import Json, JsonObject

_IS_LEGAL_ID: Final = re.compile(r"[a-zA-Z0-9_-]+").fullmatch
_LONGEST_ID: Final = 64  # nothing is published; nobody refuses this


def _complete(blocks: list[JsonObject], role: str) -> list[JsonObject]:
    """Empty texts are refused, blank ones where nothing else stands beside them."""
    said = [block for block in blocks if _words(block).strip()]
    if role == SYSTEM or not said:
        return said
    return [block for block in blocks if _words(block)]


def _words(block: Json) -> str:
    """What a text block says; any other says something."""
    is_text = isinstance(block, dict) and block.get("type") == "text"
    return str(block.get("text")) if is_text else "something"


HAND: Final = Hand(
    id=ID,
    write_own=write_own,
    write_part=write_part,
    write_words=write_words,
    complete=_complete,
    make_legal=lambda text: legal_id(text, _IS_LEGAL_ID, _LONGEST_ID),
)


def read_messages(messages: list[Json], model: str | None) -> list[Message]:
    return read_list(messages, read_message, model, "")


def write_messages(messages: list[Message], told: Told) -> list[Json]:
    return HAND.write_list(messages, told, None, lifts=False)[0]
