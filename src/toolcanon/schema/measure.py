"""The size of a schema, in the numbers that compilers of schemas limit.

One walk. References are not followed: a definition is measured once at its own place, and starts at
depth zero.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Final, NamedTuple, TypeAlias

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import POSITIONS, Position
from toolcanon.schema.references import DEFINITIONS, Place, is_schema
from toolcanon.schema.values import strings_in

_At: TypeAlias = "tuple[_At, Place] | None"
"""The place of a node: its parent's place, and the steps from there."""
_Waiting: TypeAlias = tuple[_At, Json, int]
"""A node to be measured, and how many objects are above it."""
_COUNTED: Final = frozenset({*POSITIONS, "enum", "const"})


class EnumSize(NamedTuple):
    """The number of an enum's values, and the characters of its strings."""

    values: int
    chars: int


class Measures(NamedTuple):
    """The numbers of a schema, its definitions included."""

    depth: int
    """Objects on the longest way down, arrays and unions between them not counted."""

    deepest: Place
    """The place of the first of the deepest objects."""

    properties: int
    optional: int
    """Properties that the schema declaring them does not require."""

    unions: int
    """Schemas with ``anyOf`` or a list of types."""

    enums: tuple[EnumSize, ...]
    name_chars: int
    """Characters of property and definition names, and of the strings in enums and consts."""

    nodes: int
    memberless: tuple[Place, ...] = ()
    """Where objects stand that declare no members."""
    stacked: tuple[Place, ...] = ()
    """Where unions stand that are branches of unions."""

    @property
    def enum_values(self) -> int:
        """The values of all enums together."""
        return sum(size.values for size in self.enums)

    @property
    def largest_enum(self) -> EnumSize:
        """The enum with the most values."""
        return max(self.enums, default=EnumSize(0, 0))


def measure(schema: JsonObject) -> Measures:
    """Measure a schema.

    >>> measure({"type": "object", "properties": {"unit": {"enum": ["C", "F"]}}}).name_chars
    6
    """
    properties = optional = unions = chars = nodes = depth = 0
    deepest: _At = None
    enums: list[EnumSize] = []
    memberless: list[_At] = []
    stacked: list[_At] = []
    stack: list[_Waiting] = [(None, schema, 0)]
    while stack:
        at, node, above = stack.pop()
        nodes += 1
        if node.__class__ is not dict:
            continue
        is_object = _is_object(node)
        here = above + is_object
        if here > depth:
            depth, deepest = here, at
        declared = _table(node, "properties")
        if declared:
            properties += len(declared)
            chars += sum(map(len, declared))
            optional += len(declared.keys() - set(strings_in(node.get("required"))))
        elif is_object:
            memberless.append(at)
        if "anyOf" in node:
            unions += 1
            if at is not None and "anyOf" in at[1][-2:-1]:
                stacked.append(at)
        elif node.get("type").__class__ is list:
            unions += 1
        values = node.get("enum")
        if values.__class__ is list:
            enums.append(EnumSize(len(values), sum(map(_length, values))))
            chars += enums[-1].chars
        chars += _length(node.get("const"))
        chars += sum(sum(map(len, _table(node, key))) for key in DEFINITIONS if key in node)
        below, leaves, lists = _below(node, at, here)
        nodes += leaves
        unions += lists
        stack += reversed(below)
    return Measures(
        depth,
        _place(deepest),
        properties,
        optional,
        unions,
        tuple(enums),
        chars,
        nodes,
        tuple(map(_place, memberless)),
        tuple(map(_place, stacked)),
    )


def _below(node: JsonObject, at: _At, here: int) -> tuple[list[_Waiting], int, int]:
    """Return the schemas to visit next; plain scalars and lists of types are only counted."""
    below: list[_Waiting] = []
    leaves = lists = 0
    for key, value in node.items():
        if key not in POSITIONS:
            continue
        inner = 0 if key in DEFINITIONS else here
        for step, child in _held(key, value):
            if child.__class__ is dict:
                kind = child.get("type")
                if kind and _COUNTED.isdisjoint(child) and _is_scalar(kind):  # as most are
                    leaves += 1
                    lists += kind.__class__ is list
                    continue
            elif child.__class__ is not bool:
                continue
            below.append(((at, (key,) if step is None else (key, step)), child, inner))
    return below, leaves, lists


def count_nodes(schema: Json) -> int:
    """Return the number of schemas in a schema, itself included."""
    found, stack = 0, [schema]
    while stack:
        node = stack.pop()
        found += 1
        if node.__class__ is not dict or POSITIONS.keys().isdisjoint(node):
            continue
        for key, value in node.items():
            if key in POSITIONS:
                stack += [child for _, child in _held(key, value) if is_schema(child)]
    return found


def _held(key: str, value: Json) -> Iterable[tuple[str | int | None, Json]]:
    """Yield the schemas of a keyword, each with its step; without one where it is the value."""
    if value.__class__ is dict and POSITIONS[key] is Position.SCHEMA_MAP:
        return value.items()
    return enumerate(value) if value.__class__ is list else ((None, value),)


def _is_scalar(kind: Json) -> bool:
    """Return whether a type has nothing below it that could be counted."""
    if kind.__class__ is list:
        return "object" not in kind and "array" not in kind
    return kind not in ("object", "array")


def _place(at: _At) -> Place:
    steps: list[Place] = []
    while at is not None:
        at, step = at
        steps.append(step)
    return tuple(chain.from_iterable(reversed(steps)))


def _is_object(node: JsonObject) -> bool:
    kind = node.get("type")
    if kind is None:
        return "properties" in node
    return kind == "object" or (kind.__class__ is list and "object" in kind)


def _table(node: JsonObject, key: str) -> JsonObject:
    """Return the schemas by name that a keyword holds; garbage among them is not counted."""
    table = node.get(key)
    if table.__class__ is not dict:
        return {}
    if all(map(is_schema, table.values())):
        return table
    return {name: child for name, child in table.items() if is_schema(child)}


def _length(value: Json) -> int:
    return len(value) if value.__class__ is str else 0
