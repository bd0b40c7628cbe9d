"""Lowered schemas are remembered by content, so that lowering the same ones again is cheap.

A schema is kept when it comes for the second time: most come but once. What is handed out is the
schema itself where it needed nothing, and a copy otherwise: nobody can spoil the cache by changing
a payload.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import orjson

from toolcanon.dialect import Dialect
from toolcanon.jsonio import compact, copy_json
from toolcanon.jsonio.types import JsonObject
from toolcanon.lowering.engine import lower
from toolcanon.lowering.lowered import Lowered
from toolcanon.lowering.quick import quick
from toolcanon.lowering.step import Record

_MOST_BYTES: Final = 32 << 20
_LARGEST: Final = 1 << 16
_ENTRY: Final = 256  # about what an entry weighs beside its texts
_MOST_MET: Final = 1 << 16


class _Kept(NamedTuple):
    """What became of a schema; no text where it needed nothing."""

    text: bytes | None
    document: JsonObject | None
    log: list[Record]
    is_upgraded: bool
    size: int
    memo: JsonObject


_CLEAN: Final = _Kept(None, None, [], is_upgraded=False, size=0, memo={})
"""Of schemas that go out as they are, and lose nothing."""

_kept: dict[tuple[Dialect, bool, bytes], _Kept] = {}
_held = [0]
_met: set[int] = set()
"""Digests of the schemas that came once."""
_dumps, _loads = orjson.dumps, orjson.loads


def lower_cached(schema: JsonObject, dialect: Dialect, is_root: bool = True) -> Lowered:  # noqa: FBT001, FBT002
    """The same as ``lower``."""
    try:
        key = (dialect, is_root, _dumps(schema))
    except TypeError:  # integers beyond 64 bits, or keys that are no text
        return lower(schema, dialect, is_root=is_root)
    kept = _kept.get(key)
    if kept is _CLEAN:
        return Lowered(schema, None, [])
    if kept is None:
        lowered = lower(schema, dialect, is_root=is_root)
        digest = hash(key)
        if digest not in _met:
            if len(_met) >= _MOST_MET:
                _met.clear()
            _met.add(digest)
        elif len(key[2]) <= _LARGEST:
            _keep(key, schema, lowered)
        return lowered
    text, document, log, is_upgraded, size, memo = kept
    if text is None:
        return Lowered(schema, None, log, None, size, memo)
    return Lowered(_loads(text), document, log, schema if is_upgraded else None, size, memo)


def lower_new(schema: JsonObject, dialect: Dialect) -> Lowered:
    """The same for a schema that is hardly met again: it is remembered only if it is much work."""
    found = quick(dialect)(schema)
    if found is not None:
        return Lowered(found, None, [], None if found is schema else schema)
    return lower_cached(schema, dialect)


def _keep(key: tuple[Dialect, bool, bytes], schema: JsonObject, lowered: Lowered) -> None:
    text = None
    kept = _CLEAN
    if lowered.schema is not schema:
        try:
            text = compact(_dumps(lowered.schema))
        except TypeError:
            return
        if _loads(text) != lowered.schema:  # NaN, tuples, what merely looks like JSON
            return
    if text is not None or lowered.log:
        # Values of their own: the schema they were taken from is its owner's to change.
        lowered.log = [
            (code, effect, at, copy_json(before), copy_json(after))
            for code, effect, at, before, after in lowered.log
        ]
        kept = _Kept(
            text,
            copy_json(lowered.document),
            lowered.log,
            lowered.upgrade_of is not None,
            lowered.size,
            lowered.memo,
        )
    _held[0] += len(key[2]) + 4 * len(text or b"") + _ENTRY
    if _held[0] > _MOST_BYTES:
        _kept.clear()
        _held[0] = 0
    _kept[key[0], key[1], compact(key[2])] = kept
