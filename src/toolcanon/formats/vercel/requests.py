"""Requests and answers: choices of tools, settings, lists of messages."""

from __future__ import annotations

from typing import Final

from toolcanon.errors import NotAConversation
from toolcanon.formats.vercel.media import CONTENT, LAYOUT, Layout, layout_of, left_of
from toolcanon.formats.vercel.older import INVOKED
from toolcanon.formats.vercel.reading import ModelReader, UiReader, checked
from toolcanon.formats.vercel.tools import ID
from toolcanon.formats.vercel.ui_writing import UiWriter
from toolcanon.formats.vercel.writing import ModelWriter, write_words
from toolcanon.formats.wire.bodies import (
    Stops,
    can_choose,
    only_candidate,
    restore_settings,
    tell_extras,
    write_usage,
)
from toolcanon.formats.wire.codec import (
    NOTES,
    WriteLog,
    extras_of,
    leftovers,
    noted,
    rest,
    take_text,
)
from toolcanon.ir.conversation import (
    Answer,
    Candidate,
    Conversation,
    Message,
    Result,
    Stop,
    Text,
    ToolChoice,
)
from toolcanon.jsonio.types import Json, JsonObject


def is_ui(message: JsonObject) -> bool:
    """Return whether it is a UIMessage: with parts instead of content."""
    return "parts" in message or isinstance(message.get(INVOKED), list)


def read_messages(messages: list[Json], model: str | None) -> list[Message]:
    return read_list(messages, model, "")


def read_list(messages: Json, model: str | None, at: str) -> list[Message]:
    """Read a list of messages at some place of a larger document."""
    model_reader, ui_reader = ModelReader(model), UiReader(model)
    found: list[Message] = []
    for message in checked(messages, at):
        if is_ui(message):
            found += ui_reader.read(message)
        else:
            found.append(model_reader.read(message))
            ui_reader.open = []
        if found[-1].role == "user":  # a new message instead of an approval
            model_reader.waiting, ui_reader.waiting = [], []
    model_reader.finish()
    ui_reader.finish()
    return found


def write_messages(messages: list[Message], told: WriteLog) -> list[Json]:
    return write_list([*enumerate(messages)], told, None)


def write_list(
    messages: list[tuple[int, Message]], told: WriteLog, layout: Layout | None
) -> list[Json]:
    """Write in one layout; without one as they were read, and others like their neighbours.

    A requested layout is the current version; older forms are kept only without one.
    Messages come with their numbers in the conversation.
    """
    layouts = [layout_of(message) for _, message in messages]
    keeps_older = layout is None
    if layout is None:
        known = {each for each in layouts if each is not None and each != "step"}
        if known == {"ui", "model"} and {None, "step"}.isdisjoint(layouts):
            return _write_mixed(messages, layouts, told)
        layout = "ui" if known == {"ui"} else "model"
    kind = UiWriter if layout == "ui" else ModelWriter
    writer = kind(told, keeps_older=keeps_older)
    for (index, message), found in zip(messages, layouts, strict=True):
        writer.add(message, index, mine=found == layout)
    return writer.finish()


def _write_mixed(
    messages: list[tuple[int, Message]], layouts: list[Layout | None], told: WriteLog
) -> list[Json]:
    """Write each message in its own layout."""
    out: list[Json] = []
    writer: UiWriter | ModelWriter | None = None
    for (index, message), found in zip(messages, layouts, strict=True):
        kind = UiWriter if found == "ui" else ModelWriter
        if not isinstance(writer, kind):
            out += [] if writer is None else writer.finish()
            writer = kind(told)
        writer.add(message, index, mine=True)
    return out if writer is None else out + writer.finish()


SYSTEM: Final = "instructions"
_SYSTEMS: Final = (SYSTEM, "system")
"""The keys of the system prompt; the second is the older one."""
_KEY: Final = "key"
_SYSTEM: Final = frozenset({"role", "content"})
_WORDS: Final = ("auto", "none", "required")


def read_request(body: JsonObject) -> Conversation:
    """Read a request body; settings other than tools go to ``extras``."""
    left = dict(body)
    model = take_text(left, "model")
    messages = read_list(left.pop("messages", None), model, "/messages")
    found = Conversation(messages, model=model, format=ID)
    for key in _SYSTEMS:
        system = _read_system(left.get(key), key)
        if system is not None and found.system is None:
            found.system = system
            del left[key]
    if left.get("tools") is not None:
        found.tools = left.pop("tools")
    choice = _read_choice(left.get("toolChoice"))
    if choice is not None:
        found.tool_choice = choice
        del left["toolChoice"]
    found.extras = extras_of(ID, left)
    return found


