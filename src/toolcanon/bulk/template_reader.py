"""The compiled reader of rows, told what a dialect asks of schemas and names.

Built from the same data as the look it stands for (``quick``, ``unchanged``). There is none where
no compiler was at hand, or where a dialect asks for more than it can see; rows then take the other
ways, and are written the same.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolcanon.dialect import Dialect, Support
from toolcanon.dialect.names import NamePolicy
from toolcanon.jsonio import LONGEST_NAME
from toolcanon.lowering.quick import SCHEMA, acts_of, never
from toolcanon.lowering.unchanged import is_picky, only_open, unchanged
from toolcanon.registry import registry
from toolcanon.schema.keywords import TYPES
from toolcanon.schema.modern import WORDS

if TYPE_CHECKING:
    from toolcanon.bulk._templates import Reader

Known: TypeAlias = "dict[bytes, tuple[tuple[bytes | int, ...], Any] | Reader | None]"
"""By outline: pieces of text and numbers of holes, with anything beside; or who reads it instead;
or None: it is for others."""
Rewritten: TypeAlias = "dict[bytes, tuple[bytes, Any] | None]"
"""By member: what it becomes, with anything beside; or None: it is for others."""

# By the numbers that the compiled code has for them.
_KINDS: Final = ("object", "array", "string", "integer", "number", "boolean", "null")
_TYPED, _BOOLEANS, _NEEDS_ITEMS, _BARE_OBJECTS, _TYPE_LISTS = 1, 2, 4, 8, 16
_PICKY, _EMPTY_MAPS, _OTHERS, _CLOSED = 32, 64, 128, 256
_NAME, _REMARK, _WRAPPER, _ROOT, _WITHIN = range(1, 6)
_ANYWHERE, _AT_FIRST = 1, 2
_REFERENCE = 12  # an act beside those of ``quick``
_BYTES, _ASCII = 256, 128


def reader_for(
    dialect: Dialect, names: NamePolicy | None, known: Known, rewritten: Rewritten
) -> Reader | None:
    """Reads rows whose members the dialect takes as they stand, or closed where it wants that."""
    try:
        from toolcanon.bulk._templates import Reader  # noqa: PLC0415 - it may not be there
    except ImportError:
        return None
    look = only_open(dialect) if dialect.closed else unchanged(dialect)
    if look is never or not (_is_simple(names) and _is_simple(dialect.members)):
        return None
    acts, words = acts_of(dialect), {word: _KINDS.index(word) for word in TYPES}
    rules = dialect.references
    if rules.keep and rules.anywhere and rules.siblings and rules.any_recursion and rules.escapes:
        acts["$ref"] = _REFERENCE
    if dialect.closed:
        acts["additionalProperties"] = SCHEMA
    else:
        words |= {word: _KINDS.index(kind) for word, kind in WORDS.items()}
    return Reader(
        acts=acts,
        words=words,
        formats=dict.fromkeys(dialect.formats or (), 1),
        flags=_flags(dialect),
        places=_places(),
        tools=_letters(names, LONGEST_NAME),
        members=_letters(dialect.members, 0),
        known=known,
        rewritten=rewritten,
    )


def _flags(dialect: Dialect) -> int:
    said = {
        _TYPED: dialect.typed,
        _BOOLEANS: dialect.booleans,
        _NEEDS_ITEMS: dialect.items,
        _BARE_OBJECTS: dialect.maps and not dialect.closed_unless_said,
        _TYPE_LISTS: dialect.type_lists and not dialect.closed,
        _PICKY: is_picky(dialect),
        _EMPTY_MAPS: dialect.empty_properties,
        _OTHERS: dialect.others is not Support.REJECTED and not dialect.closed,
        _CLOSED: dialect.closed,
    }
    return sum(flag for flag, is_said in said.items() if is_said)


@cache
def _places() -> dict[str, int]:
    """What formats keep under which key of a tool."""
    found: dict[str | None, int] = {}
    for item in registry().formats.values():
        for form in item.plain.forms if item.plain is not None else ():
            found |= {form.within: _WITHIN, form.inside: _WRAPPER, form.inputs: _ROOT}
    found |= {"name": _NAME, "description": _REMARK}
    return {key: place for key, place in found.items() if key is not None}


def _is_simple(policy: NamePolicy | None) -> bool:
    return policy is None or not policy.reserved


def _letters(policy: NamePolicy | None, longest: int) -> tuple[bytes, int]:
    """Where each byte may stand in a name, and how long one may be; 0 for any."""
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
