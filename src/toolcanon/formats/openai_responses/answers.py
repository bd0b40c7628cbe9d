"""Response bodies: the items of one answer; an error body is an answer without any.

There is no stop reason for calls: it follows from the items.
"""

from __future__ import annotations

from typing import Final

from toolcanon.errors import NotAConversation
from toolcanon.formats.openai_responses.parts import ABSENT, ID
from toolcanon.formats.openai_responses.reading import read_list
from toolcanon.formats.openai_responses.writing import write_items, write_output
from toolcanon.formats.wire.codec import (
    Told,
    extras_of,
    foreign_keys,
    has_foreign,
    leftovers,
    noted,
)
from toolcanon.ir.conversation import Answer, Candidate, Message, Stop, StopReason
from toolcanon.jsonio.types import Json, JsonObject

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


def write_answer(answer: Answer, told: Told) -> JsonObject:
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


def _write_output(answer: Answer, told: Told, *, is_ours: bool) -> list[Json]:
    if is_ours:
        return write_items(answer.messages, told)
    if answer.candidates and has_foreign(answer.candidates[0].extras, ID):
        lost = foreign_keys(answer.candidates[0].extras, ID)
        told.lose("L308", ("candidates", 0, "extras"), lost)
    return write_output(answer.messages, told, ("candidates", 0, "messages"))


def _write_stop(answer: Answer, left: JsonObject, told: Told, *, is_ours: bool) -> JsonObject:
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
