"""Answers: one step of ``generateText``, or the message of a UI stream."""

from __future__ import annotations

from typing import Final

from toolcanon.errors import NotAConversation
from toolcanon.formats.vercel.lists import is_ui, read_messages, write_list
from toolcanon.formats.vercel.reading import ModelReader
from toolcanon.formats.vercel.spelling import ID, LAYOUT, Layout, layout_of
from toolcanon.formats.vercel.writing import ModelWriter
from toolcanon.formats.wire.answers import Stops, only_candidate, tell_extras, write_usage
from toolcanon.formats.wire.codec import NOTES, Told, extras_of, leftovers, noted, rest, take_text
from toolcanon.ir.conversation import Answer, Candidate, Message, Result, Stop
from toolcanon.jsonio.types import Json, JsonObject

STOPS: Final = Stops(
    {"stop": "end", "tool-calls": "tool_call", "length": "length", "content-filter": "filter"}
)
_REASON: Final = "finishReason"
_STEP: Final = frozenset({"content", _REASON, "usage"})


def read_answer(body: JsonObject) -> Answer:
    """Read a step, a message of the assistant, or a UI message of it."""
    if is_ui(body) or (body.get("role") == "assistant" and _REASON not in body):
        return ui_answer(read_messages([body], None), None)
    content = body.get("content")
    if not isinstance(content, list):
        raise NotAConversation("/content", "a step needs a list of content parts")
    left = rest(body, _STEP)
    about = dict(left["response"]) if isinstance(left.get("response"), dict) else {}
    model, id_ = take_text(about, "modelId"), take_text(about, "id")
    if isinstance(left.get("response"), dict):
        left["response"] = about
    notes: JsonObject = {}
    stop = None
    match body.get(_REASON):
        case str() as word:
            stop = STOPS.read(word)
        case {"unified": str() as word, **others}:
            stop = STOPS.read(word)
            notes[_REASON] = others
        case other if _REASON in body:
            left[_REASON] = other
    usage = body.get("usage")
    if usage is None and "usage" in body:
        left["usage"] = None
    reader = ModelReader(model)
    message = reader.read({"role": "assistant", "content": content})
    message.extras = {ID: {NOTES: {LAYOUT: "step"}}}
    return Answer([Candidate([message], stop)], model, id_, usage, ID, extras_of(ID, left, notes))


def ui_answer(messages: list[Message], word: str | None) -> Answer:
    """Return the answer of a message; its stop reason may be unknown."""
    if word is not None:
        return Answer([Candidate(messages, STOPS.read(word))], format=ID)
    answer = Answer([Candidate(messages)], format=ID)
    done = {part.call_id for one in messages for part in one.parts if isinstance(part, Result)}
    is_open = any(call.id not in done for message in messages for call in message.calls)
    answer.candidates[0].stop = Stop("tool_call" if is_open else "end")
    return answer


def write_answer(answer: Answer, told: Told, layout: Layout | None) -> JsonObject:
    """Return a step, or a message where one is requested or was read."""
    is_ours = answer.format == ID
    candidate = only_candidate(answer, told)
    found = {layout_of(message) for message in candidate.messages}
    whole = layout or ("ui" if found == {"ui"} else "model" if found == {"model"} else None)
    if whole is not None and candidate.messages:
        return _write_message(answer, candidate, told, whole)
    out: JsonObject = {}
    writer = ModelWriter(told, ("candidates", 0, "messages"))
    content: list[Json] = []
    for index, message in enumerate(candidate.messages):
        at = ("candidates", 0, "messages", index)
        content += writer.parts(message.parts, at, mine=layout_of(message) == "step")
    out["content"] = content
    notes = noted(answer.extras, ID)
    if candidate.stop is not None:
        word: Json = STOPS.write(candidate.stop, told, is_ours=is_ours)
        out[_REASON] = {"unified": word, **notes[_REASON]} if _REASON in notes else word
    about = {"id": answer.id, "modelId": answer.model}
    said = {key: value for key, value in about.items() if value or (value == "" and is_ours)}
    out.update(leftovers(answer.extras, ID))
    if said or "response" in out:
        out["response"] = {**out.get("response", {}), **said}
    tell_extras(answer, candidate, ID, told)
    write_usage(out, answer, told, is_ours=is_ours)
    return out


def _write_message(answer: Answer, candidate: Candidate, told: Told, layout: Layout) -> JsonObject:
    """Return the message, which has no fields for stop reason and usage."""
    inner = Told()
    written = write_list([*enumerate(candidate.messages)], inner, layout)
    for loss in inner.losses:
        told.lose(loss.code, ("candidates", 0, *loss.at), loss.before, loss.after)
    tell_extras(answer, candidate, ID, told)
    write_usage({}, answer, told, is_ours=False)
    first = next((one for one in written if one.get("role") == "assistant"), None)
    return written[0] if first is None else first  # type: ignore[no-any-return]
