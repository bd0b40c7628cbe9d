"""Bound tools are remembered by content: binding an equal tool again costs next to nothing.

An agent binds its tools at every turn and for every provider it falls back to. What is shared
between bindings is never handed out where it could be changed: schemas are copied, losses are
values.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import orjson

from toolcanon.conversion.bound import BoundTool
from toolcanon.conversion.choice import Choice
from toolcanon.conversion.probe import KNOWN
from toolcanon.diagnostics import Loss, Losses
from toolcanon.dialect import Dialect
from toolcanon.formats.wire import Target, Wire
from toolcanon.ir import STATED_HINTS, CanonicalTool
from toolcanon.jsonio.types import JsonObject
from toolcanon.lowering import Lowered

Key: TypeAlias = tuple[Target, Choice, bytes]

_USUAL: Final = KNOWN - {"outputs"}
_MOST_BYTES: Final = 16 << 20
_LARGEST: Final = 1 << 16
_NO_OUTPUTS: Final[JsonObject] = {}
_dumps, _loads = orjson.dumps, orjson.loads
_new = tuple.__new__


class Remembered:
    """What binding a tool gave."""

    __slots__ = ("_lowered", "_refusal", "_text", "dialect", "losses", "name", "strict")

    def __init__(self, item: BoundTool, wire: Wire, lowered: Lowered, text: bytes | None) -> None:
        self.name = wire.name
        self.strict = wire.strict
        self.dialect: Dialect | None = wire.dialect
        self.losses: Losses | None = None
        self._text = text
        self._lowered = lowered
        self._refusal: Loss | None = item.refusal

    def wire(self, inputs: JsonObject) -> Wire:
        """The same for an equal tool: its own schema where that went out as it was."""
        schema = inputs if self._text is None else _loads(self._text)
        return _new(Wire, (self.name, schema, _NO_OUTPUTS, False, self.strict, self.dialect))

    def bound(self, tool: CanonicalTool, wire: Wire) -> BoundTool:
        """The tool with everything known of it."""
        own = self._lowered
        upgraded = None if own.upgrade_of is None else tool.__dict__.get("inputs")
        lowered = Lowered(wire.inputs, own.document, own.log, upgraded, own.size, own.memo)
        return BoundTool(tool, wire, lowered, None, self._refusal)


_known: dict[Key, Remembered] = {}
_held = [0]


def key_of(tool: CanonicalTool, target: Target, choice: Choice) -> Key | None:
    """What a usual function tool is remembered by; None for any other."""
    said = tool.__dict__
    if not said.keys() <= _USUAL:
        return None
    get = said.get
    try:
        text = _dumps(
            (
                said["name"],
                get("inputs"),
                get("description"),
                get(STATED_HINTS),
                get("extras"),
                get("title"),
                get("tags"),
                get("version"),
            )
        )
    except TypeError:  # integers beyond 64 bits, or keys that are no text
        return None
    return (target, choice, text)


recall = _known.get


def remember(key: Key, item: BoundTool) -> Remembered | None:
    """Keep what was made of a tool, if it is not too large."""
    wire, lowered = item.wire, item.lowered
    if wire is None or lowered is None or not wire.inputs or len(key[2]) > _LARGEST:
        return None
    text = None
    if wire.inputs is not item.tool.__dict__.get("inputs"):
        try:
            text = _dumps(wire.inputs)
        except TypeError:
            return None
    _held[0] += len(key[2]) + 4 * len(text or b"")  # about what an entry weighs
    if _held[0] > _MOST_BYTES:
        _known.clear()
        _held[0] = 0
    made = _known[key] = Remembered(item, wire, lowered, text)
    return made
