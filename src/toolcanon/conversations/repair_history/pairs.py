"""Pairs of calls and results: which result answers which call.

Among calls of one id the name that a result has decides, then the place.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from toolcanon.conversations.repair_history.repair_log import Terms
from toolcanon.formats.wire.codec import NOTES, own
from toolcanon.formats.wire.odd_members import ODD, WAS
from toolcanon.ir.conversation import Call, Conversation, Message, Native, Part, Result

__all__ = ["At", "CallPair", "Pairs", "awaited", "find_pairs", "result_at"]

At: TypeAlias = tuple[int, int]
"""The numbers of a message and of a part there."""


class CallPair:
    """A call, and where its result is, as soon as there is one."""

    __slots__ = ("answer", "at", "call", "is_misplaced", "turn")

    def __init__(self, turn: int, at: At, call: Call) -> None:
        self.turn = turn
        self.at = at
        self.call = call
        self.answer: At | None = None
        self.is_misplaced = False
        """Whether the result is elsewhere than directly after the turn."""


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

    def __init__(self, first: CallPair) -> None:
        self.turn = first.turn
        self._calls = [first]
        """Those of the latest turn."""
        self._older: list[CallPair] = []
        """Those before it, with the first to answer last."""
        self._named: dict[str, list[CallPair]] = {}
        """The same by name."""
        self.count = 1
        self.results: list[Late] = []

    def add(self, pair: CallPair) -> None:
        if pair.turn != self.turn:
            self.turn = pair.turn
            for older in reversed(self._calls):
                self._older.append(older)
                self._named.setdefault(older.call.name, []).append(older)
            self._calls = []
        self._calls.append(pair)
        self.count += 1

    def take(self, settle: Callable[[CallPair, Late], None]) -> None:
        """Give each result its call: by name, then by the type of the id, then by place."""
        for key in (_raw_name, _name):
            self._take(settle, key)
        self._take_older(settle, lambda result: self._named.get(result.name or "", []))
        for key in (_raw_id, _nothing):
            self._take(settle, key)
        self._take_older(settle, lambda _: self._older)

    def _take(
        self, settle: Callable[[CallPair, Late], None], key: Callable[[Call | Result], object]
    ) -> None:
        """Take the call of the latest turn, where calls and results are paired by order."""
        if not self.results or not self._calls:
            return
        alike: dict[object, deque[CallPair]] = {}
        for pair in self._calls:
            alike.setdefault(key(pair.call), deque()).append(pair)
        self._give(settle, lambda result: first_open(alike.get(key(result))))
        self._calls = [pair for pair in self._calls if pair.answer is None]

    def _take_older(
        self, settle: Callable[[CallPair, Late], None], calls: Callable[[Result], list[CallPair]]
    ) -> None:
        if self.results and self._older:
            self._give(settle, lambda result: last_open(calls(result)))

    def _give(
        self, settle: Callable[[CallPair, Late], None], find: Callable[[Result], CallPair | None]
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
    """Return the id as it was written: the number 1 and the text "1" may be two ids."""
    for kept in (part.extras or {}).values():
        for key, entry in kept.get(NOTES, {}).get(ODD, {}).items():
            if key.lower().endswith("id") and WAS in entry:
                return repr(entry[WAS])
    return ""


def first_open(pairs: deque[CallPair] | None) -> CallPair | None:
    while pairs:
        if pairs[0].answer is None:
            return pairs[0]
        pairs.popleft()
    return None


def last_open(pairs: list[CallPair]) -> CallPair | None:
    while pairs:
        pair = pairs.pop()
        if pair.answer is None:
            return pair
    return None


@dataclass(slots=True)
class Pairs:
    """All calls, all results."""

    all: list[CallPair] = field(default_factory=list)
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
    return _PairSearch(terms, groups=groups).run(conversation)


class _PairSearch:
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
        self._waiting: dict[str, CallPair | Several] = {}
        self._known: set[str] = set()
        """The ids of calls that were answered."""
        self._late: list[Late] = []
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
        self._finish(conversation)
        return found

    def _finish(self, conversation: Conversation) -> None:
        if self._found.orphans or self._late:
            self._look_ahead(conversation)
        for held in self._waiting.values():
            if isinstance(held, Several):
                self._settle_equal(held)
        if self._late:
            self._pair_late()
        if self._groups:
            self._scatter()

    def _is_quiet(self, part: Part) -> bool:
        """Return whether a part is not sent to the target, like parts of other formats."""
        is_foreign = isinstance(part, Native) and part.format != self._terms.target
        return is_foreign or self._terms.is_quiet(part)

    def _ask(self, index: int, message: Message) -> None:
        for number, part in enumerate(message.parts):
            if part.__class__ is Call:
                pair = CallPair(self._turn, (index, number), part)
                self._found.all.append(pair)
                call_id = part.id
                if call_id is not None:
                    held = self._waiting.setdefault(call_id, pair)
                    if held is not pair:
                        self._ask_again(call_id, held, pair)
            elif part.__class__ is Result:
                self._spoke, spoke = True, self._spoke
                self._answer((index, number), part)
                self._spoke = spoke

    def _ask_again(self, call_id: str, held: CallPair | Several, pair: CallPair) -> None:
        """Note a call of an id under which others wait already."""
        several = Several(held) if isinstance(held, CallPair) else held
        if several.turn != pair.turn:  # what came before it answers the others
            self._settle_equal(several)
        several.add(pair)
        self._waiting[call_id] = several

    def _answer(self, at: At, result: Result) -> None:
        call_id = result.call_id
        held = None if call_id is None else self._waiting.get(call_id)
        if isinstance(held, CallPair):
            self._known.add(call_id)  # type: ignore[arg-type]
            del self._waiting[call_id]  # type: ignore[arg-type]
            self._settle(held, at, self._turn, spoke=self._spoke)
            return
        if held is None and call_id is not None and call_id in self._known:
            self._found.again.append(at)
            return
        calls = self._first, len(self._found.all)
        late = Late(at, result, self._turn, calls, self._spoke)
        if held is not None:
            self._answer_equal(late, held)
        elif not call_id or self._terms.by_place:
            self._late.append(late)
        else:
            self._found.orphans.append(at)

    def _answer_equal(self, late: Late, several: Several) -> None:
        """Keep a result until all of its id are known: one with a name may follow one without."""
        call_id: str = late.result.call_id  # type: ignore[assignment]
        self._known.add(call_id)
        several.results.append(late)
        if len(several.results) == several.count:
            del self._waiting[call_id]
            self._settle_equal(several)

    def _settle_equal(self, several: Several) -> None:
        several.take(self._settle_late)

    def _settle_late(self, pair: CallPair, late: Late) -> None:
        self._settle(pair, late.at, late.turn, spoke=late.spoke)

    def _settle(self, pair: CallPair, at: At, turn: int, *, spoke: bool) -> None:
        pair.answer = at
        if spoke or pair.turn != turn:
            pair.is_misplaced = True
            self._found.unsettled.add(pair.turn)

    def _look_ahead(self, conversation: Conversation) -> None:
        """Results that came before their calls."""
        found = self._found
        found.orphans = [
            at for at in found.orphans if not self._is_ahead(at, result_at(conversation, at))
        ]
        self._late = [late for late in self._late if not self._is_ahead(late.at, late.result)]

    def _is_ahead(self, at: At, result: Result) -> bool:
        held = None if result.call_id is None else self._waiting.get(result.call_id)
        if held is None:
            return False
        self._spoke = True
        self._answer(at, result)
        return True

    def _pair_late(self) -> None:
        """Pair by name all that names pair, then by place."""
        found = self._found
        nameless = iter([pair for pair in found.all if not pair.call.id])
        waiting = next(nameless, None)
        earlier: dict[str, list[CallPair]] = {}
        turn = _TurnCalls(found.all)
        unnamed: list[Late] = []
        for late in self._late:
            while waiting is not None and waiting.at < late.at:
                earlier.setdefault(waiting.call.name, []).append(waiting)
                waiting = next(nameless, None)
            name = late.result.name
            pair = None if name is None else turn.named(late, name)
            if pair is None and name is not None:
                pair = last_open(earlier.get(name, []))
            if pair is None:
                unnamed.append(late)
            else:
                self._settle_late(pair, late)
        for late in unnamed:
            by_place = self._terms.by_place or late.result.name is None
            pair = turn.next(late) if by_place else None
            if pair is None:
                found.orphans.append(late.at)
            else:
                self._settle_late(pair, late)
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

    def __init__(self, pairs: list[CallPair]) -> None:
        self._all = pairs
        self._calls = (-1, -1)
        self._order: dict[bool, deque[CallPair]] = {}
        self._named: dict[tuple[bool, str], deque[CallPair]] = {}

    def _turn_to(self, late: Late) -> bool:
        """Inspect the turn of a result; return whether it may answer only calls without an id."""
        if late.calls != self._calls:
            self._calls = late.calls
            pairs = self._all[late.calls[0] : late.calls[1]]
            self._order = {False: deque(pairs), True: deque(p for p in pairs if not p.call.id)}
            self._named = {}
            for only, order in self._order.items():
                for pair in order:
                    self._named.setdefault((only, pair.call.name), deque()).append(pair)
        return late.result.call_id is not None

    def named(self, late: Late, name: str) -> CallPair | None:
        """Return the first open call of a name."""
        only = self._turn_to(late)
        return first_open(self._named.get((only, name)))

    def next(self, late: Late) -> CallPair | None:
        """Return the first open call."""
        only = self._turn_to(late)
        return first_open(self._order[only])


def result_at(conversation: Conversation, at: At) -> Result:
    """Return the result at a place."""
    return conversation.messages[at[0]].parts[at[1]]  # type: ignore[return-value]


def awaited(pairs: Iterable[CallPair], terms: Terms) -> list[CallPair]:
    """Return the unanswered calls, without those that a later request may answer."""
    return [pair for pair in pairs if pair.answer is None and not _may_wait(pair, terms)]


def _may_wait(pair: CallPair, terms: Terms) -> bool:
    """Return whether a call is marked as one that waits, in the layout that is written."""
    key = terms.rules.async_key
    mark = own(pair.call.extras, terms.target).get(key) if key else None
    return bool(mark) and (not isinstance(mark, str) or mark == terms.layout)
