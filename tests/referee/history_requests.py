"""What surrounds a history in a request: the tools, and the choice among them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.referee.history_thoughts import is_thinking
from tests.referee.history_turns import (
    Faults,
    History,
    HistoryFault,
    holder,
    listed,
    spelled,
    spelling,
    text_of,
)


class Declared(NamedTuple):
    at: str
    name: Any
    scope: str = ""  # tools in a namespace are called by two names


def request_faults(history: History) -> Faults:
    if history.request is None:
        return
    declared = list(declared_tools(history))
    yield from _twice(history, declared)
    if not declared and not _has_tools(history):
        yield from _missing(history)
    yield from _choice_faults(history, declared)


def _has_tools(history: History) -> bool:
    request = history.request or {}
    config = holder(request.get("toolConfig")) if history.family == "bedrock" else request
    return bool(config.get("tools") or config.get("functions") or config.get("mcp_servers"))


def declared_tools(history: History) -> Iterator[Declared]:
    request = history.request or {}
    match history.family:
        case "openai":
            for index, tool in enumerate(listed(request.get("tools"))):
                kind = "custom" if holder(tool).get("type") == "custom" else "function"
                said = holder(holder(tool).get(kind))
                yield Declared(f"/tools/{index}/{kind}/name", said.get("name"))
            for index, tool in enumerate(listed(request.get("functions"))):
                yield Declared(f"/functions/{index}/name", holder(tool).get("name"))
        case "openai-responses":
            yield from _responses_tools("/tools", request.get("tools"), "")
        case "anthropic":
            for index, tool in enumerate(listed(request.get("tools"))):
                yield Declared(f"/tools/{index}/name", holder(tool).get("name"))
        case "gemini":
            yield from _gemini_tools(request)
        case _:
            tools = listed(holder(request.get("toolConfig")).get("tools"))
            for index, tool in enumerate(tools):
                for kind in ("toolSpec", "systemTool"):
                    if said := holder(holder(tool).get(kind)):
                        at = f"/toolConfig/tools/{index}/{kind}/name"
                        yield Declared(at, said.get("name"))


def _responses_tools(at: str, tools: Any, scope: str) -> Iterator[Declared]:
    for index, tool in enumerate(listed(tools)):
        kind, name = text_of(tool, "type"), holder(tool).get("name")
        if kind in {"function", "custom"}:
            yield Declared(f"{at}/{index}/name", name, scope)
        elif kind == "namespace" and not scope:
            yield from _responses_tools(f"{at}/{index}/tools", tool.get("tools"), str(name))


def _gemini_tools(request: dict[str, Any]) -> Iterator[Declared]:
    for index, tool in enumerate(listed(request.get("tools"))):
        key = spelling(tool, "functionDeclarations")
        for place, said in enumerate(listed(holder(tool).get(key))):
            yield Declared(f"/tools/{index}/{key}/{place}/name", holder(said).get("name"))


def _twice(history: History, declared: list[Declared]) -> Faults:
    seen = set()
    for tool in declared:
        if not isinstance(tool.name, str):
            continue
        if (tool.scope, tool.name) in seen:
            # Not reported of OpenAI.
            certain = not history.family.startswith("openai")
            yield HistoryFault("tool-name-twice", tool.at, tool.name, certain)
        seen.add((tool.scope, tool.name))


def _missing(history: History) -> Faults:
    used = [
        block for turn in history.turns for block in turn.blocks if block.kind in {"call", "result"}
    ]
    if used and history.family in {"anthropic", "bedrock"}:
        # Messages asked for them in former times.
        certain = history.family == "bedrock"
        yield HistoryFault("tools-missing", used[0].at, "no tools are declared", certain)


class Choice(NamedTuple):
    at: str
    mode: str  # auto none any named
    names: tuple[str, ...] = ()

    @property
    def forces(self) -> bool:
        return self.mode in {"any", "named"}


def _choice_faults(history: History, declared: list[Declared]) -> Faults:
    choice = _choice(history)
    if choice is None:
        return
    if not declared and not _has_tools(history) and not _brings_tools(history):
        yield from _without_tools(history, choice)
    elif not (_brings_tools(history) or any(tool.scope for tool in declared)):
        known = {tool.name for tool in declared if isinstance(tool.name, str)}
        for name in choice.names:
            if name not in known:
                certain = history.family not in {"gemini", "bedrock"}  # not reported of these
                yield HistoryFault("choice-unknown", choice.at, name, certain)
    if choice.forces and (thinking := is_thinking(history)):
        certain = history.family == "anthropic" and thinking == "enabled"
        detail = f"{choice.mode} while thinking is {thinking}"
        yield HistoryFault("forced-while-thinking", choice.at, detail, certain)


def _brings_tools(history: History) -> bool:
    """Items in the middle of a conversation may add tools."""
    added = {"additional_tools", "tool_search_output", "tool_addition"}
    return any(
        text_of(block.raw, "type") in added or "toolAddition" in block.raw
        for turn in history.turns
        for block in turn.blocks
    )


def _without_tools(history: History, choice: Choice) -> Faults:
    match history.family:
        case "openai":
            certain = choice.mode != "none"
        case "openai-responses":  # tried by others against the service: both words are taken
            if not choice.forces:
                return
            certain = True
        case "bedrock":
            certain = True
        case _:  # Gemini 3 and Vertex let it pass; of Messages nothing is reported
            certain = False
    yield HistoryFault("choice-without-tools", choice.at, choice.mode, certain)


_WORDS = {"auto": "auto", "none": "none", "required": "any", "any": "any"}


def _choice(history: History) -> Choice | None:
    request = history.request or {}
    if history.family == "gemini":
        return _gemini_choice(request)
    if history.family == "bedrock":
        held = holder(holder(request.get("toolConfig")).get("toolChoice"))
        at = "/toolConfig/toolChoice"
        if "tool" in held:
            return _named(at, [holder(held["tool"]).get("name")])
        return Choice(at, "any" if "any" in held else "auto") if held else None
    given = request.get("tool_choice")
    if isinstance(given, str):
        return Choice("/tool_choice", _WORDS.get(given, "auto"))
    if not isinstance(given, dict):
        return None
    return _object_choice(history.family, given)


def _object_choice(family: str, given: dict[str, Any]) -> Choice | None:
    kind, at = text_of(given, "type"), "/tool_choice"
    if family == "anthropic":
        if kind == "tool":
            return _named(at, [given.get("name")])
        return Choice(at, _WORDS.get(kind, "auto"))
    if kind == "allowed_tools":
        held = holder(given.get("allowed_tools")) if family == "openai" else given
        named = [_called(family, holder(tool)) for tool in listed(held.get("tools"))]
        mode = "any" if held.get("mode") == "required" else "auto"
        return Choice(at, mode, tuple(name for name in named if name))
    if kind in {"function", "custom"}:
        return _named(at, [_called(family, given)])
    return Choice(at, "named")  # a tool of the service, known by its type


def _called(family: str, tool: dict[str, Any]) -> str:
    kind = text_of(tool, "type")
    if kind not in {"function", "custom"}:
        return ""
    name = holder(tool.get(kind)).get("name") if family == "openai" else tool.get("name")
    return name if isinstance(name, str) else ""


def _named(at: str, names: list[Any]) -> Choice:
    return Choice(at, "named", tuple(name for name in names if isinstance(name, str)))


def _gemini_choice(request: dict[str, Any]) -> Choice | None:
    config = spelled(spelled(request, "toolConfig"), "functionCallingConfig")
    if not isinstance(config, dict):
        return None
    names = [name for name in listed(spelled(config, "allowedFunctionNames")) if name]
    mode = {"ANY": "any", "NONE": "none"}.get(str(config.get("mode", "")).upper(), "auto")
    at = f"/{spelling(request, 'toolConfig')}"
    return Choice(at, mode, tuple(name for name in names if isinstance(name, str)))
