"""Transitive references, computed once, and limits on how much a document may expand.

Schemas that reach each other reach the same, so they share one result, and tools share the tables
made of it. Shared tables cost memory once, but a writer visits them for each tool: so both are
counted.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from enum import StrEnum
from functools import cache
from typing import Final, Generic, TypeVar

from toolcanon.errors import LimitExceeded
from toolcanon.jsonio import Limits
from toolcanon.jsonio.types import Json

T = TypeVar("T", bound=Hashable)

_PER_VALUE: Final = 256  # characters that cost as much as a value


class Cost(StrEnum):
    """What is counted."""

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


class Budget:
    """What may still be made of a document. Raises LimitExceeded, against exponential expansion."""

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

    def __init__(self, ahead: Callable[[T], Iterable[T]], budget: Budget) -> None:
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
