"""The conjunction of several schemas in one node, without ``allOf``.

What one node cannot express is left out and returned as residue: the result may be wider than the
schemas, never narrower. Without residue it is equivalent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

from toolcanon.errors import LimitExceeded
from toolcanon.jsonio import DEFAULT_LIMITS
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.references import DEFINITIONS, is_schema
from toolcanon.schema.values import identity, is_anything, is_number, same, table

Residue: TypeAlias = list[tuple[str, Json]]

_OBJECT: Final = ("properties", "patternProperties", "additionalProperties")
_ARRAY: Final = ("prefixItems", "items")
_UNEVALUATED: Final = ("unevaluatedProperties", "unevaluatedItems")
# Keywords that mean something together, and nothing without the first of them.
_GROUPS: Final = (("if", "then", "else"), ("contains", "minContains", "maxContains"))
_TOGETHER: Final = frozenset({*_OBJECT, *_ARRAY, *_UNEVALUATED, *_GROUPS[0], *_GROUPS[1]})
# What makes a member or an item count as evaluated.
_EVALUATES: Final = frozenset(
    {*_TOGETHER, "$ref", "$dynamicRef", "allOf", "anyOf", "dependentSchemas", "oneOf"}
)
# Left out only where the two sides have no value in common.
_CONTRADICTING: Final = frozenset({"type", "enum", "const"})
_LARGEST_FACTOR: Final = 2**53


class Conjunction(NamedTuple):
    """One schema for several, and the (keyword, value) pairs that it lacks.

    A nested keyword has its path: ``properties/name/pattern``.
    """

    schema: JsonObject
    residue: Residue

    @property
    def is_nothing(self) -> bool:
        """Whether it is known that no value is what all of them say."""
        return any(
            keyword in _CONTRADICTING or (keyword == "not" and value == {})
            for keyword, value in self.residue
        )


def conjoin(schemas: Sequence[Json]) -> Conjunction:
    """Merge schemas that hold no references; where only one can be kept, the first is.

    A schema's own ``allOf`` is merged into it.

    >>> conjoin([{"type": "number", "minimum": 1}, {"type": ["integer", "null"], "minimum": 0}])
    Conjunction(schema={'type': 'integer', 'minimum': 1}, residue=[])
    """
    residue: Residue = []
    try:
        return Conjunction(_fold(schemas, residue), residue)
    except RecursionError:
        raise LimitExceeded("depth", DEFAULT_LIMITS.depth) from None


def _fold(schemas: Sequence[Json], residue: Residue) -> JsonObject:
    if any(schema is False for schema in schemas):
        residue.append(("not", {}))
    nodes = [_flat(schema, residue) for schema in schemas if schema.__class__ is dict]
    # By halves: merging thousands of branches one after the other would copy the sum each time.
    while len(nodes) > 1:
        odd = nodes[len(nodes) // 2 * 2 :]
        nodes = [_meet(*pair, residue) for pair in zip(nodes[::2], nodes[1::2], strict=False)]
        nodes += odd
    return nodes[0] if nodes else {}


def _flat(node: JsonObject, residue: Residue) -> JsonObject:
    """Return a node with its own ``allOf`` merged into it."""
    parts = node.get("allOf")
    if parts.__class__ is not list:
        return node
    apart = {"allOf", *_UNEVALUATED}
    left_out: Residue = []
    own = {key: value for key, value in node.items() if key not in apart}
    whole = _fold([own, *parts], left_out)
    for key in _UNEVALUATED:
        if key in node:
            # It looks into the parts, so that it still means the same if they are all there.
            if left_out or not whole.keys().isdisjoint(_UNEVALUATED):
                left_out.append((key, node[key]))
            else:
                whole = {**whole, key: node[key]}
    residue.extend(left_out)
    return whole


def _meet(first: JsonObject, second: JsonObject, residue: Residue) -> JsonObject:
    """Return the conjunction of two flat nodes."""
    left_out: Residue = []
    merged = _objects(first, second, left_out)
    merged |= _arrays(first, second, left_out)
    for group in _GROUPS:
        merged |= _grouped(group, first, second, left_out)
    for key, value in second.items():
        if key in first and key not in _TOGETHER:
            merge = _MERGES.get(key)
            merged[key] = first[key] if merge is None else merge(key, first[key], value, left_out)
    both: JsonObject = {}
    for node in (first, second):
        for key, value in node.items():
            if key in merged:
                both[key] = merged[key]
            elif key not in _TOGETHER:
                both[key] = value
    _narrow_to_const(both, left_out)
    both |= _unevaluated(first, second, left_out)
    residue.extend(left_out)
    return both


def _nested(way: tuple[str, ...], first: Json, second: Json, residue: Residue) -> Json:
    """Return the conjunction of two schemas below, where ``false`` may stay as it is."""
    if first is True or first is second:
        return second
    if second is True:
        return first
    if first is False or second is False:
        return False
    left_out: Residue = []
    if first.__class__ is dict and second.__class__ is dict:
        # Not by way of folding: every level of a deep schema costs calls enough.
        both = _meet(_flat(first, left_out), _flat(second, left_out), left_out)
    else:
        both = first if first.__class__ is dict else second
    if left_out:
        prefix = "".join(f"{step.replace('~', '~0').replace('/', '~1')}/" for step in way)
        residue.extend((prefix + keyword, value) for keyword, value in left_out)
    return both


def _objects(first: JsonObject, second: JsonObject, residue: Residue) -> JsonObject:
    """Merge declared, matching and other members: a member's schema depends on all three."""
    if first.keys().isdisjoint(_OBJECT) or second.keys().isdisjoint(_OBJECT):
        return {key: node[key] for node in (first, second) for key in _OBJECT if key in node}
    merged: JsonObject = {}
    widened: list[JsonObject] = []
    for key in _OBJECT[:2]:
        ours, theirs = table(first, key), table(second, key)
        held = merged[key] = {}
        for name in {**ours, **theirs}:
            if name in ours and name in theirs:
                held[name] = _nested((key, name), ours[name], theirs[name], residue)
                continue
            schema, other = (ours[name], second) if name in ours else (theirs[name], first)
            rest = other.get("additionalProperties", True)
            if is_anything(rest) or schema is False:
                held[name] = schema
            elif rest is not False and key == "properties" and "patternProperties" not in other:
                held[name] = _nested((key, name), schema, rest, residue)
            else:
                # Strictly the other side forbids the member, or puts its own terms to it.
                held[name] = schema
                widened.append(other)
    for node in (first, second):
        if any(other is node for other in widened):
            residue.append(("additionalProperties", node["additionalProperties"]))
    merged["additionalProperties"] = _nested(
        ("additionalProperties",),
        first.get("additionalProperties", True),
        second.get("additionalProperties", True),
        residue,
    )
    return merged


