"""Requests and answers: choices of tools, settings, choices of an answer."""

from __future__ import annotations

from typing import Final

from toolcanon.errors import NotAConversation
from toolcanon.formats.openai.parts import ABSENT, ID, MESSAGE, NATIVES, is_text
from toolcanon.formats.openai.reading import read_assistant, read_list
from toolcanon.formats.openai.writing import write_answered, write_messages, write_system
from toolcanon.formats.wire.bodies import ChoiceSpelling, can_choose, restore_settings
from toolcanon.formats.wire.codec import (
    WriteLog,
    extras_of,
    foreign_keys,
    has_foreign,
    leftovers,
    noted,
    take_flag,
    take_text,
)
from toolcanon.ir.conversation import (
    Answer,
    Candidate,
    Conversation,
    Message,
    Stop,
    StopReason,
    ToolChoice,
)
from toolcanon.jsonio.types import Json, JsonObject

_LEGACY: Final = "legacy"
"""The choice of ``function_call``, the predecessor of ``tool_choice``."""
_FUNCTIONS: Final = "functions"
"""The list of functions, the predecessor of ``tools``."""


def _read_name(choice: JsonObject) -> str | None:
    kind = choice.get("type", "function")
    inner = choice.get(kind) if kind in ("function", "custom") else None
    name = inner.get("name") if isinstance(inner, dict) else None
    return name if isinstance(name, str) else None


CHOICES: Final = ChoiceSpelling(
    id=ID,
    words={
        "auto": "auto",
        "none": "none",
        "required": "required",
        "any": "required",  # of compatible servers
    },
    read_name=_read_name,
    write_name=lambda name: {"type": "function", "function": {"name": name}},
    is_nested=True,
)


def read_legacy_choice(value: Json) -> ToolChoice | None:
    """Read the value of ``function_call``."""
    name = value.get("name") if isinstance(value, dict) and len(value) == 1 else None
    choice = ToolChoice("tool", [name]) if isinstance(name, str) else None
    if value in ("auto", "none"):
        choice = ToolChoice(value)
    if choice is not None:
        choice.extras = extras_of(ID, {}, {_LEGACY: True})
    return choice


def is_legacy_choice(choice: ToolChoice) -> bool:
    """Return whether ``function_call`` can express it, and was its source."""
    return choice.mode in ("auto", "none", "tool") and _LEGACY in noted(choice.extras, ID)


def write_legacy_choice(choice: ToolChoice) -> Json:
    """Return the value of ``function_call``."""
    return {"name": choice.names[0]} if choice.mode == "tool" and choice.names else choice.mode


def read_request(body: JsonObject) -> Conversation:
    if not isinstance(body, dict):
        raise NotAConversation("", "a request must be an object")
    left = dict(body)
    model = take_text(left, "model")
    messages = read_list(left.pop("messages", None), model, "/messages")
    notes: JsonObject = {}
    tools = None
    if isinstance(left.get("tools"), list):
        tools = left.pop("tools")
    elif isinstance(left.get(_FUNCTIONS), list):
        tools, notes[_FUNCTIONS] = left.pop(_FUNCTIONS), True
    return Conversation(
        messages,
        tools=tools,
        tool_choice=_take_choice(left),
        parallel_calls=take_flag(left, "parallel_tool_calls"),
        model=model,
        format=ID,
        extras=extras_of(ID, left, notes),
    )


def _take_choice(left: JsonObject) -> ToolChoice | None:
    for key, read in (("tool_choice", CHOICES.read), ("function_call", read_legacy_choice)):
        choice = read(left.get(key))
        if choice is not None:
            del left[key]
            return choice
    return None


def write_request(conversation: Conversation, told: WriteLog) -> JsonObject:
    """Return the body of a request; what only another provider has is dropped and reported."""
    out: JsonObject = {}
    if conversation.model is not None:
        out["model"] = conversation.model
    messages: list[Json] = []
    if conversation.system is not None:
        messages += write_system(conversation.system, told)
    out["messages"] = messages + write_messages(conversation.messages, told)
    notes = noted(conversation.extras, ID)
    if conversation.tools is not None:
        out[_FUNCTIONS if _FUNCTIONS in notes else "tools"] = conversation.tools
    if can_choose(conversation, ID, told):
        _write_choices(conversation, out)
    restore_settings(out, conversation, ID, told)
    return out


def _write_choices(conversation: Conversation, out: JsonObject) -> None:
    choice = conversation.tool_choice
    if choice is not None:
        if is_legacy_choice(choice):
            out["function_call"] = write_legacy_choice(choice)
        else:
            out["tool_choice"] = CHOICES.write(choice)
    if conversation.parallel_calls is not None:
        out["parallel_tool_calls"] = conversation.parallel_calls


_REASONS: Final[dict[str, StopReason]] = {
    "stop": "end",
    "length": "length",
    "tool_calls": "tool_call",
    "content_filter": "filter",
    "function_call": "tool_call",
    # Values of other servers with this format (their API references, 2026-11).
    "model_length": "length",
    "max_tokens": "length",
    "MAX_TOKENS": "length",
}
_WORDS: Final[dict[StopReason, str]] = {
    "end": "stop",
    "stop_text": "stop",
    "tool_call": "tool_calls",
    "length": "length",
    "filter": "content_filter",
}
_KIND: Final = "chat.completion"


