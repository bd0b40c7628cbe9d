"""Messages of content blocks: read, and written block by block and turn by turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from toolcanon.errors import NotAConversation
from toolcanon.formats.wire.codec import (
    WriteLog,
    arguments_object,
    extras_of,
    foreign_keys,
    has_foreign,
    in_words,
    is_bare,
    leftovers,
    noted,
    rest,
    shown,
)
from toolcanon.formats.wire.odd_members import (
    ABSENT,
    AS,
    ODD,
    is_as_read,
    is_same,
    meant_role,
    note_odd,
    odd,
    put_back,
    text_of,
)
from toolcanon.formats.wire.turns import (
    SYSTEM,
    USERS,
    WIRE_ROLES,
    Arrangement,
    Run,
    TurnContent,
    is_own,
    run_of,
)
from toolcanon.ir.conversation import (
    Call,
    Data,
    Media,
    Message,
    Native,
    Part,
    Reasoning,
    Refusal,
    Result,
    Text,
)
from toolcanon.jsonio.types import Json, JsonObject

ROLES: Final = frozenset({"user", "assistant", "system"})

# Notes: how content was spelled (None where it is missing), and an input that is not an object.
CONTENT: Final = "content"
STRING: Final = "text"
BLOCKS: Final = "blocks"
ROLE: Final = "role"
INPUT: Final = "input"
UNANSWERABLE: Final = "unanswerable"
"""A call without the id that its result has to name."""

SILENT_FAILURE: Final = "The tool failed without a message."
"""An error must say something (bytedance/trae-agent#231, 2025-07)."""

_MESSAGE: Final = frozenset({"role", "content"})


def read_list(
    messages: Json,
    read_message: Callable[[JsonObject, str | None], Message],
    model: str | None,
    at: str,
) -> list[Message]:
    """``at`` is the place of the list, for errors."""
    if not isinstance(messages, list):
        raise NotAConversation(at, "messages must be a list")
    read = []
    for index, message in enumerate(messages):
        if not isinstance(message, dict):
            raise NotAConversation(f"{at}/{index}", "a message must be an object")
        read.append(read_message(message, model))
    return read


def message_reader(
    format_id: str,
    read_parts: Callable[[list[Json], str | None], list[Part]],
    is_block: Callable[[JsonObject], bool],
    *,
    takes_text: bool,
    is_typed: bool,
) -> Callable[[JsonObject, str | None], Message]:
    """Read one message. An entry of the format in ``extras`` marks it as read by that format.

    ``is_block`` recognizes a block that may replace a list of one; ``takes_text`` allows a bare
    text in place of the list, ``is_typed`` states that every block has a type. Values are sent as
    the text of their JSON.
    """
    is_listable = is_block if is_typed else _is_object

    def read_odd(content: Json, model: str | None, notes: JsonObject) -> list[Part]:
        parts: list[Part] = []
        written: list[JsonObject] = []
        for item in content if isinstance(content, list) else [content]:
            if isinstance(item, dict) and is_block(item):
                parts += read_parts([item], model)
                written.append(item)
            else:
                parts.append(text_of(item))
                text: JsonObject = {"text": text_of(item).text}
                written.append({"type": "text", **text} if is_typed else text)
        note_odd(notes, CONTENT, content, written)
        return parts

    def read_message(message: JsonObject, model: str | None) -> Message:
        role: Any = message.get("role")
        content = message.get("content")
        is_listed = content.__class__ is list and all(map(is_listable, content))
        is_usual = role.__class__ is str and role in ROLES and len(message) == 2  # noqa: PLR2004
        if is_usual and is_listed:
            return Message(role, read_parts(content, model), None, {format_id: {}})  # type: ignore[arg-type]
        notes: JsonObject = {}
        if not isinstance(role, str) or role not in ROLES:
            meant = meant_role(role, ROLES) or "user"
            note_odd(notes, ROLE, message.get("role", ABSENT), meant)
            role = meant
        if is_listed:
            parts = read_parts(content, model)  # type: ignore[arg-type]
        elif isinstance(content, str) and takes_text:
            parts = [Text(content)]
            notes[CONTENT] = STRING
        elif content is None:
            parts = []
            note_odd(notes, CONTENT, message.get("content", ABSENT), [])
        else:
            parts = read_odd(content, model, notes)
        extras = extras_of(format_id, rest(message, _MESSAGE), notes) or {format_id: {}}
        return Message(role, parts, None, extras)

    return read_message


def _is_object(block: Json) -> bool:
    return block.__class__ is dict


def is_blank(text: Json) -> bool:
    """Return whether a text is empty or blank."""
    return text.__class__ is str and (not text or text.isspace())


MESSAGES: Final = ("messages",)


class Pen:
    """Writes message by message, and knows where it is when something is lost."""

    __slots__ = ("format_id", "index", "is_own", "lead", "model", "number", "role", "told",
                 "writers")  # fmt: skip

    def __init__(
        self,
        format_id: str,
        writers: Writers,
        told: WriteLog,
        lead: tuple[str | int, ...] = MESSAGES,
        *,
        is_own: bool = False,
    ) -> None:
        self.format_id = format_id
        self.writers = writers
        self.told = told
        self.lead = lead
        self.index: int | str = 0
        """Of the message below ``lead``, or the name of what holds the parts there."""
        self.role = "user"
        """The block on the wire; only inspected where the message is a foreign one."""
        self.number = 0
        """Of the part in the message."""
        self.model: str | None = None
        """The model of the request, if known: a signature is valid for one model only."""
        self.is_own = is_own
        """Whether the message came from this format: then everything is as its provider had it."""

    @property
    def place(self) -> tuple[str | int, ...]:
        """The way to the part."""
        if self.index == CONTENT:
            return (*self.lead, self.index, self.number)
        return (*self.lead, self.index, "parts", self.number)

    def lose(self, code: str, *within: str | int, before: Json = None, after: Json = None) -> None:
        self.told.lose(code, (*self.place, *within), before, after)

    def tell_foreign(self, part: Text | Data | Media | Call | Result) -> None:
        """Report keys of another provider that go no further."""
        if has_foreign(part.extras, self.format_id):
            self.lose("L308", before=foreign_keys(part.extras, self.format_id))

    def inside(self) -> Pen:
        """Return the reader of a result's content."""
        inner = Pen(self.format_id, self.writers, self.told, self.place, is_own=self.is_own)
        inner.index, inner.role, inner.model = CONTENT, self.role, self.model
        return inner

    def write(
        self, parts: Sequence[Part], skipped: frozenset[int] = frozenset()
    ) -> list[JsonObject]:
        """Return the blocks of parts that stand together, without those at some places."""
        blocks: list[Any] = []
        writers = self.writers
        for number, part in enumerate(parts):
            if skipped and number in skipped:
                continue
            self.number = number
            block = writers[part.__class__](part, self)
            if block is not None or (part.__class__ is Native and part.format == self.format_id):
                blocks.append(block)
        return blocks

    def write_own(self, message: Message) -> JsonObject:
        """Return a message of this format, as its provider had it."""
        parts = message.parts
        out: JsonObject = {"role": WIRE_ROLES.get(message.role, "user")}
        if not message.extras[self.format_id]:  # type: ignore[index]
            out[CONTENT] = self.write(parts)
            return out
        out.update(leftovers(message.extras, self.format_id))
        notes = noted(message.extras, self.format_id)
        if is_as_read(out, notes, ROLE):
            put_back(out, notes, ROLE)
        spelled = notes.get(CONTENT, BLOCKS)
        if spelled == STRING and is_plain_text(parts):
            out[CONTENT] = parts[0].text  # type: ignore[union-attr]
        else:
            out[CONTENT] = self.write(parts)
            if is_as_read(out, notes, CONTENT):
                put_back(out, notes, CONTENT)
        return out

    def write_words(self, part: Part) -> JsonObject | None:
        """Return a block of a system prompt: words, and what is the target's own."""
        if isinstance(part, Media):
            text = in_words(part)
            self.lose("L302", after=text)
            return self.text(text)
        if isinstance(part, (Call, Result, Reasoning)):
            self.lose("L307", before=shown(part))
            return None
        return self.writers[part.__class__](part, self)

    def text(self, words: str) -> JsonObject | None:
        """Return a block with this text."""
        return self.writers[Text](Text(words), self)


Writers: TypeAlias = Mapping[type, Callable[[Any, Pen], JsonObject | None]]
"""Return a block of a part; None for what the target cannot express."""


def write_refusal(part: Refusal, pen: Pen) -> JsonObject | None:
    """Write a refusal for targets that have only text."""
    pen.lose("L319")
    return pen.text(part.text)


def write_native(part: Native, pen: Pen) -> JsonObject | None:
    """Write a native part unchanged to its own format."""
    if part.format == pen.format_id and (pen.is_own or isinstance(part.value, dict)):
        return part.value  # type: ignore[no-any-return]
    pen.lose("L307", before=part.value)
    return None


def write_odd_call(call: Call, pen: Pen, id_key: str) -> JsonObject:
    """Return the members of a call that is not as calls usually are; ``id_key`` holds the id."""
    pen.tell_foreign(call)
    arguments = call.arguments
    spelled = noted(call.extras, pen.format_id).get(INPUT)
    members: JsonObject = {id_key: call.id, "name": call.name}
    if spelled is not None and arguments == (spelled[0] if spelled else None):
        if spelled:
            members["input"] = arguments
    else:
        members["input"], code = arguments_object(call)
        if code is not None:
            pen.lose(code, "arguments", after=members["input"])
    if call.namespace:
        members["name"] = f"{call.namespace}_{call.name}"
        pen.lose("L315", "namespace", before=call.namespace, after=members["name"])
    notes = noted(call.extras, pen.format_id)
    if odd(notes, id_key) is not None and is_same(call.id, notes[ODD][id_key].get(AS)):
        put_back(members, notes, id_key)
    elif call.id is None:
        members[id_key] = f"call_{pen.index}_{pen.number}"
        pen.lose("L322", "id", after=members[id_key])
    members.update(leftovers(call.extras, pen.format_id))
    return members


def is_usual(call: Call) -> bool:
    """Return whether a call is an id, a name and an object, and that is all there is to it."""
    return (
        call.extras is None
        and call.arguments.__class__ is dict
        and call.problem is None
        and call.id is not None
        and call.namespace is None
        and not call.is_text
    )


def is_plain_text(parts: Sequence[Part]) -> bool:
    """Return whether it is one text and nothing else."""
    return len(parts) == 1 and parts[0].__class__ is Text and parts[0].extras is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """The parts of messages as one target writes them."""

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
        told: WriteLog,
        lead: tuple[str | int, ...] = MESSAGES,
        *,
        model: str | None = None,
        is_own: bool = False,
    ) -> Pen:
        """Return a pen in this hand."""
        pen = Pen(self.id, self.writers, told, lead, is_own=is_own)
        pen.model = model
        return pen

    def write_messages(self, messages: list[Message], told: WriteLog) -> list[Json]:
        """Return the messages alone: system messages keep their place among them."""
        return self.write_list(messages, told, None, lifts=False, is_apart=False)[0]

    def write_list(
        self,
        messages: list[Message],
        told: WriteLog,
        model: str | None,
        *,
        lifts: bool,
        is_apart: bool = True,
    ) -> tuple[list[Json], list[Run]]:
        """Return the messages, and the parts of system messages that belong beside them.

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
        self, messages: list[Message], start: int, told: WriteLog, model: str | None
    ) -> list[Json] | None:
        """Write messages of which none has to be moved, renamed or reported, as in most histories.

        Equal to arranging and writing them, at two thirds of the cost; None where one has to be.
        """
        heard = WriteLog()  # in vain where we have to give up
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
        """Return the turns, some completed for the target; empty ones are left out."""
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

    def _write_turns(
        self, turns: list[TurnContent], told: WriteLog, model: str | None
    ) -> list[Json]:
        out: list[JsonObject] = []
        last: TurnContent | None = None
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
                    out[-1]["content"] += blocks  # the turn between was empty
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

    def write_system(self, system: Message | None, beside: list[Run], told: WriteLog) -> Json:
        """Return a system prompt as its content, with what has to stand there as well."""
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
