"""Pieces of a written row: the texts around holes, and where an example's members are found.

There is none where no compiler was available; then every row is converted, with the same result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import orjson

from toolcanon.diagnostics import LossKinds
from toolcanon.dialect.tables import NamePolicy
from toolcanon.jsonio import LONGEST_NAME
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.upgrade.type_words import TYPE_WORDS

if TYPE_CHECKING:
    from toolcanon.bulk._templates import Reader

Pieces: TypeAlias = tuple[bytes | int, ...]
"""Texts, and numbers of the holes between them."""
Members: TypeAlias = "dict[bytes, tuple[Pieces, Any] | bool | None]"
"""By outline of a member: True where it is written as it is; what it becomes, with anything beside;
or None: its tool is to be converted."""
Known: TypeAlias = "dict[bytes, tuple[Pieces, Any, Members] | None]"
"""By outline of a tool: what it becomes, with anything beside, and the members that are known; or
None: it is to be converted."""

# By the numbers that the compiled code has for them.
_BEGINS, _WHOLE = 1, 2
_ANYWHERE, _AT_FIRST = 1, 2
_BYTES, _ASCII = 256, 128
_TYPES: Final = (
    "str string int integer float number bool boolean list array dict object set tuple optional "
    "union literal"
)
"""A text that begins with one of these may be read as a type, even a description."""
_APART: Final = (
    "type properties items required title description additionalProperties nullable $comment "
    "minItems maxItems uniqueItems"
)
"""Keywords of an object, and of a list of objects, that say nothing about single members."""


def reader_for(
    names: NamePolicy | None,
    members: NamePolicy | None,
    columns: Iterable[str],
    known: Known,
    *,
    tells_optional: bool,
) -> Reader | None:
    """Reads rows whose names are legal; ``columns`` are keys of a row that may be conversations.

    ``tells_optional``: members that are not required are others than those that are.
    """
    try:
        from toolcanon.bulk._templates import Reader  # noqa: PLC0415 - it may not be there
    except ImportError:
        return None
    types = dict.fromkeys(TYPE_WORDS, _WHOLE) | dict.fromkeys(_TYPES.split(), _BEGINS)
    return Reader(
        types=types,
        columns=dict.fromkeys(columns, 1),
        reserved={word: 1 for policy in (names, members) if policy for word in policy.reserved},
        apart=dict.fromkeys(_APART.split(), 1),
        tools=_letters(names, LONGEST_NAME),
        members=_letters(members, 0),
        known=known,
        tells_optional=tells_optional,
    )


def _letters(policy: NamePolicy | None, longest: int) -> tuple[bytes, int]:
    """Return the places of a name that each byte may have, and the longest name; 0 for any."""
    if policy is None:
        return bytes([_ANYWHERE | _AT_FIRST]) * _BYTES, longest
    anywhere, first = (
        re.compile(f"[{chars}]").match for chars in (policy.chars, policy.first or policy.chars)
    )
    letters = [
        _ANYWHERE * bool(anywhere(letter)) + _AT_FIRST * bool(first(letter))
        for letter in map(chr, range(_ASCII))
    ]
    return bytes(letters).ljust(_BYTES, b"\0"), min(policy.room, LONGEST_NAME)


MEMBER: Final = "toolcanon_member"
OTHER: Final = "toolcanon_other"
NESTED: Final = "toolcanon_nested"
HERE: Final = "toolcanon_members"


def paths(value: Json, at: list[str]) -> Iterator[list[str]]:
    if not isinstance(value, dict):
        return
    members = value.get("properties")
    if isinstance(members, dict) and [*members] in ([MEMBER], [MEMBER, OTHER]):
        yield at
    for key, below in value.items():
        yield from paths(below, [*at, key])


def path_to_members(tool: Json) -> list[str] | None:
    """Return the path to the one schema with our member."""
    found = list(paths(tool, []))
    return found[0] if len(found) == 1 else None


def names_others(value: Json, root: JsonObject) -> bool:
    """Return whether members are required elsewhere than at the root of the schema."""
    if not isinstance(value, dict):
        return False
    if value.get("required") and value is not root:
        return True
    return any(names_others(below, root) for below in value.values())


def holds(value: Json, sought: Json) -> bool:
    """Return whether an object is in a value as it is."""
    if value == sought:
        return True
    return isinstance(value, dict) and any(holds(below, sought) for below in value.values())


def value_at(value: Json, path: Sequence[str]) -> Any:
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def without_members(made: Json, path: Sequence[str]) -> bytes:
    """Return the written tool as text, with a placeholder for its members."""
    root = value_at(made, path)
    if not (isinstance(root, dict) and isinstance(root.get("properties"), dict)):
        return orjson.dumps(made)
    members, root["properties"] = root["properties"], HERE
    text = orjson.dumps(made)
    root["properties"] = members
    return text


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


class TemplateMember(NamedTuple):
    """What is stored of a member that is not written unchanged."""

    losses: LossKinds
    needs_restore: bool


Learned: TypeAlias = "tuple[Pieces, TemplateMember] | bool | None"


def alone(outline: bytes) -> bytes:
    """Return the outline of a member without its position."""
    return outline.removeprefix(PART).removesuffix(OPTIONAL).partition(DEFINED)[0]


def or_same(outline: bytes, made: tuple[Pieces, TemplateMember]) -> Learned:
    """Return the result of a member, or True where it is unchanged; None where it must be."""
    pieces, member = made
    is_plain = (
        not (member.losses or member.needs_restore)
        and pieces[1::2] == tuple(range(len(pieces) // 2))
        and HOLE.split(alone(outline)) == [*pieces[::2]]
    )
    return True if is_plain else None if DEFINED in outline else made


_BEFORE_SAME: Final = tuple(b'"title":" "description":" "enum":[ "properties": "required":'.split())


def are_texts(made: Learned) -> bool:
    """Return whether all that is written in the holes of a member is what was there."""
    return not isinstance(made, tuple) or all(
        before.endswith(_BEFORE_SAME)
        for before, after in pairwise(made[0])
        if isinstance(before, bytes) and isinstance(after, int)
    )


def adds_to_text(made: Learned) -> bool:
    """Return whether a text is written with more behind it."""
    return isinstance(made, tuple) and any(
        isinstance(before, int) and isinstance(after, bytes) and after[:1] not in {b'"', b"]", b","}
        for before, after in pairwise(made[0])
    )


def filled_in(outline: bytes, number: int) -> list[bytes]:
    """Return the values that one of the examples has in the holes of a member."""
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
    """Return the pieces around holes; None where a hole is missing, repeated or changed."""
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
    """Return a text without what was filled in; None where a placeholder is left."""
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
    """Return whether a piece is in a text, with its placeholder at this place."""
    return text.startswith(sought, at - sought.find(OURS_TEXT))


def weight(piece: bytes | int) -> int:
    return len(piece) if isinstance(piece, bytes) else 8
