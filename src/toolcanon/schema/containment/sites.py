"""Positions of values, and the declarations of members that apply there.

Callers send declared members. The declarations of an object are collected from every schema that
applies to it, including unions, conditions and references, whichever branch a value takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.demands import at_least
from toolcanon.schema.normal.keeping import kept
from toolcanon.schema.normal.terms import Budget, Spot, Term, in_place, matches
from toolcanon.schema.values import is_anything, listed, table

Step: TypeAlias = tuple[str, str | int]
OTHERS: Final[Step] = ("additionalProperties", "")
"""The step to members that are neither declared nor match a pattern."""


class Declared(NamedTuple):
    """The declarations of an object's members."""

    names: dict[str, None]
    needed: dict[str, None]
    """Members that are required without being declared: callers must send them."""
    patterns: dict[str, None]
    mapped: bool
    """Whether there is a schema for other members."""
    open: bool
    """Whether other members are explicitly allowed."""
    closed: bool
    """Whether other members are explicitly forbidden."""
    wanting: bool
    """Whether other members have constraints all the same: on their number or names."""

    @property
    def none(self) -> bool:
        return not self.names and not self.patterns

    def is_free(self, *, root: bool) -> bool:
        """Return whether any member may be sent: explicitly, or because none is declared.

        At the root are arguments: undeclared ones have no meaning.
        """
        return self.wanting or (not root and (self.open or (self.none and not self.closed)))

    def knows(self, name: str) -> bool:
        """Return whether a member is declared, by its name or by a pattern."""
        return name in self.names or any(matches(pattern, name) for pattern in self.patterns)

    def closing(self, members: JsonObject | None = None) -> JsonObject:
        """Return the schema of objects without other members."""
        own = dict.fromkeys((*self.names, *self.needed), True)
        return {
            "properties": {**own, **(members or {})},
            "patternProperties": dict.fromkeys(self.patterns, True),
            "additionalProperties": False,
        }


class Site:
    """A position of values in one document."""

    def __init__(self, term: Term, budget: Budget, above: Site | None = None) -> None:
        self._term = term
        self._budget = budget
        self._above = above
        self._step: Step | None = None

    def step(self, step: Step) -> Site:
        """Return a position below."""
        below = Site((), self._budget, self)
        below._step = step
        return below

    @kept
    def nodes(self) -> Term:
        """Every schema that applies here, including unions and references."""
        term = self._term
        if self._above is not None and self._step is not None:
            step = self._step
            term = tuple(place for spot in self._above.nodes for place in _below(spot, step))
        found: dict[int, Spot] = {}
        stack = list(reversed(term))
        while stack:
            self._budget.spend()
            spot = stack.pop()
            if spot.schema.__class__ is dict and id(spot.schema) not in found:
                found[id(spot.schema)] = spot
                stack.extend(in_place(spot))
        return tuple(found.values())

    @kept
    def declared(self) -> Declared:
        names: dict[str, None] = {}
        asked: dict[str, None] = {}
        patterns: dict[str, None] = {}
        mapped = open_ = closed = wanting = False
        least = 0
        for spot in self.nodes:
            schema = spot.schema
            names |= dict.fromkeys(table(schema, "properties"))
            patterns |= dict.fromkeys(table(schema, "patternProperties"))
            for key in ("additionalProperties", "unevaluatedProperties"):
                others = schema.get(key)
                mapped |= others.__class__ is dict and bool(others)
                open_ |= is_anything(others)
                closed |= others is False
            wanting |= "propertyNames" in schema
            asked |= dict.fromkeys(_asked(schema))
            least = max(least, at_least([schema], "minProperties"))
        needed = {name: None for name in asked if name not in names}
        # A larger minimum than there are names requires undeclared members.
        wanting |= not closed and not patterns and least > len(names) + len(needed)
        return Declared(names, needed, patterns, mapped, open_, closed, wanting)

    @property
    def is_free(self) -> bool:
        """Whether any member may be sent here."""
        return self.declared.is_free(root=self.is_root)

    def alternatives(self, name: str) -> Json:
        """Return the union of a member's schemas here."""
        found = [spot.schema["properties"][name] for spot in self.nodes
                 if name in table(spot.schema, "properties")]  # fmt: skip
        if len(found) == 1:
            return found[0]
        return self.nodes[0].home.make(tuple(found), "anyOf", {"anyOf": found})

    @property
    def is_root(self) -> bool:
        return self._above is None


class Pair(NamedTuple):
    """A position in both documents."""

    one: Site
    other: Site

    def step(self, step: Step) -> Pair:
        """Return a position below in both."""
        return Pair(self.one.step(step), self.other.step(step))


def _asked(schema: JsonObject) -> Iterator[str]:
    """Yield the members that are required, always or beside another."""
    lists = [listed(schema, "required")] if "required" in schema else []
    for name, others in table(schema, "dependentRequired").items():
        lists.append([name, *(others if others.__class__ is list else ())])
    for names in lists:
        yield from (name for name in names if name.__class__ is str)


def _below(spot: Spot, step: Step) -> Iterator[Spot]:
    key, what = step
    schema = spot.schema
    if key == "items":
        if isinstance(what, int) and what < len(listed(schema, "prefixItems")):
            yield spot.below("prefixItems", what)
        elif "items" in schema:
            yield spot.below("items")
        return
    known = False
    if key == "properties" and what in table(schema, "properties"):
        known = True
        yield spot.below("properties", what)
    for pattern in table(schema, "patternProperties"):
        if pattern == what if key == "patternProperties" else matches(pattern, str(what)):
            known = True
            yield spot.below("patternProperties", pattern)
    if not known and key != "patternProperties" and "additionalProperties" in schema:
        yield spot.below("additionalProperties")
