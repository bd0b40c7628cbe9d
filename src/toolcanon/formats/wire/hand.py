"""Writes lists of messages for a target with strict turns, by the target's own hand for blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from toolcanon.errors import NotAConversation
from toolcanon.formats.wire.codec import Told, has_foreign
from toolcanon.formats.wire.turns import SYSTEM, Arrangement, Placed, Turn, is_own, placed
from toolcanon.ir.conversation import Message, Part, Text
from toolcanon.jsonio.types import Json, JsonObject

MESSAGES: Final = ("messages",)


class Pen:
    """Writes message by message, and knows where it is when something is lost."""

    __slots__ = ("index", "is_own", "lead", "model", "number", "role", "told")

    def __init__(
        self,
        told: Told,
        lead: tuple[str | int, ...] = MESSAGES,
        *,
        model: str | None = None,
        is_own: bool = False,
    ) -> None:
        self.told = told
        self.lead = lead
        self.index: int | str = 0
        """Of the message below ``lead``, or the name of what holds the parts there."""
        self.role = "user"
        """On the wire; only looked at where the message is a foreign one."""
        self.number = 0
        """Of the part in the message."""
        self.model = model
        """The model that the request is for, if known: seals are good for one model only."""
        self.is_own = is_own
        """Whether the message came from this format: then everything is as its provider had it."""

    @property
    def place(self) -> tuple[str | int, ...]:
        """The way to the part."""
        if self.index == "content":
            return (*self.lead, self.index, self.number)
        return (*self.lead, self.index, "parts", self.number)

    def lose(self, code: str, *within: str | int, before: Json = None, after: Json = None) -> None:
        self.told.lose(code, (*self.place, *within), before, after)

    def inside(self) -> Pen:
        """For the content of a result."""
        inner = Pen(self.told, self.place, model=self.model, is_own=self.is_own)
        inner.index, inner.role = "content", self.role
        return inner


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """How one target writes what stands in a message."""

    id: str
    write_own: Callable[[Message, Pen], JsonObject]
    """A message that was read from this format, as it was."""
    write_part: Callable[[Part, Pen], JsonObject | None]
    write_words: Callable[[Part, Pen], JsonObject | None]
    """The same in a system prompt."""
    complete: Callable[[list[JsonObject], str], list[JsonObject]]
    """The blocks of a turn of that role as the target accepts them; none when they say nothing."""
    make_legal: Callable[[str], str]
    """The id of a call as the target accepts it."""

    def write_list(
        self, messages: list[Message], told: Told, model: str | None, *, lifts: bool
    ) -> tuple[list[Json], list[Placed]]:
        """The messages, and the parts of system messages that belong beside them."""
        if all(is_own(message, self.id) for message in messages):
            pen = Pen(told, model=model, is_own=True)
            out: list[Json] = []
            for pen.index, message in enumerate(messages):
                out.append(self.write_own(message, pen))
            return out, []
        arrangement = Arrangement(self.id, told, self.make_legal, lifts=lifts)
        for index, message in enumerate(messages):
            arrangement.add(index, message)
        turns = arrangement.finish()
        beside = [item for index, message in arrangement.systems for item in placed(index, message)]
        return self._write_turns(turns, told, model), beside

    def _write_turns(self, turns: list[Turn], told: Told, model: str | None) -> list[Json]:
        out: list[JsonObject] = []
        last: Turn | None = None
        for turn in turns:
            if turn.whole is not None:
                pen = Pen(told, model=model, is_own=True)
                pen.index = turn.index
                out.append(self.write_own(turn.whole, pen))
            else:
                blocks = self.write_placed(turn.parts, Pen(told, model=model), turn.role)
                if not blocks:
                    continue
                if last is not None and last.whole is None and last.role == turn.role:
                    out[-1]["content"] += blocks  # what stood between had nothing to say
                else:
                    out.append({"role": turn.role, "content": blocks})
            last = turn
        return out

    def write_placed(
        self, parts: Iterable[tuple[int | str, int, Part]], pen: Pen, role: str
    ) -> list[JsonObject]:
        """Blocks of parts from several messages."""
        write = self.write_words if role == SYSTEM else self.write_part
        pen.role = role
        blocks = []
        for pen.index, pen.number, part in parts:
            block = write(part, pen)
            if block is not None:
                blocks.append(block)
        return self.complete(blocks, role)

    def write_system(self, system: Message | None, beside: list[Placed], told: Told) -> Json:
        """A system prompt as its content, with what has to stand there as well."""
        content: Json = None
        if system is not None and is_own(system, self.id):
            pen = Pen(told, (), is_own=True)
            pen.index = SYSTEM
            content = self.write_own(system, pen).get("content")
        elif system is not None:
            if has_foreign(system.extras, self.id):
                told.lose("L308", (SYSTEM,), system.extras)
            parts = [(SYSTEM, number, part) for number, part in enumerate(system.parts)]
            content = self.write_placed(parts, Pen(told, ()), SYSTEM) or None
        moved = self.write_placed(beside, Pen(told), SYSTEM)
        if not moved:
            return content
        if isinstance(content, str):
            content = [self.write_words(Text(content), Pen(told, ()))]
        return [*(content or ()), *moved]


def read_list(
    messages: Json,
    read_message: Callable[[JsonObject, str | None], Message],
    model: str | None,
    at: str,
) -> list[Message]:
    """``at`` is where the list stands, for errors."""
    if not isinstance(messages, list):
        raise NotAConversation(at, "messages must be a list")
    read = []
    for index, message in enumerate(messages):
        if not isinstance(message, dict):
            raise NotAConversation(f"{at}/{index}", "a message must be an object")
        read.append(read_message(message, model))
    return read
