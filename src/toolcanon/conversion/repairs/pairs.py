"""Which result answers which call: by id, the latest first; without ids by name, then by place."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from toolcanon.conversion.repairs.terms import Terms
from toolcanon.formats.wire.codec import own
from toolcanon.ir.conversation import Call, Conversation, Message, Native, Part, Result


class At(NamedTuple):
    """The numbers of a message and of a part there."""

    message: int
    part: int


@dataclass(slots=True, eq=False)
class Pair:
    """A call, and its result as soon as there is one."""

    turn: int
    at: At
    call: Call
    answer: At | None = None
    is_misplaced: bool = False
    """Whether the result stands elsewhere than right behind the turn."""


@dataclass(slots=True)
class Pairs:
    """All calls, all results."""

    all: list[Pair] = field(default_factory=list)
    orphans: list[At] = field(default_factory=list)
    again: list[At] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    """The last message of each turn of the assistant's."""
    unsettled: set[int] = field(default_factory=set)
    """Turns whose results have to be put behind them anew."""
    scattered: set[At] = field(default_factory=set)
    """Results in another message than the first of their turn, where one has to hold them all."""


def find_pairs(conversation: Conversation, terms: Terms, *, groups: bool = False) -> Pairs:
    """Look once through the history; ``groups`` where messages of the target's own stay apart."""
    return _Search(terms, groups=groups).run(conversation)


class _Search:
    """The way through a history, and the calls that wait for their results."""

    __slots__ = ("_by_place", "_found", "_groups", "_here", "_known", "_named", "_nameless",
                 "_reply", "_spoke", "_terms", "_turn", "_waiting")  # fmt: skip

    def __init__(self, terms: Terms, *, groups: bool) -> None:
        self._terms = terms
        self._groups = groups
        self._reply = -1
        self._by_place = terms.by_place
        self._found = Pairs()
        self._known: set[str] = set()
        self._waiting: dict[str, list[tuple[int, deque[Pair]]]] = {}
        """By id, and there by turn: an id may come again in every turn, or twice in one."""
        self._nameless: dict[str, list[Pair]] = {}
        """Calls without an id, by name."""
        self._here: deque[Pair] = deque()
        """The calls of the turn; some may have been answered by now."""
        self._named: dict[str, deque[Pair]] = {}
        """The same by name."""
        self._turn = -1
        self._spoke = False
        """Whether anything but results came behind the turn."""

    def run(self, conversation: Conversation) -> Pairs:
        in_turn = False
        found = self._found
        for index, message in enumerate(conversation.messages):
            if message.role == "assistant":
                if not in_turn:
                    in_turn = True
                    self._turn += 1
                    self._spoke = False
                    self._reply = -1
                    self._here, self._named = deque(), {}
                    found.ends.append(index)
                found.ends[-1] = index
                self._ask(index, message)
                continue
            in_turn = False
            for number, part in enumerate(message.parts):
                if part.__class__ is Result:
                    self._answer(At(index, number), part)
                else:
                    self._spoke = self._spoke or not self._is_quiet(part)
            if not message.parts:
                self._spoke = True
        if found.orphans:
            self._look_ahead(conversation)
        return found

    def _is_quiet(self, part: Part) -> bool:
        terms = self._terms
        if part.__class__ is not Native or part.format != terms.target:
            return False
        return part.type.rpartition(".")[2] in terms.rules.quiet

    def _ask(self, index: int, message: Message) -> None:
        for number, part in enumerate(message.parts):
            if part.__class__ is Call:
                pair = Pair(self._turn, At(index, number), part)
                self._found.all.append(pair)
                self._here.append(pair)
                self._named.setdefault(pair.call.name, deque()).append(pair)
                self._wait(pair, part.id)
            elif part.__class__ is Result:
                self._spoke, spoke = True, self._spoke
                self._answer(At(index, number), part)
                self._spoke = spoke

    def _wait(self, pair: Pair, call_id: str | None) -> None:
        if call_id is None:
            self._nameless.setdefault(pair.call.name, []).append(pair)
            return
        self._known.add(call_id)
        groups = self._waiting.get(call_id)
        if groups is None:
            self._waiting[call_id] = [(pair.turn, deque((pair,)))]
        elif groups and groups[-1][0] == pair.turn:
            groups[-1][1].append(pair)
        else:
            groups.append((pair.turn, deque((pair,))))

    def _answer(self, at: At, result: Result) -> None:
        pair = self._meant(result)
        if pair is None:
            known = result.call_id is not None and result.call_id in self._known
            (self._found.again if known else self._found.orphans).append(at)
            return
        pair.answer = at
        if self._spoke or pair.turn != self._turn:
            pair.is_misplaced = True
            self._found.unsettled.add(pair.turn)
        elif self._groups:
            self._reply = at.message if self._reply < 0 else self._reply
            if self._reply != at.message:
                self._found.scattered.add(at)
                self._found.unsettled.add(pair.turn)

    def _meant(self, result: Result) -> Pair | None:
        call_id = result.call_id
        if call_id is not None:
            groups = self._waiting.get(call_id)
            while groups:
                group = groups[-1][1]
                while group:
                    pair = group.popleft()
                    if pair.answer is None:
                        return pair
                groups.pop()
            if call_id in self._known or not self._by_place:
                return None
        return self._by_name(result)

    def _by_name(self, result: Result) -> Pair | None:
        """The first open call of that name in this turn, an earlier one, or the first of all."""
        named = _first_open(self._named.get(result.name or ""))
        if named is None and (self._by_place or result.name is None):
            named = _first_open(self._here)
        if named is not None:
            return named
        earlier = self._nameless.get(result.name or "", [])
        while earlier:
            pair = earlier.pop()
            if pair.answer is None:
                return pair
        return None

    def _look_ahead(self, conversation: Conversation) -> None:
        """Results that came before their calls."""
        left: list[At] = []
        for at in self._found.orphans:
            result = conversation.messages[at.message].parts[at.part]
            pair = self._meant(result) if result.call_id is not None else None  # type: ignore[union-attr,arg-type]
            if pair is None:
                left.append(at)
                continue
            pair.answer, pair.is_misplaced = at, True
            self._found.unsettled.add(pair.turn)
        self._found.orphans = left


def _first_open(pairs: deque[Pair] | None) -> Pair | None:
    while pairs:
        if pairs[0].answer is None:
            return pairs[0]
        pairs.popleft()
    return None


def result_at(conversation: Conversation, at: At) -> Result:
    """The result at a place."""
    return conversation.messages[at.message].parts[at.part]  # type: ignore[return-value]


def awaited(pairs: Iterable[Pair], terms: Terms) -> list[Pair]:
    """The calls that nobody answered, but for those that may be answered in a later request."""
    key = terms.rules.async_key
    return [
        pair
        for pair in pairs
        if pair.answer is None and not (key and own(pair.call.extras, terms.target).get(key))
    ]
