"""What is reached by references, worked out once, and how much of it a document may ask for.

Schemas that reach each other reach the same, so they share one answer, and tools share the tables
that are made of it. What tools share costs memory once, but whoever reads them goes through it for
each of them: so both are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import cache
from typing import Final, Generic, TypeVar

from toolcanon.errors import LimitExceeded
from toolcanon.jsonio import Limits

T = TypeVar("T", bound=Hashable)

_SHARED: Final = 8  # how much more tools may share than a document holds


class Budget:
    """What may still be made of a document. Raises LimitExceeded: it would be a bomb otherwise."""

    def __init__(self, limits: Limits) -> None:
        self._allowed = limits.values
        self._held = limits.values
        self._carried = limits.values * _SHARED

    def hold(self, count: int) -> None:
        """Something new takes memory."""
        self._held -= count
        self._check(self._held)

    def carry(self, count: int) -> None:
        """One more tool carries something that may be shared."""
        self._carried -= count
        self._check(self._carried)

    def _check(self, left: int) -> None:
        if left < 0:
            where = ", once every tool carries the definitions it needs"
            raise LimitExceeded("values", self._allowed, None, where)


class Closures(Generic[T]):
    """All that can be reached; equal answers are the same object."""

    def __init__(self, ahead: Callable[[T], Iterable[T]], budget: Budget) -> None:
        self._ahead = cache(ahead)
        self._budget = budget
        self._known: dict[T, frozenset[T]] = {}
        self._answers: dict[tuple[T, ...], frozenset[T]] = {}
        self._same: dict[frozenset[T], frozenset[T]] = {}

    def of(self, starts: Iterable[T]) -> frozenset[T]:
        """What is reached from any of them, themselves included."""
        key = tuple(starts)
        if key not in self._answers:
            found: set[T] = set()
            for start in key:
                if start not in found:
                    found |= self._reached(start)
            self._answers[key] = self._shared(frozenset(found))
        return self._answers[key]

    def _shared(self, found: frozenset[T]) -> frozenset[T]:
        if found not in self._same:
            self._budget.hold(len(found))
        return self._same.setdefault(found, found)

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
                    found |= known
        answer = self._shared(frozenset(found))
        for item in self._returning(start, found) if returns else (start,):
            self._known[item] = answer
        return answer

    def _returning(self, start: T, among: set[T]) -> set[T]:
        """Who comes back to the start, and so has the same answer."""
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
