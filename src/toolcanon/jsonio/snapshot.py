"""Copies of JSON values that later changes to the original cannot reach."""

from __future__ import annotations

import re
from collections.abc import Mapping
from marshal import dumps as _marshalled
from typing import Final, TypeAlias

import orjson

from toolcanon.errors import LimitExceeded
from toolcanon.jsonio.load import DEEPEST, current_limits
from toolcanon.jsonio.types import Json

PLAIN_ONLY: Final = (
    orjson.OPT_PASSTHROUGH_SUBCLASS
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
)
"""With these options orjson does not turn dataclasses, dates and subclasses into JSON unasked."""
_WITH_MARKS: Final = 4
"""The version of marshal's format that marks what is held more than once, and packs it once."""
_SHARED_DICT: Final = b"\xfb"
_SHARED_LIST: Final = b"\xdb"
_SCALARS = frozenset({str, int, bool, float, type(None)})

_BY_VALUE: Final = 2
"""The last version of marshal's format that ignores identities."""
_TUPLE: Final = re.compile(rb"\(.{3}\0", re.DOTALL)  # with its length, below 2 to the 24th
_NOT_FINITE: Final = re.compile(rb"g.{6}[\xf0-\xff][\x7f\xff]", re.DOTALL)

Snapshot: TypeAlias = bytes | tuple[Json]
"""A frozen JSON value: packed where that is exact, otherwise a private copy."""


def snapshot(value: Json) -> Snapshot:
    """Freeze a JSON value. Raises LimitExceeded when it is too deep, or more than can be held."""
    text = exact_text(value)
    return (copy_json(value),) if text is None else text


def exact_text(value: Json) -> bytes | None:
    """The compact JSON text of a value, to be kept; None where orjson would write another value.

    Raises LimitExceeded as ``snapshot`` does.
    """
    try:
        is_safe = not _may_be_bomb(_marshalled(value, _WITH_MARKS))
    except ValueError:  # subclasses, what is no JSON, or too deep
        is_safe = False
    if not is_safe:
        _refuse_bomb(value)
    try:
        text = orjson.dumps(value, None, PLAIN_ONLY)
    except TypeError:  # integers past 64 bits, depth past 254, odd types
        return None
    if b"null" in text and orjson.loads(text) != value:  # orjson writes NaN as null
        return None
    return compact(text)


def _may_be_bomb(packed: bytes) -> bool:
    """Return whether a packed value may hold more values than allowed once it is written out.

    A container that is held once is written once, so a value without marks takes a byte for each
    of its values. Only the value itself, in front, is held by others as well.
    """
    return (
        packed.rfind(_SHARED_DICT) > 0
        or packed.rfind(_SHARED_LIST) > 0
        or len(packed) > 2 * current_limits().values
    )


def _refuse_bomb(value: Json) -> None:
    """Raise for lists that repeat in each other, which are millions of values when written.

    Text has no such aliases; so this is level by level, and ends with the level that is too much.
    """
    left = 2 * current_limits().values  # loaders count commas and brackets, about half of it
    level: list[Json] = [value] if value.__class__ is dict or value.__class__ is list else []
    for _ in range(DEEPEST + 1):
        below: list[Json] = []
        for item in level:
            left -= len(item)
            for held in item.values() if item.__class__ is dict else item:
                if held.__class__ is dict or held.__class__ is list:
                    below.append(held)  # noqa: PERF401 - a list of its own for each costs more
        if left < 0:
            raise LimitExceeded("values", current_limits().values)
        if not below:
            return
        level = below
    raise LimitExceeded("depth", DEEPEST)


def exact_bytes(value: Json) -> bytes:
    """Bytes that only equal values of equal types have, for use within one process.

    Unlike JSON, they tell a tuple from a list and what is no number from null. Raises ValueError
    for anything but plain JSON, tuples and bytes, such as subclasses of text.
    """
    return _marshalled(value, _BY_VALUE)


def is_pure(exact: bytes) -> bool:
    """Return whether exact bytes lose nothing as text: no tuples, no NaN, no infinity.

    False is also possible where a text looks like one of them.
    """
    if b"(" in exact and _TUPLE.search(exact):
        return False
    return not ((b"\x7f" in exact or b"\xff" in exact) and _NOT_FINITE.search(exact))


def compact(text: bytes) -> bytes:
    """Return equal bytes to keep: those of orjson hold about 4 kB, however short the text is."""
    return text[:-1] + text[-1:]


def thaw(frozen: Snapshot) -> Json:
    """Return a fresh value, the caller's to change."""
    return orjson.loads(frozen) if isinstance(frozen, bytes) else copy_json(frozen[0])


def copy_json(value: Json, depth: int = 0) -> Json:
    """Return a deep copy; scalars are shared. Raises LimitExceeded past the depth limit."""
    if depth > DEEPEST:
        raise LimitExceeded("depth", DEEPEST)
    # Plain loops: a comprehension would take a second frame of the stack for every level.
    if value.__class__ is dict:
        table = value.copy()
        for key, item in value.items():
            if item.__class__ not in _SCALARS:
                table[key] = copy_json(item, depth + 1)
        return table
    if isinstance(value, Mapping):
        table = {}
        for key, item in value.items():
            table[key] = copy_json(item, depth + 1)
        return table
    if isinstance(value, (list, tuple)):
        items = list(value)
        for index, item in enumerate(items):
            if item.__class__ not in _SCALARS:
                items[index] = copy_json(item, depth + 1)
        return items
    return value
