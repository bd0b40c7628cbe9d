"""Bound tools are remembered by content: binding an equal tool again costs next to nothing.

An agent binds its tools at every turn and for every provider it falls back to; a catalog is bound
once. So a tool is kept when it comes for the second time, and whoever comes but once pays for no
copies. What is shared between bindings is never handed out where it could be changed: schemas are
copied, losses are values.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from operator import itemgetter
from typing import Any, Final, NamedTuple

import orjson
from pydantic import BaseModel

from toolcanon.conversion.bound import BoundTool
from toolcanon.conversion.losses import losses_of
from toolcanon.conversion.probe import KNOWN
from toolcanon.conversion.way import Way, ways
from toolcanon.diagnostics import Loss, Losses
from toolcanon.dialect import Dialect
from toolcanon.formats.wire import Wire
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import compact, copy_json
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering import Lowered
from toolcanon.schema.measure import Measures

_MOST_BYTES: Final = 32 << 20
_ENTRY: Final = 1024  # about what an entry weighs beside its texts
_TIMES: Final = 5  # a schema that was rewritten leaves a log and a lens
_LARGEST: Final = 1 << 16
_MOST_MET: Final = 1 << 16
_NOTHING: Final[JsonObject] = {}
_dumps, _loads = orjson.dumps, orjson.loads
_new = tuple.__new__


class Size(NamedTuple):
    """How large a tool is that is not at hand."""

    measures: Measures


class Remembered:
    """What binding a tool gave."""

    __slots__ = (
        "_answer",
        "_answer_text",
        "_dialect",
        "_levels",
        "_lowered",
        "_refusal",
        "_text",
        "lens",
        "losses",
        "name",
        "size",
        "strict",
    )

    def __init__(
        self, item: BoundTool, wire: Wire, payload: JsonObject, losses: list[Loss]
    ) -> None:
        said = item.tool.__dict__
        self.name = wire.name
        self.strict = wire.strict
        # Values of their own, since the tool they tell of may change.
        self.losses = Losses(
            loss._replace(before=copy_json(loss.before), after=copy_json(loss.after))
            for loss in losses
        )
        self._levels = _levels(payload, wire.inputs)
        """What stands around the schema, from within; None where that is not all."""
        self._dialect: Dialect | None = wire.dialect
        self._text = _text(wire.inputs, said.get("inputs"))
        self._answer_text = _text(wire.outputs, said.get("outputs")) if wire.outputs else None
        self._lowered = _alone(item.lowered)
        self.lens = None if self._lowered is None else self._lowered.document
        """The way of the arguments, as plain JSON."""
        self._answer = _alone(item.outputs)
        self.size: Size | None = None
        """How large the schema is that goes out; known of strict tools."""
        if wire.strict and item.lowered is not None:
            self.size = Size(item.lowered.measures)
        self._refusal: Loss | None = item.refusal

    @property
    def weight(self) -> int:
        """About how many bytes it holds."""
        return _ENTRY + _TIMES * (len(self._text or b"") + len(self._answer_text or b""))

    def written(self, tool: CanonicalTool, way: Way) -> tuple[JsonObject, JsonObject]:
        """What is written of an equal tool, and its schema there: its own if that went out."""
        said, text = tool.__dict__, self._text
        payload = schema = said.get("inputs") or {} if text is None else _loads(text)
        if self._levels is None:
            return way.target.write(tool, self.wire(said, schema)), schema
        for around, key in self._levels:
            made = around.copy()  # nobody may change what is remembered
            made[key] = payload
            payload = made
        return payload, schema

    def wire(self, said: JsonObject, inputs: JsonObject) -> Wire:
        """What a writer needs for an equal tool."""
        answer = self._answer_text
        outputs = said.get("outputs", _NOTHING) if answer is None else _loads(answer)
        return _new(Wire, (self.name, inputs, outputs, False, self.strict, self._dialect))

    def bound(self, tool: CanonicalTool, inputs: JsonObject) -> BoundTool:
        """The tool with everything known of it."""
        said = tool.__dict__
        wire = self.wire(said, inputs)
        lowered = _again(self._lowered, wire.inputs, said.get("inputs"))
        answer = self._answer
        if answer is not None:
            answer = _again(answer, wire.outputs, said.get("outputs"))
        return _new(BoundTool, (tool, wire, lowered, answer, self._refusal))


def _text(schema: JsonObject, stated: JsonObject | None) -> bytes | None:
    """A schema to be read anew each time; nothing where the tool's own went out."""
    return None if schema is stated else compact(_dumps(schema))


