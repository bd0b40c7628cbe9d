"""Steps on items of lists and tuples.

Why: the target knows one schema for all items.
Tag: EXACT; WIDENED where several places may be missing, since one of them alone would leave a gap,
and by rules for all items together, which members of an object do not know.

Why: providers refuse a list without ``items``; some refuse an explicit, empty ``properties``.
Tag: EXACT. An item that may be anything is written as such.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Final

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect, Support
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.notes import with_notes
from toolcanon.lowering.step import Glance, Op, Step, StepExample, StepNode, Trouble, without
from toolcanon.schema.algebra.overlap import are_apart
from toolcanon.schema.keywords import APPLIES


def rewrite_items(node: JsonObject, site: StepNode) -> JsonObject:
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


ITEMS_STEP = Step(
    id="items",
    codes=("L227", "L235"),
    needed=_needed,
    meets=lambda dialect, kinds, keys: (
        (dialect.items and "array" in kinds and "items" not in keys)
        or (not dialect.empty_properties and "object" in kinds and "properties" in keys)
    ),
    rewrite=rewrite_items,
    glance=glance,
    examples=(
        StepExample(
            before={"type": "array"},
            after={"type": "array", "items": {}},
            args=[1],
            wire_args=[1],
            dialect="items=True",
        ),
    ),
)


_REST: Final = "rest"
_FEW: Final = 8
_LISTS: Final = frozenset({"array"})
_LISTED: Final = ("enum", "const")  # whole values, which stay as they are
_COUNTS: Final = ("minContains", "maxContains")
_GONE: Final = ("prefixItems", "items", "minItems", "maxItems")


def rewrite_tuples(node: JsonObject, site: StepNode) -> JsonObject:
    prefix: list[Json] = node["prefixItems"]
    rest = node.get("items")
    most = node.get("maxItems")
    open_end = rest is not None and rest is not False
    # Without a word on the rest anything may follow, but a caller sends what is declared.
    if most is not None and most <= len(prefix):
        prefix, open_end = prefix[: int(most)], False
    site.run.follow()
    first = prefix[0] if prefix else {}
    if all(item == first for item in prefix) and (not open_end or rest == first):
        return _as_list(node, first, len(prefix), site, open_end=open_end)
    return _as_object(node, prefix, site, open_end=open_end)


def _as_list(
    node: JsonObject, item: Json, length: int, site: StepNode, *, open_end: bool
) -> JsonObject:
    out = {**without(node, *_GONE), "items": item}
    most = node.get("maxItems")
    if node.get("minItems"):
        out["minItems"] = node["minItems"]
    longest = most if open_end else min(length, most if most is not None else length)
    if longest is not None and (open_end or node.get("items") is False or most is not None):
        out["maxItems"] = longest
    for key in _GONE:
        if key in node and (key not in out or out[key] != node[key]):
            site.lose("L220", key, node[key], out.get(key))
    return out


def _as_object(
    node: JsonObject, prefix: list[Json], site: StepNode, *, open_end: bool
) -> JsonObject:
    least, most = node.get("minItems", 0), node.get("maxItems")
    names = [f"item_{number}" for number in range(1, len(prefix) + 1)]
    members: JsonObject = dict(zip(names, prefix, strict=True))
    if open_end:
        members[_REST] = {"type": "array", "items": node["items"]}
        if most is not None:
            members[_REST]["maxItems"] = most - len(prefix)
        if least > len(prefix):
            members[_REST]["minItems"] = least - len(prefix)
    distinct = not open_end and _are_distinct(prefix, site)
    out = _without_rules(node, site, distinct=distinct)
    out["type"] = ["object", "null"] if "null" in (node.get("type") or ()) else "object"
    out["properties"] = members
    needed = [*names, _REST] if open_end and least > len(prefix) else names[: int(least)]
    if needed:
        out["required"] = needed
    optional = len(names) - len(needed) + int(open_end)
    gaps = Effect.WIDENED if optional > 1 else Effect.EXACT
    site.lose("L219", "prefixItems", node["prefixItems"], None, gaps)
    # More items than there are places for: they cannot be sent, so fewer lists are valid.
    short = None if open_end or least <= len(prefix) else Effect.NARROWED | Effect.WIDENED
    for key in _GONE[1:]:
        if key in node:
            site.lose("L219", key, node[key], None, short if key == "minItems" else None)
    details: JsonObject = {"rest": _REST} if open_end else {}
    site.op("tuple", names=names, **details)
    return out


def _are_distinct(items: list[Json], site: StepNode) -> bool:
    """Return whether no two places can hold the same value."""
    if len(items) > _FEW:
        return False
    return all(are_apart(*pair, site.run.references) for pair in combinations(items, 2))


def _without_rules(node: JsonObject, site: StepNode, *, distinct: bool) -> JsonObject:
    """Return a copy without keywords for lists only."""
    rules = [key for key in node if APPLIES.get(key) == _LISTS and key not in _GONE]
    # Required contents of a list could follow where no items were declared.
    follows = "items" not in node and node.get("maxItems", math.inf) > len(node["prefixItems"])
    remarks = []
    for key in rules:
        value = node[key]
        idle = value is False or (key in _COUNTS and "contains" not in node)
        idle |= key == "uniqueItems" and distinct
        effect = Effect.EXACT if idle else Effect.WIDENED
        if key == "contains" and follows:
            effect |= Effect.NARROWED
        site.lose("L228", key, value, None, effect)
        if not idle:
            remarks.append(site.remark(key, value))
    return with_notes(without(node, *_GONE, *rules), remarks)


def apply(value: Json, op: JsonObject, troubles: list[Trouble]) -> Json:
    del troubles
    if value.__class__ is not list:
        return value
    names = op["names"]
    out = dict(zip(names, value, strict=False))
    if "rest" in op and len(value) > len(names):
        out[op["rest"]] = value[len(names) :]
    return out


def restore(value: Json, op: JsonObject, troubles: list[Trouble]) -> Json:
    if value.__class__ is not dict:
        return value
    names = op["names"]
    given = [index for index, name in enumerate(names) if name in value]
    rest = value.get(op.get("rest"))
    length = len(names) if rest else max(given, default=-1) + 1
    missing = [name for name in names[:length] if name not in value]
    troubles += [Trouble((name,), "it is missing before places that are there") for name in missing]
    out = [value.get(name) for name in names[:length]]
    return out + rest if rest.__class__ is list else out


TUPLES_STEP = Step(
    id="tuples",
    codes=("L219", "L220", "L228"),
    needed=lambda dialect: dialect.support("prefixItems") is Support.REJECTED,
    meets=lambda _dialect, kinds, keys: "prefixItems" in keys
    and kinds <= {"array", "null"}
    and keys.isdisjoint(_LISTED),
    rewrite=rewrite_tuples,
    ops=(Op(name="tuple", apply=apply, restore=restore, needs=(("names", list),)),),
    examples=(
        StepExample(
            before={"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}],
                    "minItems": 2, "items": False},
            after={"type": "object",
                   "properties": {"item_1": {"type": "string"}, "item_2": {"type": "integer"}},
                   "required": ["item_1", "item_2"]},
            args=["a", 1],
            wire_args={"item_1": "a", "item_2": 1},
            dialect="keywords.prefixItems=REJECTED",
        ),
    ),
)  # fmt: skip
