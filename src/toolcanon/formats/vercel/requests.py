"""Whole bodies: the options of ``generateText``, and the request of a chat page."""

from __future__ import annotations

from typing import Final

from toolcanon.formats.vercel.lists import read_list, write_list
from toolcanon.formats.vercel.spelling import CONTENT, ID, Layout, layout_of, left_of
from toolcanon.formats.vercel.writing import write_words
from toolcanon.formats.wire.choices import can_choose
from toolcanon.formats.wire.codec import Told, extras_of, noted, rest, take_text
from toolcanon.formats.wire.settings import restore_settings
from toolcanon.ir.conversation import Conversation, Message, Text, ToolChoice
from toolcanon.jsonio.types import Json, JsonObject

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


def write_request(conversation: Conversation, told: Told, layout: Layout | None) -> JsonObject:
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


def _write_system(conversation: Conversation, told: Told) -> tuple[str, Json]:
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


def _write_choice(out: JsonObject, conversation: Conversation, told: Told) -> None:
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
