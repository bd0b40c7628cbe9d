"""Does every string that matches one pattern also match another?

Patterns are parsed, never run: each becomes an automaton, and both are walked side by side.
Look-around, back-references, flags and whatever two engines parse differently are not supported,
nor are automata that grow too large.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from re import _constants as sre  # type: ignore[attr-defined]
from typing import Any, Final, NamedTuple, TypeAlias

from toolcanon.schema.algebra.normal.terms import NormalFormBudget, Spent
from toolcanon.schema.sampling.scalars import parsed

Ranges: TypeAlias = tuple[tuple[int, int], ...]
_States: TypeAlias = frozenset[int]

_LAST: Final = 0x10FFFF
_SURROGATES: Final = (0xD800, 0xDFFF)
_MOST_STATES: Final = 2_000
_MOST_PAIRS: Final = 3_000
_MOST_APART: Final = 4
_MOST_REPEATS: Final = 1_000
_PLAIN: Final = "aA0 -_.xzZ19/@#~\n"
# Syntax that engines disagree on, or that the parser replaces.
_DOUBTFUL: Final = re.compile(r"\\[pPAZzbBaQEGKXhHRvxc]|\{,|\[\[|&&|\(\?[a-zA-Z-]|--")

_DIGITS: Final = ((48, 57),)
_WORDS: Final = ((48, 57), (65, 90), (95, 95), (97, 122))
_BLANKS: Final = (
    *((9, 13), (32, 32), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029)),
    *((0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)),
)
_BREAKS: Final = ((10, 10), (13, 13), (0x2028, 0x2029))


class Inclusion(NamedTuple):
    """Whether one pattern matches every string of the other; None when that is unknown."""

    holds: bool | None
    apart: tuple[str, ...] = ()
    """Strings that match only the first pattern."""


class _TooManyStates(Exception):
    pass


def inclusion(one: str, other: str, budget: NormalFormBudget) -> Inclusion:
    """Return whether all strings that match one pattern match the other.

    >>> inclusion("^[a-c]+$", "^[a-z]", NormalFormBudget())
    Inclusion(holds=True, apart=())
    >>> inclusion("^[A-Z]{2}", "^[A-Z]{2}$", NormalFormBudget()).apart[0]
    'AAa'
    """
    if one == other:
        return Inclusion(True)
    try:
        return _walk(_automaton(one), _automaton(other), budget)
    except (_TooManyStates, Spent, RecursionError):
        return Inclusion(None)


def _walk(one: _Automaton, other: _Automaton, budget: NormalFormBudget) -> Inclusion:
    letters = _letters(one.ranges + other.ranges)
    start = (one.start, other.start)
    seen = {start}
    level: list[tuple[_States, _States, str]] = [(*start, "")]
    apart: list[str] = []
    while level:
        below: list[tuple[_States, _States, str]] = []
        for ours, theirs, text in level:
            budget.spend()
            if one.accepts(ours) and not other.accepts(theirs):
                apart.append(text)
                if len(apart) == _MOST_APART:
                    return Inclusion(False, tuple(apart))
            for letter in letters:
                pair = (one.step(ours, letter), other.step(theirs, letter))
                if pair[0] and not other.is_done(pair[1]) and pair not in seen:
                    seen.add(pair)
                    below.append((*pair, text + chr(letter)))
            if len(seen) > _MOST_PAIRS:
                return Inclusion(False if apart else None, tuple(apart))
        level = below
    return Inclusion(not apart, tuple(apart))


def _letters(ranges: Iterable[Ranges]) -> list[int]:
    """Return one letter for each class that no range separates, plain ones where possible."""
    known = list(dict.fromkeys(ranges))
    edges = {0, _SURROGATES[1] + 1}
    for one in known:
        for low, high in one:
            edges |= {low, high + 1}
    found: dict[tuple[bool, ...], int] = {}
    for point in (*map(ord, _PLAIN), *sorted(edges)):
        if point <= _LAST and not _SURROGATES[0] <= point <= _SURROGATES[1]:
            found.setdefault(tuple(_holds(one, point) for one in known), point)
    return list(found.values())


def _holds(ranges: Ranges, point: int) -> bool:
    return any(low <= point <= high for low, high in ranges)


class _Automaton:
    """Finds a match anywhere in a string; states are sets of positions in the pattern."""

    def __init__(self, tree: Any) -> None:
        self.ranges: list[Ranges] = []
        self._moves: list[list[tuple[Ranges, int]]] = []
        self._free: list[list[int]] = []
        self._at_start: list[list[int]] = []
        self._at_end: list[list[int]] = []
        self._known: dict[tuple[_States, int], _States] = {}
        self._first = self._state()
        self._last = self._sequence(tree, self._first)
        self._again = self._closure({self._first})
        self.start = self._settled(self._closure({self._first}, self._at_start))

    def step(self, states: _States, letter: int) -> _States:
        key = (states, letter)
        found = self._known.get(key)
        if found is None:
            if self.is_done(states):
                found = states
            else:
                moved = {to for at in states for ranges, to in self._moves[at]
                         if _holds(ranges, letter)}  # fmt: skip
                found = self._settled(self._closure(moved) | self._again)
            self._known[key] = found
        return found

    def accepts(self, states: _States) -> bool:
        """Return whether a string that ends here matches."""
        if self.is_done(states):
            return True
        at_start = self._at_start if states == self.start else None
        return self._last in self._closure(set(states), at_start, self._at_end)

    def is_done(self, states: _States) -> bool:
        """Return whether a match was found, whatever follows."""
        return self._last in states

    def _settled(self, states: _States) -> _States:
        return frozenset({self._last}) if self._last in states else states

    def _closure(self, states: set[int], *edges: list[list[int]] | None) -> _States:
        found = set(states)
        stack = list(states)
        while stack:
            at = stack.pop()
            for table in (self._free, *edges):
                for to in table[at] if table is not None else ():
                    if to not in found:
                        found.add(to)
                        stack.append(to)
        return frozenset(found)

    # Construction, one position after the other.

    def _state(self) -> int:
        for edges in (self._moves, self._free, self._at_start, self._at_end):
            edges.append([])
        if len(self._free) > _MOST_STATES:
            raise _TooManyStates
        return len(self._free) - 1

    def _sequence(self, tree: Any, at: int) -> int:
        for word, argument in tree:
            build = _BUILDERS.get(word)
            if build is None:
                raise _TooManyStates
            at = build(self, argument, at, word)
        return at

    def _linked(self, edges: list[list[int]], at: int) -> int:
        to = self._state()
        edges[at].append(to)
        return to

    def letters(self, argument: Any, at: int, word: Any) -> int:
        ranges = _ranges(word, argument)
        self.ranges.append(ranges)
        to = self._state()
        self._moves[at].append((ranges, to))
        return to

    def anchor(self, argument: Any, at: int, _word: Any) -> int:
        if argument is sre.AT_BEGINNING:
            return self._linked(self._at_start, at)
        if argument is sre.AT_END:
            return self._linked(self._at_end, at)
        raise _TooManyStates

    def group(self, argument: Any, at: int, _word: Any) -> int:
        _, added, removed, tree = argument
        if added or removed:
            raise _TooManyStates
        return self._sequence(tree, at)

    def branch(self, argument: Any, at: int, _word: Any) -> int:
        ends = [self._sequence(tree, self._linked(self._free, at)) for tree in argument[1]]
        to = self._state()
        for end in ends:
            self._free[end].append(to)
        return to

    def repeat(self, argument: Any, at: int, _word: Any) -> int:
        least, most, tree = argument
        if least > _MOST_REPEATS or (most is not sre.MAXREPEAT and most > _MOST_REPEATS):
            raise _TooManyStates
        for _ in range(least):
            at = self._sequence(tree, at)
        if most is sre.MAXREPEAT:
            again = self._linked(self._free, at)
            self._free[self._sequence(tree, again)].append(again)
            return self._linked(self._free, again)
        ends = [at]
        for _ in range(most - least):
            at = self._sequence(tree, at)
            ends.append(at)
        to = self._state()
        for end in ends:
            self._free[end].append(to)
        return to


_BUILDERS: Final[dict[Any, Callable[[_Automaton, Any, int, Any], int]]] = {
    sre.LITERAL: _Automaton.letters,
    sre.NOT_LITERAL: _Automaton.letters,
    sre.ANY: _Automaton.letters,
    sre.IN: _Automaton.letters,
    sre.AT: _Automaton.anchor,
    sre.SUBPATTERN: _Automaton.group,
    sre.BRANCH: _Automaton.branch,
    sre.MAX_REPEAT: _Automaton.repeat,
    sre.MIN_REPEAT: _Automaton.repeat,
}


@lru_cache(maxsize=128)
def _automaton(pattern: str) -> _Automaton:
    if _DOUBTFUL.search(pattern):
        raise _TooManyStates
    tree = parsed(pattern)
    if tree is None or tree.state.flags & ~re.UNICODE:
        raise _TooManyStates
    return _Automaton(tree)


def _ranges(word: Any, argument: Any) -> Ranges:
    if word is sre.LITERAL:
        return ((argument, argument),)
    if word is sre.NOT_LITERAL:
        return _others(((argument, argument),))
    if word is sre.ANY:
        return _others(_BREAKS)
    found: list[tuple[int, int]] = []
    negated = False
    for kind, value in argument:
        if kind is sre.NEGATE:
            negated = True
        elif kind is sre.LITERAL:
            found.append((value, value))
        elif kind is sre.RANGE:
            found.append(tuple(value))
        else:
            found += _CATEGORIES[value]
    return _others(tuple(found)) if negated else tuple(sorted(found))


def _others(ranges: Ranges) -> Ranges:
    found: list[tuple[int, int]] = []
    low = 0
    for first, last in sorted(ranges):
        if first > low:
            found.append((low, first - 1))
        low = max(low, last + 1)
    if low <= _LAST:
        found.append((low, _LAST))
    return tuple(found)


_CATEGORIES: Final[dict[Any, Ranges]] = {
    sre.CATEGORY_DIGIT: _DIGITS,
    sre.CATEGORY_NOT_DIGIT: _others(_DIGITS),
    sre.CATEGORY_WORD: _WORDS,
    sre.CATEGORY_NOT_WORD: _others(_WORDS),
    sre.CATEGORY_SPACE: _BLANKS,
    sre.CATEGORY_NOT_SPACE: _others(_BLANKS),
}
