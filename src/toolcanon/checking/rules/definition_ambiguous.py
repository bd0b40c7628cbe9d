"""C212: a definition with two different names, descriptions, schemas or hints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.diagnostics import Level
from toolcanon.formats.wire.rivals import Field, rivals
from toolcanon.jsonio import Pointer
from toolcanon.text import safe

_LONGEST: Final = 60
_SCHEMAS: Final[dict[Field, str]] = {
    "inputs": "the schema of the arguments",
    "outputs": "the schema of the results",
}


def _look(subject: Subject) -> Iterator[Hit]:
    for rival in rivals(subject.tool):
        key = safe(rival.at[-1], _LONGEST)
        if rival.field in _SCHEMAS:
            message = f"{key} is not read: {_SCHEMAS[rival.field]} is different elsewhere"
        elif rival.field == "hint":
            outer, inner = ("true", "false") if rival.value else ("false", "true")
            message = f"{key} {outer} is not read: {key} inside is {inner}"
        else:
            found = safe(str(rival.value), _LONGEST)
            read = safe(str(subject.tool.__dict__.get(rival.field, "")), _LONGEST)
            message = f"{key} {found!r} is not read: the {rival.field} inside is {read!r}"
        level: Level = "error" if rival.field == "inputs" else "warning"
        yield Hit(Pointer(rival.at), message, remedy=f"remove {key}, or make both the same",
                  level=level)  # fmt: skip


RULE = Rule(
    code="C212",
    name="definition-ambiguous",
    level="error",
    says="a definition has two different names, descriptions or schemas",
    why="It is unknown which one is meant. One of them is read, and other readers may read the "
    "other one.",
    remedy="keep one of them",
    wrong=(
        {
            "name": "greet",
            "description": "Says hello.",
            "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
            "parameters": {"type": "object", "properties": {"person": {"type": "string"}}},
        },
        {
            "name": "greet",
            "description": "Says hello.",
            "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
            "outputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
            "output_schema": {"type": "object", "properties": {"id": {"type": "integer"}}},
        },
    ),
    right=(
        {
            "name": "greet",
            "description": "Says hello.",
            "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
        },
    ),
    look=_look,
)
