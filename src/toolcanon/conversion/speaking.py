"""What only another provider has, as words for the target, as far as it has any."""

from __future__ import annotations

from dataclasses import replace

from toolcanon.conversion.conversations import codecs
from toolcanon.conversion.repairs.tale import Tale, with_parts
from toolcanon.conversion.repairs.terms import rules_of
from toolcanon.formats.wire.codec import Content
from toolcanon.formats.wire.natives import is_unread_call
from toolcanon.formats.wire.spoken import Rename
from toolcanon.ir.conversation import Conversation, Message, Native, Part, Result, Text


def spoken(history: Conversation, target: str, rename: Rename, tale: Tale) -> Conversation:
    """The history with the words of server tools, connectors and loaded tools as text."""
    messages = list(history.messages)
    for index in foreign_parts(messages, target):
        message = messages[index]
        parts = [_spoken(part, target, rename, tale) for part in message.parts]
        messages[index] = with_parts(message, parts, tale)
    return history.copy_with(messages=messages)


def foreign_parts(messages: list[Message], target: str) -> list[int]:
    """The numbers of the messages with parts that only other providers have: hardly any."""
    found: list[int] = []
    for index, message in enumerate(messages):
        for part in message.parts:
            if part.__class__ is Native:
                is_held = part.format != target
            elif part.__class__ is Result:
                is_held = False
                for held in part.content:
                    if held.__class__ is Native and held.format != target:
                        is_held = True
            else:
                continue
            if is_held:
                found.append(index)
                break
    return found


def _spoken(part: Part, target: str, rename: Rename, tale: Tale) -> Part:
    if part.__class__ is Native:
        words = _words(part, target, rename)
        if words is None:
            return part
        tale.lose("L333", part, before=part.value, after=words)
        return tale.instead(Text(words), part)
    if part.__class__ is not Result:
        return part
    content: list[Content] = list(part.content)
    for number, held in enumerate(part.content):
        words = _words(held, target, rename) if isinstance(held, Native) else None
        if words is not None and isinstance(held, Native):
            tale.lose("L333", part, "content", str(number), before=held.value, after=words)
            content[number] = Text(words)
    if all(one is two for one, two in zip(content, part.content, strict=True)):
        return part
    return tale.instead(replace(part, content=content), part)


def _words(part: Native, target: str, rename: Rename) -> str | None:
    codec = None if part.format == target else codecs().get(part.format)
    if codec is None or codec.say is None:
        return None
    if is_unread_call(part, part.format, rules_of(part.format).call_natives):
        return None  # nobody ran it
    return codec.say(part, rename)
