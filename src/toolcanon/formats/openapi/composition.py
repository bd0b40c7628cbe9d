"""Schemas composed from others: closures, subtypes and discriminators.

A member of one direction is often flagged in one of them and required in another, so the flags of
all count. Circular references are legal, and shared schemas are visited once.

Schemas that reach each other reach the same, so they share one result, and tools share the tables
made of it. Shared tables cost memory once, but a writer visits them for each tool: so both are
counted.

JSON Schema does not have that: the base alone would be valid. So where a base is used, its subtypes
are alternatives; where a subtype is derived from it, it stays alone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from enum import StrEnum
from functools import cache, cached_property
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar

from toolcanon.errors import LimitExceeded
from toolcanon.formats.openapi.document import COMPONENTS, OpenAPIDocument, Steps
from toolcanon.jsonio import Limits
from toolcanon.jsonio.types import Json, JsonObject

T = TypeVar("T", bound=Hashable)

_PER_VALUE: Final = 256  # characters that cost as much as a value


class Cost(StrEnum):
    """The quantities that are counted."""

    HELD = "held"
    """New values, which take memory."""
    ASKED = "asked"
    """The parameters of all tools, each written out."""
    ANSWERED = "answered"
    """Result schemas; few targets have a field for them, so excess ones are dropped."""
    KEPT = "kept"
    """The parts of the document that tools keep, to write it back."""
    STEPS = "steps"
    """Visited names, which take no memory."""


# How often a document may use the values that it may have: the cheaper, the more often.
_ALLOWED: Final = {
    Cost.HELD: 1,
    Cost.ASKED: 4,
    Cost.ANSWERED: 2,
    Cost.KEPT: 32,
    Cost.STEPS: 32,
}


class DocumentBudget:
    """The rest of what may be made of a document. Raises LimitExceeded on exponential expansion."""

    def __init__(self, limits: Limits) -> None:
        self._limit = limits.values
        self._left = {cost: limits.values * times for cost, times in _ALLOWED.items()}

    def affords(self, cost: Cost, count: int) -> bool:
        """Return whether so much more may be made, and count it if so."""
        left = self._left[cost] - count
        if left >= 0:
            self._left[cost] = left
        return left >= 0

    def spend(self, cost: Cost, count: int) -> None:
        """Count so much more. Raises LimitExceeded."""
        if not self.affords(cost, count):
            where = ", once every operation carries what it refers to (read fewer of them)"
            raise LimitExceeded("values", self._limit, None, where)


def weight(value: Json) -> int:
    """Return the number of values in a value, itself included; long texts count several times."""
    total = 0
    stack = [value]
    while stack:
        item = stack.pop()
        total += 1
        if isinstance(item, dict):
            stack += item.values()
            total += sum(map(len, map(str, item))) // _PER_VALUE
        elif isinstance(item, list):
            stack += item
        elif isinstance(item, str):
            total += len(item) // _PER_VALUE
    return total


class Weights:
    """Weights of values that many tools share, each computed once while it exists."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Json, int]] = {}

    def of(self, value: Json) -> int:
        """Return the weight of a value that does not change."""
        known = self._known.get(id(value))
        if known is None:
            known = self._known[id(value)] = value, weight(value)
        return known[1]


class Closures(Generic[T]):
    """Everything that can be reached; equal results are the same object."""

    def __init__(self, ahead: Callable[[T], Iterable[T]], budget: DocumentBudget) -> None:
        self._ahead = cache(ahead)
        self._budget = budget
        self._known: dict[T, frozenset[T]] = {}
        self._answers: dict[tuple[T, ...], frozenset[T]] = {}
        self._same: dict[frozenset[T], frozenset[T]] = {}

    def of(self, starts: Iterable[T]) -> frozenset[T]:
        """Return what is reached from any of them, themselves included."""
        key = tuple(starts)
        self._budget.spend(Cost.STEPS, len(key))
        if key not in self._answers:
            found: set[T] = set()
            for start in key:
                if start not in found:
                    found |= self._merged(self._reached(start))
            self._answers[key] = self._shared(frozenset(found))
        return self._answers[key]

    def _shared(self, found: frozenset[T]) -> frozenset[T]:
        if found not in self._same:
            self._budget.spend(Cost.HELD, len(found))
        return self._same.setdefault(found, found)

    def _merged(self, known: frozenset[T]) -> frozenset[T]:
        self._budget.spend(Cost.STEPS, len(known))
        return known

    def _reached(self, start: T) -> frozenset[T]:
        if start in self._known:
            return self._known[start]
        found = {start}
        stack, returns = [start], False
        while stack:
            for step in self._ahead(stack.pop()):
                if step in found:
                    returns |= step == start
                    continue
                known = self._known.get(step)
                if known is None:
                    found.add(step)
                    stack.append(step)
                elif start in known:  # each reaches the other
                    self._known[start] = known
                    return known
                else:
                    found |= self._merged(known)
        answer = self._shared(frozenset(found))
        for item in self._returning(start, found) if returns else (start,):
            self._known[item] = answer
        return answer

    def _returning(self, start: T, among: set[T]) -> set[T]:
        """Return those that reach the start, and so have the same result."""
        behind: dict[T, list[T]] = {}
        for item in among:
            for step in self._ahead(item):
                behind.setdefault(step, []).append(item)
        found = {start}
        stack = [start]
        while stack:
            new = [item for item in behind.get(stack.pop(), ()) if item not in found]
            found.update(new)
            stack += new
        return found


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

    def __init__(self, document: OpenAPIDocument, budget: DocumentBudget) -> None:
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


