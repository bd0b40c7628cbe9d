"""Join printed cells: fragments of one node, and nodes of one union."""

from __future__ import annotations

import json
from typing import Final

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.normal.cells import KINDS
from toolcanon.schema.values import identity, is_number, type_of

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
