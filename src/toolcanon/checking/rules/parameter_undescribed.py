"""Q103: parameters without a description."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.text import safe

_SPEAKING: Final = frozenset({"description", "enum", "const", "examples", "deprecated"})
_SHOWN: Final = 5
_LONGEST: Final = 60
_DEFS: Final = "#/$defs/"


def _look(subject: Subject) -> Iterator[Hit]:
    bare = [
        parameter
        for parameter in subject.parameters
        if _SPEAKING.isdisjoint(parameter.schema)
        and not _is_described(parameter.schema, subject.schema)
    ]
    if not bare:
        return
    names = ", ".join(safe(parameter.name, _LONGEST) for parameter in bare[:_SHOWN])
    more = f" and {len(bare) - _SHOWN} more" if len(bare) > _SHOWN else ""
    at = bare[0].at if len(bare) == 1 else Pointer(bare[0].at[:-1])
    yield Hit(at, f"{len(bare)} of {len(subject.parameters)} parameters have no description: "
              f"{names}{more}")  # fmt: skip


def _is_described(schema: JsonObject, root: JsonObject) -> bool:
    """Return whether a definition or one of its branches describes the parameter."""
    for branch in (schema, *_branches(schema)):
        if isinstance(branch, dict):
            if not _SPEAKING.isdisjoint(branch):
                return True
            named = branch.get("$ref")
            definitions = root.get("$defs")
            if (
                isinstance(named, str)
                and named.startswith(_DEFS)
                and isinstance(definitions, dict)
                and isinstance(found := definitions.get(named.removeprefix(_DEFS)), dict)
                and not _SPEAKING.isdisjoint(found)
            ):
                return True
    return False


def _branches(schema: JsonObject) -> Iterator[Json]:
    for word in ("anyOf", "oneOf", "allOf"):
        if isinstance(branches := schema.get(word), list):
            yield from branches


RULE = Rule(
    code="Q103",
    name="parameter-undescribed",
    level="info",
    says="parameters have no description",
    why="Where a name can mean two things (an id or a name, metres or miles) a model guesses.",
    remedy="describe each: its meaning, the unit, the format, where the value comes from",
    wrong=(
        {
            "name": "move",
            "description": "Moves the robot.",
            "inputSchema": {"type": "object", "properties": {"distance": {"type": "number"}}},
        },
    ),
    right=(
        {
            "name": "move",
            "description": "Moves the robot.",
            "inputSchema": {
                "type": "object",
                "properties": {"distance": {"type": "number", "description": "In metres."}},
            },
        },
    ),
    look=_look,
)
