"""Q106: an example that its own schema rejects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.fitting import refusal
from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json
from toolcanon.text import safe, safe_json

_LONGEST: Final = 60
_MOST: Final = 20


def _look(subject: Subject) -> Iterator[Hit]:
    for at, node in subject.nodes:
        if "examples" in node and isinstance(node["examples"], list):
            for index, value in enumerate(node["examples"][:_MOST]):
                if (reason := refusal(value, node, subject.schema)) is not None:
                    yield _hit(Pointer((*at, "examples", index)), value, reason)
    whole = subject.tool.__dict__.get("examples")
    if whole and subject.is_function:
        for index, value in enumerate(whole[:_MOST]):
            if (reason := refusal(value, subject.schema, subject.schema)) is not None:
                yield _hit(Pointer(("examples", index)), value, reason)


def _hit(at: Pointer, value: Json, reason: str) -> Hit:
    shown = safe(safe_json(value, indent=None), _LONGEST)
    return Hit(at, f"the example {shown} breaks the schema: {reason}")


RULE = Rule(
    code="Q106",
    name="example-breaks-schema",
    level="warning",
    says="an example breaks its own schema",
    why="Models imitate examples more readily than they read schemas, and such a call is rejected.",
    remedy="correct the example, or the schema",
    wrong=(
        {
            "name": "weather",
            "description": "Tells the weather.",
            "inputSchema": {
                "type": "object",
                "properties": {"days": {"type": "integer", "examples": ["three"]}},
            },
        },
    ),
    right=(
        {
            "name": "weather",
            "description": "Tells the weather.",
            "inputSchema": {
                "type": "object",
                "properties": {"days": {"type": "integer", "examples": [3]}},
            },
        },
    ),
    look=_look,
)
