"""Q105: a default that its own schema rejects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.fitting import refusal
from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.jsonio import Pointer
from toolcanon.text import safe, safe_json

_LONGEST: Final = 60


def _look(subject: Subject) -> Iterator[Hit]:
    nulls: list[Pointer] = []
    for at, node in subject.nodes:
        if "default" not in node:
            continue
        value = node["default"]
        reason = refusal(value, node, subject.schema)
        if reason is None:
            continue
        if value is None:  # what many generators write for "absent"
            nulls.append(at / "default")
        else:
            shown = safe(safe_json(value, indent=None), _LONGEST)
            yield Hit(at / "default", f"the default {shown} breaks its own schema: {reason}")
    if nulls:
        more = f", here and in {len(nulls) - 1} more places" if len(nulls) > 1 else ""
        yield Hit(
            nulls[0],
            f"the default is null, which the schema rejects{more}",
            "leave out the default, or allow null",
            "info",
        )


RULE = Rule(
    code="Q105",
    name="default-breaks-schema",
    level="warning",
    says="a default breaks its own schema",
    why="Models and clients send defaults unchanged, and this one is rejected.",
    remedy="correct the default, or loosen the schema",
    wrong=(
        {
            "name": "list_files",
            "description": "Lists files.",
            "inputSchema": {
                "type": "object",
                "properties": {"limit": {"type": "integer", "default": "10"}},
            },
        },
        {
            "name": "list_files",
            "description": "Lists files.",
            "inputSchema": {
                "type": "object",
                "properties": {"limit": {"type": "integer", "maximum": 5, "default": 10}},
            },
        },
    ),
    right=(
        {
            "name": "list_files",
            "description": "Lists files.",
            "inputSchema": {
                "type": "object",
                "properties": {"limit": {"type": "integer", "default": 10}},
            },
        },
    ),
    look=_look,
)