def _read_system(given: Json, key: str) -> Message | None:
    """Read a text, a system message, or several of them."""
    notes: JsonObject = {} if key == SYSTEM else {_KEY: key}
    if isinstance(given, str):
        return Message("system", [Text(given)], None, extras_of(ID, {}, notes) or {ID: {}})
    notes[CONTENT] = "list" if isinstance(given, list) else "message"
    parts: list[Text] = []
    for item in given if isinstance(given, list) else [given]:
        if not isinstance(item, dict) or item.get("role") != "system":
            return None
        if not isinstance(item.get("content"), str):
            return None
        parts.append(Text(item["content"], extras_of(ID, rest(item, _SYSTEM))))
    return Message("system", [*parts], None, extras_of(ID, {}, notes))


def _read_choice(given: Json) -> ToolChoice | None:
    match given:
        case "auto" | "none" | "required":
            return ToolChoice(given)
        case {"type": "tool", "toolName": str() as name, **others} if not others:
            return ToolChoice("tool", [name])
        case {"type": "auto" | "none" | "required" as mode, **others} if not others:
            return ToolChoice(mode, extras=extras_of(ID, {}, {_KEY: "type"}))
    return None


def write_request(conversation: Conversation, told: WriteLog, layout: Layout | None) -> JsonObject:
    """Return the body, with system messages of other formats beside the list."""
    out: JsonObject = {}
    if conversation.model is not None:
        out["model"] = conversation.model
    key, system = _write_system(conversation, told)
    if system is not None:
        out[key] = system
    out["messages"] = write_list(_without_system(conversation.messages), told, layout)
    if conversation.tools is not None:
        out["tools"] = conversation.tools
    if can_choose(conversation, ID, told):
        _write_choice(out, conversation, told)
    restore_settings(out, conversation, ID, told)
    return out


def _is_lifted(message: Message) -> bool:
    return message.role in {"system", "developer"} and layout_of(message) is None


def _without_system(messages: list[Message]) -> list[tuple[int, Message]]:
    return [pair for pair in enumerate(messages) if not _is_lifted(pair[1])]


def _write_system(conversation: Conversation, told: WriteLog) -> tuple[str, Json]:
    items: list[JsonObject] = []
    key, spelled = SYSTEM, ""
    system = conversation.system
    if system is not None:
        is_own = layout_of(system) is not None
        if is_own:
            notes = noted(system.extras, ID)
            key, spelled = notes.get(_KEY, SYSTEM), notes.get(CONTENT, "")
            said = [part for part in system.parts if isinstance(part, Text)]
            items += [
                {"role": "system", "content": part.text, **left_of(part.extras)} for part in said
            ]
        else:
            texts = write_words(system.parts, told, ("system",))
            items += [{"role": "system", "content": text} for text in texts]
    spoke = False
    for index, message in enumerate(conversation.messages):
        if not _is_lifted(message):
            spoke = True
            continue
        if message.role == "developer":
            told.lose("L310", ("messages", index, "role"), "developer", "system")
        if spoke:
            told.lose("L311", ("messages", index))
        texts = write_words(message.parts, told, ("messages", index))
        items += [{"role": "system", "content": text} for text in texts]
    if not items:
        return key, [] if spelled == "list" else None
    if len(items) == 1 and spelled != "list":
        plain = items[0].keys() == _SYSTEM and spelled != "message"
        return key, items[0]["content"] if plain else items[0]
    return key, items


def _write_choice(out: JsonObject, conversation: Conversation, told: WriteLog) -> None:
    choice = conversation.tool_choice
    if conversation.parallel_calls is not None:
        told.lose("L317", ("parallel_calls",), conversation.parallel_calls)
    if choice is None:
        return
    mode: Json = choice.mode
    if choice.mode == "tool" and choice.names:
        mode = {"type": "tool", "toolName": choice.names[0]}
    elif choice.mode == "subset" and not choice.names:
        mode = "none"  # no allowed tool is declared
    elif choice.mode not in _WORDS:
        mode = "required" if choice.is_required or choice.mode == "tool" else "auto"
        told.lose("L316", ("tool_choice",), choice.mode, mode)
    elif _KEY in noted(choice.extras, ID):
        mode = {"type": choice.mode}
    out["toolChoice"] = mode


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


def write_answer(answer: Answer, told: WriteLog, layout: Layout | None) -> JsonObject:
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


def _write_message(
    answer: Answer, candidate: Candidate, told: WriteLog, layout: Layout
) -> JsonObject:
    """Return the message, which has no fields for stop reason and usage."""
    inner = WriteLog()
    written = write_list([*enumerate(candidate.messages)], inner, layout)
    for loss in inner.losses:
        told.lose(loss.code, ("candidates", 0, *loss.at), loss.before, loss.after)
    tell_extras(answer, candidate, ID, told)
    write_usage({}, answer, told, is_ours=False)
    first = next((one for one in written if one.get("role") == "assistant"), None)
    return written[0] if first is None else first  # type: ignore[no-any-return]