def _alone(own: Lowered | None) -> Lowered | None:
    """What lowering made but for the schema, which is kept as text if at all.

    Values of their own: the schema they were taken from is its owner's to change.
    """
    if own is None:
        return None
    upgraded = None if own.upgrade_of is None else _NOTHING
    log = [
        (code, effect, at, copy_json(before), copy_json(after))
        for code, effect, at, before, after in own.log
    ]
    return Lowered(_NOTHING, copy_json(own.document), log, upgraded, own.size)


def _again(own: Lowered | None, schema: JsonObject, stated: JsonObject | None) -> Lowered | None:
    """What lowering made, for an equal schema."""
    if own is None:
        return None
    upgraded = None if own.upgrade_of is None else stated
    return Lowered(schema, own.document, own.log, upgraded, own.size)


def _levels(payload: JsonObject, inputs: JsonObject) -> list[tuple[JsonObject, str]] | None:
    """Each object around the schema and the key that leads on, if they hold only plain values."""
    found: list[tuple[JsonObject, str]] = []
    while payload is not inputs:
        nested = [key for key, value in payload.items() if isinstance(value, dict | list)]
        if len(nested) != 1 or payload[nested[0]].__class__ is not dict:
            return None
        found.append(({**payload, nested[0]: None}, nested[0]))
        payload = payload[nested[0]]
    return found[::-1]


_held = [0]


def key_of(tool: CanonicalTool) -> bytes | None:
    """What a tool is remembered by; None for what is better looked at each time."""
    said = tool.__dict__
    shape = tuple(said)
    number, fields = _shapes.get(shape) or _learn(shape)
    try:
        if fields is not None:
            return _dumps((number, fields(said)))
        return _dumps(
            {name: value for name, value in said.items() if value and name not in _UNSAID},
            default=_plain,
        )
    except TypeError:  # integers beyond 64 bits, keys that are no text, what is no JSON at all
        return None


_MOST_SHAPES: Final = 4096
_numbers = count()
_shapes: dict[tuple[str, ...], tuple[int, Callable[[JsonObject], Json] | None]] = {}
"""For each set of fields that readers leave, how to get at those that count."""


def _learn(shape: tuple[str, ...]) -> tuple[int, Callable[[JsonObject], Json] | None]:
    if not KNOWN.issuperset(shape):
        return (0, None)
    fields = [name for name in shape if name not in _UNSAID]
    if len(_shapes) >= _MOST_SHAPES:  # hostile input must not grow it without end
        _shapes.clear()
    found = _shapes[shape] = (next(_numbers), itemgetter(*fields))
    return found


_UNSAID: Final = frozenset({"_source", "_snapshot", "_inferred"})


def _plain(value: Any) -> Any:
    """A part of a tool that is a model of its own."""
    if isinstance(value, BaseModel):
        return value.model_dump(exclude_unset=True)
    raise TypeError


def remember(way: Way, key: bytes, item: BoundTool, payload: JsonObject) -> Remembered | None:
    """Keep what was made of a tool that was met before, if it is not too large."""
    digest = hash(key)
    if digest not in way.met:
        if len(way.met) >= _MOST_MET:
            way.met.clear()
        way.met.add(digest)
        return None
    wire = item.wire
    if wire is None or len(key) > _LARGEST:
        return None
    try:
        made = Remembered(item, wire, payload, losses_of(item, way.target))
    except TypeError:  # what is no JSON for everybody
        return None
    _held[0] += len(key) + made.weight
    if _held[0] > _MOST_BYTES:
        forget()
    way.known[compact(key)] = made
    return made


def forget() -> None:
    """Start anew."""
    for way in ways.values():
        way.known.clear()
        way.met.clear()
    _held[0] = 0
