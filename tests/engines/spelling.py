"""Values in the words of an engine: members in the order of the schema, whole numbers plainly.

Engines fix the order in which a model writes members. That is no part of JSON Schema, so values
are put in order before an engine judges them.
"""

from __future__ import annotations

from typing import Any

import jsonschema_rs

from tests.engines.judges import text_of

Json = Any


def spelled(value: Json, schema: Json) -> tuple[bytes, ...]:
    """A value as an engine may let a model write it, without spaces.

    There are two ways where members stand beside a union: its branch comes last, or first.
    """
    found = {text_of(_Order(schema, is_first).of(value, schema)): None for is_first in _BOTH}
    return tuple(found)


_BOTH = (False, True)


class _Order:
    def __init__(self, root: Json, branch_first: bool) -> None:
        self.branch_first = branch_first
        self.definitions = {key: root[key] for key in ("$defs", "definitions") if key in root}
        self.root = root

    def of(self, value: Json, node: Json) -> Json:
        if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
            return int(value)
        if not isinstance(value, (dict, list)) or not isinstance(node, dict):
            return value
        if "$ref" in node:
            return self.of(value, self.target(node["$ref"]))
        if node.get("anyOf") and not self.branch_first:
            value = self.of(value, self.branch(value, node["anyOf"]))
        value = self.below(value, node)
        if node.get("anyOf") and self.branch_first:
            value = self.of(value, self.branch(value, node["anyOf"]))
        return value

    def below(self, value: Json, node: Json) -> Json:
        if isinstance(value, list):
            places = node.get("prefixItems") or []
            rest = node.get("items")
            return [
                self.of(item, places[at] if at < len(places) else rest)
                for at, item in enumerate(value)
            ]
        declared = node.get("properties") or {}
        others = node.get("additionalProperties")
        by_pattern = next(iter((node.get("patternProperties") or {}).values()), others)
        names = dict.fromkeys([*(name for name in declared if name in value), *value])
        return {name: self.of(value[name], declared.get(name, by_pattern)) for name in names}

    def target(self, reference: str) -> Json:
        found = self.root
        for step in reference.removeprefix("#").split("/")[1:]:
            found = found[step.replace("~1", "/").replace("~0", "~")]
        return found

    def branch(self, value: Json, branches: list[Json]) -> Json:
        """The branch that takes the value, otherwise the one that knows most of its members."""
        for branch in branches:
            if jsonschema_rs.is_valid({**self.definitions, **branch}, value):
                return branch
        return max(
            branches,
            key=lambda branch: (
                len((branch.get("properties") or {}).keys() & value)
                if isinstance(value, dict)
                else 0
            ),
        )
