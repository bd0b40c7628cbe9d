"""Checks of a request beside its history: tools, tool choice, numbers in settings."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from toolcanon.checking.history.breach import Breach, Check
from toolcanon.dialect.history import Case
from toolcanon.ir.conversation import Call, Result, ToolChoice
from toolcanon.jsonio.types import Json

if TYPE_CHECKING:
    from toolcanon.checking.history.history import History


class _Declared(NamedTuple):
    at: tuple[str | int, ...]
    name: str
    scope: str = ""
    """A tool of a namespace can be called by either of two names."""


def _declared(history: History) -> list[_Declared]:
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


def tools_twice(history: History) -> Iterator[Breach]:
    seen: set[tuple[str, str]] = set()
    for tool in _declared(history):
        if (tool.scope, tool.name) in seen:
            yield Breach(tool.at, tool.name, f"two tools have the name {tool.name!r}")
        seen.add((tool.scope, tool.name))


def _has_tools(history: History) -> bool:
    named = any(history.settings.get(key) for key in history.rules.tool_settings)
    return bool(history.conversation.tools) or named


def tools_missing(history: History) -> Iterator[Breach]:
    if not history.is_request or _has_tools(history):
        return
    for number, message in enumerate(history.messages):
        for index, part in enumerate(message.parts):
            if isinstance(part, Call | Result):
                yield Breach(("messages", number, "parts", index))
                return


def choice_without_tools(history: History) -> Iterator[Breach]:
    choice = history.conversation.tool_choice
    if choice is None or _has_tools(history) or history.has_native(history.rules.tool_items):
        return
    case: Case = "none" if choice.mode == "none" else "forced" if _forces(choice) else "auto"
    yield Breach(("tool_choice",), choice.mode, case=case)


def _forces(choice: ToolChoice) -> bool:
    return choice.mode in {"required", "tool"} or choice.is_required


def choice_unknown(history: History) -> Iterator[Breach]:
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


def forced(history: History) -> Iterator[Breach]:
    choice, thinking = history.conversation.tool_choice, thinking_of(history)
    if choice is not None and thinking is not None and _forces(choice):
        yield Breach(("tool_choice",), case=thinking)


def thinking_of(history: History) -> Case | None:
    """Return how thinking is turned on; None if it is off."""
    rules = history.rules
    value: Json = history.settings if rules.thinking else None
    for step in rules.thinking:
        value = value.get(step) if isinstance(value, dict) else None
    if not isinstance(value, str) or value == rules.thinking_off:
        return None
    return "" if value == rules.thinking_always else "may-think"


class _Way(NamedTuple):
    """A path as a linked list: most are never converted to steps."""

    before: _Way | None
    step: str | int

    def steps(self) -> tuple[str | int, ...]:
        way: _Way | None = self
        found = []
        while way is not None:
            found.append(way.step)
            way = way.before
        return tuple(reversed(found))


def not_finite(history: History) -> Iterator[Breach]:
    """Report infinite numbers and NaN, which JSON cannot express."""
    waiting: list[tuple[_Way | None, Any]] = [(None, history.conversation)]
    while waiting:
        way, value = waiting.pop()
        for step, inner in _members(value):
            if isinstance(inner, float):
                if not math.isfinite(inner):
                    yield Breach(_Way(way, step).steps(), repr(inner))
            elif inner is not None and not isinstance(inner, str | int):
                waiting.append((_Way(way, step), inner))


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
