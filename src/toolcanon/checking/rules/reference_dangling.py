"""C211: a reference within the schema that has no target."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.text import safe

_LONGEST: Final = 120


def _look(subject: Subject) -> Iterator[Hit]:
    for at, flaw in subject.lost_references:
        if not flaw.is_circular and str(flaw.value).startswith("#"):
            yield Hit(at, f"{safe(str(flaw.value), _LONGEST)} cannot be resolved in this schema")


RULE = Rule(
    code="C211",
    name="reference-dangling",
    level="error",
    says="a reference cannot be resolved in its schema",
    why="Validators reject the schema. Conversion replaces the reference with a schema that "
    "accepts anything.",
    remedy="add the definition, or correct the reference",
    wrong=(
        {
            "name": "add",
            "description": "Adds numbers.",
            "inputSchema": {
                "type": "object",
                "properties": {"a": {"$ref": "#/$defs/b"}},
                "$defs": {"a": {"type": "integer"}},
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
                "$defs": {"a": {"type": "integer"}},
            },
        },
    ),
    look=_look,
)
