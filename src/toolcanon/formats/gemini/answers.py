"""Whole responses: candidates, each with one content and a stop reason."""

from __future__ import annotations

from typing import Final

from toolcanon.errors import NotAConversation
from toolcanon.formats.gemini.contents import read_content, write_content, write_contents
from toolcanon.formats.gemini.results import At
from toolcanon.formats.gemini.spelling import ID, SPELLED, pick
from toolcanon.formats.wire.codec import (
    NOTES,
    Told,
    extras_of,
    foreign_keys,
    has_foreign,
    leftovers,
    noted,
)
from toolcanon.ir.conversation import Answer, Candidate, Stop, StopReason
from toolcanon.jsonio.types import Json, JsonObject

_FIELDS: Final = {"model": "modelVersion", "id": "responseId", "usage": "usageMetadata"}
KNOWN: Final = ("candidates", "promptFeedback", *_FIELDS.values())
REASON: Final = "finishReason"
_REASONS: Final[dict[str, StopReason]] = {
    "STOP": "end",
    "MAX_TOKENS": "length",
    "CONTINUATION": "pause",
    "TOO_MANY_TOOL_CALLS": "too_many",
    **dict.fromkeys(
        ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE"), "bad_call"
    ),
    **dict.fromkeys(
        "SAFETY RECITATION LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII IMAGE_SAFETY "
        "IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION".split(),
        "filter",
    ),
}
_WORDS: Final[dict[StopReason, str]] = {
    "end": "STOP",
    "stop_text": "STOP",
    "tool_call": "STOP",
    "length": "MAX_TOKENS",
    "filter": "SAFETY",
    "bad_call": "MALFORMED_FUNCTION_CALL",
    "pause": "CONTINUATION",
    "too_many": "TOO_MANY_TOOL_CALLS",
    "unknown": "OTHER",
}


def read_answer(body: JsonObject) -> Answer:
    """Read a response body with keys in either case style."""
    if NOTES in body or all(pick(body, key) is None for key in KNOWN):
        raise NotAConversation("", "a response needs candidates, or the reason for their absence")
    left = dict(body)
    spelled: JsonObject = {}
    answer = Answer(format=ID)
    for field, key in _FIELDS.items():
        found = pick(left, key)
        if found is None or (field != "usage" and not isinstance(left[found], str)):
            continue
        setattr(answer, field, left.pop(found))
        if found != key:
            spelled[key] = found
    candidates = left.get("candidates")
    notes: JsonObject = {}
    if isinstance(candidates, list):
        del left["candidates"]
        answer.candidates = [
            _read_candidate(candidate, answer.model, f"/candidates/{index}")
            for index, candidate in enumerate(candidates)
        ]
        if not candidates:
            notes["candidates"] = True
    if spelled:
        notes[SPELLED] = spelled
    answer.extras = extras_of(ID, left, notes)
    return answer


def _read_candidate(candidate: Json, model: str | None, at: str) -> Candidate:
    if not isinstance(candidate, dict) or NOTES in candidate:
        raise NotAConversation(at, "a candidate must be an object")
    left = dict(candidate)
    notes: JsonObject = {}
    read = Candidate()
    if left.get("content") is not None:
        read.messages = [read_content(left.pop("content"), model, f"{at}/content", "assistant")]
    key = pick(left, REASON)
    if key is not None and isinstance(left[key], str):
        word = left.pop(key)
        reason = _REASONS.get(word, "unknown")
        if reason == "end" and any(message.calls for message in read.messages):
            reason = "tool_call"
        read.stop = Stop(reason, word)
        if key != REASON:
            notes[SPELLED] = key
    read.extras = extras_of(ID, left, notes)
    return read


def write_answer(answer: Answer, told: Told) -> JsonObject:
    notes = noted(answer.extras, ID)
    spelled = notes.get(SPELLED, {})
    body: JsonObject = dict(leftovers(answer.extras, ID))
    if has_foreign(answer.extras, ID):
        told.lose("L308", (), foreign_keys(answer.extras, ID))
    if answer.candidates or "candidates" in notes:
        body["candidates"] = [
            _write_candidate(candidate, told, ("candidates", index), own=answer.format == ID)
            for index, candidate in enumerate(answer.candidates)
        ]
    for field, key in _FIELDS.items():
        value = getattr(answer, field)
        if value is None:
            continue
        if field == "usage" and answer.format not in {ID, ""}:
            told.lose("L308", (field,), value)  # another provider counts differently
            continue
        body[spelled.get(key, key)] = value
    return body


def _write_candidate(candidate: Candidate, told: Told, at: At, *, own: bool) -> JsonObject:
    out: JsonObject = dict(leftovers(candidate.extras, ID))
    if has_foreign(candidate.extras, ID):
        told.lose("L308", at, foreign_keys(candidate.extras, ID))
    messages, place = candidate.messages, (*at, "messages")
    first = messages[0].extras if messages else None
    if len(messages) == 1 and first is not None and ID in first:
        out["content"] = write_content(messages[0], told, (*place, 0))
    elif messages:
        parts: list[Json] = []
        for content in write_contents(messages, told, place):
            found = content.get("parts") if isinstance(content, dict) else {"text": content}
            parts += found if isinstance(found, list) else [found] if found else []
        out["content"] = {"role": "model", "parts": parts}
    if candidate.stop is not None:
        key = noted(candidate.extras, ID).get(SPELLED, REASON)
        out[key] = _write_stop(candidate.stop, told, (*at, "stop"), own=own)
    return out


def _write_stop(stop: Stop, told: Told, at: At, *, own: bool) -> str:
    word = stop.word
    if word is not None and (own or word in _REASONS):
        reason = _REASONS.get(word, "unknown")
        if reason == stop.reason or (reason, stop.reason) == ("end", "tool_call"):
            return word
    if stop.reason in {"stop_text", "unknown"}:
        told.lose("L321", at, word or stop.reason, _WORDS[stop.reason])
    return _WORDS[stop.reason]
