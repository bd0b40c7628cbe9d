"""The schemas that apply to the same value: a schema, its ``allOf``, and their references.

A member of one direction is often flagged in one of them and required in another, so the flags of
all count. Circular references are legal, and shared schemas are visited once.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

from toolcanon.formats.openapi.closures import Budget, Closures, Cost
from toolcanon.formats.openapi.document import Document
from toolcanon.jsonio.types import Json, JsonObject


class Direction(StrEnum):
    """The direction of a schema, by the flag of members that it excludes."""

    REQUEST = "readOnly"
    RESPONSE = "writeOnly"


class _Parts(NamedTuple):
    """The schemas of a value at one place, and the references among them."""

    schemas: tuple[JsonObject, ...] = ()
    refs: tuple[str, ...] = ()


_SPEAKING: Final = frozenset({"properties", "allOf", "$ref"})
_LOOK: Final = 4  # a visited member costs as much as so many names
_Way: TypeAlias = tuple[Direction, frozenset[str]]


class Composition:
    """The composed schemas of one document."""

    def __init__(self, document: Document, budget: Budget) -> None:
        self._document = document
        self._budget = budget
        self._behind: dict[str, _Parts] = {}
        self._closures: Closures[str] = Closures(lambda ref: self._led_to(ref).refs, budget)
        self._flags: dict[_Way, bool] = {}
        self._members: dict[_Way, frozenset[str]] = {}
        self._demands: dict[frozenset[str], frozenset[str]] = {}
        self._asked: dict[str, list[str]] = {}
        self._own: dict[tuple[Direction, str], frozenset[str]] = {}

    def is_flagged(self, schema: Json, direction: Direction) -> bool:
        """Return whether a member is excluded."""
        if not isinstance(schema, dict):
            return False
        if "$ref" not in schema and "allOf" not in schema:
            return schema.get(direction) is True
        parts = self._parts(schema)
        if _any_flag(parts.schemas, direction) or not parts.refs:
            return _any_flag(parts.schemas, direction)
        way = (direction, self._closures.of(parts.refs))
        if way not in self._flags:
            self._budget.spend(Cost.STEPS, len(way[1]))
            self._flags[way] = any(
                _any_flag(self._led_to(ref).schemas, direction) for ref in way[1]
            )
        return self._flags[way]

    def flagged_members(self, schema: Json, direction: Direction) -> frozenset[str]:
        """Return the names of those members that are excluded."""
        if not isinstance(schema, dict) or _SPEAKING.isdisjoint(schema):
            return frozenset()
        parts = self._parts(schema)
        own = self._flagged_in(parts.schemas, direction)
        if not parts.refs:
            return own
        way = (direction, self._closures.of(parts.refs))
        if way not in self._members:
            found = [self._flagged_behind(ref, direction) for ref in way[1]]
            self._budget.spend(Cost.STEPS, sum(map(len, found)) + len(found))
            self._members[way] = frozenset().union(*found)
        return own | self._members[way]

    def demands(self, ref: str) -> frozenset[str]:
        """Return the members that are required behind a reference."""
        closure = self._closures.of((ref,))
        if closure not in self._demands:
            found = [self._demanded(name) for name in closure]
            self._budget.spend(Cost.STEPS, sum(map(len, found)) + len(found))
            self._demands[closure] = frozenset().union(*found)
        return self._demands[closure]

    def _demanded(self, ref: str) -> list[str]:
        if ref not in self._asked:
            parts = self._led_to(ref).schemas
            self._asked[ref] = [name for part in parts for name in names_in(part)]
        return self._asked[ref]

    def _flagged_behind(self, ref: str, direction: Direction) -> frozenset[str]:
        key = (direction, ref)
        if key not in self._own:
            self._own[key] = self._flagged_in(self._led_to(ref).schemas, direction)
        return self._own[key]

    def _flagged_in(self, schemas: Iterable[JsonObject], direction: Direction) -> frozenset[str]:
        tables = [schema.get("properties") for schema in schemas]
        members = [table for table in tables if isinstance(table, dict)]
        self._budget.spend(Cost.STEPS, _LOOK * sum(map(len, members)))
        return frozenset(
            name
            for table in members
            for name, member in table.items()
            if self.is_flagged(member, direction)
        )

    def _led_to(self, ref: str) -> _Parts:
        if ref not in self._behind:
            found = self._document.find(ref)
            self._behind[ref] = self._parts(None if found is None else found.value)
        return self._behind[ref]

    def _parts(self, schema: Json) -> _Parts:
        schemas: list[JsonObject] = []
        refs: list[str] = []
        stack = [schema]
        while stack:
            node = stack.pop()
            if not isinstance(node, dict) or isinstance(node.get("$id"), str):
                continue  # references below an `$id` are relative to it
            ref = node.get("$ref")
            if isinstance(ref, str):
                refs.append(ref)
                if not self._document.siblings:
                    continue
            schemas.append(node)
            listed = node.get("allOf")
            stack += listed if isinstance(listed, list) else ()
        return _Parts(tuple(schemas), tuple(refs))


def names_in(schema: Json) -> list[str]:
    """Return the names that a schema requires."""
    listed = schema.get("required") if isinstance(schema, dict) else None
    return [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []


def stay_apart(branches: Json, behind: frozenset[str]) -> bool:
    """Return whether each of several branches still requires something without some names."""
    listed = map(names_in, branches if isinstance(branches, list) else ())
    return not any(names and behind.issuperset(names) for names in listed)


def _any_flag(schemas: Iterable[JsonObject], direction: Direction) -> bool:
    return any(schema.get(direction) is True for schema in schemas)
