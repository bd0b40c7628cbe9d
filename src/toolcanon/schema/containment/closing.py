"""Close every object of a schema to undeclared members, for validation."""

from __future__ import annotations

from typing import Final

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.containment.sites import OTHERS, Site, Step
from toolcanon.schema.keywords import POSITIONS, TYPES, Position
from toolcanon.schema.normal.terms import Budget, Home, Spent, Spot
from toolcanon.schema.normal.unions import type_words
from toolcanon.schema.references import DEFINITIONS, REFERENCES, is_walked
from toolcanon.schema.values import is_anything, listed, table

_IN_PLACE: Final = frozenset("allOf anyOf oneOf not if then else dependentSchemas".split())
_APPLYING: Final = _IN_PLACE | {"$ref", "$dynamicRef"}
_AS_THEY_ARE: Final = frozenset({"propertyNames", "contains", "contentSchema"})
_OTHERS: Final = frozenset({"additionalProperties", "unevaluatedProperties"})
_LEAVES: Final = TYPES - {"object"}
_LEADING: Final = frozenset(POSITIONS) | {"$ref", "$dynamicRef"}
_LAST: Final = 10**9  # an item without a positional schema


def closed(schema: Json, *, maps: bool, lenient: bool = False) -> Json:
    """Return the schema without undeclared members.

    With ``maps``, objects without declared members below the root, and explicitly open ones, stay
    open. A member of a branch is allowed only with that branch, or always if ``lenient``. Raises
    ``Spent`` where a reference leads out of what can be rewritten.

    >>> closed({"type": "object", "properties": {"a": {}}}, maps=True)
    {'type': 'object', 'properties': {'a': {}}, 'additionalProperties': False}
    """
    closer = _Closer(maps=maps, lenient=lenient)
    root = Spot(schema, (), Home(schema))
    return closer.place(root, Site((root,), closer.budget))


class _Closer:
    def __init__(self, *, maps: bool, lenient: bool) -> None:
        self.budget = Budget()
        self._maps = maps
        self._lenient = lenient

    def place(self, spot: Spot, site: Site) -> Json:
        """Return the schema for a place of values."""
        schema = spot.schema
        if schema is True:
            return True if self._maps and not site.is_root else {"additionalProperties": False}
        if schema.__class__ is not dict:
            return schema
        out = self.node(spot, site)
        kinds = type_words(schema.get("type"))
        if kinds is not None and "object" not in kinds:
            return out
        declared = site.declared
        if declared.mapped or (self._maps and site.is_free):
            return out
        if declared.needed and schema.get("additionalProperties") is not False:
            own = dict.fromkeys(declared.needed, True)
            out = {**out, "properties": {**own, **table(out, "properties")}}
        alone = len(site.nodes) == 1 and schema.keys().isdisjoint(_APPLYING)
        if alone and is_anything(schema.get("additionalProperties", True)):
            return {**out, "additionalProperties": False}
        here = Site((spot,), self.budget, site)
        if self._lenient or len(here.nodes) < len(site.nodes):  # other schemas declare members, too
            return {**out, "allOf": [*listed(out, "allOf"), declared.closing()]}
        return {**out, "unevaluatedProperties": False}

    def node(self, spot: Spot, site: Site) -> Json:
        """Return a schema with everything below it closed; the site is that of the value."""
        schema = spot.schema
        if schema.__class__ is not dict:
            return schema
        for key in REFERENCES:
            found = spot.home.find(schema[key], schema) if key in schema else None
            if found is not None and not is_walked(found.pointer):
                raise Spent  # it would not be visited, and would stay open
        out: JsonObject = {}
        for key, value in schema.items():
            position = POSITIONS.get(key)
            if position is None or key in _AS_THEY_ARE or (key in _OTHERS and is_anything(value)):
                out[key] = value
            elif position is Position.SCHEMA_MAP and value.__class__ is dict:
                out[key] = {
                    name: inner
                    if _is_leaf(inner)
                    else self._below(key, spot.below(key, name), site)
                    for name, inner in value.items()
                }
            elif value.__class__ is list:
                out[key] = [self._below(key, spot.below(key, at), site) for at in range(len(value))]
            else:
                out[key] = self._below(key, spot.below(key), site)
        return out

    def _below(self, key: str, spot: Spot, site: Site) -> Json:
        """Return a schema in a keyword: of the same value, of another, or not applied here."""
        if key in DEFINITIONS:
            return self.node(spot, Site((spot,), self.budget, site))
        if key in _IN_PLACE:
            return self.node(spot, site)
        return self.place(spot, site.step(_step(key, spot.at[-1])))


def _is_leaf(schema: Json) -> bool:
    """Return whether it has a type without members, and nothing is below it."""
    if schema.__class__ is not dict:
        return False
    kind = schema.get("type")
    return kind.__class__ is str and kind in _LEAVES and _LEADING.isdisjoint(schema)


def _step(key: str, last: str | int) -> Step:
    if key == "prefixItems":
        return ("items", last)
    if key == "items":
        return ("items", _LAST)
    return (key, last) if key in {"properties", "patternProperties"} else OTHERS
