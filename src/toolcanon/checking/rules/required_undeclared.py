"""Q112: a required member that is not declared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.text import safe

# Keywords beside ``properties`` that may declare a member.
_ELSEWHERE: Final = frozenset(
    {"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "patternProperties",
     "dependentSchemas"}
)  # fmt: skip
_ABOVE: Final = frozenset({"allOf", "anyOf", "oneOf", "if", "then", "else", "not"})
_LONGEST: Final = 60


def _look(subject: Subject) -> Iterator[Hit]:
    for at, node in subject.nodes:
        required, members = node.get("required"), node.get("properties")
        if not required or not isinstance(required, list) or not isinstance(members, dict):
            continue
        if not (_ELSEWHERE.isdisjoint(node) and _ABOVE.isdisjoint(at)):
            continue
        for index, name in enumerate(required):
            if isinstance(name, str) and name not in members:
                shown = safe(name, _LONGEST)
                is_closed = node.get("additionalProperties") is False
                yield Hit(
                    at / "required" / index,
                    f"{shown} is required and not allowed: no call is valid"
                    if is_closed
                    else f"{shown} is required and not declared",
                )


RULE = Rule(
    code="Q112",
    name="required-undeclared",
    level="warning",
    says="a required member is not declared",
    why="Often a parameter was renamed in one place only. Models do not know what to send, and "
    "strict modes reject the schema.",
    remedy="declare it under `properties`, or remove it from `required`",
    wrong=(
        {
            "name": "greet",
            "description": "Says hello.",
            "inputSchema": {
                "type": "object",
                "properties": {"name": {"type": "string", "description": "Whom."}},
                "required": ["user_name"],
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
