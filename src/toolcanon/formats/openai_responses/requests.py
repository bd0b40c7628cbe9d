"""Requests and answers: choices of tools, settings, output items.

There is no stop reason for calls: it follows from the items.
"""

from __future__ import annotations

from typing import Final

from toolcanon.errors import NotAConversation
from toolcanon.formats.openai_responses.parts import ABSENT, ID, NATIVES
from toolcanon.formats.openai_responses.reading import read_list
from toolcanon.formats.openai_responses.writing import write_items, write_output
from toolcanon.formats.wire.bodies import ChoiceSpelling, can_choose, restore_settings
from toolcanon.formats.wire.codec import (
    WriteLog,
    extras_of,
    foreign_keys,
    has_foreign,
    in_words,
    leftovers,
    noted,
    shown,
    take_flag,
    take_text,
)
from toolcanon.formats.wire.odd_members import note_odd, put_back_all, text_of
from toolcanon.ir.conversation import (
    Answer,
    Candidate,
    Conversation,
    Data,
    Media,
    Message,
    Refusal,
    Stop,
    StopReason,
    Text,
)
from toolcanon.jsonio.types import Json, JsonObject

_INPUT: Final = "input"
_TEXT: Final = "text"
_ELSEWHERE: Final = ("instructions", "previous_response_id", "prompt", "conversation")
"""What a request without input continues."""


def _read_name(choice: JsonObject) -> str | None:
    name = choice.get("name") if choice.get("type") in ("function", "custom") else None
    return name if isinstance(name, str) else None


CHOICES: Final = ChoiceSpelling(
    id=ID,
    words={"auto": "auto", "none": "none", "required": "required"},
    read_name=_read_name,
    write_name=lambda name: {"type": "function", "name": name},
)


def read_request(body: JsonObject) -> Conversation:
    if not isinstance(body, dict):
        raise NotAConversation("", "a request must be an object")
    left, notes = dict(body), dict[str, Json]()
    model = take_text(left, "model")
    messages = _take_input(left, notes, model)
    system = None
    if left.get("instructions"):
        given = left.pop("instructions")
        system = Message("system", [Text(given)])
        if not isinstance(given, str):
            system = _odd_instructions(given)
    choice = CHOICES.read(left.get("tool_choice"))
    if choice is not None:
        del left["tool_choice"]
    return Conversation(
        messages,
        system,
        left.pop("tools") if isinstance(left.get("tools"), list) else None,
        choice,
        take_flag(left, "parallel_tool_calls"),
        model,
        ID,
        extras_of(ID, left, notes),
    )


def _odd_instructions(given: Json) -> Message:
    """Read a system prompt that is not a string: the text of messages or parts."""
    notes: JsonObject = {}
    texts = [
        text for item in (given if isinstance(given, list) else [given]) if (text := _words(item))
    ]
    note_odd(notes, "instructions", given, "\n\n".join(texts))
    return Message("system", [Text(text) for text in texts], None, extras_of(ID, {}, notes))


def _words(item: Json) -> str:
    """Return the text of a message, of a part, or of any value."""
    if not isinstance(item, dict):
        return text_of(item).text
    for key in ("text", "content"):
        if isinstance(item.get(key), str):
            return str(item[key])
    if isinstance(item.get("content"), list):
        return "\n\n".join(map(_words, item["content"]))
    return text_of(item).text


def _take_input(left: JsonObject, notes: JsonObject, model: str | None) -> list[Message]:
    given = left.get(_INPUT)
    if isinstance(given, str):
        notes[_INPUT] = _TEXT
        del left[_INPUT]
        return [Message("user", [Text(given)] if given else [])]
    if isinstance(given, list):
        del left[_INPUT]
        return read_list(given, model, "/input")
    if given is None and any(key in left for key in _ELSEWHERE):
        notes[_INPUT] = ABSENT
        return []
    raise NotAConversation("/input", "the input must be a text or a list of items")


def write_request(conversation: Conversation, told: WriteLog) -> JsonObject:
    """Return the body of a request; what only another provider has is dropped and reported."""
    out: JsonObject = {}
    if conversation.model is not None:
        out["model"] = conversation.model
    if conversation.system is not None:
        out["instructions"] = _instructions(conversation.system, told)
        put_back_all(out, noted(conversation.system.extras, ID))
    notes = noted(conversation.extras, ID)
    items = write_items(conversation.messages, told)
    if items or notes.get(_INPUT) != ABSENT:
        out[_INPUT] = _text(items) if notes.get(_INPUT) == _TEXT else items
    if conversation.tools is not None:
        out["tools"] = conversation.tools
    if can_choose(conversation, ID, told):
        if conversation.tool_choice is not None:
            out["tool_choice"] = CHOICES.write(conversation.tool_choice)
        if conversation.parallel_calls is not None:
            out["parallel_tool_calls"] = conversation.parallel_calls
    restore_settings(out, conversation, ID, told)
    return out


