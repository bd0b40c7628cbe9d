"""Tools that a history declares in its midst, for targets that declare them with the request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from toolcanon.conversion.repairs import Tale
from toolcanon.conversion.repairs.tale import with_parts
from toolcanon.conversion.repairs.terms import rules_of
from toolcanon.ir.conversation import Call, Conversation, Message, Native, Part
from toolcanon.jsonio.types import Json


def lifted(history: Conversation, target: str, tale: Tale) -> tuple[Conversation, list[Json]]:
    """The history without the items of other formats that declare tools, and those tools."""
    found: list[Json] = []
    out: list[Message] = []
    for message in history.messages:
        kept: list[Part] = []
        for part in message.parts:
            tools = _declared(part, target)
            if tools:
                tale.tell("R142", part, after=len(tools))
                found += tools
            else:
                kept.append(part)
        if len(kept) == len(message.parts):
            out.append(message)
        elif kept:
            out.append(with_parts(message, kept, tale))
    return (history.copy_with(messages=out), found) if found else (history, found)


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
    is_same = all(one is two for one, two in zip(made, tools, strict=True))
    return value if is_same else {**value, "tools": made}


def _declared(part: Part, target: str) -> list[Json]:
    if not isinstance(part, Native) or part.format == target or not isinstance(part.value, dict):
        return []
    tools = part.value.get("tools") if part.kind in rules_of(part.format).tool_items else None
    return tools if isinstance(tools, list) else []
