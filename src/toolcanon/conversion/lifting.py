"""Tools that a history declares in its midst, for targets that declare them with the request."""

from __future__ import annotations

from dataclasses import replace

from toolcanon.conversion.repairs import Tale
from toolcanon.conversion.repairs.tale import with_parts
from toolcanon.conversion.repairs.terms import rules_of
from toolcanon.ir.conversation import Conversation, Message, Native, Part
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
    return (replace(history, messages=out), found) if found else (history, found)


def _declared(part: Part, target: str) -> list[Json]:
    if not isinstance(part, Native) or part.format == target or not isinstance(part.value, dict):
        return []
    tools = part.value.get("tools") if part.kind in rules_of(part.format).tool_items else None
    return tools if isinstance(tools, list) else []
