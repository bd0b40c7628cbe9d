"""Q118: a name or value that occurs twice in one list."""

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
                fix = Fix("keep it once", once, is_safe=True)
                is_verbatim = subject.schema is subject.tool.inputs
                message = f"{shown} occurs twice in {word}"
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
    says="a value occurs twice in a list of unique values",
    why="JSON Schema requires the values of `enum` and `required` to differ, and some providers "
    "reject a schema where they do not.",
    remedy="keep it once",
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
