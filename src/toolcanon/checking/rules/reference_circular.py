"""C210: a reference that leads back to itself without descending into the value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.text import safe

_LONGEST: Final = 120


def _look(subject: Subject) -> Iterator[Hit]:
    for at, flaw in subject.lost_references:
        if flaw.is_circular:
            yield Hit(at, f"{safe(str(flaw.value), _LONGEST)} leads back to itself")


RULE = Rule(
    code="C210",
    name="reference-circular",
    level="error",
    says="a reference leads back to itself",
    why="What it accepts is undefined: validators recurse without end or reject the schema. "
    "Conversion replaces such a cycle with a schema that accepts anything.",
    remedy="refer to a schema that describes the value",
    wrong=(
        {
            "name": "add",
            "description": "Adds numbers.",
            "inputSchema": {
                "type": "object",
                "properties": {"a": {"$ref": "#/$defs/a"}},
                "$defs": {"a": {"$ref": "#/$defs/a"}},
            },
        },
        {
            "name": "add",
            "description": "Adds numbers.",
            "inputSchema": {
                "type": "object",
                "properties": {"a": {"$ref": "#/$defs/a"}},
                "$defs": {"a": {"type": "integer", "allOf": [{"$ref": "#/$defs/a"}]}},
            },
        },
    ),
    right=(
        {
            "name": "add",
            "description": "Adds numbers.",
            "inputSchema": {
                "type": "object",
                "properties": {"a": {"$ref": "#/$defs/a"}},
                "$defs": {"a": {"properties": {"next": {"$ref": "#/$defs/a"}}}},
            },
        },
    ),
    look=_look,
)
