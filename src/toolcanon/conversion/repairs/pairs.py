"""Which result answers which call: by id, the latest first; without ids by name, then by place."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from toolcanon.conversion.repairs.terms import Terms
from toolcanon.formats.wire.codec import NOTES, own
from toolcanon.formats.wire.odd import ODD, WAS
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


class _Late(NamedTuple):
    """A result that no id pairs, with what was known when it came."""

    at: At
    result: Result
    turn: int
    calls: tuple[int, int]
    """The first call of the turn among all, and the first behind the result."""
    spoke: bool


class _Search:
    """The way through a history, and the calls that wait for their results.

    Ids pair first, over the whole history. What they leave is paired by name, and what names leave
    by place, so that no result takes the call that another one answers.
    """

    __slots__ = ("_first", "_found", "_groups", "_known", "_late", "_spoke", "_terms", "_turn",
                 "_waiting")  # fmt: skip

    def __init__(self, terms: Terms, *, groups: bool) -> None:
        self._terms = terms
        self._groups = groups
        self._found = Pairs()
        self._waiting: dict[str, Pair | _Several] = {}
        self._known: set[str] = set()
        """The ids of calls that were answered."""
        self._late: list[_Late] = []
        self._first = 0
        """The first call of the turn among all."""
        self._turn = -1
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
                    self._first = len(found.all)
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
        if found.orphans or self._late:
            self._look_ahead(conversation)
        if self._late:
            self._pair_late()
        if self._groups:
            self._scatter()
        return found

    def _is_quiet(self, part: Part) -> bool:
        """Whether a part says nothing at the target: one of another format is not written."""
        is_foreign = isinstance(part, Native) and part.format != self._terms.target
        return is_foreign or self._terms.is_quiet(part)

    def _ask(self, index: int, message: Message) -> None:
        for number, part in enumerate(message.parts):
            if part.__class__ is Call:
                pair = Pair(self._turn, (index, number), part)
                self._found.all.append(pair)
                call_id = part.id
                if call_id is not None:
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
        call_id = result.call_id
        pair = None if call_id is None else self._by_id(call_id, result)
        if pair is not None:
            self._settle(pair, at, self._turn, spoke=self._spoke)
        elif call_id is not None and call_id in self._known:
            self._found.again.append(at)
        elif call_id is None or self._terms.by_place:
            calls = self._first, len(self._found.all)
            self._late.append(_Late(at, result, self._turn, calls, self._spoke))
        else:
            self._found.orphans.append(at)

    def _settle(self, pair: Pair, at: At, turn: int, *, spoke: bool) -> None:
        pair.answer = at
        if spoke or pair.turn != turn:
            pair.is_misplaced = True
            self._found.unsettled.add(pair.turn)

    def _by_id(self, call_id: str, result: Result) -> Pair | None:
        held = self._waiting.pop(call_id, None)
        if held is None:
            return None
        self._known.add(call_id)
        if held.__class__ is Pair:
            return held if held.answer is None else None
        pair = held.take(result)  # type: ignore[union-attr]
        if held:
            self._waiting[call_id] = held
        return pair

    def _look_ahead(self, conversation: Conversation) -> None:
        """Results that came before their calls."""
        found = self._found
        found.orphans = [
            at for at in found.orphans if not self._is_ahead(at, result_at(conversation, at))
        ]
        self._late = [late for late in self._late if not self._is_ahead(late.at, late.result)]

    def _is_ahead(self, at: At, result: Result) -> bool:
        pair = None if result.call_id is None else self._by_id(result.call_id, result)
        if pair is None:
            return False
        pair.answer, pair.is_misplaced = at, True
        self._found.unsettled.add(pair.turn)
        return True

    def _pair_late(self) -> None:
        """Pair by name all that names pair, then by place."""
        found = self._found
        nameless = iter([pair for pair in found.all if pair.call.id is None])
        waiting = next(nameless, None)
        earlier: dict[str, list[Pair]] = {}
        turn = _TurnCalls(found.all)
        unnamed: list[_Late] = []
        for late in self._late:
            while waiting is not None and waiting.at < late.at:
                earlier.setdefault(waiting.call.name, []).append(waiting)
                waiting = next(nameless, None)
            name = late.result.name
            pair = None if name is None else turn.named(late, name)
            if pair is None and name is not None:
                pair = _last_open(earlier.get(name, []))
            if pair is None:
                unnamed.append(late)
            else:
                self._settle(pair, late.at, late.turn, spoke=late.spoke)
        for late in unnamed:
            by_place = self._terms.by_place or late.result.name is None
            pair = turn.next(late) if by_place else None
            if pair is None:
                found.orphans.append(late.at)
            else:
                self._settle(pair, late.at, late.turn, spoke=late.spoke)
        found.orphans.sort()

    def _scatter(self) -> None:
        """Find results outside the first message that answers their turn."""
        found = self._found
        settled = [p for p in found.all if p.answer is not None and not p.is_misplaced]
        replies: dict[int, int] = {}
        for pair in settled:
            index = pair.answer[0]  # type: ignore[index]
            replies[pair.turn] = min(index, replies.get(pair.turn, index))
        for pair in settled:
            if pair.answer[0] != replies[pair.turn]:  # type: ignore[index]
                found.scattered.add(pair.answer)  # type: ignore[arg-type]
                found.unsettled.add(pair.turn)


class _TurnCalls:
    """The calls of the turn that a result follows, which most results in a row share."""

    __slots__ = ("_all", "_calls", "_named", "_order")

    def __init__(self, pairs: list[Pair]) -> None:
        self._all = pairs
        self._calls = (-1, -1)
        self._order: dict[bool, deque[Pair]] = {}
        self._named: dict[tuple[bool, str], deque[Pair]] = {}

    def _turn_to(self, late: _Late) -> bool:
        """Look at the turn of a result; whether the result may answer only calls without an id."""
        if late.calls != self._calls:
            self._calls = late.calls
            pairs = self._all[late.calls[0] : late.calls[1]]
            self._order = {False: deque(pairs), True: deque(p for p in pairs if p.call.id is None)}
            self._named = {}
            for only, order in self._order.items():
                for pair in order:
                    self._named.setdefault((only, pair.call.name), deque()).append(pair)
        return late.result.call_id is not None

    def named(self, late: _Late, name: str) -> Pair | None:
        """The first open call of a name."""
        only = self._turn_to(late)
        return _first_open(self._named.get((only, name)))

    def next(self, late: _Late) -> Pair | None:
        """The first open call."""
        only = self._turn_to(late)
        return _first_open(self._order[only])


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

    def take(self, result: Result) -> Pair | None:
        """The first open one, unless another has the id in the very type that the result has."""
        while self._turns:
            turn = self._turns[-1]
            pair = next((p for p in turn if _raw_id(p.call) == _raw_id(result)), turn[0])
            turn.remove(pair)
            if not turn:
                self._turns.pop()
            if pair.answer is None:
                return pair
        return None


def _raw_id(part: Call | Result) -> str:
    """The id as it was written: the number 1 and the text "1" may be two ids."""
    for kept in (part.extras or {}).values():
        for key, entry in kept.get(NOTES, {}).get(ODD, {}).items():
            if key.lower().endswith("id") and WAS in entry:
                return repr(entry[WAS])
    return ""


def _first_open(pairs: deque[Pair] | None) -> Pair | None:
    while pairs:
        if pairs[0].answer is None:
            return pairs[0]
        pairs.popleft()
    return None


def _last_open(pairs: list[Pair]) -> Pair | None:
    while pairs:
        pair = pairs.pop()
        if pair.answer is None:
            return pair
    return None


def result_at(conversation: Conversation, at: At) -> Result:
    """The result at a place."""
    return conversation.messages[at[0]].parts[at[1]]  # type: ignore[return-value]


def awaited(pairs: Iterable[Pair], terms: Terms) -> list[Pair]:
    """The calls that nobody answered, but for those that may be answered in a later request."""
    return [pair for pair in pairs if pair.answer is None and not _may_wait(pair, terms)]


def _may_wait(pair: Pair, terms: Terms) -> bool:
    """Whether a call is marked as one that waits, in the layout that is written."""
    key = terms.rules.async_key
    mark = own(pair.call.extras, terms.target).get(key) if key else None
    return bool(mark) and (not isinstance(mark, str) or mark == terms.layout)
