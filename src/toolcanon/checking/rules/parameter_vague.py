"""Q111: a parameter with a name such as "data" and no description."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject

_VAGUE: Final = frozenset(
    """
    arg args argument arguments arr data dict foo info input inputs item json kwargs obj object
    opts options param parameter parameters params payload req request stuff thing tmp val value
    values var
    """.split()
)
_ANYTHING: Final = frozenset({"string", "object", "array"})
_TOP: Final = 3
_SILENT: Final = frozenset({"type", "title", "default", "additionalProperties"})


def _look(subject: Subject) -> Iterator[Hit]:
    for parameter in subject.parameters:
        if parameter.name.lower() not in _VAGUE or not parameter.schema.keys() <= _SILENT:
            continue
        if len(parameter.at) != _TOP:  # a nested one is explained by the object around it
            continue
        kind = parameter.schema.get("type", "object")
        if isinstance(kind, str) and kind in _ANYTHING:
            yield Hit(parameter.at, f"{parameter.name} has no description")


RULE = Rule(
    code="Q111",
    name="parameter-vague",
    level="warning",
    says="a parameter has a meaningless name and no description",
    why="A model knows only names, types and descriptions, and here none of them states what to "
    "send.",
    remedy="use a specific name, or describe it",
    wrong=(
        {
            "name": "notify",
            "description": "Tells somebody.",
            "inputSchema": {"type": "object", "properties": {"data": {"type": "object"}}},
        },
    ),
    right=(
        {
            "name": "notify",
            "description": "Tells somebody.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "data": {"type": "object", "description": "Values for the template, by name."}
                },
            },
        },
    ),
    look=_look,
)
