"""Bound tools are remembered by content: binding an equal tool again costs next to nothing.

An agent binds its tools at every turn and for every provider it falls back to; a catalog is bound
once. So a tool is kept when it comes for the second time, and whoever comes but once pays for no
copies. Payloads, schemas and lenses are built anew for each binding. Losses are shared: they are
values, and what they show of a schema is not to be changed.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import orjson
from pydantic import BaseModel

from toolcanon.conversion.bound import BoundTool
from toolcanon.conversion.losses import losses_of
from toolcanon.conversion.way import Way, ways
from toolcanon.diagnostics import Loss, Losses
from toolcanon.dialect import Dialect
from toolcanon.formats.wire import Wire
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import compact, copy_json
from toolcanon.jsonio.types import JsonObject
from toolcanon.lowering import Lowered
from toolcanon.schema.measure import Measures

_MOST_BYTES: Final = 32 << 20
_ENTRY: Final = 1024  # about what an entry weighs beside its texts
_TIMES: Final = 5  # a schema that was rewritten leaves a log and a lens
_LARGEST: Final = 1 << 16
_MOST_MET: Final = 1 << 16
_NOTHING: Final[JsonObject] = {}
_SOURCE: Final = "_source"  # what a tool was read from, until it is frozen: nothing it says
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
        "_around",
        "_dialect",
        "_inputs_text",
        "_lowered",
        "_path",
        "_refusal",
        "_text",
        "lens_text",
        "losses",
        "name",
        "size",
        "space",
        "strict",
    )

    def __init__(
        self, item: BoundTool, wire: Wire, payload: JsonObject, losses: list[Loss]
    ) -> None:
        stated = item.tool.__dict__.get
        self.name = wire.name
        self.space = wire.namespace
        self.strict = wire.strict
        # Values of their own, since the tool they tell of may change.
        self.losses = Losses(
            loss._replace(before=copy_json(loss.before), after=copy_json(loss.after))
            for loss in losses
        )
        is_own = wire.inputs is stated("inputs")
        around = _envelope(payload, wire.inputs) if is_own else None
        self._around = around or []
        """What stands around the tool's own schema, from within."""
        self._text = _packed(payload) if around is None else None
        """The payload, to be read anew each time; None where that is all."""
        self._path = _path(payload, wire.inputs)
        """Where the schema stands in the payload; None where it does not."""
        self._inputs_text = None if is_own or self._path is not None else _packed(wire.inputs)
        is_stated = not wire.outputs or wire.outputs is stated("outputs")
        self._answer_text = None if is_stated else _packed(wire.outputs)
        self._dialect: Dialect | None = wire.dialect
        self._lowered = _alone(item.lowered)
        lens = None if self._lowered is None else self._lowered.document
        self.lens_text = None if lens is None else _packed(lens)
        """The way of the arguments."""
        self._answer = _alone(item.outputs)
        self.size: Size | None = None
        """How large the schema is that goes out; known of strict tools."""
        if wire.strict and item.lowered is not None:
            self.size = Size(item.lowered.measures)
        self._refusal: Loss | None = item.refusal

    @property
    def weight(self) -> int:
        """About how many bytes it holds."""
        texts = (self._text, self._inputs_text, self._answer_text)
        return _ENTRY + _TIMES * sum(len(text) for text in texts if text)

    def written(self, tool: CanonicalTool) -> JsonObject:
        """What is written of an equal tool; with its own schema if that went out."""
        text = self._text
        if text is not None:
            return _loads(text)  # type: ignore[no-any-return]  # a dict
        payload: JsonObject = tool.__dict__["inputs"]
        for around, key in self._around:
            made = around.copy()  # nobody may change what is remembered
            made[key] = payload
            payload = made
        return payload

    def bound(self, tool: CanonicalTool, payload: JsonObject | None = None) -> BoundTool:
        """The tool with everything known of it; a payload that nobody has seen yet may be used."""
        stated = tool.__dict__.get
        inputs: JsonObject
        if self._text is not None and self._path is not None:
            inputs = _loads(self._text) if payload is None else payload
            for key in self._path:
                inputs = inputs[key]
        elif self._inputs_text is not None:
            inputs = _loads(self._inputs_text)
        else:
            inputs = stated("inputs") or {}
        text = self._answer_text
        outputs = (stated("outputs") or {}) if text is None else _loads(text)
        around = (self._dialect, self.space)
        wire = _new(Wire, (self.name, inputs, outputs, False, self.strict, *around))
        lowered = _again(self._lowered, inputs, stated("inputs"))
        answer = _again(self._answer, outputs, stated("outputs"))
        return _new(BoundTool, (tool, wire, lowered, answer, self._refusal))


def _packed(value: JsonObject) -> bytes:
    """A value as text. Raises TypeError where that is not the same."""
    text = _dumps(value)
    if _loads(text) != value:  # NaN, tuples, what merely looks like JSON
        raise TypeError
    return compact(text)


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


def _envelope(payload: JsonObject, inputs: JsonObject) -> list[tuple[JsonObject, str]] | None:
    """Each object around the schema and the key that leads on, if they hold only plain values."""
    found: list[tuple[JsonObject, str]] = []
    while payload is not inputs:
        nested = [key for key, value in payload.items() if isinstance(value, dict | list)]
        if len(nested) != 1 or payload[nested[0]].__class__ is not dict:
            return None
        found.append(({**payload, nested[0]: None}, nested[0]))
        payload = payload[nested[0]]
    return found[::-1]


def _path(payload: JsonObject, inputs: JsonObject) -> tuple[str, ...] | None:
    """The keys that lead to the schema, if it was written as it is."""
    if payload is inputs:
        return ()
    for key, value in payload.items():
        if value.__class__ is dict and (rest := _path(value, inputs)) is not None:
            return (key, *rest)
    return None


_held = [0]


def key_of(tool: CanonicalTool) -> bytes | None:
    """What a tool is remembered by: all it says. None for what is better looked at each time."""
    said = tool.__dict__
    if _SOURCE in said:
        said = said.copy()
        del said[_SOURCE]
    try:
        return _dumps(said, _plain)
    except TypeError:  # integers beyond 64 bits, keys that are no text, what is no JSON at all
        return None


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
