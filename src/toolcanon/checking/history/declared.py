"""Checks of what a request declares: tools, choices, settings, names and ids."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, NamedTuple

from toolcanon.checking.history.history import Breach, Check, CheckedHistory
from toolcanon.dialect.history import Case
from toolcanon.ir.conversation import Call, Reasoning, Result, ToolChoice
from toolcanon.jsonio.types import Json

_SHOWN = 80


def ids_twice(history: CheckedHistory) -> Iterator[Breach]:
    """Report ids of more than one call, anywhere in the history."""
    seen: dict[str, int] = {}
    for placed, call in history.calls:
        if call.id is None:
            continue
        if call.id in seen:
            case: Case = "same-message" if seen[call.id] == placed.message else "apart"
            says = f"two calls have the id {call.id[:_SHOWN]!r}"
            yield Breach((*placed.at, "id"), call.id, says, case)
        seen[call.id] = placed.message


def ids_illegal(history: CheckedHistory) -> Iterator[Breach]:
    policy, usual = history.rules.ids, history.rules.usual_ids
    if policy is None:
        return
    for placed, call in history.calls:
        if call.id is None:
            if not history.noted(call.extras).get(history.rules.idless_note):
                yield Breach(placed.at, call.name, "the call has no id", "no-id")
        elif not policy.allows(call.id) or (usual is not None and not usual.allows(call.id)):
            says = f"the id {call.id[:_SHOWN]!r} is not {(usual or policy).words()}"
            case: Case = "unusual" if policy.allows(call.id) else "" if call.id else "empty-id"
            yield Breach((*placed.at, "id"), call.id, says, case)


def items_illegal(history: CheckedHistory) -> Iterator[Breach]:
    """Report ids of items, where those are not the ids of calls."""
    for at, kind, item in items(history):
        prefix = history.rules.item_prefixes.get(kind, "")
        if not item.startswith(prefix):
            says = f"the id {item[:_SHOWN]!r} does not begin with {prefix!r}"
            yield Breach(at, item, says, kind)


def items(history: CheckedHistory) -> Iterator[tuple[tuple[str | int, ...], Case, str]]:
    """Yield every assistant item with an id: its place, its kind, its id."""
    target = history.target
    for number, message in enumerate(history.messages):
        item = history.own(message.extras).get("id")
        if message.role == "assistant" and isinstance(item, str):
            yield ("messages", number, "extras", target, "id"), "message", item
        for index, part in enumerate(message.parts):
            at = ("messages", number, "parts", index)
            if isinstance(part, Reasoning) and part.id is not None:
                yield (*at, "id"), "thought", part.id
            elif isinstance(part, Call):
                item = history.own(part.extras).get("id")
                if isinstance(item, str):
                    kind: Case = "text-call" if part.is_text else "call"
                    yield (*at, "extras", target, "id"), kind, item


def names_illegal(history: CheckedHistory) -> Iterator[Breach]:
    policy, usual = history.rules.names, history.rules.usual_names
    if policy is None:
        return
    for placed, call in history.calls:
        if policy.allows(call.name) and (usual is None or usual.allows(call.name)):
            continue
        says = f"the name {call.name[:_SHOWN]!r} is not {(usual or policy).words()}"
        case: Case = "unusual" if policy.allows(call.name) else ""
        yield Breach((*placed.at, "name"), call.name, says, case)


LABELS: dict[str, Check] = {
    "call-id-twice": ids_twice,
    "call-id-illegal": ids_illegal,
    "item-id-illegal": items_illegal,
    "call-name-illegal": names_illegal,
}


class _Declared(NamedTuple):
    at: tuple[str | int, ...]
    name: str
    scope: str = ""
    """A tool of a namespace can be called by either of two names."""


def _declared(history: CheckedHistory) -> list[_Declared]:
    """Return the tools that a request declares, wherever the provider's format puts them."""
    tools = history.conversation.tools
    found = list[_Declared]()
    for index, tool in enumerate(tools if isinstance(tools, list) else []):
        if isinstance(tool, dict):
            found += _names(tool, ("tools", index))
    return found


def _names(tool: dict[str, Json], at: tuple[str | int, ...]) -> Iterator[_Declared]:
    """Yield the name of a tool, or those of the tools in a namespace."""
    own, held = tool.get("name"), tool.get("tools")
    if isinstance(held, list):
        yield from _named(held, (*at, "tools"), own if isinstance(own, str) else "")
    elif "name" in tool:
        yield from _named(tool, at)
    else:
        for key, inner in tool.items():
            yield from _named(inner, (*at, key))


