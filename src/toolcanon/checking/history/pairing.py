"""Checks of calls and results: one result for each call, where the provider expects it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from toolcanon.checking.history.history import Breach, Check, CheckedHistory, CheckedTurn, Placed
from toolcanon.dialect.history import Case
from toolcanon.ir.conversation import Call, Media, Native, Part, Result, Text


@dataclass(slots=True, eq=False)
class _Made:
    """A call that has no result yet."""

    placed: Placed
    call: Call
    turn: int
    is_answered: bool = False


@dataclass(slots=True)
class _Ledger:
    """Every call so far, by id and by name."""

    all: list[_Made] = field(default_factory=list)
    by_id: dict[str, list[_Made]] = field(default_factory=dict)
    by_name: dict[str, list[_Made]] = field(default_factory=dict)

    def enter(self, made: _Made) -> None:
        self.all.append(made)
        self.by_name.setdefault(made.call.name, []).append(made)
        if made.call.id is not None:
            self.by_id.setdefault(made.call.id, []).append(made)

    def meant(self, result: Result, *, by_name: bool) -> list[_Made]:
        """Return candidates for the call of a result: by id, the latest first, then by name."""
        found = [] if result.call_id is None else self.by_id.get(result.call_id, [])[::-1]
        if by_name and result.name is not None:
            found += self.by_name.get(result.name, [])[::-1]
        return found


@dataclass(slots=True)
class _Pairs:
    """Breaches between calls and results, by rule."""

    open: list[Breach] = field(default_factory=list)
    orphans: list[Breach] = field(default_factory=list)
    late: list[Breach] = field(default_factory=list)
    again: list[Breach] = field(default_factory=list)


def _pairs(history: CheckedHistory) -> _Pairs:
    return _pairs_later(history) if history.rules.pairing == "later" else _pairs_next(history)


def _pairs_next(history: CheckedHistory) -> _Pairs:
    """Expect results in the turn directly behind their calls."""
    found, ledger = _Pairs(), _Ledger()
    here: list[_Made] = []
    for number, turn in enumerate(history.turns):
        for placed in turn.parts:
            if isinstance(placed.value, Result):
                if turn.speaker == "assistant":
                    says = "a result is in the assistant's turn"
                    found.orphans.append(_of_result(placed, placed.value, says=says))
                elif not _answer(history, found, here, placed, placed.value):
                    _answer_late(history, found, ledger, (number, placed, placed.value))
        here = []
        if turn.speaker == "assistant":
            calls = [(placed, placed.value) for placed in turn.parts]
            here = [_Made(placed, call, number) for placed, call in calls if isinstance(call, Call)]
        for made in here:
            ledger.enter(made)
    last = len(history.turns) - 1
    for made in ledger.all:
        if not made.is_answered:
            case: Case = "async" if _may_wait(history, made.call) else _end(made, last)
            found.open.append(_open(made, case))
    return found


def _may_wait(history: CheckedHistory, call: Call) -> bool:
    """Return whether a call is marked as one that may wait, in any layout."""
    mark = history.own(call.extras).get(history.rules.async_key)
    return bool(mark) and not isinstance(mark, str)


def _end(made: _Made, last: int) -> Case:
    return "last" if made.turn == last else ""


def _answer(
    history: CheckedHistory, found: _Pairs, here: list[_Made], placed: Placed, result: Result
) -> bool:
    """Return whether a result belongs to a call of the turn before."""
    by_place = history.rules.pairs_by_place
    made = _match(result, (made for made in here if not made.is_answered), by_place=by_place)
    if made is None:
        if _match(result, here, by_place=by_place) is None:
            return False
        found.again.append(_of_result(placed, result, "same-message"))
        return True
    made.is_answered = True
    if by_place and result.name != made.call.name:
        says = f"the call in this position is of {made.call.name!r}"
        found.orphans.append(_of_result(placed, result, "other-name", says))
    return True


def _answer_late(
    history: CheckedHistory, found: _Pairs, ledger: _Ledger, late: tuple[int, Placed, Result]
) -> None:
    """Report a result of an earlier call, of one that has a result already, or of none."""
    number, placed, result = late
    meant = ledger.meant(result, by_name=history.rules.pairs_by_place)
    made = next((made for made in meant if not made.is_answered), None)
    if made is not None:
        made.is_answered = True
        between = {turn.speaker for turn in history.turns[made.turn + 1 : number]}
        case: Case = "system-between" if between == {"system"} else ""
        if between <= {"assistant", "tool"}:
            case = "model-between"
        found.late.append(_of_result(placed, result, case))
    elif meant and result.call_id is not None:
        found.again.append(_of_result(placed, result, "apart"))
    else:
        found.orphans.append(_of_result(placed, result))


def _match(result: Result, made: Iterable[_Made], *, by_place: bool) -> _Made | None:
    """Return the call of a result: by id, else by name where ids are optional, else by place."""
    waiting = list(made)
    for each in waiting:
        if result.call_id is not None and each.call.id == result.call_id:
            return each
    for each in waiting:
        without = result.call_id is None and each.call.id is None
        if result.name == each.call.name and (by_place or without):
            return each
    return waiting[0] if waiting and by_place else None


def _pairs_later(history: CheckedHistory) -> _Pairs:
    """Expect results by id, anywhere behind their calls."""
    found, ledger = _Pairs(), _Ledger()
    is_stored = any(history.settings.get(name) for name in history.rules.stored)
    is_stored = is_stored or history.has_native(history.rules.stored_items)
    natives = {
        part.value.get("call_id")
        for _, part in history.each(Native)
        if isinstance(part.value, dict) and isinstance(part.value.get("call_id"), str)
    }
    for turn in history.turns:
        for placed in turn.parts:
            if isinstance(placed.value, Call):
                ledger.enter(_Made(placed, placed.value, 0))
            if not isinstance(placed.value, Result):
                continue
            meant = ledger.meant(placed.value, by_name=False)
            made = next((made for made in reversed(meant) if not made.is_answered), None)
            if made is not None:
                made.is_answered = True
            elif meant:
                found.again.append(_of_result(placed, placed.value))
            elif not is_stored and placed.value.call_id not in natives:
                case: Case = "no-id" if placed.value.call_id is None else ""
                found.orphans.append(_of_result(placed, placed.value, case))
    for made in ledger.all:
        if not made.is_answered:
            own = history.own(made.call.extras)
            found.open.append(_open(made, "async" if own.get(history.rules.async_key) else ""))
    return found


def _open(made: _Made, case: Case) -> Breach:
    name = made.call.name
    says = f"the call of {name!r} has no result"
    return Breach(made.placed.at, made.call.id or name, says, case)


def _of_result(placed: Placed, result: Result, case: Case = "", says: str = "") -> Breach:
    return Breach(placed.at, result.call_id or result.name or "", says, case)


def unanswered(history: CheckedHistory) -> list[Breach]:
    return history.once(_pairs).open


def orphans(history: CheckedHistory) -> list[Breach]:
    return [*history.once(_pairs).orphans, *_natives_alone(history)]


def _natives_alone(history: CheckedHistory) -> Iterator[Breach]:
    """Report results of provider tools without the call before them."""
    rules = history.rules
    if not rules.native_result:
        return
    ran: set[str | None] = set()
    for placed, part in history.each(Native):
        if part.format != history.target:
            continue
        if part.type in rules.native_calls:
            ran.add(part.id)
        elif part.type.endswith(rules.native_result) and (part.id is None or part.id not in ran):
            yield Breach(placed.at, part.id or part.type)


def late(history: CheckedHistory) -> list[Breach]:
    behind = [breach for breach in _behind_words(history) if breach.case == "words-between"]
    return [*history.once(_pairs).late, *behind]


def text_first(history: CheckedHistory) -> list[Breach]:
    return [breach for breach in _behind_words(history) if breach.case != "words-between"]


def _behind_words(history: CheckedHistory) -> Iterator[Breach]:
    """Yield results behind something else in their turn; text in its own message separates them."""
    for before, turn in zip(history.turns, history.turns[1:], strict=False):
        if turn.speaker != "user" or not any(isinstance(p.value, Call) for p in before.parts):
            continue
        words = next((p for p in turn.parts if _speaks(history, p.value)), None)
        if words is None:
            continue
        mixed = {p.message for p in turn.parts if isinstance(p.value, Result)}
        yield from _results_behind(turn, words, is_mixed=words.message in mixed)


def _results_behind(turn: CheckedTurn, words: Placed, *, is_mixed: bool) -> Iterator[Breach]:
    """Yield one result of each message: the remedy is the same for all."""
    told: set[int] = set()
    for placed in turn.parts:
        is_behind = (placed.message, placed.part) > (words.message, words.part)
        if isinstance(placed.value, Result) and is_behind and placed.message not in told:
            told.add(placed.message)
            is_apart = not is_mixed and placed.message != words.message
            yield _of_result(placed, placed.value, "words-between" if is_apart else "")


def _speaks(history: CheckedHistory, part: Part) -> bool:
    if isinstance(part, Native):
        return not history.is_native(part, history.rules.quiet)
    return isinstance(part, Text | Media)


def answered_again(history: CheckedHistory) -> list[Breach]:
    return history.once(_pairs).again


PAIRING: dict[str, Check] = {
    "call-without-result": unanswered,
    "orphan-result": orphans,
    "result-too-late": late,
    "text-before-result": text_first,
    "two-results": answered_again,
}
