"""The compiled reader of rows: which names it may take as they are, and which texts are remarks.

There is none where no compiler was available; then every row is converted, with the same result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolcanon.dialect.names import NamePolicy
from toolcanon.jsonio import LONGEST_NAME
from toolcanon.schema.type_words import TYPE_WORDS

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
"""A text that begins with one of these may be read as a type, be it a description."""
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
    """Where each byte may be in a name, and how long one may be; 0 for any."""
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
