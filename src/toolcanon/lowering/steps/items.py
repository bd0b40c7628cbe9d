"""Lists say what their items are, and objects with nothing in them what the target can read.

Why: providers refuse a list without ``items``; some refuse an explicit, empty ``properties``.
Tag: EXACT. An item that may be anything is written as such.
"""

from __future__ import annotations

from toolcanon.dialect import Dialect
from toolcanon.jsonio.types import JsonObject
from toolcanon.lowering.step import Example, Glance, Site, Step, without


def rewrite(node: JsonObject, site: Site) -> JsonObject:
    dialect = site.dialect
    if dialect.items and "array" in (node.get("type") or ()):
        items = node.get("items")
        if items is None or (items is True and not dialect.booleans):
            site.lose("L227", "items", items, {})
            node = {**node, "items": {}}
    if not dialect.empty_properties and node.get("properties") == {}:
        site.lose("L235", "properties", {}, None)
        node = without(node, "properties")
    return node


def _needed(dialect: Dialect) -> bool:
    return dialect.items or not dialect.empty_properties


def glance(dialect: Dialect, keys: frozenset[str]) -> Glance | bool:
    if "properties" not in keys:
        return True
    return _is_bare if dialect.items and "items" not in keys else _has_no_members


def _is_bare(node: JsonObject) -> bool:
    return not node["properties"] or "array" in node["type"]


def _has_no_members(node: JsonObject) -> bool:
    return not node["properties"]


STEP = Step(
    id="items",
    codes=("L227", "L235"),
    needed=_needed,
    meets=lambda dialect, kinds, keys: (
        (dialect.items and "array" in kinds and "items" not in keys)
        or (not dialect.empty_properties and "object" in kinds and "properties" in keys)
    ),
    rewrite=rewrite,
    glance=glance,
    examples=(
        Example(
            before={"type": "array"},
            after={"type": "array", "items": {}},
            args=[1],
            wire_args=[1],
            dialect="items=True",
        ),
    ),
)
