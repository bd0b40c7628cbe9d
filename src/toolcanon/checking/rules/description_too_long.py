"""Q114: a description that is too long."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.jsonio import Pointer
from toolcanon.text import safe

_TOOL: Final = 4096
_PARAMETER: Final = 1024


def _look(subject: Subject) -> Iterator[Hit]:
    if (length := len(subject.tool.description)) > _TOOL:
        yield Hit(Pointer(("description",)), f"the description has {length:,} characters")
    for parameter in subject.parameters:
        text = parameter.schema.get("description")
        if isinstance(text, str) and len(text) > _PARAMETER:
            name = safe(parameter.name, 60)
            yield Hit(
                parameter.at / "description",
                f"the description of {name} has {len(text):,} characters",
            )


RULE = Rule(
    code="Q114",
    name="description-too-long",
    level="info",
    says="a description is very long",
    why="Every request pays for it, some clients cut it off, and important parts are missed.",
    remedy="begin with what the tool does and when to use it, and move the rest to the "
    "parameters, to a result of the tool, or to documentation",
    wrong=({"name": "query", "description": "Runs a query. " + "Mind the quotes. " * 300},),
    right=({"name": "query", "description": "Runs a query. Mind the quotes."},),
    look=_look,
)
