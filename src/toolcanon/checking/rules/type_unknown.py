"""C207: a type that JSON Schema does not have, and that is not a known synonym of one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.jsonio.types import Json
from toolcanon.schema.keywords import TYPES
from toolcanon.text import safe, safe_json

_LONGEST: Final = 60


def _look(subject: Subject) -> Iterator[Hit]:
    for at, node in (*subject.nodes, *subject.answers):
        if "type" in node and not _is_known(node["type"]):
            shown = safe(safe_json(node["type"], indent=None), _LONGEST)
            yield Hit(at / "type", f"{shown} is not a type; it is dropped, and any value is valid")


def _is_known(stated: Json) -> bool:
    if isinstance(stated, str):
        return stated in TYPES
    is_list = isinstance(stated, list) and bool(stated)
    return is_list and all(isinstance(word, str) and word in TYPES for word in stated)


RULE = Rule(
    code="C207",
    name="type-unknown",
    level="warning",
    says="a schema has a type that does not exist",
    why="Providers reject it unchanged. Conversion drops it, so a model may send a value of any "
    "type.",
    remedy="write one of array, boolean, integer, null, number, object, string",
    wrong=(
        {
            "name": "paint",
            "description": "Paints a wall.",
            "inputSchema": {"type": "object", "properties": {"c": {"type": "colour"}}},
        },
        {
            "name": "paint",
            "description": "Paints a wall.",
            "inputSchema": {"type": "object", "properties": {"c": {"type": ["string", "paint"]}}},
        },
    ),
    right=(
        {
            "name": "paint",
            "description": "Paints a wall.",
            "inputSchema": {"type": "object", "properties": {"c": {"type": "string"}}},
        },
    ),
    look=_look,
)
