"""What provers use: the engine's interface, failures, and small values for witnesses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import islice
from typing import Final, NamedTuple, Protocol, TypeAlias

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.containment.sites import Pair
from toolcanon.schema.normal.cells import Cell
from toolcanon.schema.normal.terms import Budget, Spot, Term
from toolcanon.schema.normal.unions import cells_of
from toolcanon.schema.references import Place
from toolcanon.schema.sampling.scalars import Window, spelled, texts

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


class Examples:
    """Makes small values of cells that should fit; they are validated later.

    The work is counted with that of the comparison.
    """

    def __init__(self, budget: Budget) -> None:
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
        needed = Spot({"required": [name]}, (), cell.nodes[0].home) if cell.nodes else None
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

    budget: Budget
    examples: Examples
    neutral: bool

    def term(self, one: Term, other: Term, pair: Pair) -> list[Failure]: ...

    def in_branch(self, cell: Cell, branch: Spot, pair: Pair) -> list[Failure]: ...

    def alike(self, one: Json, other: Json) -> bool: ...


Goal: TypeAlias = Callable[[Asking, Cell, Spot, Pair, str], Iterator[Failure]]
"""Yields the failures of a keyword of a node for a cell."""
