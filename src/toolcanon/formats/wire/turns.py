"""Turns written in groups, and ids of calls.

A turn is one message on the wire: everything of one side until the other side speaks. Answers of
tools follow the calls at once and come before other content of the user. Messages of the target's
own format stay unchanged, unless a foreign neighbour of the same role must be put into the same
turn.

An invented id follows from the place of the call, so that the same history always gets the same.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from toolcanon.formats.wire.codec import WriteLog, foreign_keys, has_foreign, own
from toolcanon.ir.conversation import Call, Message, Native, Part, Result


class CallIds:
    """Remembers the invented ids whose results are still to come."""

    __slots__ = ("_by_name", "_told", "_waiting")

    def __init__(self, told: WriteLog) -> None:
        self._told = told
        self._waiting: OrderedDict[str, str] = OrderedDict()
        self._by_name: dict[str, deque[str]] = {}

    def of_call(self, call: Call, at: tuple[str | int, ...]) -> str:
        """Return a call's own id, or one made from its place."""
        if call.id is not None:
            return call.id
        made = _made(at)
        self._waiting[made] = call.name
        self._by_name.setdefault(call.name, deque()).append(made)
        self._told.lose("L322", at, None, made)
        return made

    def of_result(self, result: Result, at: tuple[str | int, ...]) -> str:
        """Return a result's own id, or that of the first unanswered call without one."""
        if result.call_id is not None:
            return result.call_id
        name = result.name
        if name is None and self._waiting:
            name = next(iter(self._waiting.values()))
        if name is not None and self._by_name.get(name):
            made = self._by_name[name].popleft()
            del self._waiting[made]
            return made
        made = _made(at)
        self._told.lose("L322", at, None, made)
        return made


def _made(at: tuple[str | int, ...]) -> str:
    return "call_" + "_".join(str(step) for step in at if isinstance(step, int))


Run: TypeAlias = tuple[int, int, Sequence[Part]]
"""Parts in a row, with the number of their message and of the first of them there."""

SYSTEM: Final = "system"
WIRE_ROLES: Final = {
    "user": "user",
    "tool": "user",
    "assistant": "assistant",
    "system": SYSTEM,
    "developer": SYSTEM,
}
USERS: Final = frozenset(role for role, there in WIRE_ROLES.items() if there == "user")


class TurnContent:
    """The content of one message on the wire."""

    __slots__ = ("index", "reply", "role", "runs", "spoke", "whole")

    def __init__(
        self, role: str, runs: list[Run], whole: Message | None = None, index: int = 0
    ) -> None:
        self.role = role
        self.runs = runs
        self.whole = whole
        """A message of the target's own format, as long as nothing had to be added to it."""
        self.index = index
        self.reply: TurnContent | None = None
        """The user's turn behind an assistant's."""
        self.spoke = False
        """Whether anything but answers went into it, so that these may not come first."""


def is_own(message: Message, format_id: str) -> bool:
    """Return whether a message was read from this format and so stays as it is."""
    return message.extras is not None and format_id in message.extras


def run_of(index: int, message: Message) -> list[Run]:
    """Return all the content of a message."""
    return [(index, 0, message.parts)] if message.parts else []


