"""The way into lowering, with a memo: a schema that was rewritten twice is kept by content.

A schema that passes through is not kept: the check costs less than looking it up. Others are kept
when they come for the second time, since most come but once. What is handed out is a copy, so that
nobody can spoil the memo by changing a payload. The memo is bounded by the weight of what it holds.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import orjson

from toolcanon.dialect import Dialect
from toolcanon.jsonio import compact, copy_json
from toolcanon.jsonio.types import JsonObject
from toolcanon.lowering.engine import lower_anew
from toolcanon.lowering.lowered import Lowered
from toolcanon.lowering.passthrough import passthrough
from toolcanon.lowering.step import Record
from toolcanon.schema.upgrade import Rewritten

_MOST_BYTES: Final = 32 << 20
_LARGEST: Final = 1 << 16
_ENTRY: Final = 256  # about what an entry weighs beside its texts
_MOST_MET: Final = 1 << 16
_dumps, _loads = orjson.dumps, orjson.loads


class _Kept(NamedTuple):
    """What became of a schema; no text where it stayed as it is."""

    text: bytes | None
    document: JsonObject | None
    log: list[Record]
    rewrites: list[Rewritten]
    size: int
    memo: JsonObject


_kept: dict[tuple[Dialect, bool, bytes], _Kept] = {}
_held = [0]
_met: set[int] = set()
"""Hashes of the keywords and members of schemas that came before."""


def lower(schema: JsonObject, dialect: Dialect, is_root: bool = True) -> Lowered:  # noqa: FBT001, FBT002 - asked for all
    """Rewrite a schema to what a dialect accepts. Pure; shares what it need not touch.

    ``is_root`` says that it describes the arguments of a tool, for which special rules hold.
    """
    passes = passthrough(dialect, is_root)
    if passes is not None and passes(schema):
        return Lowered(schema, None, [], upgraded=schema)
    # Only a schema with the members of an earlier one is worth writing as text.
    members = schema.get("properties")
    names = members if members.__class__ is dict else ()
    shape = hash((dialect, is_root, *schema, *names))
    if shape not in _met:
        if len(_met) >= _MOST_MET:
            _met.clear()
        _met.add(shape)
        return lower_anew(schema, dialect, is_root=is_root)
    try:
        text = _dumps(schema)
    except TypeError:  # integers beyond 64 bits, or keys that are no text
        return lower_anew(schema, dialect, is_root=is_root)
    key = (dialect, is_root, text)
    kept = _kept.get(key)
    if kept is not None:
        written = schema if kept.text is None else _loads(kept.text)
        return Lowered(written, kept.document, kept.log, kept.rewrites, kept.size, kept.memo)
    lowered = lower_anew(schema, dialect, is_root=is_root)
    if len(text) <= _LARGEST:
        _keep(key, schema, lowered)
    return lowered


def _keep(key: tuple[Dialect, bool, bytes], schema: JsonObject, lowered: Lowered) -> None:
    text = None
    if lowered.schema is not schema:
        try:
            text = compact(_dumps(lowered.schema))
        except TypeError:  # integers beyond 64 bits
            return
        if _loads(text) != lowered.schema:  # NaN, tuples, what merely looks like JSON
            return
    # Values of their own: the schema they were taken from is its owner's to change.
    lowered.log = [
        (code, effect, at, copy_json(before), copy_json(after))
        for code, effect, at, before, after in lowered.log
    ]
    lowered.rewrites = [
        (code, at, copy_json(before), copy_json(after))
        for code, at, before, after in lowered.rewrites
    ]
    _held[0] += len(key[2]) + 4 * len(text or b"") + _ENTRY
    if _held[0] > _MOST_BYTES:
        forget()
    _kept[key[0], key[1], compact(key[2])] = _Kept(
        text,
        copy_json(lowered.document),
        lowered.log,
        lowered.rewrites,
        lowered.size,
        lowered.memo,
    )


def forget() -> None:
    """Start anew."""
    _kept.clear()
    _met.clear()
    _held[0] = 0
