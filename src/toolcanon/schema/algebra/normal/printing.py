"""Normal forms printed as schemas."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Final, Protocol

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.algebra.normal.terms import KINDS, Cell, NormalFormBudget, Term, TermNode
from toolcanon.schema.algebra.normal.unions import is_empty
from toolcanon.schema.keywords import ANNOTATIONS, APPLIES
from toolcanon.schema.references import DEFINITIONS
from toolcanon.schema.values import identity, is_anything, is_number, listed, table, type_of

_LOWER: Final = frozenset("minimum minLength minItems minProperties".split())
_UPPER: Final = frozenset("maximum maxLength maxItems maxProperties".split())
_BOUNDS: Final = _LOWER | _UPPER | {"type"}
_LARGEST_PLAIN: Final = 2**63


def text_of(value: Json) -> str:
    """Return one text for each value, to compare and to sort by."""
    return json.dumps(value, sort_keys=True)


def plain_value(value: Json) -> Json:
    """Return a value with its numbers in one form: 1 for 1.0."""
    if value.__class__ is float and value.is_integer() and abs(value) < _LARGEST_PLAIN:
        return int(value)
    if value.__class__ is list:
        return [plain_value(item) for item in value]
    if value.__class__ is dict:
        return {key: plain_value(value[key]) for key in sorted(value)}
    return value


def sorted_values(values: list[Json]) -> list[Json]:
    """Return unique values in a fixed order."""
    return [value for _, value in sorted({text_of(value): value for value in values}.items())]


class Fragments:
    """A node and further constraints; a second value of one keyword goes to ``allOf``."""

    def __init__(self, node: JsonObject) -> None:
        self.node = node
        self._more: list[JsonObject] = []

    def add(self, fragment: JsonObject) -> None:
        self._more.append(fragment)

    def joined(self) -> JsonObject:
        out = dict(self.node)
        apart = list(out.pop("allOf", ()))
        for fragment in sorted_values(self._more):
            if out.keys().isdisjoint(fragment):
                out |= fragment
            elif any(out.get(key, out) != said for key, said in fragment.items()):
                apart.append(fragment)
        if apart:
            out["allOf"] = sorted_values(apart)
        return {key: out[key] for key in sorted(out)}


def joined(printed: list[Json]) -> Json:
    """Return the union of printed cells; ``false`` for none, ``true`` for all kinds of values."""
    cells = [cell for cell in printed if cell is not False]
    values = [v for cell in cells if cell.keys() == {"enum"} for v in cell["enum"]]
    others = [cell for cell in cells if cell.keys() != {"enum"}]
    known = {identity(value) for value in values}
    if identity(True) in known and identity(False) in known:
        values = [value for value in values if value.__class__ is not bool]
        others.append({"type": "boolean"})
    others = _largest(others)
    values = [value for value in values if not any(_holds(cell, value) for cell in others)]
    plain = sorted(cell["type"] for cell in others if cell.keys() == {"type"})
    if set(plain) == set(KINDS):
        return True
    branches = [cell for cell in others if cell.keys() != {"type"}]
    if values:
        branches.append({"enum": sorted_values(values)})
    if plain:
        branches.append({"type": plain[0] if len(plain) == 1 else plain})
    branches = sorted_values(branches)
    if not branches:
        return False
    return branches[0] if len(branches) == 1 else {"anyOf": branches}


def _largest(cells: list[JsonObject]) -> list[JsonObject]:
    """Return the cells without those contained in another, and one of those that are equal."""
    cells = sorted_values(cells)
    return [
        cell
        for cell in cells
        if not any(other is not cell and _lies_in(cell, other) for other in cells)
    ]


def _lies_in(cell: JsonObject, other: JsonObject) -> bool:
    """Return whether every value of a printed cell is obviously one of the other's.

    Declared members of an object matter beyond the values it accepts, because callers read them.
    """
    if not cell.get("properties", {}).keys() <= other.get("properties", {}).keys():
        return False
    return all(key in cell and _is_within(key, cell[key], said) for key, said in other.items())


def _is_within(key: str, said: Json, limit: Json) -> bool:
    if key in _LOWER:
        return bool(said >= limit)
    if key in _UPPER:
        return bool(said <= limit)
    if key == "type":
        return bool(said == limit or (said == "integer" and limit == "number"))
    if key == "required":
        return set(said) >= set(limit)
    return text_of(said) == text_of(limit)


def _holds(cell: JsonObject, value: Json) -> bool:
    """Return whether a value is obviously one of a printed cell's."""
    if not cell.keys() <= _BOUNDS:
        return False
    kind = type_of(value)
    if cell["type"] != kind and not (cell["type"] == "number" and kind == "integer"):
        return False
    size = value if is_number(value) else len(value) if isinstance(value, str | list | dict) else 0
    return all(
        size >= bound if key in _LOWER else size <= bound
        for key, bound in cell.items()
        if key != "type"
    )


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


