"""Request bodies: input, instructions, tools as they are, the choice; the rest are settings."""

from __future__ import annotations

from typing import Final

from toolcanon.errors import NotAConversation
from toolcanon.formats.openai_responses.parts import ABSENT, ID, NATIVES
from toolcanon.formats.openai_responses.reading import read_list
from toolcanon.formats.openai_responses.writing import write_items
from toolcanon.formats.wire.choices import Choices, can_choose
from toolcanon.formats.wire.codec import (
    Told,
    extras_of,
    foreign_keys,
    has_foreign,
    in_words,
    noted,
    shown,
    take_flag,
    take_text,
)
from toolcanon.formats.wire.odd import note_odd, put_back_all, text_of
from toolcanon.formats.wire.settings import restore_settings
from toolcanon.ir.conversation import Conversation, Data, Media, Message, Refusal, Text
from toolcanon.jsonio.types import Json, JsonObject

_INPUT: Final = "input"
_TEXT: Final = "text"
_ELSEWHERE: Final = ("instructions", "previous_response_id", "prompt", "conversation")
"""What a request without input continues."""


def _read_name(choice: JsonObject) -> str | None:
    name = choice.get("name") if choice.get("type") in ("function", "custom") else None
    return name if isinstance(name, str) else None


CHOICES: Final = Choices(
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


def write_request(conversation: Conversation, told: Told) -> JsonObject:
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


def _instructions(system: Message, told: Told) -> str:
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
