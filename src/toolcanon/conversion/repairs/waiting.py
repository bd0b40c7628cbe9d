"""Calls that wait under one id, and which of them each result of that id answers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from toolcanon.formats.wire.codec import NOTES
from toolcanon.formats.wire.odd import ODD, WAS
from toolcanon.ir.conversation import Call, Result

At: TypeAlias = tuple[int, int]
"""The numbers of a message and of a part there."""


class Pair:
    """A call, and where its result is, as soon as there is one."""

    __slots__ = ("answer", "at", "call", "is_misplaced", "turn")

    def __init__(self, turn: int, at: At, call: Call) -> None:
        self.turn = turn
        self.at = at
        self.call = call
        self.answer: At | None = None
        self.is_misplaced = False
        """Whether the result stands elsewhere than right behind the turn."""


class Late(NamedTuple):
    """A result that no id pairs, with what was known when it came."""

    at: At
    result: Result
    turn: int
    calls: tuple[int, int]
    """The first call of the turn among all, and the first behind the result."""
    spoke: bool


class Several:
    """Calls of one id that wait, and their results: of equal names the latest turn is first."""

    __slots__ = ("_calls", "_named", "_older", "count", "results", "turn")

    def __init__(self, first: Pair) -> None:
        self.turn = first.turn
        self._calls = [first]
        """Those of the latest turn."""
        self._older: list[Pair] = []
        """Those before it, with the first to answer last."""
        self._named: dict[str, list[Pair]] = {}
        """The same by name."""
        self.count = 1
        self.results: list[Late] = []

    def add(self, pair: Pair) -> None:
        if pair.turn != self.turn:
            self.turn = pair.turn
            for older in reversed(self._calls):
                self._older.append(older)
                self._named.setdefault(older.call.name, []).append(older)
            self._calls = []
        self._calls.append(pair)
        self.count += 1

    def take(self, settle: Callable[[Pair, Late], None]) -> None:
        """Give each result its call: by name, then by the type of the id, then by place."""
        for key in (_raw_name, _name):
            self._take(settle, key)
        self._take_older(settle, lambda result: self._named.get(result.name or "", []))
        for key in (_raw_id, _nothing):
            self._take(settle, key)
        self._take_older(settle, lambda _: self._older)

    def _take(
        self, settle: Callable[[Pair, Late], None], key: Callable[[Call | Result], object]
    ) -> None:
        """Of the latest turn, where calls and results alike go by their order."""
        if not self.results or not self._calls:
            return
        alike: dict[object, deque[Pair]] = {}
        for pair in self._calls:
            alike.setdefault(key(pair.call), deque()).append(pair)
        self._give(settle, lambda result: first_open(alike.get(key(result))))
        self._calls = [pair for pair in self._calls if pair.answer is None]

    def _take_older(
        self, settle: Callable[[Pair, Late], None], calls: Callable[[Result], list[Pair]]
    ) -> None:
        if self.results and self._older:
            self._give(settle, lambda result: last_open(calls(result)))

    def _give(
        self, settle: Callable[[Pair, Late], None], find: Callable[[Result], Pair | None]
    ) -> None:
        left: list[Late] = []
        for late in self.results:
            pair = find(late.result)
            if pair is None:
                left.append(late)
            else:
                settle(pair, late)
                self.count -= 1
        self.results = left


def _raw_name(part: Call | Result) -> object:
    return _raw_id(part), part.name


def _name(part: Call | Result) -> object:
    return part.name


def _nothing(part: Call | Result) -> object:  # noqa: ARG001 - every call is alike
    return None


def _raw_id(part: Call | Result) -> str:
    """The id as it was written: the number 1 and the text "1" may be two ids."""
    for kept in (part.extras or {}).values():
        for key, entry in kept.get(NOTES, {}).get(ODD, {}).items():
            if key.lower().endswith("id") and WAS in entry:
                return repr(entry[WAS])
    return ""


def first_open(pairs: deque[Pair] | None) -> Pair | None:
    while pairs:
        if pairs[0].answer is None:
            return pairs[0]
        pairs.popleft()
    return None


def last_open(pairs: list[Pair]) -> Pair | None:
    while pairs:
        pair = pairs.pop()
        if pair.answer is None:
            return pair
    return None