class UncertainMeaning(Exception):
    """The meaning of a schema is uncertain."""


class Printer(Protocol):
    """What prints the schemas inside."""

    budget: NormalFormBudget

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


def _format(_printer: Printer, cell: Cell, spot: TermNode) -> Iterator[JsonObject]:
    if cell.kind == "number":  # the cell represents those of strings
        yield {"format": spot.schema["format"]}


def _denied(printer: Printer, cell: Cell, spot: TermNode) -> Iterator[JsonObject]:
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


def _union(key: str) -> Callable[[Printer, Cell, TermNode], Iterator[JsonObject]]:
    def printed(printer: Printer, cell: Cell, spot: TermNode) -> Iterator[JsonObject]:
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


def _may_hold(printer: Printer, cell: Cell, place: TermNode) -> bool:
    """Return whether a schema can hold for values of the cell's kind."""
    kind = TermNode({"type": cell.kind}, (), place.home)
    return not is_empty((place, kind), printer.budget)


def _condition(printer: Printer, _cell: Cell, spot: TermNode) -> Iterator[JsonObject]:
    said = {key: printer.term((spot.below(key),)) for key in ("then", "else") if key in spot.schema}
    said = {key: printed for key, printed in said.items() if printed is not True}
    if said:
        yield {"if": printer.term((spot.below("if"),)), **said}


def _contains(printer: Printer, _cell: Cell, spot: TermNode) -> Iterator[JsonObject]:
    schema = spot.schema
    least = schema.get("minContains", 1)
    if least > 0 or "maxContains" in schema:
        out: JsonObject = {"contains": printer.term((spot.below("contains"),))}
        if least != 1:
            out["minContains"] = int(least)
        if "maxContains" in schema:
            out["maxContains"] = int(schema["maxContains"])
        yield out


def _names(printer: Printer, _cell: Cell, spot: TermNode) -> Iterator[JsonObject]:
    text = TermNode(_STRING, (), spot.home)
    printed = printer.term((spot.below("propertyNames"), text))
    if printed != _STRING:
        yield {"propertyNames": printed}


def _entailed(_printer: Printer, cell: Cell, spot: TermNode) -> Iterator[JsonObject]:
    for name, names in sorted(table(spot.schema, "dependentRequired").items()):
        missing = sorted(set(names) - {name, *cell.required})
        if missing and name not in cell.required:
            yield {"dependentRequired": {name: missing}}


def _dependent(printer: Printer, _cell: Cell, spot: TermNode) -> Iterator[JsonObject]:
    for name in sorted(table(spot.schema, "dependentSchemas")):
        printed = printer.term((spot.below("dependentSchemas", name),))
        if printed is not True:
            yield {"dependentSchemas": {name: printed}}


def _unevaluated(key: str) -> Callable[[Printer, Cell, TermNode], Iterator[JsonObject]]:
    def printed(_printer: Printer, _cell: Cell, spot: TermNode) -> Iterator[JsonObject]:
        # It depends on its siblings, which a normal form changes.
        if not is_anything(spot.schema[key]):
            raise UncertainMeaning
        yield from ()

    return printed


_MAKERS: Final[dict[str, Callable[[Printer, Cell, TermNode], Iterator[JsonObject]]]] = {
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
