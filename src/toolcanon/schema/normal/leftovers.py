"""Keywords that a cell does not represent, printed unchanged with their schemas normalized."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, Protocol

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import ANNOTATIONS, APPLIES
from toolcanon.schema.normal.assembly import plain_value, sorted_values, text_of
from toolcanon.schema.normal.cells import Cell
from toolcanon.schema.normal.terms import Budget, Spot, Term
from toolcanon.schema.normal.unions import is_empty
from toolcanon.schema.references import DEFINITIONS
from toolcanon.schema.values import is_anything, listed, table

_STRING: Final[JsonObject] = {"type": "string"}
# Represented by the cell, or without effect.
_TOLD: Final = (
    DEFINITIONS
    | ANNOTATIONS
    | frozenset(
        "$ref $dynamicRef allOf "
        "$anchor $dynamicAnchor $id $schema $vocabulary type enum const minimum maximum "
        "exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern minItems "
        "maxItems uniqueItems prefixItems items minProperties maxProperties required properties "
        "patternProperties additionalProperties then else minContains maxContains "
        "additionalItems".split()
    )
)


class Unreadable(Exception):
    """The meaning of a schema is uncertain."""


class Printer(Protocol):
    """What prints the schemas inside."""

    budget: Budget

    def term(self, term: Term) -> Json: ...


def is_vendor(keyword: str) -> bool:
    """Return whether a keyword is marked as a vendor's own."""
    return keyword[:2] in {"x-", "x_"}


def leftovers(printer: Printer, cell: Cell) -> Iterator[JsonObject]:
    """Yield the other constraints of a cell's nodes."""
    for spot in cell.nodes:
        for key in spot.schema:
            if key in _TOLD or (id(spot.schema), key) in cell.taken or is_vendor(key):
                continue
            applies = APPLIES.get(key)
            if applies is not None and cell.kind not in applies:
                continue
            maker = _MAKERS.get(key)
            if maker is None:
                yield {key: plain_value(spot.schema[key])}
            else:
                yield from maker(printer, cell, spot)


def _format(_printer: Printer, cell: Cell, spot: Spot) -> Iterator[JsonObject]:
    if cell.kind == "number":  # the cell represents those of strings
        yield {"format": spot.schema["format"]}


def _denied(printer: Printer, cell: Cell, spot: Spot) -> Iterator[JsonObject]:
    other = spot.schema["not"]
    if cell.values is not None and other.__class__ is dict:
        said = other.keys() - ANNOTATIONS
        if said in ({"enum"}, {"const"}):
            return  # those values are already excluded
    if not _may_hold(printer, cell, spot.below("not")):
        return
    printed = printer.term((spot.below("not"),))
    if printed is not False:
        yield {"not": printed}


def _union(key: str) -> Callable[[Printer, Cell, Spot], Iterator[JsonObject]]:
    def printed(printer: Printer, cell: Cell, spot: Spot) -> Iterator[JsonObject]:
        places = [spot.below(key, at) for at in range(len(listed(spot.schema, key)))]
        places = [place for place in places if _may_hold(printer, cell, place)]
        branches = [printer.term((place,)) for place in places]
        branches = [branch for branch in branches if branch is not False]
        if key == "anyOf":
            yield {key: sorted_values(branches)} if branches else {"not": True}
        elif not branches:
            yield {"not": True}
        else:  # equal branches of `oneOf` are not the same as one
            yield {key: sorted(branches, key=text_of)}

    return printed


def _may_hold(printer: Printer, cell: Cell, place: Spot) -> bool:
    """Return whether a schema can hold for values of the cell's kind."""
    kind = Spot({"type": cell.kind}, (), place.home)
    return not is_empty((place, kind), printer.budget)


def _condition(printer: Printer, _cell: Cell, spot: Spot) -> Iterator[JsonObject]:
    said = {key: printer.term((spot.below(key),)) for key in ("then", "else") if key in spot.schema}
    said = {key: printed for key, printed in said.items() if printed is not True}
    if said:
        yield {"if": printer.term((spot.below("if"),)), **said}


def _contains(printer: Printer, _cell: Cell, spot: Spot) -> Iterator[JsonObject]:
    schema = spot.schema
    least = schema.get("minContains", 1)
    if least > 0 or "maxContains" in schema:
        out: JsonObject = {"contains": printer.term((spot.below("contains"),))}
        if least != 1:
            out["minContains"] = int(least)
        if "maxContains" in schema:
            out["maxContains"] = int(schema["maxContains"])
        yield out


def _names(printer: Printer, _cell: Cell, spot: Spot) -> Iterator[JsonObject]:
    text = Spot(_STRING, (), spot.home)
    printed = printer.term((spot.below("propertyNames"), text))
    if printed != _STRING:
        yield {"propertyNames": printed}


def _entailed(_printer: Printer, cell: Cell, spot: Spot) -> Iterator[JsonObject]:
    for name, names in sorted(table(spot.schema, "dependentRequired").items()):
        missing = sorted(set(names) - {name, *cell.required})
        if missing and name not in cell.required:
            yield {"dependentRequired": {name: missing}}


def _dependent(printer: Printer, _cell: Cell, spot: Spot) -> Iterator[JsonObject]:
    for name in sorted(table(spot.schema, "dependentSchemas")):
        printed = printer.term((spot.below("dependentSchemas", name),))
        if printed is not True:
            yield {"dependentSchemas": {name: printed}}


def _unevaluated(key: str) -> Callable[[Printer, Cell, Spot], Iterator[JsonObject]]:
    def printed(_printer: Printer, _cell: Cell, spot: Spot) -> Iterator[JsonObject]:
        # It depends on its siblings, which a normal form changes.
        if not is_anything(spot.schema[key]):
            raise Unreadable
        yield from ()

    return printed


_MAKERS: Final[dict[str, Callable[[Printer, Cell, Spot], Iterator[JsonObject]]]] = {
    "format": _format,
    "not": _denied,
    "anyOf": _union("anyOf"),
    "oneOf": _union("oneOf"),
    "if": _condition,
    "contains": _contains,
    "propertyNames": _names,
    "dependentRequired": _entailed,
    "dependentSchemas": _dependent,
    "unevaluatedProperties": _unevaluated("unevaluatedProperties"),
    "unevaluatedItems": _unevaluated("unevaluatedItems"),
}
