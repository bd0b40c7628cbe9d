"""Q116: a schema that accepts no value, or values that no call can send."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import JsonObject
from toolcanon.schema.keywords import TYPES
from toolcanon.schema.values import has_type, is_number
from toolcanon.text import safe, safe_json

_PAIRS: Final = (
    ("minimum", "maximum"),
    ("exclusiveMinimum", "maximum"),
    ("minimum", "exclusiveMaximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)
_LOWS: Final = frozenset(low for low, _ in _PAIRS)
_LONGEST: Final = 60
_SHOWN: Final = 3


def _look(subject: Subject) -> Iterator[Hit]:
    for at, node in subject.nodes:
        if not _LOWS.isdisjoint(node):
            yield from _bounds(node, at)
        if node.get("enum") == []:
            yield Hit(at / "enum", "no value is valid: the enum is empty")
        elif "enum" in node or "const" in node:
            yield from _values(node, at)


def _bounds(node: JsonObject, at: Pointer) -> Iterator[Hit]:
    for low, high in _PAIRS:
        least, most = node.get(low), node.get(high)
        if least is None or most is None or not (is_number(least) and is_number(most)):
            continue
        if least > most:
            yield Hit(at / low, f"no value is valid: {low} {least} is more than {high} {most}")


def _values(node: JsonObject, at: Pointer) -> Iterator[Hit]:
    stated = node.get("type")
    types = [stated] if isinstance(stated, str) else stated
    if not isinstance(types, list) or not types or not TYPES.issuperset(map(str, types)):
        return
    word = "const" if "const" in node else "enum"
    values = [node["const"]] if word == "const" else node.get("enum")
    if not isinstance(values, list):
        return
    wrong = [value for value in values if value is not None and not has_type(value, types)]
    if wrong:
        shown = ", ".join(safe(safe_json(value, indent=None), _LONGEST) for value in wrong[:_SHOWN])
        none = len(wrong) == len(values)
        yield Hit(
            at / word,
            f"{'no value is valid' if none else 'never accepted'}: {shown} in the {word} is not of "
            f"type {' or '.join(map(str, types))}",
            level=None if none else "info",
        )


RULE = Rule(
    code="Q116",
    name="schema-contradictory",
    level="warning",
    says="a schema contradicts itself",
    why="Every value there is rejected, by the provider or by the tool.",
    remedy="correct the bounds, the values or the type",
    wrong=(
        {
            "name": "pick",
            "description": "Picks a card.",
            "inputSchema": {
                "type": "object",
                "properties": {"n": {"type": "integer", "minimum": 9, "maximum": 1}},
            },
        },
        {
            "name": "pick",
            "description": "Picks a card.",
            "inputSchema": {
                "type": "object",
                "properties": {"n": {"type": "string", "enum": [1, 2, 3]}},
            },
        },
        {
            "name": "pick",
            "description": "Picks a card.",
            "inputSchema": {
                "type": "object",
                "properties": {"n": {"type": "integer", "enum": []}},
            },
        },
    ),
    right=(
        {
            "name": "pick",
            "description": "Picks a card.",
            "inputSchema": {
                "type": "object",
                "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 9}},
            },
        },
        {
            "name": "pick",
            "description": "Picks a card.",
            "inputSchema": {
                "type": "object",
                "properties": {"n": {"type": "integer", "enum": [1, 2, 3]}},
            },
        },
    ),
    look=_look,
)
