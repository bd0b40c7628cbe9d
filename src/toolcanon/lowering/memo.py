"""The way into lowering, with a memo: a schema that was rewritten twice is kept by content.

A schema that passes through is not kept: the check costs less than looking it up. Others are kept
when they come for the second time, since most come but once. What is handed out is a copy, so that
nobody can spoil the memo by changing a payload. The memo is bounded by the weight of what it holds.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import orjson

from toolcanon.dialect import Dialect
from toolcanon.jsonio import compact, copy_json, exact_bytes
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
        text = exact_bytes(schema)
    except ValueError:  # what is no JSON, a subclass of what is
        return lower_anew(schema, dialect, is_root=is_root)
    key = (dialect, is_root, text)
    kept = _kept.get(key)
    if kept is not None:
        written = schema if kept.text is None else _loads(kept.text)
        return Lowered(written, kept.document, kept.log, kept.rewrites, kept.size, is_kept=True)
    lowered = lower_anew(schema, dialect, is_root=is_root)
    if len(text) <= _LARGEST:
        _keep(key, schema, lowered)
    return lowered


def _keep(key: tuple[Dialect, bool, bytes], schema: JsonObject, lowered: Lowered) -> None:
    text = None if lowered.schema is schema else _written(lowered.schema)
    if _written(schema) is None or (text is None and lowered.schema is not schema):
        return
    _held[0] += len(key[2]) + 4 * len(text or b"") + _ENTRY
    if _held[0] > _MOST_BYTES:
        forget()
    # Values of their own: the schema they were taken from is its owner's to change.
    _kept[key] = _Kept(
        text,
        copy_json(lowered.document),
        [(*record[:3], *map(copy_json, record[3:])) for record in lowered.log],
        [(*record[:2], *map(copy_json, record[2:])) for record in lowered.rewrites],
        lowered.size,
    )


def _written(schema: JsonObject) -> bytes | None:
    """A schema as text, unless another would be read from that: of NaN, tuples, and the like."""
    try:
        text = compact(_dumps(schema))
    except TypeError:  # integers beyond 64 bits
        return None
    return text if _loads(text) == schema else None


def forget() -> None:
    """Start anew."""
    _kept.clear()
    _met.clear()
    _held[0] = 0
