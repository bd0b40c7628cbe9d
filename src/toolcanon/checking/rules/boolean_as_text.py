"""Q117: true and false as texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject

_TRUTHS: Final = {"true", "false"}


def _look(subject: Subject) -> Iterator[Hit]:
    for at, node in subject.nodes:
        values = node.get("enum")
        if (
            isinstance(values, list)
            and len(values) == len(_TRUTHS)
            and all(isinstance(value, str) for value in values)
            and {value.lower() for value in values} == _TRUTHS
        ):
            yield Hit(at / "enum", "a boolean is declared as text")


RULE = Rule(
    code="Q117",
    name="boolean-as-text",
    level="info",
    says="a boolean is declared as text",
    why='Models understand the parameter and send true instead of "true", which is rejected.',
    remedy='make it {"type": "boolean"}',
    wrong=(
        {
            "name": "list_files",
            "description": "Lists files.",
            "inputSchema": {
                "type": "object",
                "properties": {"hidden": {"type": "string", "enum": ["true", "false"]}},
            },
        },
    ),
    right=(
        {
            "name": "list_files",
            "description": "Lists files.",
            "inputSchema": {"type": "object", "properties": {"hidden": {"type": "boolean"}}},
        },
    ),
    look=_look,
)
