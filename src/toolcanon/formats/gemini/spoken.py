"""What code execution and server tools did, for models of other providers."""

from __future__ import annotations

from typing import Final

from toolcanon.formats.gemini.spelling import PAYLOADS, pick
from toolcanon.formats.wire.spoken import Rename, answered, ran, texts_in
from toolcanon.ir.conversation import Native
from toolcanon.jsonio.types import JsonObject

_TEXTS: Final = frozenset({"text", "title", "uri", "url", "snippet", "output", "error"})
"""Where responses hold words; suggestions for searches are a page to show, not to read."""


def say_native(part: Native, rename: Rename) -> str | None:
    """The words of a part that only this provider has; None where it has none."""
    del rename
    value = part.value
    if not isinstance(value, dict) or value.get("thought") is True:
        return None
    inner = next((value[key] for key in value if PAYLOADS.get(key) == part.type), None)
    if not isinstance(inner, dict):
        return None
    if part.type == "executableCode":
        return ran(f"{inner.get('language') or ''} code".strip().lower(), inner.get("code"))
    if part.type == "codeExecutionResult":
        return answered("code", [inner.get("output")])
    if part.type == "toolCall":
        return ran(_tool(inner), inner.get("args"))
    if part.type == "toolResponse":
        return answered(_tool(inner), texts_in(inner.get("response"), _TEXTS))
    return None


def _tool(inner: JsonObject) -> str:
    return str(inner.get(pick(inner, "toolType") or "", "tool")).lower()
