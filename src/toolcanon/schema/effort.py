"""How much work it may be to validate a value: an upper bound, told before the work is done.

A dozen lines of schema can ask for more checks than there are atoms (references that double at
every step). Validators run them faithfully, so somebody has to count first.
"""

from __future__ import annotations

from typing import Final

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.references import REFERENCES, References

CEILING: Final = 10**12
"""Stands for more than anyone would do."""

_LARGEST_VALUE = 5_000_000
_METASCHEMAS = ("https://json-schema.org/draft/", "http://json-schema.org/draft")
_METASCHEMA_BRANCHING = 4  # vocabularies that look at the same member of a schema


def extent(value: Json) -> tuple[int, int]:
    """How many values a value holds, itself included, and how deep they nest."""
    count = depth = 0
    level = [value]
    while level and count <= _LARGEST_VALUE:
        count += len(level)
        depth += 1
        below: list[Json] = []
        for item in level:
            if item.__class__ is dict:
                below.extend(item.values())
            elif item.__class__ is list:
                below.extend(item)
        level = below
    return count, depth


class Effort:
    """Checks needed along any one path from the root of a value to a leaf."""

    def __init__(self, document: JsonObject) -> None:
        self._document = document
        self._references = References(document)
        self._known: dict[tuple[int, int], int] = {}

    def along(self, depth: int) -> int:
        """For values nested that deep."""
        try:
            return self._cost(self._document, depth)
        except RecursionError:
            return CEILING

    def _cost(self, node: Json, depth: int) -> int:
        if not isinstance(node, dict):
            return 1
        key = (id(node), depth)
        known = self._known.get(key)
        if known is not None:
            return known
        self._known[key] = CEILING  # whoever comes back here goes in circles on one value
        here = self._in_place(node, depth)
        below = self._below(node, depth - 1) if depth > 1 else 0
        if "unevaluatedProperties" in node or "unevaluatedItems" in node:
            here *= 2  # what was evaluated has to be found out again
        cost = self._known[key] = min(CEILING, 1 + _listed(node) + here + below)
        return cost

    def _in_place(self, node: JsonObject, depth: int) -> int:
        total = 0
        for word in ("allOf", "anyOf", "oneOf"):
            total += sum(self._cost(item, depth) for item in _items(node.get(word)))
        for word in ("if", "then", "else", "not"):
            if word in node:
                total += self._cost(node[word], depth)
        total += sum(self._cost(v, depth) for v in _values(node.get("dependentSchemas")))
        for word in REFERENCES:
            if word in node:
                total += self._referred(node, node[word], depth)
        return total

    def _referred(self, node: JsonObject, reference: Json, depth: int) -> int:
        if not isinstance(reference, str):
            return CEILING
        found = self._references.find_exactly(reference, node)
        if found is not None:
            return self._cost(found.schema, depth)
        if reference.startswith(_METASCHEMAS):
            return int(min(CEILING, _METASCHEMA_BRANCHING ** min(depth, 32) * 8))
        return CEILING  # a validator may find what we do not, and then we know nothing

    def _below(self, node: JsonObject, depth: int) -> int:
        def cost(word: str) -> int:
            return self._cost(node[word], depth) if word in node else 0

        named = max((self._cost(v, depth) for v in _values(node.get("properties"))), default=0)
        named += sum(self._cost(v, depth) for v in _values(node.get("patternProperties")))
        placed = max((self._cost(v, depth) for v in _items(node.get("prefixItems"))), default=0)
        names = self._cost(node["propertyNames"], 1) if "propertyNames" in node else 0
        members = max(named, cost("additionalProperties")) + cost("unevaluatedProperties") + names
        items = max(placed, cost("items")) + cost("contains") + cost("unevaluatedItems")
        return max(members, items)


def _listed(node: JsonObject) -> int:
    return sum(len(_items(node.get(word))) // 8 for word in ("enum", "required"))


def _items(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _values(value: Json) -> list[Json]:
    return list(value.values()) if isinstance(value, dict) else []
