"""Halves of characters, spelled out wherever a conversation has text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any, Final

from toolcanon.conversion.repairs.survey import Survey
from toolcanon.conversion.repairs.tale import Tale, Thing, with_parts
from toolcanon.conversion.repairs.unsendable import whole
from toolcanon.formats.wire.codec import NOT_WHOLE
from toolcanon.ir.conversation import Call, Conversation, Message, Part, Result
from toolcanon.jsonio.types import Json

_OTHERS: Final = frozenset({"id", "call_id", "parts", "content"})
"""Ids are mended so that they can be turned back; the rest is looked through by itself."""


def mend_characters(conversation: Conversation, survey: Survey, tale: Tale) -> Conversation:
    """Every text is one that can be sent."""
    if not survey.halves:
        return conversation
    messages = [_message(message, tale) for message in conversation.messages]
    system = None if conversation.system is None else _message(conversation.system, tale)
    return conversation.copy_with(messages=messages, system=system)


def _message(message: Message, tale: Tale) -> Message:
    message = with_parts(message, [_part(part, tale) for part in message.parts], tale)
    changes = dict(_changes(message, tale, message))
    return tale.instead(replace(message, **changes), message) if changes else message


def _part(part: Part, tale: Tale) -> Part:
    changes: dict[str, Any] = dict(_changes(part, tale, part))
    if isinstance(part, Result):
        content = list(part.content)
        for number, item in enumerate(content):
            if found := dict(_changes(item, tale, part, "content", number)):
                content[number] = replace(item, **found)
                changes["content"] = content
    return tale.instead(replace(part, **changes), part) if changes else part


def _changes(thing: Thing, tale: Tale, at: Thing, *within: str | int) -> Iterator[tuple[str, Json]]:
    """The fields that have to change, each told."""
    for field in fields(thing):
        if field.name in _OTHERS or (field.name == "arguments" and _is_unread(thing)):
            continue
        value = getattr(thing, field.name)
        made = whole(value)
        if made is not value:
            tale.tell("R128", at, *within, field.name, before=value, after=made)
            yield field.name, made


def _is_unread(thing: Thing) -> bool:
    """Whether the text of a call will stand for its arguments."""
    return isinstance(thing, Call) and thing.text is not None and thing.problem == NOT_WHOLE
