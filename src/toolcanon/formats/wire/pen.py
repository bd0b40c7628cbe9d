"""Writes the parts of messages as content blocks, by a target's own table of writers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from toolcanon.formats.wire.blocks import BLOCKS, CONTENT, INPUT, ROLE, STRING
from toolcanon.formats.wire.codec import (
    Told,
    arguments_object,
    foreign_keys,
    has_foreign,
    in_words,
    leftovers,
    noted,
    shown,
)
from toolcanon.formats.wire.odd import AS, ODD, is_as_read, is_same, odd, put_back
from toolcanon.formats.wire.turns import WIRE_ROLES
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

MESSAGES: Final = ("messages",)


class Pen:
    """Writes message by message, and knows where it is when something is lost."""

    __slots__ = ("format_id", "index", "is_own", "lead", "model", "number", "role", "told",
                 "writers")  # fmt: skip

    def __init__(
        self,
        format_id: str,
        writers: Writers,
        told: Told,
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
        """On the wire; only looked at where the message is a foreign one."""
        self.number = 0
        """Of the part in the message."""
        self.model: str | None = None
        """The model that the request is for, if known: seals are good for one model only."""
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
        """For the content of a result."""
        inner = Pen(self.format_id, self.writers, self.told, self.place, is_own=self.is_own)
        inner.index, inner.role, inner.model = CONTENT, self.role, self.model
        return inner

    def write(
        self, parts: Sequence[Part], skipped: frozenset[int] = frozenset()
    ) -> list[JsonObject]:
        """The blocks of parts that stand together, without those at some places."""
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
        """A message of this format, as its provider had it."""
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
        """A block of a system prompt: words, and what is the target's own."""
        if isinstance(part, Media):
            text = in_words(part)
            self.lose("L302", after=text)
            return self.text(text)
        if isinstance(part, (Call, Result, Reasoning)):
            self.lose("L307", before=shown(part))
            return None
        return self.writers[part.__class__](part, self)

    def text(self, words: str) -> JsonObject | None:
        """A block that says just this."""
        return self.writers[Text](Text(words), self)


Writers: TypeAlias = Mapping[type, Callable[[Any, Pen], JsonObject | None]]
"""A block of a part; None for what the target has no words for."""


def write_refusal(part: Refusal, pen: Pen) -> JsonObject | None:
    """For targets that know only words."""
    pen.lose("L319")
    return pen.text(part.text)


def write_native(part: Native, pen: Pen) -> JsonObject | None:
    """As it was, where it came from."""
    if part.format == pen.format_id and (pen.is_own or isinstance(part.value, dict)):
        return part.value  # type: ignore[no-any-return]
    pen.lose("L307", before=part.value)
    return None


def write_odd_call(call: Call, pen: Pen, id_key: str) -> JsonObject:
    """The members of a call that is not as calls usually are; ``id_key`` holds the id."""
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
    """Whether a call is an id, a name and an object, and that is all there is to it."""
    return (
        call.extras is None
        and call.arguments.__class__ is dict
        and call.problem is None
        and call.id is not None
        and call.namespace is None
        and not call.is_text
    )


def is_plain_text(parts: Sequence[Part]) -> bool:
    """Whether it is one text and nothing else."""
    return len(parts) == 1 and parts[0].__class__ is Text and parts[0].extras is None
