"""Read messages, each by its role.

Content is a text, a list of parts, null, or absent; which of them is noted where it does not follow
from the parts. An empty text is no part.
"""

from __future__ import annotations

from typing import Final

from toolcanon.dialect import NamePolicy
from toolcanon.errors import NotAConversation
from toolcanon.formats.openai.parts import (
    ABSENT,
    CONTENT,
    EMPTY,
    ID,
    LIST,
    MESSAGE,
    NATIVES,
    NULL,
    SPELLED,
    note_misplaced,
    read_call,
    read_legacy,
    read_odd_result,
    read_odd_words,
    read_part,
    write_refusal,
)
from toolcanon.formats.wire.codec import extras_of, leftovers, noted, take_text
from toolcanon.formats.wire.odd_members import ABSENT as MISSING
from toolcanon.formats.wire.odd_members import json_text, meant_role, note_odd, take_id, text_of
from toolcanon.formats.wire.results import unwrap_error
from toolcanon.ir.conversation import (
    Data,
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

APART: Final = "apart"
"""An assistant's message that was separate from the one before."""
NAMED: Final = "named"
FUNCTION: Final = "function"
"""The role of results before calls had ids."""
REASONING: Final = ("reasoning_content", "reasoning")
NAMES: Final = NamePolicy("a-zA-Z0-9_-", 64)
"""Names of speakers: github.com/FlowiseAI/Flowise/issues/2948, 2024-08."""
_PLAIN: Final = frozenset({"user", "system", "developer"})
_ROLES: Final = _PLAIN | {"assistant", "tool", FUNCTION}
OTHER_NAME: Final = "tool_name"
"""The key of the tool's name on servers without ids."""


def read_messages(messages: list[Json], model: str | None = None) -> list[Message]:
    """Read every message; ``model`` wrote those of the assistant."""
    return read_list(messages, model, "")


def read_list(messages: Json, model: str | None, base: str) -> list[Message]:
    """Read a list of messages at some place of a larger document."""
    if not isinstance(messages, list):
        raise NotAConversation(base, "messages must be a list")
    out: list[Message] = []
    before: Json = None
    for at, message in enumerate(messages):
        if not isinstance(message, dict):
            raise NotAConversation(f"{base}/{at}", "a message must be an object")
        role = message.get("role")
        if role == "assistant":
            out.append(read_assistant(message, model, apart=before == role))
        elif role == "tool" or role == FUNCTION:  # noqa: PLR1714 - a role may be unhashable
            out.append(_read_tool(message))
        elif isinstance(role, str) and role in _PLAIN:
            content = message.get("content")
            if len(message) == 2 and content and isinstance(content, str):  # noqa: PLR2004
                out.append(Message(role, [Text(content)]))  # type: ignore[arg-type]
            else:
                out.append(_read_plain(message, role))
        else:
            role = meant_role(role, _ROLES)
            out.append(_read_odd_role(message, role, model, apart=before == role == "assistant"))
        before = role
    return out


def _read_odd_role(
    message: JsonObject, role: str | None, model: str | None, *, apart: bool
) -> Message:
    """Read a message whose role has other capitals; an unknown role keeps it whole."""
    if role is None:
        return Message("user", [NATIVES.make(MESSAGE, message)])
    meant = {**message, "role": role}
    if role == "assistant":
        made = read_assistant(meant, model, apart=apart)
    else:
        made = _read_tool(meant) if role in {"tool", FUNCTION} else _read_plain(meant, role)
    held: Message | Result = made.results[0] if made.results else made
    notes = dict(noted(held.extras, ID))
    note_odd(notes, "role", message["role"], role)
    held.extras = extras_of(ID, leftovers(held.extras, ID), notes)
    return made


def _read_plain(message: JsonObject, role: str) -> Message:
    left, notes = dict(message), dict[str, Json]()
    del left["role"]
    parts = _read_content(left, notes, EMPTY)
    if notes.get(SPELLED) in {NULL, ABSENT} or (not parts and notes.get(SPELLED) == LIST):
        note_nothing(notes)
    if role != "user":
        _note_media(parts)
    name = _take_name(left, notes)
    return Message(role, parts, name, extras_of(ID, left, notes))  # type: ignore[arg-type]


def _note_media(parts: list[Part]) -> None:
    for part in parts:
        if isinstance(part, Media):
            note_misplaced(part)


def _take_name(left: JsonObject, notes: JsonObject) -> str | None:
    """Return the name of the speaker; an illegal one is noted with a legal one."""
    if left.get("name") is None:
        return None
    name = left.pop("name")
    if name == "":
        note_odd(notes, "name", name)
        return ""
    text = text_of(name).text
    legal = text if NAMES.allows(text) else NAMES.clean(text)[: NAMES.max_length]
    if legal != name:
        note_odd(notes, "name", name, legal)
    return text if text == name else legal


def note_nothing(notes: JsonObject, meant: Json = "") -> None:
    """Note content that is null, absent or an empty list where only a text may be empty."""
    spelled = notes.pop(SPELLED)
    note_odd(notes, "content", {NULL: None, LIST: []}.get(spelled, MISSING), meant)


def read_assistant(message: JsonObject, model: str | None, *, apart: bool = False) -> Message:
    """Read reasoning, content, refusal, sound and calls, in this order."""
    said, asked = message.get("content"), message.get("tool_calls")
    if not apart and (said is None or isinstance(said, str)) and "content" in message:
        # The usual shapes, without notes.
        if said and len(message) == 2:  # noqa: PLR2004 - role and content
            return Message("assistant", [Text(said)])
        if said != "" and len(message) == 3 and asked and isinstance(asked, list):  # noqa: PLR2004
            called: list[Part] = [read_call(call) for call in asked]
            return Message("assistant", [Text(said), *called] if said else called)
    left, notes = dict(message), dict[str, Json]()
    del left["role"]
    if apart:
        notes[APART] = True
    more: list[Part] = []
    calls = left.get("tool_calls")
    if calls and not isinstance(calls, list):
        note_odd(notes, "tool_calls", calls, [calls])
        calls = [calls]
    if calls and isinstance(calls, list):
        more += [read_call(call) for call in calls]
        del left["tool_calls"]
    name = None
    thoughts: list[Part] = []
    if len(left) > 1 or "content" not in left:
        thoughts = _read_reasoning(left, model)
        more = [*_read_fields(left), *more]
        name = _take_name(left, notes)
    content = _read_content(left, notes, NULL if more else EMPTY)
    if not content and notes.get(SPELLED) == LIST:
        note_nothing(notes, None if more else "")
    _note_media(content)
    parts = [*thoughts, *content, *more] if more or thoughts else content
    return Message("assistant", parts, name, extras_of(ID, left, notes))


def _read_reasoning(left: JsonObject, model: str | None) -> list[Part]:
    for key in REASONING:
        text = left.get(key)
        if text and isinstance(text, str):
            del left[key]
            extras = None if key == REASONING[0] else extras_of(ID, {}, {"key": key})
            return [Reasoning(text, provider=ID, model=model, extras=extras)]
    return []


def _read_fields(left: JsonObject) -> list[Part]:
    """Read the fields beside content that come before the calls."""
    parts: list[Part] = []
    refusal = left.get("refusal")
    if refusal and isinstance(refusal, str):
        parts.append(Refusal(refusal))
        del left["refusal"]
    sound = left.get("audio")
    if isinstance(sound, dict) and isinstance(sound.get("id"), str):
        inner = dict(left.pop("audio"))
        media = Media("audio", file_id=inner.pop("id"))
        media.data = take_text(inner, "data")
        media.text = take_text(inner, "transcript")
        media.extras = extras_of(ID, inner, {"audio": True})
        parts.append(media)
    call = read_legacy(left.get("function_call"))
    if call is not None:
        del left["function_call"]
        parts.append(call)
    return parts


def _read_content(
    left: JsonObject, notes: JsonObject, usual: str, *, is_result: bool = False
) -> list[Part]:
    """Read content; ``usual`` is the form of empty content that needs no note."""
    content = left.pop("content", MISSING)
    if isinstance(content, str):
        if content:
            return [Text(content)]
        spelled = EMPTY
    elif isinstance(content, list):
        values = _read_odd(content, notes, is_result=is_result)
        if values is not None:
            return values
        parts: list[Part] = [read_part(part) for part in content]
        if not parts or (len(parts) == 1 and parts[0].__class__ is Text):
            notes[SPELLED] = LIST
        return parts
    elif content is None:
        spelled = NULL
    elif content is MISSING:
        spelled = ABSENT
    else:
        return _read_odd(content, notes, is_result=is_result) or []
    if spelled != usual:
        notes[SPELLED] = spelled
    return []


def _read_odd(content: Json, notes: JsonObject, *, is_result: bool) -> list[Part] | None:
    """Read content that is neither a text nor a list of parts; None where it is."""
    if not is_result:
        return read_odd_words(content, notes)
    parts = read_odd_result(content)
    if parts is not None:
        note_odd(notes, "content", content, json_text(content))
    return parts


def _read_tool(message: JsonObject) -> Message:
    content, id_ = message.get("content"), message.get("tool_call_id")
    if (
        len(message) == 3  # noqa: PLR2004 - role, id and content
        and content
        and isinstance(content, str)
        and isinstance(id_, str)
        and message["role"] == "tool"
    ):
        result = Result(id_, [Text(content)])
        if content[0] == "{":
            unwrap_error(result, ID)
        return Message("tool", [result])
    left, notes = dict(message), dict[str, Json]()
    if left.pop("role") == FUNCTION:
        notes["role"] = FUNCTION
        call_id = None
    else:
        call_id = take_id(left, "tool_call_id", notes)
        left.pop("tool_call_id", None)
    parts = [_in_result(part) for part in _read_content(left, notes, EMPTY, is_result=True)]
    if notes.get(SPELLED) in {NULL, ABSENT} or (not parts and notes.get(SPELLED) == LIST):
        note_nothing(notes)
    name = take_text(left, "name")
    if name is not None:
        notes[NAMED] = True
    else:
        name = take_text(left, OTHER_NAME)
        if name is not None:
            note_odd(notes, OTHER_NAME, name)
    result = Result(call_id, parts, name, extras=extras_of(ID, left, notes))
    unwrap_error(result, ID)
    return Message("tool", [result])


def reads_as(result: Result, content: Json) -> bool:
    """Return whether odd content is still the content of a result."""
    parts = [] if content is None else read_odd_result(content) or []
    made = Result(None, [_in_result(part) for part in parts])
    unwrap_error(made, ID)
    return made.content == result.content and made.is_error == result.is_error


def _in_result(part: Part) -> Text | Media | Data | Native:
    if isinstance(part, Media):
        note_misplaced(part)
    elif isinstance(part, Refusal):
        return NATIVES.make(CONTENT, write_refusal(part))
    return part  # type: ignore[return-value]
