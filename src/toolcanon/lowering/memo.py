"""The way into lowering, with a memo: a schema that had to be rewritten is kept by content.

A schema that passes through is not kept: the check costs less than looking it up. Everything else
is kept as text, so that no change to a payload, a lens or a loss reaches it. The memo is bounded by
weight: the older of two generations goes when the younger is full, and what is asked for again is
young again.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Final, TypeAlias

import orjson

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect
from toolcanon.jsonio import compact, exact_bytes
from toolcanon.jsonio.types import JsonObject
from toolcanon.lowering.engine import lower_anew
from toolcanon.lowering.lowered import Lowered
from toolcanon.lowering.passthrough import passthrough
from toolcanon.lowering.step import Record
from toolcanon.schema.references import Place
from toolcanon.schema.upgrade import Rewritten

_MOST_BYTES: Final = 16 << 20
_LARGEST: Final = 1 << 16
_ENTRY: Final = 512  # about what an entry weighs beside its texts
_dumps, _loads = orjson.dumps, orjson.loads
_HEAD: Final[Callable[[Record], tuple[str, Effect | None, Place]]] = itemgetter(0, 1, 2)
_START: Final[Callable[[Rewritten], tuple[str, Place]]] = itemgetter(0, 1)


class _Kept:
    """What became of a schema: text, and what cannot change; no schema where it stayed as it is."""

    __slots__ = ("heads", "is_exact", "rest", "schema", "size", "starts", "weight")

    def __init__(self, schema: JsonObject, lowered: Lowered) -> None:
        """Raises TypeError for what is no JSON, such as integers beyond 64 bits."""
        text = lowered.text = _dumps(lowered.schema)
        self.schema = None if lowered.schema is schema else compact(text)
        log, rewrites = lowered.log, lowered.rewrites
        self.rest: bytes | None = None
        if log or rewrites or lowered.document is not None:
            self.rest = compact(_dumps((lowered.document, log, rewrites)))
        self.heads = [*map(_HEAD, log)]
        self.starts = [*map(_START, rewrites)]
        self.size = lowered.size
        self.weight = len(self.schema or b"") + 4 * len(self.rest or b"") + _ENTRY
        self.is_exact = False
        """Whether text is known to be all that there is to the schema: no tuples, no NaN."""

    def stands_for(self, schema: JsonObject) -> bool:
        """Whether another like the schema can be read from text; the same bytes have the same."""
        if not self.is_exact:
            try:
                self.is_exact = _loads(_dumps(schema)) == schema
            except TypeError:
                return False
        return self.is_exact

    def again(self, schema: JsonObject) -> Lowered:
        """The same once more, with values of its own."""
        text = self.schema
        written = schema if text is None else _loads(text)
        if self.rest is None:
            return Lowered(written, None, [], (), self.size, None, text)
        document, log, rewrites = _loads(self.rest)
        records = [
            (*head, before, after)
            for head, (*_, before, after) in zip(self.heads, log, strict=True)
        ]
        moves = [
            (*start, before, after)
            for start, (*_, before, after) in zip(self.starts, rewrites, strict=True)
        ]
        return Lowered(written, document, records, moves, self.size, None, text)


_Generation: TypeAlias = dict[tuple[Dialect, bool, bytes], _Kept]
_kept: list[_Generation] = [{}, {}]
"""The younger generation and the older."""
_held = [0]
"""The weight of the younger."""


def lower(schema: JsonObject, dialect: Dialect, is_root: bool = True) -> Lowered:  # noqa: FBT001, FBT002 - asked for all
    """Rewrite a schema to what a dialect accepts. Pure; shares what it need not touch.

    ``is_root`` says that it describes the arguments of a tool, for which special rules hold.
    """
    passes = passthrough(dialect, is_root)
    if passes is not None and passes(schema):
        return Lowered(schema, None, [], upgraded=schema)
    try:
        text = exact_bytes(schema)
    except ValueError:  # what is no JSON, a subclass of what is
        return lower_anew(schema, dialect, is_root=is_root)
    if len(text) > _LARGEST:
        return lower_anew(schema, dialect, is_root=is_root)
    key = (dialect, is_root, text)
    kept = _kept[0].get(key)
    if kept is None:
        kept = _kept[1].pop(key, None)
        if kept is not None:
            _keep(key, kept)
    if kept is not None and kept.stands_for(schema):
        return kept.again(schema)
    lowered = lower_anew(schema, dialect, is_root=is_root)
    if kept is None:
        try:
            _keep(key, _Kept(schema, lowered))
        except TypeError:
            return lowered
    return lowered


def _keep(key: tuple[Dialect, bool, bytes], kept: _Kept) -> None:
    _held[0] += len(key[2]) + kept.weight
    if _held[0] > _MOST_BYTES // 2:
        _kept[:] = [{}, _kept[0]]
        _held[0] = len(key[2]) + kept.weight
    _kept[0][key] = kept


def forget() -> None:
    """Start anew."""
    _kept[:] = [{}, {}]
    _held[0] = 0
