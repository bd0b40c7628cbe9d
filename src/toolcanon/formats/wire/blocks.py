"""Messages of content blocks: how they are read, and the notes on how they were spelled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from toolcanon.errors import NotAConversation
from toolcanon.formats.wire.codec import extras_of, rest
from toolcanon.ir.conversation import Message, Part, Text
from toolcanon.jsonio.types import Json, JsonObject

ROLES: Final = frozenset({"user", "assistant", "system"})

# Notes: how content was spelled (a missing one is noted as None), a role that is none of theirs, an
# input that is no object.
CONTENT: Final = "content"
STRING: Final = "text"
BLOCKS: Final = "blocks"
ROLE: Final = "role"
INPUT: Final = "input"

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
    format_id: str, read_parts: Callable[[list[Json], str | None], list[Part]]
) -> Callable[[JsonObject, str | None], Message]:
    """How one message is read. An entry of the format in ``extras`` tells that it was read here."""

    def read_message(message: JsonObject, model: str | None) -> Message:
        role: Any = message.get("role")
        content = message.get("content")
        is_usual = role.__class__ is str and role in ROLES and len(message) == 2  # noqa: PLR2004
        if is_usual and content.__class__ is list:
            return Message(role, read_parts(content, model), None, {format_id: {}})
        notes: JsonObject = {}
        if not isinstance(role, str) or role not in ROLES:
            notes[ROLE] = [role] if "role" in message else []
            role = "user"
        known = _MESSAGE
        parts: list[Part] = []
        if isinstance(content, list):
            parts = read_parts(content, model)
        elif isinstance(content, str):  # some refuse it, but people write it everywhere
            parts = [Text(content)]
            notes[CONTENT] = STRING
        elif "content" in message:
            known -= {"content"}
        else:
            notes[CONTENT] = None
        extras = extras_of(format_id, rest(message, known), notes) or {format_id: {}}
        return Message(role, parts, None, extras)

    return read_message


def is_blank(text: Json) -> bool:
    """Whether a text says nothing."""
    return text.__class__ is str and (not text or text.isspace())