def _named(value: Json, at: tuple[str | int, ...], scope: str = "") -> Iterator[_Declared]:
    if isinstance(value, dict) and isinstance(value.get("name"), str):
        yield _Declared((*at, "name"), value["name"], scope)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            if isinstance(inner, dict):
                yield from _named(inner, (*at, index), scope)


def tools_twice(history: CheckedHistory) -> Iterator[Breach]:
    seen: set[tuple[str, str]] = set()
    for tool in _declared(history):
        if (tool.scope, tool.name) in seen:
            yield Breach(tool.at, tool.name, f"two tools have the name {tool.name!r}")
        seen.add((tool.scope, tool.name))


def _has_tools(history: CheckedHistory) -> bool:
    named = any(history.settings.get(key) for key in history.rules.tool_settings)
    return bool(history.conversation.tools) or named


def tools_missing(history: CheckedHistory) -> Iterator[Breach]:
    if not history.is_request or _has_tools(history):
        return
    for number, message in enumerate(history.messages):
        for index, part in enumerate(message.parts):
            if isinstance(part, Call | Result):
                yield Breach(("messages", number, "parts", index))
                return


def choice_without_tools(history: CheckedHistory) -> Iterator[Breach]:
    choice = history.conversation.tool_choice
    if choice is None or _has_tools(history) or history.has_native(history.rules.tool_items):
        return
    case: Case = "none" if choice.mode == "none" else "forced" if _forces(choice) else "auto"
    yield Breach(("tool_choice",), choice.mode, case=case)


def _forces(choice: ToolChoice) -> bool:
    return choice.mode in {"required", "tool"} or choice.is_required


def choice_unknown(history: CheckedHistory) -> Iterator[Breach]:
    """Report a chosen tool that is not declared, except in namespaces or within a history."""
    choice, declared = history.conversation.tool_choice, _declared(history)
    if choice is None or not declared or any(tool.scope for tool in declared):
        return
    if history.has_native(history.rules.tool_items):
        return
    known = {tool.name for tool in declared}
    for index, name in enumerate(choice.names):
        if name not in known:
            yield Breach(("tool_choice", "names", index), name, f"{name!r} is not declared")


def forced(history: CheckedHistory) -> Iterator[Breach]:
    choice, thinking = history.conversation.tool_choice, thinking_of(history)
    if choice is not None and thinking is not None and _forces(choice):
        yield Breach(("tool_choice",), case=thinking)


def thinking_of(history: CheckedHistory) -> Case | None:
    """Return how thinking is turned on; None if it is off."""
    rules = history.rules
    value: Json = history.settings if rules.thinking else None
    for step in rules.thinking:
        value = value.get(step) if isinstance(value, dict) else None
    if not isinstance(value, str) or value == rules.thinking_off:
        return None
    return "" if value == rules.thinking_always else "may-think"


class _PlacePath(NamedTuple):
    """A path as a linked list: most are never converted to steps."""

    before: _PlacePath | None
    step: str | int

    def steps(self) -> tuple[str | int, ...]:
        way: _PlacePath | None = self
        found = []
        while way is not None:
            found.append(way.step)
            way = way.before
        return tuple(reversed(found))


def not_finite(history: CheckedHistory) -> Iterator[Breach]:
    """Report infinite numbers and NaN, which JSON cannot express."""
    waiting: list[tuple[_PlacePath | None, Any]] = [(None, history.conversation)]
    while waiting:
        way, value = waiting.pop()
        for step, inner in _members(value):
            if isinstance(inner, float):
                if not math.isfinite(inner):
                    yield Breach(_PlacePath(way, step).steps(), repr(inner))
            elif inner is not None and not isinstance(inner, str | int):
                waiting.append((_PlacePath(way, step), inner))


def _members(value: Any) -> Iterator[tuple[str | int, Any]]:
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value)
    elif is_dataclass(value):
        for name in _fields(value.__class__):
            # Arguments that are text are sent as text, whatever it contains.
            if name != "arguments" or not isinstance(value, Call) or value.text is None:
                yield name, getattr(value, name)


@cache
def _fields(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


REQUEST: dict[str, Check] = {
    "tool-name-twice": tools_twice,
    "tools-missing": tools_missing,
    "choice-without-tools": choice_without_tools,
    "choice-unknown": choice_unknown,
    "forced-while-thinking": forced,
    "number-not-finite": not_finite,
}
