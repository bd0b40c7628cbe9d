"""What built-in tools and MCP connectors did, for models of other providers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.formats.wire.spoken import Rename, answered, named, ran, texts_in
from toolcanon.ir.conversation import Native
from toolcanon.jsonio.types import Json, JsonObject

# What each kind of item was given and what it answered (openai-python 3.49.0 types, 2026-11).
_ASKED: Final[dict[str, tuple[str, ...]]] = {
    "web_search_call": ("query", "queries", "url", "pattern"),
    "file_search_call": ("queries",),
    "code_interpreter_call": ("code",),
    "local_shell_call": ("command",),
    "shell_call": ("commands",),
    "apply_patch_call": ("path", "diff"),
    "tool_search_call": ("goal", "query", "arguments"),
    "program": ("code",),
}
_ANSWERED: Final[dict[str, tuple[str, ...]]] = {
    "file_search_call": ("filename", "text"),
    "code_interpreter_call": ("logs",),
    "local_shell_call_output": ("output",),
    "shell_call_output": ("stdout", "stderr"),
    "apply_patch_call_output": ("output",),
    "program_output": ("result",),
}


def say_native(part: Native, rename: Rename) -> str | None:
    """The words of an item that only this provider has; None where it has none."""
    item, kind = part.value, part.kind
    if not isinstance(item, dict):
        return None
    if kind == "tool_search_output":
        return named(_names(item.get("tools")), rename)
    said: list[str | None] = []
    if kind == "mcp_call":
        name = f"{item.get('server_label')}.{item.get('name')}"
        said = [ran(name, item.get("arguments")), answered(name, _outcome(item))]
    else:
        name = kind.removesuffix("_output").removesuffix("_call")
        if kind in _ASKED:
            said.append(ran(name, _once(texts_in(item, _ASKED[kind]))))
        if kind in _ANSWERED:
            said.append(answered(name, texts_in(item, _ANSWERED[kind])))
    return "\n".join(text for text in said if text) or None


def _outcome(item: JsonObject) -> list[Json]:
    error = item.get("error")
    return [item.get("output"), *([error] if isinstance(error, str) else texts_in(error, _ERROR))]


_ERROR: Final = ("message", "text")


def _once(texts: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(texts))


def _names(tools: Json) -> Iterator[str]:
    """Names of tools, and of those within namespaces."""
    for tool in tools if isinstance(tools, list) else ():
        if not isinstance(tool, dict):
            continue
        if isinstance(tool.get("tools"), list):
            yield from _names(tool["tools"])
        elif isinstance(tool.get("name"), str):
            yield tool["name"]
