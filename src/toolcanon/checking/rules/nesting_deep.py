"""Q119: deeply nested objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.jsonio.types import JsonObject

_DEEPEST: Final = 5


def _look(subject: Subject) -> Iterator[Hit]:
    deepest = max(subject.parameters, key=lambda parameter: parameter.level, default=None)
    if deepest is not None and deepest.level > _DEEPEST:
        yield Hit(deepest.at, f"parameters are nested {deepest.level} objects deep")


def _nested(depth: int) -> JsonObject:
    schema: JsonObject = {"type": "string", "description": "The text."}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"part": schema}, "description": "A part."}
    return schema


RULE = Rule(
    code="Q119",
    name="nesting-deep",
    level="info",
    says="parameters are nested too deeply",
    why="Models lose track of brackets and of which member belongs where, and strict modes limit "
    "the depth.",
    remedy="use flat parameters, or ids of what another tool created",
    wrong=({"name": "draw", "description": "Draws.", "inputSchema": _nested(_DEEPEST + 1)},),
    right=({"name": "draw", "description": "Draws.", "inputSchema": _nested(2)},),
    look=_look,
)
