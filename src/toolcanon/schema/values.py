"""JSON values: types as JSON Schema has them, equality, size, and what a node holds."""

from __future__ import annotations

from collections.abc import Container, Hashable
from typing import Final

from toolcanon.jsonio.types import Json, JsonObject

_TYPE_OF: Final[dict[type, str]] = {
    bool: "boolean",
    int: "integer",
    dict: "object",
    list: "array",
    str: "string",
    type(None): "null",
}


def type_of(value: Json) -> str:
    """Return the narrowest type of a value: 1 and 1.0 are integers.

    >>> type_of(1.0), type_of(True), type_of(0.5)
    ('integer', 'boolean', 'number')
    """
    if value.__class__ is float:
        return "integer" if value.is_integer() else "number"
    return _TYPE_OF.get(value.__class__, "object")


def has_type(value: Json, types: Container[str]) -> bool:
    """Return whether a value is of one of these types; every integer is a number."""
    kind = type_of(value)
    return kind in types or (kind == "integer" and "number" in types)


def is_number(value: Json) -> bool:
    """Return whether a value is a number; neither ``true`` nor ``false`` is one."""
    return value.__class__ is int or value.__class__ is float


def types_of(node: Json) -> frozenset[str]:
    """Return the types a schema names; none when it does not say."""
    kind = node.get("type") if node.__class__ is dict else None
    if kind.__class__ is str:
        return frozenset({kind})
    return frozenset(strings_in(kind))


def strings_in(values: Json) -> list[str]:
    """Return the strings of a list; another value has none."""
    return [value for value in values if value.__class__ is str] if values.__class__ is list else []


def table(node: JsonObject, key: str) -> JsonObject:
    """Return the map that a keyword holds; empty where it holds none."""
    found = node.get(key)
    return found if found.__class__ is dict else {}


def listed(node: JsonObject, key: str) -> list[Json]:
    """Return the list that a keyword holds; empty where it holds none."""
    found = node.get(key)
    return found if found.__class__ is list else []


def without(node: JsonObject, *keys: str) -> JsonObject:
    """Return a node but for some keywords."""
    return {key: value for key, value in node.items() if key not in keys}


def is_anything(schema: Json) -> bool:
    """Return whether a schema obviously accepts every value."""
    return schema is True or (schema.__class__ is dict and not schema)


def same(one: Json, other: Json) -> bool:
    """Return whether two JSON values are equal: ``1`` is ``1.0`` but not ``true``.

    >>> same({"a": [1]}, {"a": [1.0]}), same([1], [True])
    (True, False)
    """
    return one is other or identity(one) == identity(other)


def identity(value: Json) -> Hashable:
    """Return an object that hashes and compares as JSON values do."""
    if value.__class__ is bool:
        return (value,)
    if isinstance(value, dict):
        return frozenset((key, identity(inner)) for key, inner in value.items())
    if isinstance(value, list):
        return ("list", *map(identity, value))
    found: Hashable = value
    return found


def size_of(value: Json) -> int:
    """Return the number of JSON values in a value, itself included."""
    found, stack = 0, [value]
    while stack:
        inner = stack.pop()
        found += 1
        if inner.__class__ is dict:
            stack.extend(inner.values())
        elif inner.__class__ is list:
            stack.extend(inner)
    return found