def legal_id(text: str, room: int) -> str:
    """Return an id itself where it is legal, otherwise cleaned and with its digest, so unique."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    clean = "".join(c if c.isascii() and c.isalnum() else "_" for c in text[: room - 13])
    return f"{clean}_{digest}"


class Arrangement:
    """Turns in the making."""

    def __init__(
        self,
        format_id: str,
        told: WriteLog,
        is_legal_id: Callable[[str], object],
        longest_id: int,
        *,
        lifts: bool,
    ) -> None:
        self.format_id = format_id
        self.told = told
        self.is_legal_id = is_legal_id
        self.longest_id = longest_id
        self.lifts = lifts
        """Whether system messages stand beside the messages, wherever they come."""
        self.is_apart = False
        """Whether there is a text beside the messages, to which more can be added."""
        self.turns: list[TurnContent] = []
        self.systems: list[tuple[int, Message]] = []
        """System messages of others: to stand beside the messages, or waiting for their place."""
        self._askers: dict[str, TurnContent] = {}
        self._asker: TurnContent | None = None
        self._unnamed: dict[str, deque[str]] = {}
        """Ids made for calls that had none and wait for their answer, by the name of the tool."""
        self._waiting: deque[tuple[str, str]] = deque()
        """The same in order; some may have been answered by now."""

    def take_leading(self) -> list[Run]:
        """Return the leading system messages, which go beside the messages; later ones may stay."""
        leading = [run for index, message in self.systems for run in run_of(index, message)]
        self.systems, self.is_apart = [], True
        return leading

    def lead(self, messages: list[Message]) -> int:
        """Takes the system messages of others that all begins with; how many there are."""
        start = 0
        for message in messages:
            if WIRE_ROLES.get(message.role) != SYSTEM or is_own(message, self.format_id):
                break
            self._add(start, message)
            start += 1
        return start

    @property
    def is_clear(self) -> bool:
        """Whether what was taken so far has no place among the messages."""
        return not self.turns and (self.lifts or not self.systems)

    def arrange(self, messages: list[Message], start: int) -> list[TurnContent]:
        """Return the turns from there on; what is left in ``systems`` belongs beside them."""
        for index in range(start, len(messages)):
            self._add(index, messages[index])
        return self._finish()

    def _add(self, index: int, message: Message) -> None:
        extras = message.extras
        if extras is not None and self.format_id in extras:
            self._add_own(index, message)
            return
        if message.name is not None:
            self.told.lose("L314", ("messages", index, "name"), message.name)
        if extras is not None and has_foreign(extras, self.format_id):
            self.told.lose("L308", ("messages", index), foreign_keys(extras, self.format_id))
        if message.role == "assistant":
            self._ask(index, message)
        elif WIRE_ROLES.get(message.role) == SYSTEM:
            self._instruct(index, message)
        else:
            self._say(index, message)

    def _instruct(self, index: int, message: Message) -> None:
        """Write a system message; native parts of the target cannot be beside the list."""
        if message.role == "developer":
            self.told.lose("L310", ("messages", index, "role"), "developer", SYSTEM)
        if any(
            isinstance(part, Native) and part.format == self.format_id for part in message.parts
        ):
            self._append(TurnContent(SYSTEM, run_of(index, message)))
            return
        if self.lifts and self.turns:
            self.told.lose("L311", ("messages", index))
        self.systems.append((index, message))

    def _add_own(self, index: int, message: Message) -> None:
        role = WIRE_ROLES.get(message.role, "user")
        last = self.turns[-1] if self.turns else None
        if last is not None and last.role == role and last.whole is None and self._opens(message):
            last.runs += run_of(index, message)
            last.spoke = True
            turn = last
        else:
            turn = TurnContent(role, [], message, index)
            self._append(turn)
        for part in message.parts:
            if part.__class__ is Call and part.id and self.is_legal_id(part.id):
                self._askers[part.id] = turn

    def _append(self, turn: TurnContent) -> None:
        if turn.role == "assistant":
            is_between = self.turns and self.turns[-1].role == "user"
            if is_between and self.systems and not self.lifts:
                self._settle(len(self.turns))
            self._asker = turn
        elif turn.role == "user" and self._asker is not None and self._asker.reply is None:
            self._asker.reply = turn
        self.turns.append(turn)

    def _opens(self, message: Message) -> bool:
        """Return whether others may join a message of our own: nothing of it would be lost."""
        kept = own(message.extras, self.format_id)
        return message.role in WIRE_ROLES and not kept.keys() - {"$"}

    def _open(self, turn: TurnContent) -> bool:
        """Make room in a turn; an own message gives up its spelling, not its parts."""
        if turn.whole is not None:
            if not self._opens(turn.whole):
                return False
            turn.runs, turn.whole, turn.spoke = run_of(turn.index, turn.whole), None, True
        return True

    def _join(self, role: str, runs: list[Run]) -> TurnContent:
        """Put parts at the end of the last turn, or into a new one if that is the other side's."""
        turns = self.turns
        if turns and turns[-1].role == role and self._open(turns[-1]):
            turn = turns[-1]
            turn.runs += runs
        else:
            turn = TurnContent(role, runs)
            self._append(turn)
        turn.spoke = True
        return turn

    def _ask(self, index: int, message: Message) -> None:
        if self._unnamed and (not self.turns or self.turns[-1].role != "assistant"):
            self._unnamed = {}
            self._waiting.clear()
        parts: Sequence[Part] = message.parts
        asked: list[str] = []
        is_legal = self.is_legal_id
        for part in parts:
            if part.__class__ is Call:
                if not part.id or not is_legal(part.id):
                    break
                asked.append(part.id)
            elif part.__class__ is Result:
                break
        else:
            self._asked(asked, self._join("assistant", run_of(index, message)))
            return
        self._ask_oddly(index, parts)

    def _asked(self, call_ids: list[str], turn: TurnContent) -> None:
        for call_id in call_ids:
            self._askers[call_id] = turn

    def _ask_oddly(self, index: int, parts: Sequence[Part]) -> None:
        """Assign ids where they are missing or illegal, or where answers are among calls."""
        runs: list[Run] = []
        asked: list[str] = []
        answers: list[tuple[int, Result]] = []
        for number, part in enumerate(parts):
            if part.__class__ is Call:
                named = self._identified(index, number, part)
                asked.append(named.id or "")
                runs.append((index, number, (named,)))
            elif part.__class__ is Result:
                answers.append((number, part))
            else:
                runs.append((index, number, (part,)))
        self._asked(asked, self._join("assistant", runs))
        for number, result in answers:
            self._answer(index, number, result)

    def _identified(self, index: int, number: int, call: Call) -> Call:
        """Return the call with an id that the target accepts; without one, made from its place."""
        if call.id:
            if self.is_legal_id(call.id):
                return call
            legal = legal_id(call.id, self.longest_id)
        else:
            legal = f"call_{index}_{number}"
            self._unnamed.setdefault(call.name, deque()).append(legal)
            self._waiting.append((call.name, legal))
        self.told.lose("L322", ("messages", index, "parts", number, "id"), call.id, legal)
        return replace(call, id=legal)

    def _say(self, index: int, message: Message) -> None:
        """Answers go to those who asked, everything else to the end."""
        parts = message.parts
        first = 0  # of the words that were not put anywhere yet
        for number, part in enumerate(parts):
            if part.__class__ is Result:
                if first < number:
                    self._join("user", [(index, first, parts[first:number])])
                first = number + 1
                self._answer(index, number, part)
        if first < len(parts):
            self._join("user", [(index, first, parts[first:] if first else parts)])

    def _answer(self, index: int, number: int, result: Result) -> None:
        asker = self._askers.get(result.call_id or "")  # which has only legal ids
        if asker is None:
            result = self._identified_answer(index, number, result)
            asker = self._askers.get(result.call_id or "") or self._asker
        if asker is None or (asker.reply is not None and not self._open(asker.reply)):
            self._join("user", [(index, number, (result,))])
            return
        turns, reply = self.turns, asker.reply
        if reply is None:
            reply = asker.reply = TurnContent("user", [])
            behind = len(turns)
            while turns[behind - 1] is not asker:  # from the end: hardly ever a step
                behind -= 1
            turns.insert(behind, reply)
        if reply is not turns[-1]:
            self.told.lose("L309", ("messages", index, "parts", number))
        reply.runs.append((index, number, (result,)))

    def _identified_answer(self, index: int, number: int, result: Result) -> Result:
        """Return the result with the id that its call got, or one that the target takes."""
        call_id = result.call_id
        if not call_id:
            call_id = self._next_unnamed(result) or f"call_{index}_{number}"
        elif not self.is_legal_id(call_id):
            call_id = legal_id(call_id, self.longest_id)
        return result if call_id is result.call_id else replace(result, call_id=call_id)

    def _next_unnamed(self, result: Result) -> str | None:
        """Return the first open call without an id of that name, or the first of all."""
        same = self._unnamed.get(result.name or "")
        call_id = same.popleft() if same else None
        while call_id is None and self._waiting:
            name, first = self._waiting.popleft()
            if self._unnamed[name] and self._unnamed[name][0] == first:
                call_id = self._unnamed[name].popleft()
        return call_id

    def _results_first(self) -> None:
        """Move answers before text in every turn that is not one message of the input."""
        for turn in self.turns:
            if not turn.spoke or turn.role != "user" or len(turn.runs) < 2:  # noqa: PLR2004
                continue
            parts = [
                (index, number, part)
                for index, first, run in turn.runs
                for number, part in enumerate(run, first)
            ]
            results = [item for item in parts if item[2].__class__ is Result]
            if results and parts[: len(results)] != results:
                index, number, _ = parts[0]
                self.told.lose("L309", ("messages", index, "parts", number))
                others = [item for item in parts if item[2].__class__ is not Result]
                turn.runs = [(index, number, (part,)) for index, number, part in results + others]

    def _settle(self, position: int) -> None:
        """System messages of others within the list: behind a user's turn, never between two."""
        runs = [run for index, message in self.systems for run in run_of(index, message)]
        before = self.turns[position - 1] if position else None
        for index, _ in self.systems:
            if before is None or _last(before) > index or position < len(self.turns):
                self.told.lose("L311", ("messages", index))
        self.turns.insert(position, TurnContent(SYSTEM, runs))
        self.systems = []

    def _finish(self) -> list[TurnContent]:
        if self.systems and not self.lifts:
            position = len(self.turns)
            while position and self.turns[position - 1].role == "assistant":
                position -= 1
            if position or not self.is_apart:
                self._settle(position)
            else:  # the first of all: it belongs to the beginning
                for index, _ in self.systems:
                    self.told.lose("L311", ("messages", index))
        self._results_first()
        return self.turns


def _last(turn: TurnContent) -> int:
    """Return the number of the last message that went into a turn."""
    return turn.runs[-1][0] if turn.runs else turn.index
