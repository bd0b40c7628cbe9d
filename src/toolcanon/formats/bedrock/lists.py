"""Lists of messages, in both directions."""

from __future__ import annotations

import re
from typing import Final

from toolcanon.formats.bedrock.reading import read_message
from toolcanon.formats.bedrock.spelling import ID
from toolcanon.formats.bedrock.writing import is_said, write_own, write_part, write_words
from toolcanon.formats.wire.codec import Told
from toolcanon.formats.wire.hand import Hand, read_list
from toolcanon.formats.wire.turns import legal_id
from toolcanon.ir.conversation import Message
from toolcanon.jsonio.types import Json, JsonObject

_LONGEST_ID: Final = 64
_IS_LEGAL_ID: Final = re.compile(rf"[a-zA-Z0-9_.:-]{{1,{_LONGEST_ID}}}").fullmatch


def _complete(blocks: list[JsonObject], role: str) -> list[JsonObject]:
    """Blank texts are refused, and documents without a text beside them."""
    said = [block for block in blocks if is_said(block)]
    names = [block["document"]["name"] for block in said if "document" in block]
    if role == "user" and names and not any("text" in block for block in said):
        said.append({"text": f"[{', '.join(names)}]"})
    return said


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
