"""C209: a keyword with a value that JSON Schema does not allow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.schema.flaws import malformed, wanted
from toolcanon.schema.keywords import ANNOTATIONS
from toolcanon.text import safe, safe_json

_LONGEST: Final = 60


def _look(subject: Subject) -> Iterator[Hit]:
    for at, node in (*subject.nodes, *subject.answers):
        for key in malformed(node):
            if key == "type":  # C207 checks types
                continue
            needed = wanted(key)
            shown = safe(safe_json(node[key], indent=None), _LONGEST)
            yield Hit(
                at / key,
                f"{key} must be {needed}, found {shown}",
                remedy=f"write {needed}, or remove {key}",
                level="warning" if key in ANNOTATIONS else None,
            )


RULE = Rule(
    code="C209",
    name="keyword-malformed",
    level="error",
    says="a keyword has a value that JSON Schema does not allow",
    why="Clients that compile the schema reject the tool. Conversion drops the keyword, so it "
    "limits nothing.",
    remedy="correct the value, or remove the keyword",
    wrong=(
        {
            "name": "tag",
            "description": "Adds tags.",
            "inputSchema": {
                "type": "object",
                "properties": {"tags": {"type": "array", "maxItems": -1}},
            },
        },
        {
            "name": "tag",
            "description": "Adds tags.",
            "inputSchema": {"type": "object", "properties": {"tags": {"enum": {}}}},
        },
        {
            "name": "tag",
            "description": "Adds tags.",
            "inputSchema": {"type": "object"},
            "outputSchema": {"type": "object", "anyOf": []},
        },
    ),
    right=(
        {
            "name": "tag",
            "description": "Adds tags.",
            "inputSchema": {
                "type": "object",
                "properties": {"tags": {"type": "array", "maxItems": 8}},
            },
        },
    ),
    look=_look,
)
