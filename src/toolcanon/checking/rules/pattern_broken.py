"""C206: a pattern that is not a regular expression."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.schema.broken_patterns import flaw
from toolcanon.text import safe

_LONGEST: Final = 60


def _look(subject: Subject) -> Iterator[Hit]:
    for at, node in subject.nodes:
        pattern, names = node.get("pattern"), node.get("patternProperties")
        places = [(at / "pattern", pattern)] if isinstance(pattern, str) else []
        if isinstance(names, dict):
            places += [(at / "patternProperties" / name, name) for name in names]
        for place, text in places:
            if found := flaw(text):
                shown = safe(text, _LONGEST)
                yield Hit(place, f"the pattern {shown} is not a regular expression: {safe(found)}")


RULE = Rule(
    code="C206",
    name="pattern-broken",
    level="error",
    says="a `pattern` is not a regular expression",
    why="It cannot be validated. Providers that compile patterns reject the whole request.",
    remedy="correct the pattern, or leave it out",
    wrong=(
        {
            "name": "greet",
            "description": "Says hello.",
            "inputSchema": {
                "type": "object",
                "properties": {"name": {"type": "string", "pattern": "^(a|b$"}},
            },
        },
        {
            "name": "greet",
            "description": "Says hello.",
            "inputSchema": {
                "type": "object",
                "patternProperties": {"[z-a]": {"type": "string"}},
            },
        },
    ),
    right=(
        {
            "name": "greet",
            "description": "Says hello.",
            "inputSchema": {
                "type": "object",
                "properties": {"name": {"type": "string", "pattern": "^(a|b)$"}},
            },
        },
    ),
    look=_look,
)
