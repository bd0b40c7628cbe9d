"""Which result answers which call: by id, the latest first; without ids by name, then by place."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from toolcanon.conversion.repairs.terms import Terms
from toolcanon.formats.wire.codec import own
from toolcanon.ir.conversation import Call, Conversation, Message, Native, Part, Result

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

    __slots__ = ("_first", "_found", "_groups", "_here", "_known", "_named", "_nameless", "_reply",
                 "_spoke", "_terms", "_turn", "_waiting")  # fmt: skip

    def __init__(self, terms: Terms, *, groups: bool) -> None:
        self._terms = terms
        self._groups = groups
        self._found = Pairs()
        self._waiting: dict[str, Pair | _Several] = {}
        self._known: set[str] = set()
        """The ids of calls that were answered."""
        self._nameless: dict[str, list[Pair]] = {}
        """Calls without an id, by name."""
        self._here: deque[Pair] | None = None
        """The calls of the turn; some may have been answered by now."""
        self._named: dict[str, deque[Pair]] = {}
        """The same by name."""
        self._first = 0
        """The first call of the turn among all."""
        self._turn = -1
        self._reply = -1
        self._spoke = False
        """Whether anything but results came behind the turn."""

    def run(self, conversation: Conversation) -> Pairs:
        in_turn = False
        found = self._found
        ends = found.ends
        for index, message in enumerate(conversation.messages):
            if message.role == "assistant":
                if in_turn:
                    ends[-1] = index
                else:
                    in_turn = True
                    self._turn += 1
                    self._spoke = False
                    self._reply = -1
                    self._first, self._here = len(found.all), None
                    ends.append(index)
                self._ask(index, message)
                continue
            in_turn = False
            for number, part in enumerate(message.parts):
                if part.__class__ is Result:
                    self._answer((index, number), part)
                elif not self._spoke:
                    self._spoke = not self._is_quiet(part)
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
                pair = Pair(self._turn, (index, number), part)
                self._found.all.append(pair)
                self._here = None
                call_id = part.id
                if call_id is None:
                    self._nameless.setdefault(part.name, []).append(pair)
                else:
                    held = self._waiting.setdefault(call_id, pair)
                    if held is not pair:
                        several = held if held.__class__ is _Several else _Several(held)  # type: ignore[arg-type]
                        several.add(pair)
                        self._waiting[call_id] = several
            elif part.__class__ is Result:
                self._spoke, spoke = True, self._spoke
                self._answer((index, number), part)
                self._spoke = spoke

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
            self._reply = at[0] if self._reply < 0 else self._reply
            if self._reply != at[0]:
                self._found.scattered.add(at)
                self._found.unsettled.add(pair.turn)

    def _meant(self, result: Result) -> Pair | None:
        call_id = result.call_id
        if call_id is None:
            return self._by_name(result)
        held = self._waiting.pop(call_id, None)
        if held is None:
            if call_id in self._known or not self._terms.by_place:
                return None
            return self._by_name(result)
        self._known.add(call_id)
        if held.__class__ is Pair:
            return held if held.answer is None else None
        pair = held.take()  # type: ignore[union-attr]
        if held:
            self._waiting[call_id] = held
        return pair

    def _by_name(self, result: Result) -> Pair | None:
        """The first open call of that name in this turn, an earlier one, or the first of all."""
        if self._here is None:
            self._here = deque(self._found.all[self._first :])
            self._named = {}
            for pair in self._here:
                self._named.setdefault(pair.call.name, deque()).append(pair)
        named = _first_open(self._named.get(result.name or ""))
        if named is None and (self._terms.by_place or result.name is None):
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
            result = result_at(conversation, at)
            pair = None if result.call_id is None else self._meant(result)
            if pair is None:
                left.append(at)
                continue
            pair.answer, pair.is_misplaced = at, True
            self._found.unsettled.add(pair.turn)
        self._found.orphans = left


class _Several:
    """Calls of one id that wait: that of the latest turn is answered first, and there in order."""

    __slots__ = ("_turns",)

    def __init__(self, first: Pair) -> None:
        self._turns: list[deque[Pair]] = [deque((first,))]

    def __bool__(self) -> bool:
        return bool(self._turns)

    def add(self, pair: Pair) -> None:
        if self._turns[-1][-1].turn == pair.turn:
            self._turns[-1].append(pair)
        else:
            self._turns.append(deque((pair,)))

    def take(self) -> Pair | None:
        while self._turns:
            pair = self._turns[-1].popleft()
            if not self._turns[-1]:
                self._turns.pop()
            if pair.answer is None:
                return pair
        return None


def _first_open(pairs: deque[Pair] | None) -> Pair | None:
    while pairs:
        if pairs[0].answer is None:
            return pairs[0]
        pairs.popleft()
    return None


def result_at(conversation: Conversation, at: At) -> Result:
    """The result at a place."""
    return conversation.messages[at[0]].parts[at[1]]  # type: ignore[return-value]


def awaited(pairs: Iterable[Pair], terms: Terms) -> list[Pair]:
    """The calls that nobody answered, but for those that may be answered in a later request."""
    key = terms.rules.async_key
    return [
        pair
        for pair in pairs
        if pair.answer is None and not (key and own(pair.call.extras, terms.target).get(key))
    ]
