"""What provers work with: places, goals, failures, and small values.

Callers send declared members. The declarations of an object are collected from every schema that
applies to it, including unions, conditions and references, whichever branch a value takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import islice
from typing import Final, NamedTuple, Protocol, TypeAlias

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.algebra.constraints import at_least
from toolcanon.schema.algebra.normal.terms import (
    Cell,
    NormalFormBudget,
    Term,
    TermNode,
    in_place,
    matches,
)
from toolcanon.schema.algebra.normal.unions import cells_of
from toolcanon.schema.cached_property import kept
from toolcanon.schema.references import Place
from toolcanon.schema.sampling.scalars import Window, spelled, texts
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
    """Whether other members have constraints on their number or names nevertheless."""

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


class ValuePlace:
    """A position of values in one document."""

    def __init__(
        self, term: Term, budget: NormalFormBudget, above: ValuePlace | None = None
    ) -> None:
        self._term = term
        self._budget = budget
        self._above = above
        self._step: Step | None = None

    def step(self, step: Step) -> ValuePlace:
        """Return a position below."""
        below = ValuePlace((), self._budget, self)
        below._step = step
        return below

    @kept
    def nodes(self) -> Term:
        """Yield every schema that applies here, including unions and references."""
        term = self._term
        if self._above is not None and self._step is not None:
            step = self._step
            term = tuple(place for spot in self._above.nodes for place in _below(spot, step))
        found: dict[int, TermNode] = {}
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


class PlacePair(NamedTuple):
    """A position in both documents."""

    one: ValuePlace
    other: ValuePlace

    def step(self, step: Step) -> PlacePair:
        """Return a position below in both."""
        return PlacePair(self.one.step(step), self.other.step(step))


def _asked(schema: JsonObject) -> Iterator[str]:
    """Yield the members that are required, always or beside another."""
    lists = [listed(schema, "required")] if "required" in schema else []
    for name, others in table(schema, "dependentRequired").items():
        lists.append([name, *(others if others.__class__ is list else ())])
    for names in lists:
        yield from (name for name in names if name.__class__ is str)


def _below(spot: TermNode, step: Step) -> Iterator[TermNode]:
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


_MOST_CANDIDATES: Final = 12
_DEEPEST: Final = 8
_MOST: Final = 4
_ALL: Final = _MOST * _MOST
_LARGEST: Final = 64  # items or members
_TEXTS: Final = ("", "x", "text")
_FRESH: Final = ("x", "other", "~")
_SMALL: Final = (*map(Fraction, (0, 1, -1, 2)), Fraction(1, 2), Fraction(3, 2))


class Candidates:
    """Values for a proof, made when needed: most never are."""

    __slots__ = ("_found", "_source")

    def __init__(self, source: Iterable[Json]) -> None:
        self._source = islice(source, _MOST_CANDIDATES)
        self._found: list[Json] = []

    def __iter__(self) -> Iterator[Json]:
        yield from self._found
        for value in self._source:
            self._found.append(value)
            yield value


class Failure(NamedTuple):
    """A keyword that could not be proved."""

    at: Place
    """The place in the schema that should contain the other."""
    reason: str
    values: Candidates
    """Candidates for a witness, not yet validated."""


def failure(at: Place, reason: str, values: Iterable[Json] = ()) -> Failure:
    """Return a failure with a few candidates."""
    return Failure(at, reason, Candidates(values))


class CellExamples:
    """Makes small values of cells that should fit; they are validated later.

    The work is counted with that of the comparison.
    """

    def __init__(self, budget: NormalFormBudget) -> None:
        self._budget = budget

    def of_term(self, term: Term, depth: int = 0) -> Iterator[Json]:
        """Yield a few values of a term, alternating between its kinds."""
        if depth <= _DEEPEST:
            made = [self.of(cell, depth) for cell in cells_of(term, self._budget)[:_MOST]]
            for _ in range(_MOST):
                for values in made:
                    yield from islice(values, 1)

    def of(self, cell: Cell, depth: int = 0) -> Iterator[Json]:
        """Yield a few values of a cell, the smallest first."""
        self._budget.spend()
        if cell.values is not None:
            yield from cell.values[:_MOST]
        elif cell.kind == "number":
            yield from numbers(cell.window)
        elif cell.kind == "string" and not (cell.least or cell.is_shaped):
            yield from (text for text in _TEXTS if len(text) <= cell.most)
        elif cell.kind == "string":
            yield from sorted((text for text, _ in texts(cell.facets)), key=len)[:_MOST]
        elif cell.kind == "array":
            yield from self._arrays(cell, {}, depth)
        else:
            yield from self._objects(cell, {}, depth)

    def with_member(self, cell: Cell, name: str, value: Json) -> Iterator[Json]:
        """Yield the smallest object of a cell that has this member."""
        needed = TermNode({"required": [name]}, (), cell.nodes[0].home) if cell.nodes else None
        yield from self._objects(cell.narrowed(needed) if needed else cell, {name: value}, 0)

    def with_item(self, cell: Cell, at: int, value: Json) -> Iterator[Json]:
        """Yield the smallest array of a cell that has this item."""
        yield from self._arrays(cell, {at: value}, 0)

    def _arrays(self, cell: Cell, given: dict[int, Json], depth: int) -> Iterator[Json]:
        length = max(cell.least, max(given, default=-1) + 1)
        if length > _LARGEST:
            return
        for offset in range(2 if length and not given else 1):
            items: list[Json] = []
            for at in range(length):
                found = [given[at]] if at in given else \
                    self._below(cell.item(at), depth, _ALL if cell.unique else 1)  # fmt: skip
                if not found:
                    return
                fresh = [one for one in found if one not in items] if cell.unique else found
                items.append((fresh or found)[min(offset, len(found) - 1) if not fresh else 0])
            yield items
        if not length and not given and cell.most > 0:
            yield from ([item] for item in self._below(cell.item(0), depth))

    def _objects(self, cell: Cell, given: JsonObject, depth: int) -> Iterator[Json]:
        members: JsonObject = {}
        for name in cell.required:
            found = [given[name]] if name in given else self._below(cell.member(name), depth)
            if not found:
                return
            members[name] = found[0]
        members |= given
        if given and len(members) >= cell.least:
            yield members
            return
        spare = [name for name in (*cell.names, *_FRESH) if name not in members]
        while len(members) < min(cell.least, _LARGEST) and spare:
            name = spare.pop(0)
            found = self._below(cell.member(name), depth)
            if found:
                members[name] = found[0]
        yield members
        if not given:
            for name in spare[:2]:
                more = self._below(cell.member(name), depth)
                if more and name not in members:
                    yield {**members, name: more[0]}

    def _below(self, term: Term | None, depth: int, most: int = 1) -> list[Json]:
        return [] if term is None else list(islice(self.of_term(term, depth + 1), most))


def numbers(window: Window) -> list[Json]:
    """Return a few numbers of a window, small and simple ones first."""
    if window.low is None and window.high is None and window.step in (None, 1):
        return [0, 1, -1, 2]  # the most common case
    ends = [end for end in (window.least(), window.most()) if end is not None]
    steps = [window.step] if window.step is not None else []
    found = [number for number in (*_SMALL, *ends, *steps) if window.holds(number)]
    return [spelled(number) for number in dict.fromkeys(found)][:_MOST]


def numbers_beyond(window: Window, bound: Fraction, *, below: bool, itself: bool) -> list[Json]:
    """Return numbers of a window on one side of a bound, the nearest first."""
    way = -1 if below else 1
    step = window.step or Fraction(1)
    multiple = bound // step * step
    tries = [bound] if itself else []
    tries += [multiple + way * step * factor for factor in (0, 1, 2)]
    edge = window.least() if below else window.most()
    tries += [bound + Fraction(way, 2)]
    if edge is not None:
        tries += [edge, (edge + bound) / 2]
    tries += [bound + Fraction(way, 1000)]
    found = [n for n in dict.fromkeys(tries) if window.holds(n)
             and ((n < bound if below else n > bound) or (itself and n == bound))]  # fmt: skip
    # No float is near enough to separate two large bounds.
    return [int(n) if n.denominator == 1 else spelled(n) for n in found]


class Asking(Protocol):
    """The interface of the engine for provers."""

    budget: NormalFormBudget
    examples: CellExamples
    neutral: bool

    def term(self, one: Term, other: Term, pair: PlacePair) -> list[Failure]: ...

    def in_branch(self, cell: Cell, branch: TermNode, pair: PlacePair) -> list[Failure]: ...

    def alike(self, one: Json, other: Json) -> bool: ...


Goal: TypeAlias = Callable[[Asking, Cell, TermNode, PlacePair, str], Iterator[Failure]]
"""Yields the failures of a keyword of a node for a cell."""