def _arrays(first: JsonObject, second: JsonObject, residue: Residue) -> JsonObject:
    """Merge items by position; ``items`` is the schema of those behind the prefix."""
    if first.keys().isdisjoint(_ARRAY) or second.keys().isdisjoint(_ARRAY):
        return {key: node[key] for node in (first, second) for key in _ARRAY if key in node}
    ours, theirs = (_schemas(node.get("prefixItems")) for node in (first, second))
    our_rest, their_rest = first.get("items", True), second.get("items", True)
    prefix = [
        _nested(
            ("prefixItems", str(at)),
            ours[at] if at < len(ours) else our_rest,
            theirs[at] if at < len(theirs) else their_rest,
            residue,
        )
        for at in range(max(len(ours), len(theirs)))
    ]
    return {
        "prefixItems": prefix,
        "items": _nested(("items",), our_rest, their_rest, residue),
    }


def _grouped(
    group: tuple[str, ...], first: JsonObject, second: JsonObject, residue: Residue
) -> JsonObject:
    ours, theirs = (
        {key: node[key] for key in group if key in node} if group[0] in node else {}
        for node in (first, second)
    )
    if ours and theirs and not same(ours, theirs):
        residue.extend(theirs.items())
    return ours or theirs


def _unevaluated(first: JsonObject, second: JsonObject, residue: Residue) -> JsonObject:
    """Move unevaluated keywords into the parts: they apply to siblings, which are more now."""
    merged: JsonObject = {}
    losing = bool(residue)
    for key in _UNEVALUATED:
        said = [node[key] for node in (first, second) if key in node]
        if not said:
            continue
        sights = [{name: node[name] for name in node if name in _EVALUATES} for node in
                  (first, second)]  # fmt: skip
        alike = same(*sights) or not all(sights)
        if losing or not same(said[0], said[-1]):
            residue.extend((key, value) for value in said)
        else:
            merged[key] = said[0]
            if not alike and not is_anything(said[0]):
                residue.append((key, said[0]))
    return merged


