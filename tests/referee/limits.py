"""How large a schema is, counted as the providers count."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.referee import facts
from tests.referee.facts import Column
from tests.referee.faults import Fault
from tests.referee.walk import DEFINITIONS, is_text, walk


@dataclass(slots=True)
class Size:
    """Each definition is counted once, wherever it is used."""

    levels: int = 0
    properties: int = 0
    optional: int = 0
    unions: int = 0
    enum_values: int = 0
    largest_enum_text: int = 0  # among enums of more than 250 texts
    text: int = 0  # names of members and definitions, values of enum and const


def size_of(schema: Any) -> Size:
    size = Size()
    for place in walk(schema):
        if not isinstance(place.node, dict):
            continue
        size.levels = max(size.levels, place.levels)
        _count_members(place.node, size)
        _count_values(place.node, size)
        named = place.node.get("type")
        size.unions += "anyOf" in place.node or (isinstance(named, list) and len(named) > 1)
    return size


def _count_members(node: dict[str, Any], size: Size) -> None:
    members, required = node.get("properties"), node.get("required")
    if isinstance(members, dict):
        named = set(filter(is_text, required)) if isinstance(required, list) else set()
        size.properties += len(members)
        size.optional += len(members.keys() - named)
        size.text += sum(map(len, members))
    for keyword in DEFINITIONS:
        if isinstance(definitions := node.get(keyword), dict):
            size.text += sum(map(len, definitions))


def _count_values(node: dict[str, Any], size: Size) -> None:
    values = node.get("enum")
    if isinstance(values, list):
        length = sum(map(_length, values))
        size.enum_values += len(values)
        size.text += length
        if len(values) > facts.LARGE_ENUM and all(map(is_text, values)):
            size.largest_enum_text = max(size.largest_enum_text, length)
    if "const" in node:
        size.text += _length(node["const"])


def _length(value: Any) -> int:
    return len(value) if is_text(value) else len(json.dumps(value))


def schema_limits(schema: Any, column: Column) -> Iterator[Fault]:
    """The limits that one schema can break by itself."""
    if column.limits == "usage":
        yield from usage_limits([size_of(schema)])
    elif column.limits == "fields":
        yield from field_limits([size_of(schema)])
    elif column.limits == "sizes":
        yield from _size_limits(size_of(schema))


def _size_limits(size: Size) -> Iterator[Fault]:
    for rule, count, most in (
        ("limit-levels", size.levels, facts.MOST_LEVELS),
        ("limit-properties", size.properties, facts.MOST_PROPERTIES),
        ("limit-enum-values", size.enum_values, facts.MOST_ENUM_VALUES),
        ("limit-text", size.text, facts.MOST_TEXT),
        ("limit-enum-text", size.largest_enum_text, facts.MOST_LARGE_ENUM_TEXT),
    ):
        if count > most:
            yield Fault("", rule, f"{count}, at most {most}")


def usage_limits(sizes: list[Size]) -> Iterator[Fault]:
    """The limits that strict schemas of one request share."""
    for rule, count, most in (
        ("limit-strict-tools", len(sizes), facts.MOST_STRICT_TOOLS),
        ("limit-optional", sum(size.optional for size in sizes), facts.MOST_OPTIONAL),
        ("limit-unions", sum(size.unions for size in sizes), facts.MOST_UNIONS),
    ):
        if count > most:
            yield Fault("", rule, f"{count} in one request, at most {most}")


def field_limits(sizes: list[Size]) -> Iterator[Fault]:
    """The limit on members that strict schemas of one request share."""
    count = sum(size.properties for size in sizes)
    if count > facts.MOST_FIELDS:
        yield Fault("", "limit-fields", f"{count} in one request, at most {facts.MOST_FIELDS}")
