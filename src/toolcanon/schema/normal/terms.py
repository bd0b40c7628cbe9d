"""Terms: the schemas that apply to a value at one place, with their documents.

A term is a conjunction of schemas, possibly of two documents. Opening it gives the nodes that
``allOf`` and references lead to; nothing is copied, so a node is identified by its identity.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.judge import judge
from toolcanon.schema.normal.keeping import kept
from toolcanon.schema.references import (
    DEFINITIONS,
    REFERENCES,
    Found,
    Place,
    References,
    has_references,
    subschemas,
)
from toolcanon.schema.values import listed, same, table

_WORK: Final = 12_000
_IN_PLACE: Final = ("allOf", "anyOf", "oneOf")
_CONDITIONS: Final = ("if", "then", "else", "not")


class Spent(Exception):
    """The work limit of a query is reached."""


class Budget:
    """The work that is left, counted in visited schemas."""

    __slots__ = ("left",)

    def __init__(self, work: int = _WORK) -> None:
        self.left = work

    def spend(self, amount: int = 1) -> None:
        self.left -= amount
        if self.left < 0:
            raise Spent


class Home:
    """A document that contains schemas."""

    def __init__(self, root: Json) -> None:
        self.root = root
        self.cells: dict[int, tuple[Spot, list[Any]]] = {}
        """The cells of schemas that were needed, by the identity of the schema."""
        self._made: dict[tuple[int | str, ...], tuple[tuple[Json, ...], JsonObject]] = {}

    def make(self, origins: tuple[Json, ...], word: str | int, schema: JsonObject) -> JsonObject:
        """Return a new schema; the same object for the same origins."""
        key = (*map(id, origins), word)
        # The origins are kept, because identities of freed objects are reused.
        return self._made.setdefault(key, (origins, schema))[1]

    @kept
    def _references(self) -> References:
        return References(self.root)

    @kept
    def refers(self) -> bool:
        try:
            text = orjson.dumps(self.root)
        except TypeError:  # orjson rejects integers beyond 64 bits, lone surrogates, depth
            return has_references(self.root)
        return (b'"$ref"' in text or b'"$dynamicRef"' in text) and has_references(self.root)

    @kept
    def definitions(self) -> JsonObject | None:
        """All targets of references, if they are all in definitions at the root."""
        stack = [self.root]
        while stack:
            node = stack.pop()
            if node.__class__ is dict:
                ref = node.get("$ref")
                if "$dynamicRef" in node or "$id" in node:
                    return None
                if ref.__class__ is str and not ref.startswith(("#/$defs/", "#/definitions/")):
                    return None
                stack.extend(child for _, child in subschemas(node))
        root = self.root if self.root.__class__ is dict else {}
        return {key: root[key] for key in sorted(DEFINITIONS) if key in root}

    def find(self, ref: Json, holder: JsonObject) -> Found | None:
        """Return what a reference means to a validator; None if that is uncertain.

        A dynamic one means the same as another as long as a single schema has its anchor.
        """
        return self._references.find_exactly(ref, holder) if ref.__class__ is str else None


class Spot(NamedTuple):
    """A schema and its place."""

    schema: Json
    at: Place
    home: Home

    def below(self, *steps: str | int) -> Spot:
        """Return the schema at these steps."""
        value = self.schema
        for step in steps:
            value = value[step]
        return _spot((value, (*self.at, *steps), self.home))


_spot: Final = partial(tuple.__new__, Spot)
"""Makes spots without a Python call: a comparison has many."""
Term: TypeAlias = tuple[Spot, ...]


class Opened(NamedTuple):
    """The nodes of a term outside unions, and those that could not be found."""

    nodes: tuple[Spot, ...]
    unread: tuple[Spot, ...]
    possible: bool
    """Whether none of them is ``false``."""


_opened: Final = partial(tuple.__new__, Opened)


def opened(term: Term, budget: Budget) -> Opened:
    """Follow ``allOf`` and references. A node that occurs twice is returned once."""
    if len(term) == 1 and term[0].schema.__class__ is dict:
        schema = term[0].schema
        if "$ref" not in schema and "allOf" not in schema and "$dynamicRef" not in schema:
            return _opened((term, (), True))  # the most common case
    nodes: list[Spot] = []
    unread: list[Spot] = []
    seen: set[int] = set()
    stack = list(reversed(term))
    while stack:
        budget.spend()
        spot = stack.pop()
        schema = spot.schema
        if schema is False:
            return Opened((), (spot,), False)
        if schema is True or id(schema) in seen:
            continue
        if schema.__class__ is not dict:
            unread.append(spot)
            continue
        seen.add(id(schema))
        nodes.append(spot)
        parts = schema.get("allOf")
        if parts.__class__ is list:
            stack.extend(spot.below("allOf", at) for at in range(len(parts) - 1, -1, -1))
        for key in REFERENCES:
            if key in schema:
                found = spot.home.find(schema[key], schema)
                if found is None:
                    unread.append(spot)
                else:
                    stack.append(Spot(found.schema, found.pointer, spot.home))
    return Opened(tuple(nodes), tuple(unread), True)


def alike(one: Json, other: Json) -> bool:
    """Return whether two JSON values are equal; fast where Python finds them different."""
    if one is other:
        return True
    if one != other:  # Python has 1 equal to 1.0, as JSON does, and to true, as JSON does not
        return False
    if one.__class__ is str:
        return True
    try:
        is_same_text = orjson.dumps(one) == orjson.dumps(other)  # the order is usually the same
    except TypeError:  # orjson rejects integers beyond 64 bits, lone surrogates or great depth
        return same(one, other)
    if is_same_text:
        return True
    option = orjson.OPT_SORT_KEYS
    return orjson.dumps(one, option=option) == orjson.dumps(other, option=option) or same(
        one, other
    )


def matches(pattern: str, name: str) -> bool | None:
    """Return whether a name matches a pattern; None when no linear engine supports it."""
    found = judge({"pattern": pattern})
    return None if found.skipped else found.accepts(name)


def in_place(spot: Spot) -> Iterator[Spot]:
    """Yield the schemas that apply to the same value."""
    schema = spot.schema
    for key in _IN_PLACE:
        if key in schema:
            yield from (spot.below(key, at) for at in range(len(listed(schema, key))))
    for key in _CONDITIONS:
        if key in schema:
            yield spot.below(key)
    for name in table(schema, "dependentSchemas"):
        yield spot.below("dependentSchemas", name)
    for key in REFERENCES:
        found = spot.home.find(schema[key], schema) if key in schema else None
        if found is not None:
            yield Spot(found.schema, found.pointer, spot.home)
