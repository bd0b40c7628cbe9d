"""Puts messages of other providers into the order that strict turns ask for.

A turn is what one message on the wire holds: everything a side says until the other side speaks.
Answers of tools follow the calls at once and come before anything else that the user says. Messages
of the target's own format stay as they were, unless a foreign neighbour of the same role has to be
put into the same turn.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from toolcanon.formats.wire.codec import Told, has_foreign, own
from toolcanon.ir.conversation import Call, Message, Native, Part, Result

Placed: TypeAlias = tuple[int, int, Part]
"""A part, with the numbers of its message and of itself there."""

SYSTEM: Final = "system"
WIRE_ROLES: Final = {
    "user": "user",
    "tool": "user",
    "assistant": "assistant",
    "system": SYSTEM,
    "developer": SYSTEM,
}


@dataclass(slots=True, eq=False)
class Turn:
    """What one message on the wire will hold."""

    role: str
    parts: list[Placed] = field(default_factory=list)
    whole: Message | None = None
    """A message of the target's own format, as long as nothing had to be added to it."""
    index: int = 0
    reply: Turn | None = None
    """The user's turn behind an assistant's."""


def is_own(message: Message, format_id: str) -> bool:
    """Whether a message was read from this format and so stays as it is."""
    return message.extras is not None and format_id in message.extras


def placed(index: int, message: Message) -> list[Placed]:
    return [(index, number, part) for number, part in enumerate(message.parts)]


