"""Q118: the same name or value twice in one list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.diagnostics import Fix
from toolcanon.jsonio.types import Json
from toolcanon.schema.values import identity
from toolcanon.text import safe, safe_json

_LONGEST: Final = 60


def _look(subject: Subject) -> Iterator[Hit]:
    for at, node in subject.nodes:
        for word in ("required", "enum"):
            values = node.get(word)
            if not isinstance(values, list) or len(values) < 2:  # noqa: PLR2004 - two make a pair
                continue
            once = list({identity(value): value for value in values}.values())
            if len(once) < len(values):
                shown = safe(safe_json(_repeated(values), indent=None), _LONGEST)
                fix = Fix("name it once", once, is_safe=True)
                is_verbatim = subject.schema is subject.tool.inputs
                message = f"{shown} stands twice in {word}"
                yield Hit(at / word, message, fix=fix if is_verbatim else None)


def _repeated(values: list[Json]) -> Json:
    seen = set()
    for value in values:
        key = identity(value)
        if key in seen:
            return value
        seen.add(key)
    return None


RULE = Rule(
    code="Q118",
    name="values-repeated",
    level="info",
    says="a value stands twice in a list of different ones",
    why="JSON Schema wants the values of enum and required to differ, and some providers refuse "
    "a schema where they do not.",
    remedy="name it once",
    wrong=(
        {
            "name": "greet",
            "description": "Says hello.",
            "inputSchema": {
                "type": "object",
                "properties": {"name": {"type": "string", "description": "Whom."}},
                "required": ["name", "name"],
            },
        },
    ),
    right=(
        {
            "name": "greet",
            "description": "Says hello.",
            "inputSchema": {
                "type": "object",
                "properties": {"name": {"type": "string", "description": "Whom."}},
                "required": ["name"],
            },
        },
    ),
    look=_look,
)
