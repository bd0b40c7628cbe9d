"""Requests and answers: choices of tools, settings, candidates.

Settings other than tools (``generationConfig``, ``safetySettings`` …) are kept and written back.
"""

from __future__ import annotations

from typing import Final

from toolcanon.errors import NotAConversation
from toolcanon.formats.gemini.contents import (
    read_content,
    read_contents,
    write_content,
    write_contents,
)
from toolcanon.formats.gemini.parts import write_part
from toolcanon.formats.gemini.results import ID, SPELLED, At, pick
from toolcanon.formats.wire.bodies import report_settings
from toolcanon.formats.wire.codec import (
    NOTES,
    WriteLog,
    extras_of,
    foreign_keys,
    has_foreign,
    leftovers,
    noted,
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

NAMES: Final = "allowedFunctionNames"
_MODE: Final = "mode"
SYSTEM: Final = "systemInstruction"
CONFIG: Final = "toolConfig"
CALLING: Final = "functionCallingConfig"
_ONE: Final = "one"
_BESIDE: Final = "beside"
_MODEL: Final = "model"
_SDK: Final = "config"
"""Where the SDK's call has everything but model and contents; noted with the keys beside it."""


def read_choice(config: JsonObject) -> ToolChoice | None:
    """Return the choice; None when the config has no known form of one."""
    word = config.get(_MODE)
    key = pick(config, NAMES)
    names = config[key] if key else []
    if not isinstance(word, str) or NOTES in config or not _are_names(names):
        return None
    choice = _meaning(word, names)
    if choice is None:
        return None
    notes: JsonObject = {}
    if word != _word(choice):
        notes[_MODE] = word
    if key not in {None, NAMES}:
        notes[SPELLED] = key
    taken = {_MODE, key} if choice.names else {_MODE}  # a list without effect is kept
    left = {name: value for name, value in config.items() if name not in taken}
    choice.extras = extras_of(ID, left, notes)
    return choice


def write_choice(choice: ToolChoice) -> JsonObject:
    """Return the config, which can express every choice."""
    notes = noted(choice.extras, ID)
    config: JsonObject = dict(leftovers(choice.extras, ID))
    word = notes.get(_MODE, "")
    same = _meaning(word, choice.names)
    is_kept = same is not None and (same.mode, same.is_required) == (
        choice.mode,
        choice.is_required,
    )
    config[_MODE] = word if is_kept else _word(choice)
    if choice.names and choice.mode in {"tool", "subset"}:
        config[notes.get(SPELLED, NAMES)] = list(choice.names)
    return config


def _meaning(word: str, names: list[str]) -> ToolChoice | None:
    mode = word.upper()
    if mode == "NONE":
        return ToolChoice("none")
    if mode == "ANY":
        if not names:
            return ToolChoice("required")
        if len(names) == 1:
            return ToolChoice("tool", list(names))
        return ToolChoice("subset", list(names), is_required=True)
    if mode in {"AUTO", "VALIDATED", "MODE_UNSPECIFIED"}:
        return ToolChoice("subset", list(names)) if names else ToolChoice("auto")
    return None


def _word(choice: ToolChoice) -> str:
    if choice.mode == "subset":
        if not choice.names:
            return "NONE"  # without names every tool would be allowed
        return "ANY" if choice.is_required else "VALIDATED"
    return {"auto": "AUTO", "none": "NONE"}.get(choice.mode, "ANY")


def _are_names(names: object) -> bool:
    return isinstance(names, list) and all(isinstance(name, str) for name in names)


def read_request(body: JsonObject) -> Conversation:
    """Read a request body, or the arguments of the SDK's call, with keys in either case style."""
    contents = body.get("contents")
    if contents is None or NOTES in body:
        raise NotAConversation("/contents", "a request needs a list of contents")
    left = {key: value for key, value in body.items() if key != "contents"}
    notes: JsonObject = {}
    config = left.get(_SDK)
    if isinstance(config, dict) and left.keys().isdisjoint(config) and NOTES not in config:
        del left[_SDK]
        notes[_SDK] = list(left)
        left |= config
    spelled: JsonObject = {}
    model = left.get(_MODEL)
    if isinstance(model, str):
        del left[_MODEL]
        notes[_MODEL] = True
    else:
        model = None
    if not isinstance(contents, list):  # the service accepts one as a list of one
        notes[_ONE] = True
        contents = [contents]
    found = Conversation(
        read_contents(contents, model, "/contents"), model=model, format=ID, tools=left.get("tools")
    )
    if found.tools is not None:
        del left["tools"]
    key = pick(left, SYSTEM)
    if key is not None:
        found.system = read_content(left.pop(key), model, f"/{key}", "system")
        _spell(spelled, SYSTEM, key)
    _read_config(found, left, notes, spelled)
    if spelled:
        notes[SPELLED] = spelled
    found.extras = extras_of(ID, left, notes)
    return found


def _read_config(
    found: Conversation, left: JsonObject, notes: JsonObject, spelled: JsonObject
) -> None:
    key = pick(left, CONFIG)
    config = left.get(key or "")
    inner = pick(config, CALLING) if isinstance(config, dict) else None
    if key is None or config is None or inner is None or not isinstance(config[inner], dict):
        return
    found.tool_choice = read_choice(config[inner])
    if found.tool_choice is None:
        return
    del left[key]
    _spell(spelled, CONFIG, key)
    _spell(spelled, CALLING, inner)
    beside = {name: value for name, value in config.items() if name != inner}
    if beside:
        notes[_BESIDE] = beside


def _spell(spelled: JsonObject, key: str, found: str) -> None:
    if found != key:
        spelled[key] = found


def write_request(conversation: Conversation, told: WriteLog) -> JsonObject:
    """Return a request body. Tools are used as they are."""
    notes = noted(conversation.extras, ID)
    spelled = notes.get(SPELLED, {})
    body: JsonObject = dict(leftovers(conversation.extras, ID))
    report_settings(conversation, ID, told)
    leading = _leading(conversation.messages)
    system = _write_system(conversation.system, conversation.messages[:leading], told)
    if system is not None:
        body[spelled.get(SYSTEM, SYSTEM)] = system
    contents = _write_rest(conversation.messages, leading, told)
    body["contents"] = contents[0] if _ONE in notes and len(contents) == 1 else contents
    if conversation.tools is not None:
        body["tools"] = conversation.tools
    _write_config(conversation, body, notes, spelled)
    if conversation.parallel_calls is False:
        told.lose("L317", ("parallel_calls",), before=False)
    if _MODEL in notes and conversation.model is not None:
        body[_MODEL] = conversation.model  # other requests have it in the URL
    if _SDK in notes:
        beside = {"contents", _MODEL, *notes[_SDK]}
        config = {key: body.pop(key) for key in list(body) if key not in beside}
        body[_SDK] = config
    return body


def _write_config(
    conversation: Conversation, body: JsonObject, notes: JsonObject, spelled: JsonObject
) -> None:
    key = pick(body, CONFIG) or spelled.get(CONFIG, CONFIG)
    left = body.get(key)
    config = {**(left if isinstance(left, dict) else {}), **notes.get(_BESIDE, {})}
    if conversation.tool_choice is not None:
        config[spelled.get(CALLING, CALLING)] = write_choice(conversation.tool_choice)
        body[key] = config
    elif config:
        body[key] = config


def _leading(messages: list[Message]) -> int:
    """Return how many messages of another provider are system messages at the beginning."""
    count = 0
    for message in messages:
        own = message.extras is not None and ID in message.extras
        if own or message.role not in {"system", "developer"}:
            break
        count += 1
    return count


def _write_system(system: Message | None, leading: list[Message], told: WriteLog) -> Json:
    if system is not None and system.extras is not None and ID in system.extras and not leading:
        return write_content(system, told, ("system",))
    parts = []
    if system is not None:
        parts += _system_parts(system, told, ("system",))
    for index, message in enumerate(leading):
        if message.role == "developer":
            told.lose("L310", ("messages", index), "developer", "system")
        parts += _system_parts(message, told, ("messages", index))
    return {"parts": parts} if parts else None


def _system_parts(message: Message, told: WriteLog, at: tuple[str | int, ...]) -> list[JsonObject]:
    if has_foreign(message.extras, ID):
        told.lose("L308", at, foreign_keys(message.extras, ID))
    if message.name is not None:
        told.lose("L314", at, message.name)
    written = (
        write_part(part, told, (*at, "parts", index)) for index, part in enumerate(message.parts)
    )
    return [part for part in written if part and part != {"text": ""}]


def _write_rest(messages: list[Message], leading: int, told: WriteLog) -> list[Json]:
    """Write the contents behind the system prompt, with places counted from the beginning."""
    if not leading:
        return write_contents(messages, told)
    within = WriteLog()
    contents = write_contents(messages[leading:], within)
    for loss in within.losses:
        at = (loss.at[0], int(loss.at[1]) + leading, *loss.at[2:])
        told.lose(loss.code, at, loss.before, loss.after)
    return contents


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


def write_answer(answer: Answer, told: WriteLog) -> JsonObject:
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


def _write_candidate(candidate: Candidate, told: WriteLog, at: At, *, own: bool) -> JsonObject:
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


def _write_stop(stop: Stop, told: WriteLog, at: At, *, own: bool) -> str:
    word = stop.word
    if word is not None and (own or word in _REASONS):
        reason = _REASONS.get(word, "unknown")
        if reason == stop.reason or (reason, stop.reason) == ("end", "tool_call"):
            return word
    if stop.reason in {"stop_text", "unknown"}:
        told.lose("L321", at, word or stop.reason, _WORDS[stop.reason])
    return _WORDS[stop.reason]