def _text(items: list[Json]) -> Json:
    """Return the text that the input was, if it is unchanged."""
    if len(items) == 1 and items[0].keys() == {"role", "content"}:
        role, content = items[0]["role"], items[0]["content"]
        if role == "user" and isinstance(content, str):
            return content
    return items


def _instructions(system: Message, told: WriteLog) -> str:
    """Return a system prompt as one text."""
    texts = []
    for index, part in enumerate(system.parts):
        at = ("system", "parts", index)
        NATIVES.tell_foreign(part, told, at)
        if isinstance(part, Text | Refusal):
            texts.append(part.text)
        elif isinstance(part, Media | Data):
            texts.append(in_words(part))
            told.lose("L305" if isinstance(part, Data) else "L302", at, None, texts[-1])
        else:
            told.lose("L307", at, shown(part))
    if has_foreign(system.extras, ID):
        told.lose("L308", ("system", "extras"), foreign_keys(system.extras, ID))
    return "\n\n".join(texts)


_REASONS: Final[dict[str, StopReason]] = {
    "max_output_tokens": "length",
    "content_filter": "filter",
    "max_messages": "too_many",
}
_WORDS: Final[dict[StopReason, str]] = {reason: word for word, reason in _REASONS.items()}
_DEFAULTS: Final[JsonObject] = {
    "object": "response",
    "created_at": 0,
    "error": None,
    "instructions": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
}


def read_answer(body: JsonObject) -> Answer:
    if not isinstance(body, dict):
        raise NotAConversation("", "a response must be an object")
    left = dict(body)
    model = left.pop("model") if isinstance(left.get("model"), str) else None
    id_ = left.pop("id") if isinstance(left.get("id"), str) else None
    usage = left.pop("usage") if left.get("usage") is not None else None
    if isinstance(left.get("output"), list):
        messages = read_list(left.pop("output"), model, "/output")
        stop = _read_stop(left, messages)
        candidates = [Candidate(messages, stop)]
        notes = None
    elif "error" in left:
        candidates, notes = [], {ABSENT: True}
    else:
        raise NotAConversation("/output", "a response needs output, or an error")
    return Answer(candidates, model, id_, usage, ID, extras_of(ID, left, notes))


def _read_stop(left: JsonObject, messages: list[Message]) -> Stop | None:
    status = left.get("status")
    if not isinstance(status, str) or status in ("in_progress", "queued"):
        return None
    if status == "completed":
        called = any(message.calls for message in messages)
        return Stop("tool_call" if called else "end", status)
    details = left.get("incomplete_details")
    word = details.get("reason") if status == "incomplete" and isinstance(details, dict) else None
    if not isinstance(word, str):
        return Stop("unknown", status)
    return Stop(_REASONS.get(word, "unknown"), word)


def write_answer(answer: Answer, told: WriteLog) -> JsonObject:
    is_ours = answer.format == ID
    out: JsonObject = {}
    if answer.id is not None or not is_ours:
        out["id"] = answer.id or ""
    if answer.model is not None or not is_ours:
        out["model"] = answer.model or ""
    if len(answer.candidates) > 1:
        told.lose("L320", ("candidates",), len(answer.candidates), 1)
    if answer.candidates or ABSENT not in noted(answer.extras, ID):
        out["output"] = _write_output(answer, told, is_ours=is_ours)
    left = leftovers(answer.extras, ID)
    if not is_ours:
        out.update(_DEFAULTS)
    out.update(_write_stop(answer, left, told, is_ours=is_ours))
    if answer.usage is not None:
        if is_ours:
            out["usage"] = answer.usage
        else:
            told.lose("L308", ("usage",), answer.usage)
    for key, value in left.items():
        out.setdefault(key, value)
    if has_foreign(answer.extras, ID):
        told.lose("L308", ("extras",), foreign_keys(answer.extras, ID))
    return out


def _write_output(answer: Answer, told: WriteLog, *, is_ours: bool) -> list[Json]:
    if is_ours:
        return write_items(answer.messages, told)
    if answer.candidates and has_foreign(answer.candidates[0].extras, ID):
        lost = foreign_keys(answer.candidates[0].extras, ID)
        told.lose("L308", ("candidates", 0, "extras"), lost)
    return write_output(answer.messages, told, ("candidates", 0, "messages"))


def _write_stop(answer: Answer, left: JsonObject, told: WriteLog, *, is_ours: bool) -> JsonObject:
    """Return status and details, unless the leftovers already have the same."""
    stop = answer.stop
    known = _read_stop(left, answer.messages)
    if is_ours and (stop is None or (known is not None and known.reason == stop.reason)):
        return {}
    reason = stop.reason if stop is not None else "end"
    word = _WORDS.get(reason)
    if word is not None:
        return {"status": "incomplete", "incomplete_details": {"reason": word}}
    if reason not in ("end", "tool_call"):
        said = stop.word if stop is not None else None
        told.lose("L321", ("candidates", 0, "stop"), said or reason, "completed")
    return {"status": "completed", "incomplete_details": None}
