"""The way into lowering, with a memo: a schema that had to be rewritten is kept by content.

A schema that passes through is not kept: the check costs less than looking it up. Schemas and
values are kept as text, so that no change to a payload, a lens or a loss reaches the memo. It is
bounded by weight: the older of two generations goes when the younger is full, and what is asked for
again is young again.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from toolcanon.diagnostics import Loss
from toolcanon.dialect import Dialect
from toolcanon.jsonio import compact, exact_bytes, is_pure
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.engine import lower_anew
from toolcanon.lowering.lowered import Lowered, losses_of
from toolcanon.lowering.passthrough import passthrough
from toolcanon.lowering.step import Record
from toolcanon.schema.upgrade.walk import Rewritten

_MOST_BYTES: Final = 16 << 20
_LARGEST: Final = 1 << 16
_ENTRY: Final = 512  # about what an entry weighs beside its texts
_RECORD: Final = 512  # about what a loss and its place weigh
_CONTAINERS: Final[frozenset[type]] = frozenset({dict, list})
_dumps, _loads = orjson.dumps, orjson.loads
_new = tuple.__new__  # a named tuple's own constructor costs twice as much
_object = object.__new__


class _Held(NamedTuple):
    """Stands for a value that may be changed: its number among those of the schema."""

    number: int


class _Kept:
    """The stored result of a schema; no text where it is unchanged."""

    __slots__ = (
        "_lens",
        "_losses",
        "_text",
        "_values",
        "fits",
        "log",
        "rewrites",
        "size",
        "weight",
    )

    def __init__(self, schema: JsonObject, lowered: Lowered) -> None:
        """Raise TypeError for what JSON text cannot hold, such as integers beyond 64 bits."""
        self._text = None
        if lowered.schema is not schema:
            lowered.text = _dumps(lowered.schema)
            self._text = compact(lowered.text)
        values: list[Json] = []
        self.log: list[Record] = []
        for record in lowered.log:
            code, effect, at, before, after = record
            if before.__class__ in _CONTAINERS or after.__class__ in _CONTAINERS:
                before, after = _apart(before, values), _apart(after, values)
                self.log.append((code, effect, at, before, after))
            else:
                self.log.append(record)
        self.rewrites: list[Rewritten] = [
            (code, at, _apart(before, values), _apart(after, values))
            for code, at, before, after in lowered.rewrites
        ]
        self._values = compact(_dumps(values)) if values else None
        lens = None if lowered.document is None else compact(_dumps(lowered.document))
        self._lens: bytes | JsonObject | None = lens
        self.size = lowered.size
        self.weight = _ENTRY + _RECORD * (len(self.log) + len(self.rewrites))
        self.weight += len(self._text or b"") + 8 * len(lens or b"") + len(self._values or b"")
        self._losses: tuple[str, list[Loss], list[int]] | None = None
        self.fits: dict[tuple[Dialect, bool], bool] = {}

    def again(self, schema: JsonObject) -> Lowered:
        """Return the stored result for an equal schema."""
        made = _object(_Again)
        made.schema = schema if self._text is None else _loads(self._text)
        made.kept = self
        return made

    def complete(self, again: Lowered) -> None:
        """Fill in what is seldom asked for."""
        if self._lens.__class__ is bytes:  # read once, for all to share
            self._lens = _loads(self._lens)
        again.document = self._lens  # type: ignore[assignment]  # read by now
        again.log, again.rewrites, again.size = self.log, self.rewrites, self.size
        again.text = self._text
        again.upgraded = again._losses = again._measures = None  # noqa: SLF001 - its own kind

    def learn(self, side: str, losses: list[Loss]) -> None:
        """Keep losses whose values cannot be changed, so that they need not be made again."""
        if self._values is None:
            self._losses = (side, losses.copy(), [])

    def losses(self, tool: str, side: str) -> list[Loss]:
        """Return the losses of a tool with values of their own; immutable ones are shared."""
        known = self._losses
        if known is None or known[0] != side:
            made = losses_of(self.log, self.rewrites, tool, side)
            held = [
                index
                for index, loss in enumerate(made)
                if loss.before.__class__ is _Held or loss.after.__class__ is _Held
            ]
            known = self._losses = (side, made, held)
        _, first, held = known
        out = first.copy()
        if out and out[0].tool != tool:
            out = [_new(Loss, (*loss[:3], tool, *loss[4:])) for loss in first]
        if held:
            values = _loads(self._values or b"[]")
            for index in held:
                code, name, effect, _, at, before, after = out[index]
                if before.__class__ is _Held:
                    before = values[before.number]
                if after.__class__ is _Held:
                    after = values[after.number]
                out[index] = _new(Loss, (code, name, effect, tool, at, before, after))
        return out


class _Again(Lowered):
    """A result from the memo."""

    __slots__ = ()

    kept: _Kept

    def __getattr__(self, name: str) -> Any:
        """What ``again`` left out."""
        if name not in Lowered.__slots__:
            raise AttributeError(name)
        self.kept.complete(self)
        return getattr(self, name)

    def losses(self, tool: str, side: str) -> list[Loss]:
        return self.kept.losses(tool, side)


def _apart(value: Json, values: list[Json]) -> Json:
    """Return a value as it may be kept."""
    if value.__class__ not in _CONTAINERS:
        return value
    values.append(value)
    return _new(_Held, (len(values) - 1,))


_Key: TypeAlias = tuple[Dialect, bool, bytes]
_kept: list[dict[_Key, _Kept]] = [{}, {}]
"""The younger generation and the older."""
_held = [0]
"""The weight of the younger."""


def lower(schema: JsonObject, dialect: Dialect, is_root: bool = True) -> Lowered:  # noqa: FBT001, FBT002 - asked for all
    """Rewrite a schema to what a dialect accepts. Pure; shares subtrees that need no change.

    ``is_root`` marks the schema of a tool's arguments, for which special rules hold.
    """
    passes = passthrough(dialect, is_root)
    if passes is not None and passes(schema):
        return Lowered(schema, None, [], upgraded=schema)
    return rewrite(schema, dialect, is_root)


def rewrite(schema: JsonObject, dialect: Dialect, is_root: bool = True) -> Lowered:  # noqa: FBT001, FBT002 - as above
    """Return the same for a schema that did not pass the check."""
    try:
        content = exact_bytes(schema)
    except ValueError:  # what is no JSON, a subclass of what is
        return lower_anew(schema, dialect, is_root=is_root)
    key = (dialect, is_root, content)
    kept = _kept[0].get(key)
    if kept is not None:
        return kept.again(schema)
    kept = _kept[1].pop(key, None)
    if kept is not None:
        _keep(key, kept)
        return kept.again(schema)
    lowered = lower_anew(schema, dialect, is_root=is_root)
    if len(content) <= _LARGEST and is_pure(content):
        try:
            kept = _Kept(schema, lowered)
        except TypeError:  # integers beyond 64 bits
            return lowered
        _keep(key, kept)
        lowered.kept = kept
    return lowered


def _keep(key: _Key, kept: _Kept) -> None:
    weight = len(key[2]) + kept.weight
    _held[0] += weight
    if _held[0] > _MOST_BYTES // 2:
        _kept[:] = [{}, _kept[0]]
        _held[0] = weight
    _kept[0][key] = kept


def forget() -> None:
    """Start anew."""
    _kept[:] = [{}, {}]
    _held[0] = 0