def legal_id(text: str, room: int) -> str:
    """What only this id becomes where it is not legal: cleaned, with its digest."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    clean = "".join(c if c.isascii() and c.isalnum() else "_" for c in text[: room - 13])
    return f"{clean}_{digest}"


class Arrangement:
    """Turns in the making."""

    def __init__(
        self,
        format_id: str,
        told: Told,
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
        self.turns: list[Turn] = []
        self.systems: list[tuple[int, Message]] = []
        """System messages of others: to stand beside the messages, or waiting for their place."""
        self._askers: dict[str, Turn] = {}
        self._asker: Turn | None = None
        self._unnamed: dict[str, deque[str]] = {}
        """Ids made for calls that had none and wait for their answer, by the name of the tool."""
        self._waiting: deque[tuple[str, str]] = deque()
        """The same in order; some may have been answered by now."""

    def add(self, index: int, message: Message) -> None:
        extras = message.extras
        if extras is not None and self.format_id in extras:
            self._add_own(index, message)
            return
        if message.name is not None:
            self.told.lose("L314", ("messages", index, "name"), message.name)
        if extras is not None and has_foreign(extras, self.format_id):
            self.told.lose("L308", ("messages", index), extras)
        if message.role == "assistant":
            self._ask(index, message)
        elif WIRE_ROLES.get(message.role) == SYSTEM:
            self._instruct(index, message)
        else:
            self._say(index, message)

    def _instruct(self, index: int, message: Message) -> None:
        """A system message; what only the target knows in it has no place beside the list."""
        if message.role == "developer":
            self.told.lose("L310", ("messages", index, "role"), "developer", SYSTEM)
        if any(
            isinstance(part, Native) and part.format == self.format_id for part in message.parts
        ):
            self._append(Turn(SYSTEM, placed(index, message)))
            return
        if self.lifts and self.turns:
            self.told.lose("L311", ("messages", index))
        self.systems.append((index, message))

    def _add_own(self, index: int, message: Message) -> None:
        role = WIRE_ROLES.get(message.role, "user")
        last = self.turns[-1] if self.turns else None
        if last is not None and last.role == role and last.whole is None and self._opens(message):
            last.parts += placed(index, message)
            turn = last
        else:
            turn = Turn(role, whole=message, index=index)
            self._append(turn)
        for part in message.parts:
            if part.__class__ is Call and part.id:
                self._askers[part.id] = turn

    def _append(self, turn: Turn) -> None:
        if turn.role == "assistant":
            is_between = self.turns and self.turns[-1].role == "user"
            if is_between and self.systems and not self.lifts:
                self._settle(len(self.turns))
            self._asker = turn
        elif turn.role == "user" and self._asker is not None and self._asker.reply is None:
            self._asker.reply = turn
        self.turns.append(turn)

    def _opens(self, message: Message) -> bool:
        """Whether others may join a message of our own: nothing of it would be lost."""
        kept = own(message.extras, self.format_id)
        return message.role in WIRE_ROLES and not kept.keys() - {"$"}

    def _open(self, turn: Turn | None) -> bool:
        """Make room in a turn; an own message gives up its spelling, not its parts."""
        if turn is None:
            return False
        if turn.whole is not None:
            if not self._opens(turn.whole):
                return False
            turn.parts, turn.whole = placed(turn.index, turn.whole), None
        return True

    def _join(self, role: str, parts: list[Placed]) -> Turn:
        last = self.turns[-1] if self.turns else None
        if last is not None and last.role == role and self._open(last):
            last.parts += parts
            return last
        turn = Turn(role, parts)
        self._append(turn)
        return turn

    def _ask(self, index: int, message: Message) -> None:
        if self._unnamed and (not self.turns or self.turns[-1].role != "assistant"):
            self._unnamed = {}
            self._waiting.clear()
        parts: list[Placed] = []
        asked: list[str] = []
        answers: list[tuple[int, Result]] = []
        for number, part in enumerate(message.parts):
            if part.__class__ is Call:
                named = self._identified(index, number, part)
                asked.append(named.id or "")
                parts.append((index, number, named))
            elif part.__class__ is Result:
                answers.append((number, part))
            else:
                parts.append((index, number, part))
        turn = self._join("assistant", parts)
        for call_id in asked:
            self._askers[call_id] = turn
        for number, result in answers:
            self._answer(index, number, result)

    def _identified(self, index: int, number: int, call: Call) -> Call:
        """The call with an id that the target takes; where it has none, its place makes one."""
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
        for number, part in enumerate(message.parts):
            if part.__class__ is Result:
                self._answer(index, number, part)
            else:
                self._join("user", [(index, number, part)])

    def _answer(self, index: int, number: int, result: Result) -> None:
        call_id = result.call_id
        if not call_id:
            call_id = self._next_unnamed(result) or f"call_{index}_{number}"
        elif not self.is_legal_id(call_id):
            call_id = legal_id(call_id, self.longest_id)
        if call_id is not result.call_id:
            result = replace(result, call_id=call_id)
        asker = self._askers.get(call_id) or self._asker
        if asker is None:
            self._join("user", [(index, number, result)])
            return
        if asker.reply is None:
            asker.reply = Turn("user")
            behind = len(self.turns)
            while self.turns[behind - 1] is not asker:  # from the end: hardly ever a step
                behind -= 1
            self.turns.insert(behind, asker.reply)
        elif not self._open(asker.reply):
            self._join("user", [(index, number, result)])
            return
        if asker.reply is not self.turns[-1]:
            self.told.lose("L309", ("messages", index, "parts", number))
        asker.reply.parts.append((index, number, result))

    def _next_unnamed(self, result: Result) -> str | None:
        """The first open call without an id of that name, or the first of all."""
        same = self._unnamed.get(result.name or "")
        call_id = same.popleft() if same else None
        while call_id is None and self._waiting:
            name, first = self._waiting.popleft()
            if self._unnamed[name] and self._unnamed[name][0] == first:
                call_id = self._unnamed[name].popleft()
        return call_id

    def _results_first(self) -> None:
        """Answers before words, in every turn that is not somebody's own message."""
        for turn in self.turns:
            if turn.role != "user" or len(turn.parts) < 2:  # noqa: PLR2004 - nothing to sort
                continue
            results = [item for item in turn.parts if item[2].__class__ is Result]
            if results and turn.parts[: len(results)] != results:
                index, number, _ = turn.parts[0]
                self.told.lose("L309", ("messages", index, "parts", number))
                others = [item for item in turn.parts if item[2].__class__ is not Result]
                turn.parts = results + others

    def _settle(self, position: int) -> None:
        """System messages of others within the list: behind a user's turn, never between two."""
        parts = [item for index, message in self.systems for item in placed(index, message)]
        before = self.turns[position - 1] if position else None
        for index, _ in self.systems:
            if before is None or _last(before) > index or position < len(self.turns):
                self.told.lose("L311", ("messages", index))
        self.turns.insert(position, Turn(SYSTEM, parts))
        self.systems = []

    def finish(self) -> list[Turn]:
        """The turns; what is left in ``systems`` belongs beside them."""
        if self.systems and not self.lifts:
            position = len(self.turns)
            while position and self.turns[position - 1].role == "assistant":
                position -= 1
            self._settle(position)
        self._results_first()
        return self.turns


def _last(turn: Turn) -> int:
    """The number of the last message that went into a turn."""
    return turn.parts[-1][0] if turn.parts else turn.index