def _narrow_to_const(node: JsonObject, residue: Residue) -> None:
    """Keep the constant alone; an enum beside it that lists it adds nothing."""
    values = node.get("enum")
    if "const" in node and values.__class__ is list:
        if not any(same(node["const"], value) for value in values):
            residue.append(("enum", values))
        del node["enum"]


_Merge: TypeAlias = Callable[[str, Json, Json, Residue], Json]


def _first(key: str, ours: Json, theirs: Json, residue: Residue) -> Json:
    if not same(ours, theirs):
        residue.append((key, theirs))
    return ours


def _types(key: str, ours: Json, theirs: Json, residue: Residue) -> Json:
    allowed = theirs if theirs.__class__ is list else [theirs]
    common: list[Json] = []
    for kind in ours if ours.__class__ is list else [ours]:
        if kind == "number" and "number" not in allowed:
            kind = "integer"  # noqa: PLW2901  the part of it that may be left
        fits = kind in allowed or (kind == "integer" and "number" in allowed)
        if fits and kind not in common:
            common.append(kind)
    if not common:
        return _first(key, ours, theirs, residue)
    return common[0] if len(common) == 1 else common


def _values(key: str, ours: Json, theirs: Json, residue: Residue) -> Json:
    if ours.__class__ is not list or theirs.__class__ is not list:
        return _first(key, ours, theirs, residue)
    allowed = set(map(identity, theirs))
    common = [value for value in ours if identity(value) in allowed]
    return common or _first(key, ours, theirs, residue)


def _bound(tighter: Callable[[Json, Json], Json]) -> _Merge:
    def merge(key: str, ours: Json, theirs: Json, residue: Residue) -> Json:
        if is_number(ours) and is_number(theirs):
            return tighter(ours, theirs)
        return _first(key, ours, theirs, residue)

    return merge


def _multiple(key: str, ours: Json, theirs: Json, residue: Residue) -> Json:
    if ours.__class__ is int and theirs.__class__ is int and ours > 0 and theirs > 0:
        common = math.lcm(ours, theirs)
        if common <= _LARGEST_FACTOR:
            return common
    return _first(key, ours, theirs, residue)


def _names(key: str, ours: Json, theirs: Json, residue: Residue) -> Json:
    if ours.__class__ is not list or theirs.__class__ is not list:
        return _first(key, ours, theirs, residue)
    known = set(map(identity, ours))
    return [*ours, *(name for name in theirs if identity(name) not in known)]


def _names_by_name(key: str, ours: Json, theirs: Json, residue: Residue) -> Json:
    if ours.__class__ is not dict or theirs.__class__ is not dict:
        return _first(key, ours, theirs, residue)
    shared = {
        name: _names(key, ours[name], names, residue)
        for name, names in theirs.items()
        if name in ours
    }
    return {**ours, **theirs, **shared}


def _schemas_by_name(key: str, ours: Json, theirs: Json, residue: Residue) -> Json:
    if ours.__class__ is not dict or theirs.__class__ is not dict:
        return _first(key, ours, theirs, residue)
    shared = {
        name: _nested((key, name), ours[name], schema, residue)
        for name, schema in theirs.items()
        if name in ours
    }
    return {**ours, **theirs, **shared}


def _schema(key: str, ours: Json, theirs: Json, residue: Residue) -> Json:
    return _nested((key,), ours, theirs, residue)


def _definitions(_key: str, ours: Json, theirs: Json, _residue: Residue) -> Json:
    return {**theirs, **ours} if ours.__class__ is dict and theirs.__class__ is dict else ours


def _either(_key: str, ours: Json, theirs: Json, _residue: Residue) -> Json:
    return ours or theirs


# How a keyword of both sides is merged; of any other, an annotation, the first one is kept.
_MERGES: Final[dict[str, _Merge]] = {
    "type": _types,
    "enum": _values,
    "required": _names,
    "dependentRequired": _names_by_name,
    "dependentSchemas": _schemas_by_name,
    "propertyNames": _schema,
    "multipleOf": _multiple,
    "uniqueItems": _either,
    "description": _either,
    **dict.fromkeys(DEFINITIONS, _definitions),
    **dict.fromkeys(
        ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), _bound(max)
    ),
    **dict.fromkeys(
        ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), _bound(min)
    ),
    **dict.fromkeys(
        "$dynamicRef $ref anyOf const contentEncoding contentMediaType contentSchema format not "
        "oneOf pattern".split(),
        _first,
    ),
}


def _schemas(values: Json) -> list[Json]:
    if values.__class__ is not list:
        return []
    return [value if is_schema(value) else True for value in values]