_ONE: Final = ("not", "if", "then", "else")
_MANY: Final = ("allOf", "anyOf", "oneOf", "dependentSchemas")
_MOST_STEPS: Final = 1_000_000  # beyond this limit a document loses its subtypes


def same_value(at: Steps, home: Steps) -> Iterator[Steps]:
    """Yield the schemas around a place, within a home, that apply to the same value; itself first.

    >>> list(same_value(("items", "anyOf", 0), ()))
    [('items', 'anyOf', 0), ('items',)]
    """
    while len(at) > len(home):
        yield at
        if at[-1] in _ONE:
            at = at[:-1]
        elif at[-2:-1] and at[-2] in _MANY:
            at = at[:-2]
        else:
            return
    yield at


class Subtypes:
    """The subtypes of one document. Only components have some."""

    def __init__(self, document: OpenAPIDocument, budget: DocumentBudget) -> None:
        self._document = document
        self._budget = budget
        self._known: dict[str, tuple[str, ...]] = {}
        self._reached: dict[str, set[Steps]] = {}
        self._left = _MOST_STEPS

    def of(self, name: str) -> tuple[str, ...]:
        """Return the components that may replace a base; empty when it is no base.

        Those of the mapping come first. The base is one of them unless a mapping omits it.
        """
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = self._find(name)
            self._budget.spend(Cost.HELD, len(known))
        return known

    def named(self, value: Json) -> str | None:
        """Return the component that a mapping names, by its name or by a reference."""
        if not isinstance(value, str):
            return None
        if value in self._document.schemas:
            return value
        found = self._document.find(value)
        is_component = found is not None and found.at[:-1] == COMPONENTS
        return str(found.at[-1]) if found is not None and is_component else None

    def leads_back(self, base: str, places: Iterable[Steps]) -> bool:
        """Return whether a base with its subtypes leads back to a place with the same value."""
        if base not in self._reached:
            self._reached[base] = self._reach((*COMPONENTS, base))
        return self._left <= 0 or not self._reached[base].isdisjoint(places)

    def _find(self, name: str) -> tuple[str, ...]:
        base = self._document.schemas.get(name)
        if not isinstance(base, dict) or "anyOf" in base or "oneOf" in base:
            return ()
        stated = base.get("discriminator")
        if not isinstance(stated, dict) or not isinstance(stated.get("propertyName"), str):
            return ()
        mapped = [self.named(value) for value in mapping_of(stated).values()]
        found = dict.fromkeys(target for target in mapped if target is not None)
        found |= dict.fromkeys(self._descendants(name))
        if not found.keys() - {name}:
            return ()
        return tuple(found) if mapped else (*found, name)

    def _descendants(self, name: str) -> list[str]:
        found: set[str] = set()
        ahead = [name]
        while ahead:
            for child in self._children.get(ahead.pop(), ()):
                if child not in found and child != name:
                    found.add(child)
                    ahead.append(child)
        return sorted(found)

    @cached_property
    def _children(self) -> dict[str, list[str]]:
        """The components that name a component in ``allOf``."""
        found: dict[str, list[str]] = {}
        for name, schema in self._document.schemas.items():
            parts = schema.get("allOf") if isinstance(schema, dict) else None
            for part in parts if isinstance(parts, list) else ():
                ref = part.get("$ref") if isinstance(part, dict) else None
                parent = self.named(ref) if isinstance(ref, str) and ref[:1] == "#" else None
                if parent is not None:
                    found.setdefault(parent, []).append(name)
        return found

    def _reach(self, start: Steps) -> set[Steps]:
        found = {start}
        ahead = [start]
        while ahead and self._left > 0:
            place = ahead.pop()
            further: dict[Steps, None] = {}
            if place[:-1] == COMPONENTS:
                further.update(((*COMPONENTS, name), None) for name in self.of(str(place[-1])))
            target = self._document.at(place)
            schema = None if target is None else target.value
            further.update((other, None) for other in self._referred(schema))
            self._left -= 1 + len(further)
            fresh = [other for other in further if other not in found]
            found.update(fresh)
            ahead += fresh
        return found

    def _referred(self, schema: Json) -> Iterator[Steps]:
        """Yield the places that a schema passes the same value to."""
        stack = [schema]
        while stack:
            node = stack.pop()
            if not isinstance(node, dict):
                continue
            self._left -= 1
            ref = node.get("$ref")
            found = self._document.find(ref) if isinstance(ref, str) else None
            if found is not None:
                yield found.at
            stack += [node[key] for key in _ONE if key in node]
            for key in _MANY:
                stack += _items(node.get(key))


def _items(value: Json) -> Iterable[Json]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def mapping_of(discriminator: Json) -> JsonObject:
    """Return the mapping of a discriminator; empty without one."""
    mapping = discriminator.get("mapping") if isinstance(discriminator, dict) else None
    return mapping if isinstance(mapping, dict) else {}
