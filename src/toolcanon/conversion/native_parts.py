"""Parts that only one provider has: tools that they declare, and their words as text for others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from toolcanon.conversion.conversations import codecs
from toolcanon.conversion.repairs.tale import (
    Tale,
    each_part,
    same_items,
    with_content,
    with_messages,
    with_parts,
)
from toolcanon.conversion.repairs.terms import rules_of
from toolcanon.formats.wire.codec import Content
from toolcanon.formats.wire.natives import is_unread_call
from toolcanon.formats.wire.spoken import Rename
from toolcanon.ir.conversation import Call, Conversation, Message, Native, Part, Result, Text
from toolcanon.jsonio.types import Json


def lifted(history: Conversation, target: str, tale: Tale) -> tuple[Conversation, list[Json]]:
    """The history without the items of other formats that declare tools, and those tools."""
    found: list[Json] = []

    def kept(part: Part) -> Part | None:
        tools = _declared(part, target)
        if not tools:
            return part
        tale.tell("R142", part, after=len(tools))
        found.extend(tools)
        return None

    return with_messages(history, each_part(history.messages, kept, tale)), found


def loaded(history: Conversation, target: str) -> dict[str, Call]:
    """The tools that items of the target's own declare, by id, each as a call names it."""
    found: dict[str, Call] = {}
    items = rules_of(target).tool_items
    for message in history.messages if items else ():
        for part in message.parts:
            if part.__class__ is Native and part.format == target and part.kind in items:
                found |= _named(part.value, None)
    return found


def _named(value: Json, space: str | None) -> dict[str, Call]:
    found: dict[str, Call] = {}
    tools = value.get("tools") if isinstance(value, dict) else None
    for tool in tools if isinstance(tools, list) else ():
        name = tool.get("name") if isinstance(tool, dict) else None
        if not isinstance(name, str):
            continue
        if isinstance(tool.get("tools"), list):
            found |= _named(tool, name)
        else:
            found[f"{space}:{name}" if space else name] = Call(name, namespace=space)
    return found


def renamed(part: Native, rename: Callable[[str], str], tale: Tale | None) -> Native:
    """An item with the tools that it declares under the names that calls have."""
    if part.kind not in rules_of(part.format).tool_items:
        return part
    value = _renamed(part, part.value, None, rename, tale)
    return part if value is part.value else replace(part, value=value)


def _renamed(
    part: Native, value: Json, space: str | None, rename: Callable[[str], str], tale: Tale | None
) -> Json:
    tools = value.get("tools") if isinstance(value, dict) else None
    if not isinstance(tools, list):
        return value
    made: list[Json] = []
    for tool in tools:
        name = tool.get("name") if isinstance(tool, dict) else None
        if not isinstance(name, str):
            made.append(tool)
        elif isinstance(tool.get("tools"), list):
            made.append(_renamed(part, tool, name, rename, tale))
        else:
            before = f"{space}:{name}" if space else name
            after = rename(before)
            if after != name and tale is not None:
                tale.tell("R120", part, "value", before=before, after=after)
            made.append(tool if after == name else {**tool, "name": after})
    return value if same_items(made, tools) else {**value, "tools": made}


def _declared(part: Part, target: str) -> list[Json]:
    if not isinstance(part, Native) or part.format == target or not isinstance(part.value, dict):
        return []
    tools = part.value.get("tools") if part.kind in rules_of(part.format).tool_items else None
    return tools if isinstance(tools, list) else []


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
    return with_content(part, content, tale)


def _words(part: Native, target: str, rename: Rename) -> str | None:
    codec = None if part.format == target else codecs().get(part.format)
    if codec is None or codec.say is None:
        return None
    if is_unread_call(part, part.format, rules_of(part.format).call_natives):
        return None  # nobody ran it
    return codec.say(part, rename)
