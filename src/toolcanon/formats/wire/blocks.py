"""Messages of content blocks: how they are read, and the notes on how they were spelled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from toolcanon.errors import NotAConversation
from toolcanon.formats.wire.codec import extras_of, rest
from toolcanon.formats.wire.odd import ABSENT, meant_role, note_odd, text_of
from toolcanon.ir.conversation import Message, Part, Text
from toolcanon.jsonio.types import Json, JsonObject

ROLES: Final = frozenset({"user", "assistant", "system"})

# Notes: how content was spelled (a missing one is noted as None), an input that is no object.
CONTENT: Final = "content"
STRING: Final = "text"
BLOCKS: Final = "blocks"
ROLE: Final = "role"
INPUT: Final = "input"
UNANSWERABLE: Final = "unanswerable"
"""A call without the id that its result has to name."""

SILENT_FAILURE: Final = "The tool failed without a message."
"""An error must say something (bytedance/trae-agent#231, 2025-07)."""

_MESSAGE: Final = frozenset({"role", "content"})


def read_list(
    messages: Json,
    read_message: Callable[[JsonObject, str | None], Message],
    model: str | None,
    at: str,
) -> list[Message]:
    """``at`` is where the list stands, for errors."""
    if not isinstance(messages, list):
        raise NotAConversation(at, "messages must be a list")
    read = []
    for index, message in enumerate(messages):
        if not isinstance(message, dict):
            raise NotAConversation(f"{at}/{index}", "a message must be an object")
        read.append(read_message(message, model))
    return read


def message_reader(
    format_id: str,
    read_parts: Callable[[list[Json], str | None], list[Part]],
    is_block: Callable[[JsonObject], bool],
    *,
    takes_text: bool,
    is_typed: bool,
) -> Callable[[JsonObject, str | None], Message]:
    """How one message is read. An entry of the format in ``extras`` tells that it was read here.

    ``is_block`` tells a block that stands for a list of one from any other value; ``takes_text`` is
    whether a bare text may stand for the list, ``is_typed`` whether every block tells its type.
    Values go as texts of their JSON.
    """
    is_listable = is_block if is_typed else _is_object

    def read_odd(content: Json, model: str | None, notes: JsonObject) -> list[Part]:
        parts: list[Part] = []
        written: list[JsonObject] = []
        for item in content if isinstance(content, list) else [content]:
            if isinstance(item, dict) and is_block(item):
                parts += read_parts([item], model)
                written.append(item)
            else:
                parts.append(text_of(item))
                text: JsonObject = {"text": text_of(item).text}
                written.append({"type": "text", **text} if is_typed else text)
        note_odd(notes, CONTENT, content, written)
        return parts

    def read_message(message: JsonObject, model: str | None) -> Message:
        role: Any = message.get("role")
        content = message.get("content")
        is_listed = content.__class__ is list and all(map(is_listable, content))
        is_usual = role.__class__ is str and role in ROLES and len(message) == 2  # noqa: PLR2004
        if is_usual and is_listed:
            return Message(role, read_parts(content, model), None, {format_id: {}})  # type: ignore[arg-type]
        notes: JsonObject = {}
        if not isinstance(role, str) or role not in ROLES:
            meant = meant_role(role, ROLES) or "user"
            note_odd(notes, ROLE, message.get("role", ABSENT), meant)
            role = meant
        if is_listed:
            parts = read_parts(content, model)  # type: ignore[arg-type]
        elif isinstance(content, str) and takes_text:
            parts = [Text(content)]
            notes[CONTENT] = STRING
        elif content is None:
            parts = []
            note_odd(notes, CONTENT, message.get("content", ABSENT), [])
        else:
            parts = read_odd(content, model, notes)
        extras = extras_of(format_id, rest(message, _MESSAGE), notes) or {format_id: {}}
        return Message(role, parts, None, extras)

    return read_message


def _is_object(block: Json) -> bool:
    return block.__class__ is dict


def is_blank(text: Json) -> bool:
    """Whether a text says nothing."""
    return text.__class__ is str and (not text or text.isspace())
