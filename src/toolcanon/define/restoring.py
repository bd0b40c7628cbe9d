"""Restore calls, with the compiled validator of each tool.

Most calls are valid as they are: then the lens and one validation are enough. For others ``Calls``
finds repairs and problems.
"""

from __future__ import annotations

from toolcanon.conversion import RestoredCall
from toolcanon.conversion.calls import Calls, CallShape
from toolcanon.conversion.observe import OBSERVERS, tell
from toolcanon.jsonio.exact import loads_exactly
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.step import Trouble
from toolcanon.schema import upgrade
from toolcanon.schema.judge import Problem, judge


class Restorer:
    """Restores the calls of one binding."""

    __slots__ = ("_calls", "_known")

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._known: dict[str, CallShape] = {}
        for shape in calls.shapes:  # Calls resolves other names
            self._known.setdefault(shape.full_name, shape)

    def fitting(self, name: str, arguments: Json) -> tuple[CallShape, JsonObject] | None:
        """Return the tool and its own arguments for a valid call; None otherwise."""
        shape = self._known.get(name)
        if shape is None or shape.inputs is None:
            return None
        found = _quickly(shape, arguments)
        return (shape, found) if found.__class__ is dict and shape.judge.accepts(found) else None

    def restore(self, name: str, arguments: Json) -> RestoredCall:
        """Return a model's call with the tool's own name and arguments. Raises UnknownTool."""
        restored = self._calls.restore(name, arguments)
        if OBSERVERS:
            tell(restored.repairs)
        return restored

    def as_seen(self, restored: RestoredCall, arguments: Json) -> tuple[Problem, ...]:
        """Return the problems in terms of the wire schema, where it shows them."""
        shape = self._calls.named(restored.name)
        wire = _parsed(arguments)
        if shape.lens is None or not isinstance(wire, dict):
            return restored.problems
        found = judge(upgrade(shape.wire_inputs).schema).problems(wire)
        return tuple(found) or restored.problems


def _quickly(shape: CallShape, arguments: Json) -> Json:
    """Return the arguments if they are valid without repairs; None otherwise."""
    wire = arguments
    if wire.__class__ is bytes or wire.__class__ is str:
        try:
            wire = loads_exactly(wire)
        except ValueError:
            return None
    if shape.lens is None or wire.__class__ is not dict:
        return wire
    troubles: list[Trouble] = []
    found = shape.lens.restore(wire, troubles)
    return None if troubles else found


def _parsed(arguments: Json) -> Json:
    if not isinstance(arguments, (str, bytes)):
        return arguments
    try:
        return loads_exactly(arguments)
    except ValueError:
        return None
