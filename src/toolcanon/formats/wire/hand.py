"""Writes lists of messages for a target with strict turns, by the target's own hand for blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from toolcanon.formats.wire.codec import Told, foreign_keys, has_foreign, is_bare
from toolcanon.formats.wire.pen import MESSAGES, Pen, Writers
from toolcanon.formats.wire.turns import (
    SYSTEM,
    USERS,
    WIRE_ROLES,
    Arrangement,
    Run,
    Turn,
    is_own,
    run_of,
)
from toolcanon.ir.conversation import Call, Message, Part, Result, Text
from toolcanon.jsonio.types import Json, JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """How one target writes what stands in a message."""

    id: str
    writers: Writers
    complete: Callable[[list[JsonObject], str], list[JsonObject]]
    """The blocks of a turn of that role as the target accepts them; none when they say nothing.

    Not asked where there are only calls, results, and texts that say something.
    """
    is_legal_id: Callable[[str], object]
    """Whether the target accepts the id of a call."""
    longest_id: int

    def pen(
        self,
        told: Told,
        lead: tuple[str | int, ...] = MESSAGES,
        *,
        model: str | None = None,
        is_own: bool = False,
    ) -> Pen:
        """A pen in this hand."""
        pen = Pen(self.id, self.writers, told, lead, is_own=is_own)
        pen.model = model
        return pen

    def write_messages(self, messages: list[Message], told: Told) -> list[Json]:
        """The messages alone: system messages keep their place among them."""
        return self.write_list(messages, told, None, lifts=False, is_apart=False)[0]

    def write_list(
        self,
        messages: list[Message],
        told: Told,
        model: str | None,
        *,
        lifts: bool,
        is_apart: bool = True,
    ) -> tuple[list[Json], list[Run]]:
        """The messages, and the parts of system messages that belong beside them.

        With ``lifts`` that is all of them, otherwise those at the beginning, if anything can stand
        beside the messages at all.
        """
        if all(is_own(message, self.id) for message in messages):
            pen = self.pen(told, model=model, is_own=True)
            out: list[Json] = []
            for pen.index, message in enumerate(messages):
                out.append(pen.write_own(message))
            return out, []
        arrangement = Arrangement(self.id, told, self.is_legal_id, self.longest_id, lifts=lifts)
        start = arrangement.lead(messages)
        leading = arrangement.take_leading() if is_apart else []
        written = None
        if arrangement.is_clear:
            written = self._write_straight(messages, start, told, model)
        if written is None:
            written = self._write_turns(arrangement.arrange(messages, start), told, model)
        beside = [run for index, message in arrangement.systems for run in run_of(index, message)]
        return written, [*leading, *beside]

    def _write_straight(  # noqa: C901, PLR0912 - one way, for speed
        self, messages: list[Message], start: int, told: Told, model: str | None
    ) -> list[Json] | None:
        """The messages where none has to be moved, named or told, as is so of most histories.

        The same as arranging and writing them, at two thirds of its cost; None where one has to.
        """
        heard = Told()  # in vain where we have to give up
        pen = self.pen(heard, model=model)
        own_id, writers, is_legal = self.id, self.writers, self.is_legal_id
        out: list[Json] = []
        blocks: list[JsonObject] = []
        odd: set[int] = set()
        asked: set[str | None] = set()
        spoke, was_asking = False, None
        for pen.index in range(start, len(messages)):
            message = messages[pen.index]
            parts: list[Any] = message.parts
            role, extras = message.role, message.extras
            is_asking = role == "assistant"
            if not is_asking and role not in USERS:
                return None
            if message.name is not None or (extras is not None and not is_bare(extras, own_id)):
                return None
            if is_asking is not was_asking and (is_asking or parts):
                spoke = was_asking = is_asking  # no answers among calls
                if is_asking:
                    asked = set()
                pen.role, blocks = WIRE_ROLES[role], []
                out.append({"role": pen.role, "content": blocks})
            if not parts and is_asking:
                odd.add(len(out) - 1)
            pen.number = 0
            for part in parts:
                kind = part.__class__
                if kind is Text:
                    spoke = True
                    if not part.text or part.text.isspace():
                        odd.add(len(out) - 1)
                elif kind is Result:
                    if spoke or part.call_id not in asked:
                        return None
                elif kind is Call and is_asking:
                    if not part.id or not is_legal(part.id):
                        return None
                    asked.add(part.id)
                else:
                    spoke = True
                    odd.add(len(out) - 1)
                block = writers[kind](part, pen)
                if block is not None:
                    blocks.append(block)
                pen.number += 1
        told.losses += heard.losses
        return self._completed(out, odd) if odd else out

    def _completed(self, turns: list[Json], odd: set[int]) -> list[Json]:
        """The same with some turns as the target accepts them; what says nothing is left out."""
        for place in odd:
            turn = turns[place]
            turn["content"] = self.complete(turn["content"], turn["role"])
        if all(turns[place]["content"] for place in odd):
            return turns
        out: list[Json] = []
        for turn in turns:
            if out and out[-1]["role"] == turn["role"]:
                out[-1]["content"] += turn["content"]
            elif turn["content"]:
                out.append(turn)
        return out

    def _write_turns(self, turns: list[Turn], told: Told, model: str | None) -> list[Json]:
        out: list[JsonObject] = []
        last: Turn | None = None
        foreign, own = self.pen(told, model=model), self.pen(told, model=model, is_own=True)
        for turn in turns:
            if turn.whole is not None:
                own.index = turn.index
                out.append(own.write_own(turn.whole))
            else:
                blocks = self.write_runs(turn.runs, foreign, turn.role)
                if not blocks:
                    continue
                if last is not None and last.whole is None and last.role == turn.role:
                    out[-1]["content"] += blocks  # what stood between had nothing to say
                else:
                    out.append({"role": turn.role, "content": blocks})
            last = turn
        return out

    def write_runs(
        self, runs: Iterable[tuple[int | str, int, Sequence[Part]]], pen: Pen, role: str
    ) -> list[JsonObject]:
        """Blocks of parts from several messages."""
        pen.role = role
        writers = pen.writers
        is_system = role == SYSTEM
        blocks = []
        is_complete = True
        for pen.index, number, parts in runs:
            pen.number = number
            for part in parts:
                kind = part.__class__
                block = pen.write_words(part) if is_system else writers[kind](part, pen)
                if block is not None:
                    blocks.append(block)
                if kind is Text:
                    if not part.text or part.text.isspace():  # type: ignore[union-attr]
                        is_complete = False
                elif kind is not Call and kind is not Result:
                    is_complete = False
                pen.number += 1
        return blocks if is_complete else self.complete(blocks, role)

    def write_system(self, system: Message | None, beside: list[Run], told: Told) -> Json:
        """A system prompt as its content, with what has to stand there as well."""
        content: Json = None
        if system is not None and is_own(system, self.id):
            pen = self.pen(told, (), is_own=True)
            pen.index = SYSTEM
            content = pen.write_own(system).get("content")
        elif system is not None:
            if has_foreign(system.extras, self.id):
                told.lose("L308", (SYSTEM,), foreign_keys(system.extras, self.id))
            whole = [(SYSTEM, 0, system.parts)]
            content = self.write_runs(whole, self.pen(told, ()), SYSTEM) or None
        moved = self.write_runs(beside, self.pen(told), SYSTEM)
        if not moved:
            return content
        if isinstance(content, str):
            content = [self.pen(told, ()).text(content)]
        return [*(content or ()), *moved]
