"""Pieces of what is written: the texts around holes, found by what an example has in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

import orjson

from toolcanon.bulk.example_paths import HERE, MEMBER, OTHER
from toolcanon.bulk.template_reader import Pieces
from toolcanon.diagnostics import LossKinds
from toolcanon.jsonio.types import JsonObject

# The holes of an outline, as the reader has them; the last are members of which some are optional.
NAME, TEXT, MEMBERS, REQUIRED, VALUES, LOOSE, DEFINITIONS = range(1, 8)
PART: Final = b"."  # at the begin of the outline of a member of a member
OPTIONAL: Final = bytes([LOOSE])  # at the end of a member that is not required, where that counts
DEFINED: Final = bytes([DEFINITIONS])  # in a member, before the definitions it refers to
_NEEDED: Final = {MEMBERS, LOOSE, DEFINITIONS}  # once in what is written
_ALL_NAMES: Final = -1  # among pieces: the names of all members, as the reader has it
HOLE: Final = re.compile(rb"[\x01-\x07]")
_OURS: Final = "toolcanon_"
OURS_TEXT: Final = _OURS.encode()
TOOL: Final = "toolcanon_tool"
PLAIN: Final[JsonObject] = {"type": "string"}
_FILLED: Final = {
    NAME: TOOL.encode(),
    TEXT: b'toolcanon_text%d\\"',
    MEMBERS: orjson.dumps({MEMBER: PLAIN}),
    LOOSE: orjson.dumps({MEMBER: PLAIN, OTHER: PLAIN}),
    REQUIRED: b'["toolcanon_member"]',
    DEFINITIONS: b'{"toolcanon_definition":{"type":"string"}}',
}
"""What an example has in the holes. A text has a quote, so that it is seen where it is quoted."""
_INNER: Final = {MEMBERS: _FILLED[LOOSE], REQUIRED: _FILLED[REQUIRED]}
_PROBES: Final = (
    {TEXT: b'as DD/MM/YYYY (toolcanon_a%d\\"', VALUES: b'"toolcanon_c%d","x"', **_INNER},
    {TEXT: b"toolcanon_b%d_", VALUES: b'"toolcanon_d%d A","0","toolcanon_d"', **_INNER},
)
"""What members have in their holes: lists of values, and texts that could be read for more, for a
type or its layout, and for a name."""
_WRITTEN: Final = dict.fromkeys((_FILLED[MEMBERS], _FILLED[LOOSE]), b'"%b"' % HERE.encode())
BOTH: Final = len(_PROBES)  # titles that could be names, and other texts that could be types


class Member(NamedTuple):
    """What is kept with a member that is not written as it is."""

    losses: LossKinds
    needs_restore: bool


Learned: TypeAlias = "tuple[Pieces, Member] | bool | None"


def alone(outline: bytes) -> bytes:
    """The outline of a member without what tells where it is."""
    return outline.removeprefix(PART).removesuffix(OPTIONAL).partition(DEFINED)[0]


def or_same(outline: bytes, made: tuple[Pieces, Member]) -> Learned:
    """What a member became, or True where that is what it was; None where it must be and is not."""
    pieces, member = made
    is_plain = (
        not (member.losses or member.needs_restore)
        and pieces[1::2] == tuple(range(len(pieces) // 2))
        and HOLE.split(alone(outline)) == [*pieces[::2]]
    )
    return True if is_plain else None if DEFINED in outline else made


_BEFORE_SAME: Final = tuple(b'"title":" "description":" "enum":[ "properties": "required":'.split())


def are_texts(made: Learned) -> bool:
    """Whether all that is written in the holes of a member is what was there."""
    return not isinstance(made, tuple) or all(
        before.endswith(_BEFORE_SAME)
        for before, after in pairwise(made[0])
        if isinstance(before, bytes) and isinstance(after, int)
    )


def adds_to_text(made: Learned) -> bool:
    """Whether a text is written with more behind it."""
    return isinstance(made, tuple) and any(
        isinstance(before, int) and isinstance(after, bytes) and after[:1] not in {b'"', b"]", b","}
        for before, after in pairwise(made[0])
    )


def filled_in(outline: bytes, number: int) -> list[bytes]:
    """What one of the examples has in the holes of a member."""
    found = []
    for at, hole in enumerate(HOLE.finditer(outline)):
        one = number
        if number == BOTH:
            one = int(outline.endswith(b'"title":"', 0, hole.start()))
        text = _PROBES[one][hole[0][0]]
        found.append(text % at if b"%d" in text else text)
    return found


def filling(sort: int, number: int) -> bytes:
    return _FILLED[sort] % number if sort == TEXT else _FILLED[sort]


def pieces_of(text: bytes, filled: Sequence[bytes], holes: Sequence[int]) -> Pieces | None:
    """What is written around holes; None where something is missing, repeated or changed."""
    names = [orjson.dumps([MEMBER, OTHER])] if LOOSE in holes else []
    found = cut(text, [*filled, *names])
    if found is None:
        return None
    numbers = [piece for piece in found if isinstance(piece, int)]
    needed = [number for number, sort in enumerate(holes) if sort in _NEEDED]
    if any(numbers.count(number) != 1 for number in needed):
        return None
    return tuple(_ALL_NAMES if piece == len(filled) else piece for piece in found)


def cut(text: bytes, filled: Sequence[bytes]) -> Pieces | None:
    """A text without what was filled in; None where anything of ours is left."""
    sought = [_WRITTEN.get(part, part) for part in filled]
    if not sought:
        return None if OURS_TEXT in text else (text,)
    pieces: list[bytes | int] = []
    begin = at = 0
    while (at := text.find(OURS_TEXT, at)) >= 0:
        number = next((n for n, one in enumerate(sought) if _begins(text, one, at)), None)
        if number is None:
            return None
        start = at - sought[number].find(OURS_TEXT)
        pieces += [text[begin:start], number]
        begin = at = start + len(sought[number])
    return (*pieces, text[begin:])


def _begins(text: bytes, sought: bytes, at: int) -> bool:
    """Whether what is sought is in a text, with its word of ours at this place."""
    return text.startswith(sought, at - sought.find(OURS_TEXT))


def weight(piece: bytes | int) -> int:
    return len(piece) if isinstance(piece, bytes) else 8
