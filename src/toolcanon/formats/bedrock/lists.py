"""Lists of messages, in both directions."""

from __future__ import annotations

import re
from typing import Final

from toolcanon.formats.bedrock.reading import read_message
from toolcanon.formats.bedrock.spelling import ID
from toolcanon.formats.bedrock.writing import WRITERS, is_said
from toolcanon.formats.wire.blocks import read_list
from toolcanon.formats.wire.hand import Hand
from toolcanon.ir.conversation import Message
from toolcanon.jsonio.types import Json, JsonObject

_LONGEST_ID: Final = 64
_IS_LEGAL_ID: Final = re.compile(rf"[a-zA-Z0-9_.:-]{{1,{_LONGEST_ID}}}").fullmatch


def _complete(blocks: list[JsonObject], role: str) -> list[JsonObject]:
    """Drop blank texts, and add a text to documents alone: otherwise both are rejected."""
    said = [block for block in blocks if is_said(block)]
    if role == "user" and not any("text" in block for block in said):
        names = [block["document"]["name"] for block in said if "document" in block]
        if names:
            said.append({"text": f"[{', '.join(names)}]"})
    return said


HAND: Final = Hand(
    id=ID,
    writers=WRITERS,
    complete=_complete,
    is_legal_id=_IS_LEGAL_ID,
    longest_id=_LONGEST_ID,
)


def read_messages(messages: list[Json], model: str | None) -> list[Message]:
    return read_list(messages, read_message, model, "")
