"""Q110: a parameter without a type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.schema.keywords import ANNOTATIONS
from toolcanon.text import safe

_LONGEST: Final = 60
# The schema around a branch may declare the type.
_BRANCHES: Final = frozenset({"allOf", "anyOf", "oneOf", "if", "then", "else", "not"})


def _look(subject: Subject) -> Iterator[Hit]:
    for parameter in subject.parameters:
        if parameter.schema.keys() <= ANNOTATIONS and _BRANCHES.isdisjoint(parameter.at):
            name = safe(parameter.name, _LONGEST)
            yield Hit(parameter.at, f"no type is declared for {name}")


RULE = Rule(
    code="Q110",
    name="parameter-untyped",
    level="info",
    says="a parameter has no type",
    why="A model may send a text, a number or an object. Strict modes reject the schema or turn "
    "it into text.",
    remedy="declare a `type`, or an `anyOf` of the accepted types",
    wrong=(
        {
            "name": "wait",
            "description": "Waits a while.",
            "inputSchema": {"type": "object", "properties": {"s": {"description": "Seconds."}}},
        },
    ),
    right=(
        {
            "name": "wait",
            "description": "Waits a while.",
            "inputSchema": {
                "type": "object",
                "properties": {"s": {"type": "number", "description": "Seconds."}},
            },
        },
    ),
    look=_look,
)
