"""One message of a model, from the parts of its turn."""

from __future__ import annotations

from toolcanon.formats.openai.calls import has_no_id, is_legacy, write_call, write_legacy
from toolcanon.formats.openai.parts import (
    ABSENT,
    CALL,
    EMPTY,
    ID,
    IN_CONTENT,
    NATIVES,
    NULL,
    SPELLED,
    as_content,
    write_part,
)
from toolcanon.formats.openai.reading import REASONING
from toolcanon.formats.wire.call_ids import CallIds
from toolcanon.formats.wire.codec import Told, is_bare, leftovers, noted
from toolcanon.formats.wire.natives import Place
from toolcanon.formats.wire.odd import is_as_read, odd, put_back
from toolcanon.ir.conversation import (
    Call,
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


def quick(turn: list[Message]) -> JsonObject | None:
    """Write a text, calls, or both in this order, without notes or losses; None for other turns."""
    text: str | None = None
    calls: list[JsonObject] = []
    for message in turn:
        if message.name is not None or not is_bare(message.extras, ID):
            return None
        for part in message.parts:
            if part.__class__ is Call:
                if part.extras is not None or part.id is None or part.namespace is not None:
                    return None
                calls.append(write_call(part, part.name, part.id))
            elif part.__class__ is Text and text is None and not calls and part.extras is None:
                text = part.text
            else:
                return None
    if calls:
        return {"role": "assistant", "content": text, "tool_calls": calls}
    return None if text is None else {"role": "assistant", "content": text}


class Turn:
    """The parts of a turn, sorted into the fields of a message."""

    __slots__ = ("_ids", "_told", "calls", "content", "fields", "gave_up", "results")

    def __init__(self, told: Told, ids: CallIds) -> None:
        self._told, self._ids = told, ids
        self.content: list[Json] = []
        self.calls: list[Json] = []
        self.fields: JsonObject = {}
        self.results: list[tuple[Result, Place]] = []
        self.gave_up = False

    def take(self, part: Part, at: Place, index: int) -> None:
        """Take one part; its place is only made where something is reported."""
        if part.__class__ is Text:
            if self.calls:
                self._told.lose("L309", (*at, "parts", index))
            if part.extras is None:
                self.content.append({"type": "text", "text": part.text})
                return
        elif part.__class__ is Call:
            self._call(part, at, index)
            return
        self._rare(part, (*at, "parts", index))

    def _call(self, call: Call, at: Place, index: int) -> None:
        name, id_ = call.name, call.id
        if call.extras is not None or id_ is None:
            NATIVES.tell_foreign(call, self._told, (*at, "parts", index))
            if is_legacy(call) and "function_call" not in self.fields:
                self.fields["function_call"] = write_legacy(call)
                return
            if not has_no_id(call):
                id_ = self._ids.of_call(call, (*at, "parts", index))
        if call.namespace is not None:
            name = f"{call.namespace}_{name}"
            self._told.lose("L315", (*at, "parts", index), call.namespace, name)
        self.calls.append(write_call(call, name, id_))

    def _rare(self, part: Part, at: Place) -> None:
        if isinstance(part, Result):
            self.results.append((part, at))
        elif isinstance(part, Reasoning) and part.provider == ID and part.text is not None:
            key = noted(part.extras, ID).get("key", REASONING[0])
            self.fields[key] = self.fields.get(key, "") + part.text
        elif isinstance(part, Refusal) and IN_CONTENT not in noted(part.extras, ID):
            NATIVES.tell_foreign(part, self._told, at)
            self.fields["refusal"] = self.fields.get("refusal", "") + part.text
        elif isinstance(part, Media) and "audio" in noted(part.extras, ID):
            self.fields["audio"] = _write_sound(part)
        elif isinstance(part, Native) and NATIVES.has(part, CALL):
            self.calls.append(part.value)
        else:
            made = write_part(part, self._told, at, "assistant")
            self.content += made
            self.gave_up |= not made

    def message(self, first: Message) -> JsonObject | None:
        """Return the message without leftovers; None when no part can be written."""
        if self.gave_up and not (self.content or self.calls or self.fields):
            return None
        if self.results and not (self.content or self.calls or self.fields):
            return None
        said = self.calls or not self.fields.keys().isdisjoint(
            ("function_call", "refusal", "audio")
        )
        notes = noted(first.extras, ID)
        spelled = notes.get(SPELLED)
        out: JsonObject = {"role": "assistant"}
        if self.content or spelled != ABSENT:
            out["content"] = as_content(self.content, spelled, NULL if said else EMPTY)
        if self.calls:
            is_one = len(self.calls) == 1 and odd(notes, "tool_calls") is not None
            out["tool_calls"] = self.calls[0] if is_one else self.calls
        if self.fields:
            out.update(self.fields)
        if first.name is not None:
            out["name"] = first.name
        for key in ("role", "content", "name"):
            if is_as_read(out, notes, key):
                put_back(out, notes, key)
        return out


def _write_sound(media: Media) -> JsonObject:
    out: JsonObject = {"id": media.file_id}
    if media.data is not None:
        out["data"] = media.data
    if media.text is not None:
        out["transcript"] = media.text
    out.update(leftovers(media.extras, ID))
    return out