def read_answer(body: JsonObject) -> Answer:
    if not isinstance(body, dict):
        raise NotAConversation("", "a response must be an object")
    left = dict(body)
    choices = left.get("choices")
    absent: list[str] = []
    if isinstance(choices, list):
        del left["choices"]
    elif "error" in body:
        choices = []
        absent.append("choices")
    else:
        raise NotAConversation("/choices", "a response needs choices, or an error")
    model, id_ = _take_text(left, "model", absent), _take_text(left, "id", absent)
    usage = left.pop("usage") if left.get("usage") is not None else None
    absent += [key for key in ("object", "created") if key not in body]
    if left.get("object") == _KIND:
        del left["object"]
    elif "object" in left:
        absent.append("object")
    candidates = [_read_choice(choice, at, model) for at, choice in enumerate(choices)]
    notes = {ABSENT: absent} if absent else None
    return Answer(candidates, model, id_, usage, ID, extras_of(ID, left, notes))


def _take_text(left: JsonObject, key: str, absent: list[str]) -> str | None:
    if isinstance(left.get(key), str):
        return left.pop(key)  # type: ignore[no-any-return]
    absent.append(key)
    return None


def _read_choice(choice: Json, at: int, model: str | None) -> Candidate:
    if not isinstance(choice, dict):
        raise NotAConversation(f"/choices/{at}", "a choice must be an object")
    left = dict(choice)
    absent: list[str] = []
    if left.get("index") == at and not isinstance(left["index"], bool):
        del left["index"]
    else:
        absent.append("index")
    said = left.get("message")
    messages: list[Message] = []
    if isinstance(said, dict):
        del left["message"]
        if said.get("role") == "assistant":
            messages.append(read_assistant(said, model))
        else:
            messages.append(Message("assistant", [NATIVES.make(MESSAGE, said)]))
    else:
        absent.append("message")
    stop = None
    word = left.get("finish_reason")
    if isinstance(word, str):
        del left["finish_reason"]
        stop = Stop(_reason(word, messages), word)
    else:
        absent.append("finish_reason")
    return Candidate(messages, stop, extras_of(ID, left, {ABSENT: absent} if absent else None))


def _reason(word: str, messages: list[Message]) -> StopReason:
    """Return the stop reason; some servers state "stop" although there are calls."""
    reason = _REASONS.get(word, "unknown")
    if reason == "end" and any(message.calls for message in messages):
        return "tool_call"
    return reason


def write_answer(answer: Answer, told: WriteLog) -> JsonObject:
    absent = noted(answer.extras, ID).get(ABSENT, ())
    out: JsonObject = {}
    if answer.id is not None or "id" not in absent:
        out["id"] = answer.id or ""
    if "object" not in absent:
        out["object"] = _KIND
    left = leftovers(answer.extras, ID)
    if "created" not in absent and "created" not in left:
        out["created"] = 0
    if answer.model is not None or "model" not in absent:
        out["model"] = answer.model or ""
    if answer.candidates or "choices" not in absent:
        out["choices"] = [
            _write_choice(candidate, at, told, ours=answer.format == ID)
            for at, candidate in enumerate(answer.candidates)
        ]
    if answer.usage is not None:
        if answer.format == ID:
            out["usage"] = answer.usage
        else:
            told.lose("L308", ("usage",), answer.usage)
    for key, value in left.items():
        out.setdefault(key, value)
    if has_foreign(answer.extras, ID):
        told.lose("L308", ("extras",), foreign_keys(answer.extras, ID))
    return out


def _write_choice(candidate: Candidate, at: int, told: WriteLog, *, ours: bool) -> JsonObject:
    absent = noted(candidate.extras, ID).get(ABSENT, ())
    out: JsonObject = {}
    if "index" not in absent:
        out["index"] = at
    place = ("candidates", at, "messages")
    if candidate.messages or "message" not in absent:
        message = write_answered(candidate.messages, told, place) if candidate.messages else None
        if message is None:
            message = {"role": "assistant", "content": None}
        elif not ours and isinstance(message.get("content"), list):  # answers have only text
            texts = [part["text"] for part in message["content"] if is_text(part)]
            message["content"] = "".join(texts)
        out["message"] = message
    if candidate.stop is not None or "finish_reason" not in absent:
        out["finish_reason"] = _write_stop(candidate, told, at, ours=ours)
    for key, value in leftovers(candidate.extras, ID).items():
        out.setdefault(key, value)
    if has_foreign(candidate.extras, ID):
        lost = foreign_keys(candidate.extras, ID)
        told.lose("L308", ("candidates", at, "extras"), lost)
    return out


def _write_stop(candidate: Candidate, told: WriteLog, at: int, *, ours: bool) -> str:
    """Write the provider's own value if it has the same meaning."""
    stop = candidate.stop
    if stop is None:
        return "tool_calls" if any(message.calls for message in candidate.messages) else "stop"
    if ours and stop.word is not None and _reason(stop.word, candidate.messages) == stop.reason:
        return stop.word
    word = _WORDS.get(stop.reason)
    if word is None or stop.reason == "stop_text":
        told.lose("L321", ("candidates", at, "stop"), stop.word or stop.reason, word or "stop")
    return word or "stop"
