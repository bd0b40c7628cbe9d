"""What server tools and MCP connectors did, for models of other providers."""

from __future__ import annotations

from typing import Final

from toolcanon.formats.wire.spoken import Rename, answered, named, ran, texts_in
from toolcanon.ir.conversation import Native

_CALLS: Final = frozenset({"server_tool_use", "mcp_tool_use"})
_BEFORE: Final = "[Summary of what was said before]"
_RESULT: Final = "_tool_result"
_TOOL: Final = frozenset({"tool_name"})
_TEXTS: Final = frozenset(
    """title url text stdout stderr data content lines error_code error_message""".split()
)
"""Where results hold words (anthropic-sdk-python 2.8.0 types, 2026-11)."""


def say_native(part: Native, rename: Rename) -> str | None:
    """The words of a block that only this provider has; None where it has none."""
    value, kind = part.value, part.type
    if not isinstance(value, dict):
        return None
    if kind in _CALLS:
        server = value.get("server_name")
        name = value.get("name")
        return ran(f"{server}.{name}" if server else name, value.get("input"))
    if kind == "compaction":
        content = value.get("content")
        return f"{_BEFORE}\n{content}" if isinstance(content, str) and content.strip() else None
    if kind == "tool_reference" or kind.endswith(_RESULT):
        content = {"content": value.get("content")} if kind.endswith(_RESULT) else value
        found = named(texts_in(content, _TOOL), rename)
        return found or answered(kind.removesuffix(_RESULT), texts_in(content, _TEXTS))
    return None
