"""Messages written, one turn after the other.

Consecutive assistant messages are one, unless they were separate in this format; every result is a
message of its own; images and files in results follow in a user message behind the group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolcanon.formats.openai.parts import (
    ABSENT,
    CALL,
    EMPTY,
    ID,
    IN_CONTENT,
    MESSAGE,
    NATIVES,
    NULL,
    SPELLED,
    as_content,
    has_no_id,
    is_legacy,
    is_misplaced,
    is_text,
    write_call,
    write_legacy,
    write_media,
    write_part,
)
from toolcanon.formats.openai.reading import APART, FUNCTION, NAMED, OTHER_NAME, REASONING, reads_as
from toolcanon.formats.wire.codec import (
    WriteLog,
    foreign_keys,
    has_foreign,
    is_bare,
    leftovers,
    noted,
)
from toolcanon.formats.wire.odd_members import WAS, is_as_read, odd, put_back, put_back_all
from toolcanon.formats.wire.results import Place, skipped, wrap_error
from toolcanon.formats.wire.turns import CallIds
from toolcanon.ir.conversation import (
    Call,
    Extras,
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


class TurnFields:
    """The parts of a turn, sorted into the fields of a message."""

    __slots__ = ("_ids", "_told", "calls", "content", "fields", "gave_up", "results")

    def __init__(self, told: WriteLog, ids: CallIds) -> None:
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


_PLACES: Final = "messages"


def write_messages(messages: list[Message], told: WriteLog) -> list[Json]:
    """Write a list of messages for a request."""
    return MessageWriter(told).write(messages)


def write_system(message: Message, told: WriteLog) -> list[Json]:
    """Write the system prompt as a message, which other providers keep separate."""
    writer = MessageWriter(told)
    writer.message(message, ("system",))
    writer.flush()
    return writer.out


def write_answered(messages: Sequence[Message], told: WriteLog, at: Place) -> JsonObject | None:
    """Write all messages of an answer as one; None when there is nothing."""
    writer = MessageWriter(told)
    turn: list[tuple[Message, Place]] = [
        (message, (*at, index)) for index, message in enumerate(messages)
    ]
    whole = [_whole(message) for message, _ in turn]
    if len(whole) == 1 and whole[0] is not None:
        return whole[0].value  # type: ignore[no-any-return]
    writer.assistant(turn)
    return writer.out[0] if writer.out else None


def _whole(message: Message) -> Native | None:
    """Return the unknown message to be written as it was, if it is one."""
    first = message.parts[0] if len(message.parts) == 1 else None
    return first if first.__class__ is Native and NATIVES.has(first, MESSAGE) else None


class MessageWriter:
    """Collects messages, and media for the end of a group of results."""

    __slots__ = ("_ids", "_moved", "_told", "out")

    def __init__(self, told: WriteLog) -> None:
        self._told = told
        self._ids = CallIds(told)
        self._moved: list[JsonObject] = []
        self.out: list[Json] = []

    def write(self, messages: list[Message]) -> list[Json]:
        at, count, out = 0, len(messages), self.out
        while at < count:
            message = messages[at]
            start, at = at, at + 1
            if message.role == "assistant" and _whole(message) is None:
                while (
                    at < count
                    and messages[at].role == "assistant"
                    and _joins(message, messages[at])
                ):
                    at += 1
                if self._moved:
                    self.flush()
                made = quick(messages[start:at])
                if made is not None:
                    out.append(made)
                else:
                    self.assistant([(messages[n], (_PLACES, n)) for n in range(start, at)])
                continue
            parts = message.parts
            if len(parts) == 1 and message.name is None and is_bare(message.extras, ID):
                part = parts[0]
                if part.__class__ is Result:
                    self._result(part, (_PLACES, start, "parts", 0))
                    continue
                if part.__class__ is Text and part.extras is None and message.role != "tool":
                    if self._moved:
                        self.flush()
                    out.append({"role": message.role, "content": part.text})
                    continue
            self.message(message, (_PLACES, start))
        self.flush()
        return out

    def flush(self) -> None:
        """Write the media of the results so far, as a user message."""
        if self._moved:
            self.out.append({"role": "user", "content": self._moved})
            self._moved = []

    def message(self, message: Message, at: Place) -> None:
        """Write a message of another role: results first, as they must follow the calls."""
        whole = _whole(message)
        if whole is not None:
            self.flush()
            self.out.append(whole.value)
            return
        others: list[tuple[Part, Place]] = []
        calls: list[Part] = []
        answered = False
        for index, part in enumerate(message.parts):
            place = (*at, "parts", index)
            if isinstance(part, Result):
                if others and not answered:
                    self._told.lose("L309", place)
                answered = True
                self._result(part, place)
            elif isinstance(part, Call):
                calls.append(part)
            else:
                others.append((part, place))
        if calls:
            self._told.lose("L310", at, message.role, "assistant")
            self.assistant([(Message("assistant", calls), at)])
        if others or not (answered or calls or message.role == "tool"):
            self.flush()
            self._plain(message, others, at)
        elif has_foreign(message.extras, ID):
            self._told.lose("L308", (*at, "extras"), foreign_keys(message.extras, ID))

    def _plain(self, message: Message, parts: list[tuple[Part, Place]], at: Place) -> None:
        role = message.role
        if role == "tool":
            role = "user"
            self._told.lose("L310", at, "tool", role)
        written: list[Json] = []
        for part, place in parts:
            written += write_part(part, self._told, place, role)
        if parts and not written:
            return
        notes = noted(message.extras, ID)
        out: JsonObject = {"role": role}
        out["content"] = as_content(written, notes.get(SPELLED), EMPTY)
        if message.name is not None:
            out["name"] = message.name
        put_back_all(out, notes)
        self._restore(out, message.extras, at)
        self.out.append(out)

    def _restore(self, out: JsonObject, extras: Extras, at: Place) -> None:
        """Write leftover fields at their places."""
        for key, value in leftovers(extras, ID).items():
            out.setdefault(key, value)
        if has_foreign(extras, ID):
            self._told.lose("L308", (*at, "extras"), foreign_keys(extras, ID))

    def _result(self, result: Result, at: Place) -> None:
        content = result.content
        if result.extras is None and len(content) == 1 and not result.is_error:
            part = content[0]
            if part.__class__ is Text and part.extras is None and result.call_id is not None:
                if result.name is not None:
                    self._told.lose("L325", at, result.name)
                text = part.text
                self.out.append({"role": "tool", "tool_call_id": result.call_id, "content": text})
                return
        self._odd_result(result, at)

    def _odd_result(self, result: Result, at: Place) -> None:
        notes = noted(result.extras, ID)
        out: JsonObject = {"role": "tool"}
        if notes.get("role") == FUNCTION and result.call_id is None:
            out["role"] = FUNCTION
        elif result.call_id is not None or odd(notes, "tool_call_id") is None:
            out["tool_call_id"] = self._ids.of_result(result, at)
        entry = odd(notes, "content")
        if entry is not None and reads_as(result, entry.get(WAS)):
            put_back(out, notes, "content")
        else:
            written = self._answers(result, at, out.get("tool_call_id"))
            if result.is_error:
                written = self._failed(result, written, at)
            out["content"] = as_content(written, notes.get(SPELLED), EMPTY)
        if result.name is not None:
            if NAMED in notes:
                out["name"] = result.name
            elif (odd(notes, OTHER_NAME) or {}).get(WAS) != result.name:
                self._told.lose("L325", at, result.name)
        for key in ("role", "tool_call_id", OTHER_NAME):
            if is_as_read(out, notes, key):
                put_back(out, notes, key)
        self._restore(out, result.extras, at)
        self.out.append(out)

    def _answers(self, result: Result, at: Place, call_id: str | None) -> list[Json]:
        """Return the content of a result; media are put aside, with the id of the call."""
        written: list[Json] = []
        echo = skipped(result.content, self._told, at)
        for index, part in enumerate(result.content):
            if index in echo:
                continue
            place = (*at, "content", index)
            if isinstance(part, Media):
                made = write_media(part)
                if made is not None and is_misplaced(part):
                    written.append(made)
                    continue
                if made is not None:
                    NATIVES.tell_foreign(part, self._told, place)
                    written.append({"type": "text", "text": self._move(part, made, call_id)})
                    self._told.lose("L303", place)
                    continue
            written += write_part(part, self._told, place, "tool")
        return written

    def _move(self, media: Media, made: JsonObject, call_id: str | None) -> str:
        what = f"{media.kind} {media.name}" if media.name else media.kind
        self._moved += ({"type": "text", "text": f"{what} from tool call {call_id}:"}, made)
        return f"[{what}: in the next user message]"

    def _failed(self, result: Result, written: list[Json], at: Place) -> list[Json]:
        texts = [part["text"] for part in written if is_text(part)]
        others = [part for part in written if not is_text(part)]
        text = wrap_error(result, "\n".join(texts), ID, self._told, at)
        return [{"type": "text", "text": text}, *others]

    def assistant(self, turn: list[tuple[Message, Place]]) -> None:
        """Write one message of a model, from all of its turn."""
        said = TurnFields(self._told, self._ids)
        for message, at in turn:
            for index, part in enumerate(message.parts):
                said.take(part, at, index)
        out = said.message(turn[0][0])
        for message, at in turn:
            if message.extras is not None:
                self._restore(out or {}, message.extras, at)
        if out is not None:
            self.out.append(out)
        for result, place in said.results:
            self._result(result, place)


def _joins(first: Message, message: Message) -> bool:
    """Return whether an assistant message continues the turn of the one before."""
    return (
        (message.extras is None or APART not in noted(message.extras, ID))
        and message.name == first.name
        and _whole(message) is None
    )
