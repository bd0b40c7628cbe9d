"""How large a schema is, in the numbers that whoever compiles it puts limits on.

One walk. References are not followed: a definition is measured where it stands, once, and starts
again at depth zero.
"""

from __future__ import annotations

from typing import NamedTuple

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.references import DEFINITIONS, Place, is_schema, subschemas
from toolcanon.schema.values import strings_in


class EnumSize(NamedTuple):
    """How many values an enum has, and how many characters its strings add up to."""

    values: int
    chars: int


class Measures(NamedTuple):
    """The numbers of a schema, its definitions included."""

    depth: int
    """Objects on the longest way down, arrays and unions between them not counted."""

    deepest: Place
    """Where the deepest object stands (the first of them)."""

    properties: int
    optional: int
    """Properties that the schema declaring them does not require."""

    unions: int
    """Schemas with ``anyOf`` or a list of types."""

    enums: tuple[EnumSize, ...]
    name_chars: int
    """Characters of property and definition names, and of the strings in enums and consts."""

    nodes: int

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
    deepest: Place = ()
    enums: list[EnumSize] = []
    stack: list[tuple[Place, Json, int]] = [((), schema, 0)]
    while stack:
        place, node, above = stack.pop()
        nodes += 1
        if node.__class__ is not dict:
            continue
        here = above + _is_object(node)
        if here > depth:
            depth, deepest = here, place
        declared = _table(node, "properties")
        properties += len(declared)
        chars += sum(map(len, declared))
        optional += len(declared.keys() - set(strings_in(node.get("required"))))
        chars += sum(sum(map(len, _table(node, key))) for key in DEFINITIONS)
        unions += "anyOf" in node or node.get("type").__class__ is list
        values = node.get("enum")
        if values.__class__ is list:
            enums.append(EnumSize(len(values), sum(map(_length, values))))
            chars += enums[-1].chars
        chars += _length(node.get("const"))
        below = [
            ((*place, *steps), child, 0 if steps[0] in DEFINITIONS else here)
            for steps, child in subschemas(node)
        ]
        stack.extend(reversed(below))
    return Measures(depth, deepest, properties, optional, unions, tuple(enums), chars, nodes)


def _is_object(node: JsonObject) -> bool:
    kind = node.get("type")
    if kind is None:
        return "properties" in node
    return kind == "object" or (kind.__class__ is list and "object" in kind)


def _table(node: JsonObject, key: str) -> JsonObject:
    """The schemas by name that a keyword holds; garbage among them is not counted."""
    table = node.get(key)
    if table.__class__ is not dict:
        return {}
    return {name: child for name, child in table.items() if is_schema(child)}


def _length(value: Json) -> int:
    return len(value) if value.__class__ is str else 0
