"""Write messages of any provider as a flat list of items, in the order of the parts.

An assistant's text is a plain message, because the full form of an output needs a provider's id; an
answer is written in that full form, with ids derived from the place.
"""

from __future__ import annotations

from typing import Final

from toolcanon.formats.openai_responses.parts import (
    CONTENT,
    ID,
    ITEM,
    LIST,
    NATIVES,
    is_text,
    restore,
    write_input,
    write_media,
    write_text,
)
from toolcanon.formats.openai_responses.reading import (
    NAMED,
    SPELLED,
    TYPED,
    plain_summary,
    reads_as,
    words,
)
from toolcanon.formats.wire.codec import (
    WriteLog,
    arguments_text,
    foreign_keys,
    has_foreign,
    in_words,
    is_bare,
    leftovers,
    noted,
    own,
    shown,
)
from toolcanon.formats.wire.odd_members import WAS, is_as_read, is_same, odd, put_back, put_back_all
from toolcanon.formats.wire.results import Place, skipped, wrap_error
from toolcanon.formats.wire.turns import CallIds
from toolcanon.ir.conversation import (
    Call,
    Data,
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

_WORDS: Final = frozenset({Text, Media, Data, Refusal})


def write_items(messages: list[Message], told: WriteLog) -> list[Json]:
    """Write a list of items for a request."""
    return ItemWriter(told).write(messages, ("messages",))


def write_output(messages: list[Message], told: WriteLog, at: Place) -> list[Json]:
    """Write a list of items for a response."""
    return ItemWriter(told, output=True).write(messages, at)


class ItemWriter:
    __slots__ = ("_ids", "_is_output", "_text_calls", "_told", "out")

    def __init__(self, told: WriteLog, *, output: bool = False) -> None:
        self._told = told
        self._ids = CallIds(told)
        self._is_output = output
        self._text_calls: set[str] = set()
        self.out: list[Json] = []

    def write(self, messages: list[Message], base: Place) -> list[Json]:
        out = self.out
        for index, message in enumerate(messages):
            parts = message.parts
            if len(parts) == 1 and message.name is None and is_bare(message.extras, ID):
                part = parts[0]
                kind = part.__class__
                if kind is Call:
                    self._call(part, (*base, index, "parts", 0))  # type: ignore[arg-type]
                    continue
                if kind is Result:
                    self._result(part, (*base, index, "parts", 0))  # type: ignore[arg-type]
                    continue
                if kind is Text and part.extras is None and self._is_plain(message):  # type: ignore[union-attr]
                    out.append({"role": message.role, "content": part.text})  # type: ignore[union-attr]
                    continue
            self._message(message, (*base, index))
        return out

    def _is_plain(self, message: Message) -> bool:
        return not self._is_output and message.role != "tool"

    def _message(self, message: Message, at: Place) -> None:
        """Write text as a message; calls, results and reasoning are items beside it."""
        words_: list[tuple[Part, Place]] = []
        wrote = len(self.out)
        rest_ = message.extras  # of the first piece alone: an id belongs to one item
        for index, part in enumerate(message.parts):
            place = (*at, "parts", index)
            if part.__class__ in _WORDS or _is_content(part):
                words_.append((part, place))
                continue
            if words_:
                self._said(message.role, words_, rest_, at)
                words_, rest_ = [], None
            self._item(part, place)
        if words_ or not message.parts:
            self._said(message.role, words_, rest_, at)
        elif has_foreign(message.extras, ID):
            self._told.lose("L308", (*at, "extras"), foreign_keys(message.extras, ID))
        if message.name is not None and len(self.out) > wrote:
            self._told.lose("L314", (*at, "name"), message.name)

    def _item(self, part: Part, at: Place) -> None:
        if isinstance(part, Call):
            self._call(part, at)
        elif isinstance(part, Result):
            self._result(part, at)
        elif isinstance(part, Reasoning) and part.provider == ID:
            self.out.append(_write_reasoning(part))
        elif isinstance(part, Native) and NATIVES.has(part, ITEM):
            self.out.append(part.value)
        else:
            self._told.lose("L301" if isinstance(part, Reasoning) else "L307", at, shown(part))

    def _said(self, role: str, parts: list[tuple[Part, Place]], extras: Extras, at: Place) -> None:
        if role == "tool":
            if not parts:
                return
            self._told.lose("L310", at, role, "user")
            role = "user"
        written: list[Json] = []
        for part, place in parts:
            if role == "assistant":
                written += self._answer(part, place, extras)
            else:
                written += write_input(part, self._told, place, media=role == "user")
        if parts and not written:
            return
        if role == "assistant" and not self._is_output and not _is_spelled(extras):
            while len(written) > 1 and "text" in written[0]:
                self.out.append({"role": role, "content": written.pop(0)["text"]})
        usual = "output_text" if role == "assistant" else "input_text"
        self._close({"role": role}, written, usual, extras, at)

    def _answer(self, part: Part, at: Place, extras: Extras) -> list[Json]:
        """Write it in its original form or in full; where neither is possible, as plain text."""
        NATIVES.tell_foreign(part, self._told, at)
        if isinstance(part, Text):
            return [write_text(part, "output_text")]
        if isinstance(part, Refusal):
            if self._is_output or SPELLED in noted(extras, ID):
                return [{"type": "refusal", "refusal": part.text, **leftovers(part.extras, ID)}]
            self._told.lose("L319", at)
            return [{"type": "output_text", "text": part.text}]
        if isinstance(part, Media | Data):
            made = _as_read(part)
            if made is not None:
                return made
            text = in_words(part)
            self._told.lose("L305" if isinstance(part, Data) else "L302", at, None, text)
            return [{"type": "output_text", "text": text}]
        return [part.value] if isinstance(part, Native) else []

    def _close(
        self, out: JsonObject, written: list[Json], usual: str, extras: Extras, at: Place
    ) -> None:
        """Write content in its original form, with leftover fields at their places."""
        notes = noted(extras, ID)
        if TYPED in notes:
            out["type"] = "message"
        if self._is_output and not own(extras, ID):
            self._fill(out, written, at)
        else:
            listed = notes.get(SPELLED) == LIST
            if not listed and len(written) == 1 and is_text(written[0], usual):
                out["content"] = written[0]["text"]
            else:
                out["content"] = written if listed or written else ""
            put_back_all(out, notes)
        self._restore(out, extras, at)
        self.out.append(out)

    def _fill(self, out: JsonObject, written: list[Json], at: Place) -> None:
        """Complete the form of responses."""
        out["type"] = "message"
        out["id"] = f"msg_{at[-1]}_{len(self.out)}"
        out["status"] = "completed"
        out["content"] = [
            {**part, "annotations": part.get("annotations", [])} if "text" in part else part
            for part in written
        ]

    def _call(self, call: Call, at: Place) -> None:
        extras, id_ = call.extras, call.id
        if extras is None and id_ is not None and call.namespace is None and not call.is_text:
            text = arguments_text(call)
            self.out.append(
                {"type": "function_call", "call_id": id_, "name": call.name, "arguments": text}
            )
            return
        notes = noted(extras, ID)
        out: JsonObject = {"type": "custom_tool_call" if call.is_text else "function_call"}
        if call.id is not None or odd(notes, "call_id") is None:
            out["call_id"] = self._ids.of_call(call, at)
            if call.is_text:
                self._text_calls.add(out["call_id"])
        out["name"] = call.name
        if call.is_text:
            out["input"] = call.text or ""
            if is_as_read(out, notes, "input"):
                put_back(out, notes, "input")
        else:
            out["arguments"] = arguments_text(call)
            entry = odd(notes, "arguments")
            if entry is not None and not call.text and is_same(call.arguments, entry.get(WAS)):
                put_back(out, notes, "arguments")
        for key in ("call_id", "type"):
            if is_as_read(out, notes, key):
                put_back(out, notes, key)
        if call.namespace is not None:
            out["namespace"] = call.namespace
        if extras is not None:
            self._restore(out, extras, at)
        self.out.append(out)

    def _restore(self, out: JsonObject, extras: Extras, at: Place) -> None:
        restore(out, extras)
        if has_foreign(extras, ID):
            self._told.lose("L308", (*at, "extras"), foreign_keys(extras, ID))

    def _result(self, result: Result, at: Place) -> None:
        content = result.content
        if result.extras is None and len(content) == 1:
            part = content[0]
            call_id = result.call_id
            is_plain = not (result.is_error or result.is_text or call_id is None)
            if is_plain and part.__class__ is Text and part.extras is None:
                kind = "function_call_output"
                if call_id in self._text_calls:
                    kind = "custom_tool_call_output"
                if result.name is not None:
                    self._told.lose("L325", at, result.name)
                self.out.append({"type": kind, "call_id": call_id, "output": part.text})
                return
        self._odd_result(result, at)

    def _odd_result(self, result: Result, at: Place) -> None:
        notes = noted(result.extras, ID)
        out: JsonObject = {}
        if result.call_id is not None or odd(notes, "call_id") is None:
            out["call_id"] = self._ids.of_result(result, at)
        is_text_result = result.is_text or out.get("call_id") in self._text_calls
        out["type"] = "custom_tool_call_output" if is_text_result else "function_call_output"
        entry = odd(notes, "output")
        if entry is not None and reads_as(result, entry.get(WAS)):
            put_back(out, notes, "output")
        else:
            out["output"] = self._output(result, notes, at)
        for key in ("call_id", "type"):
            if is_as_read(out, notes, key):
                put_back(out, notes, key)
        if result.name is not None:
            if NAMED in notes:
                out["name"] = result.name
            else:
                self._told.lose("L325", at, result.name)
        if result.extras is not None:
            self._restore(out, result.extras, at)
        self.out.append(out)

    def _output(self, result: Result, notes: JsonObject, at: Place) -> Json:
        written: list[Json] = []
        echo = skipped(result.content, self._told, at)
        for index, part in enumerate(result.content):
            if index in echo:
                continue
            if part.__class__ is Text and part.extras is None:
                written.append({"type": "input_text", "text": part.text})
            else:
                written += write_input(part, self._told, (*at, "content", index))
        if result.is_error:
            written = self._failed(result, written, at)
        listed = notes.get(SPELLED) == LIST
        if not listed and len(written) == 1 and is_text(written[0], "input_text"):
            return written[0]["text"]
        return written if listed or written else ""

    def _failed(self, result: Result, written: list[Json], at: Place) -> list[Json]:
        """Write the texts in an envelope, before any other parts."""
        texts = [part for part in written if is_text(part, "input_text")]
        others = [part for part in written if not is_text(part, "input_text")]
        said = "\n".join(part["text"] for part in texts)
        text = wrap_error(result, said, ID, self._told, at)
        return [{"type": "input_text", "text": text}, *others]


def _is_spelled(extras: Extras) -> bool:
    """Return whether there are notes on how content was written."""
    notes = noted(extras, ID)
    return SPELLED in notes or odd(notes, "content") is not None


def _is_content(part: Part) -> bool:
    return isinstance(part, Native) and NATIVES.has(part, CONTENT)


def _as_read(part: Media | Data) -> list[Json] | None:
    """Return media of an assistant's message if they were read from one."""
    if isinstance(part, Data) or odd(noted(part.extras, ID), "type") is None:
        return None
    made = write_media(part)
    return None if made is None else [made]


def _write_reasoning(part: Reasoning) -> JsonObject:
    notes = noted(part.extras, ID)
    said = notes.get("words")
    out: JsonObject = {"type": "reasoning"}
    if part.id is not None:
        out["id"] = part.id
    if said is not None and (words(said.get("content")) or words(said.get("summary"))) == part.text:
        out.update(said)
    else:
        out["summary"] = plain_summary(part.text)
    put_back_all(out, notes)
    if part.seal is not None:
        out["encrypted_content"] = part.seal
    restore(out, part.extras)
    return out
