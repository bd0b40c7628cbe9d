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
    deepest: Place = ()
    enums: list[EnumSize] = []
    memberless: list[Place] = []
    stacked: list[Place] = []
    stack: list[tuple[Place, Json, int]] = [((), schema, 0)]
    while stack:
        place, node, above = stack.pop()
        nodes += 1
        if node.__class__ is not dict:
            continue
        is_object = _is_object(node)
        here = above + is_object
        if here > depth:
            depth, deepest = here, place
        declared = _table(node, "properties")
        if is_object and not declared:
            memberless.append(place)
        properties += len(declared)
        chars += sum(map(len, declared))
        optional += len(declared.keys() - set(strings_in(node.get("required"))))
        chars += sum(sum(map(len, _table(node, key))) for key in DEFINITIONS)
        unions += "anyOf" in node or node.get("type").__class__ is list
        if "anyOf" in node and "anyOf" in place[-2:-1] and place[-1].__class__ is int:
            stacked.append(place)
        values = node.get("enum")
        if values.__class__ is list:
            enums.append(EnumSize(len(values), sum(map(_length, values))))
            chars += enums[-1].chars
        chars += _length(node.get("const"))
        below = []
        for steps, child in subschemas(node):
            if child.__class__ is dict and _is_plain(child):  # as most are
                nodes += 1
                unions += child["type"].__class__ is list
            else:
                below.append(((*place, *steps), child, 0 if steps[0] in DEFINITIONS else here))
        stack.extend(reversed(below))
    return Measures(
        depth,
        deepest,
        properties,
        optional,
        unions,
        tuple(enums),
        chars,
        nodes,
        tuple(memberless),
        tuple(stacked),
    )


def _is_plain(node: JsonObject) -> bool:
    """Whether a node is a scalar that says nothing to be counted but its type."""
    kind = node.get("type")
    words = kind if kind.__class__ is list else (kind,)
    if not kind or "object" in words or "array" in words:
        return False
    return len(node) == 1 + ("description" in node)


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
