"""Anthropic Messages: blocks in messages of user and assistant, results with the user.

Fields of this provider are in ``extras``; blocks of this provider (built-in tools, uploads,
summaries of compacted turns) are ``Native``. Messages of other providers are arranged in turns,
results first, because every result must be in the message behind its call.
"""

from __future__ import annotations

from typing import Final

from toolcanon.errors import NotAConversation
from toolcanon.formats.anthropic.caching import MARKS
from toolcanon.formats.anthropic.lists import HAND, read_messages
from toolcanon.formats.anthropic.reading import read_result
from toolcanon.formats.anthropic.requests import (
    read_answer,
    read_request,
    sniff,
    sniff_answer,
    sniff_body,
    write_answer,
    write_request,
)
from toolcanon.formats.anthropic.spelling import ID
from toolcanon.formats.anthropic.stream import Stream
from toolcanon.formats.wire.codec import Codec, flow_beside, patch_beside
from toolcanon.formats.wire.spoken import Rename, answered, named, ran, texts_in
from toolcanon.ir.conversation import Native, Result
from toolcanon.jsonio.types import JsonObject

_CALLS: Final = frozenset({"server_tool_use", "mcp_tool_use"})
_BEFORE: Final = "[Summary of what was said before]"
_RESULT: Final = "_tool_result"
_TOOL: Final = frozenset({"tool_name"})
_TEXTS: Final = frozenset(
    """title url text stdout stderr data content lines error_code error_message""".split()
)
"""Fields of results with text (anthropic-sdk-python 2.8.0 types, 2026-11)."""


def say_native(part: Native, rename: Rename) -> str | None:
    """Return the text of a block of this provider; None where it has none."""
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


def read_result_alone(block: JsonObject) -> Result:
    """Read a single ``tool_result`` block."""
    if block.get("type") != "tool_result" or not isinstance(block.get("tool_use_id"), str):
        raise NotAConversation("", "a result needs the type tool_result and a tool_use_id")
    return read_result(block)


_EVENTS: Final = frozenset(
    """message_start message_delta message_stop content_block_start content_block_delta
    content_block_stop ping""".split()
)


def sniff_event(event: JsonObject) -> float:
    """Return how likely this is an event of a stream."""
    kind = event.get("type")
    return 1.0 if isinstance(kind, str) and kind in _EVENTS else 0.0


CODEC: Final = Codec(
    system="system",
    needs=("max_tokens",),  # docs.anthropic.com/en/api/messages, 2026-11-18
    sniff_event=sniff_event,
    id=ID,
    sniff=sniff,
    sniff_body=sniff_body,
    sniff_answer=sniff_answer,
    read_messages=read_messages,
    write_messages=HAND.write_messages,
    read_request=read_request,
    write_request=write_request,
    read_answer=read_answer,
    write_answer=write_answer,
    accumulate=Stream,
    say=say_native,
    marks=MARKS,
    flow=flow_beside(__name__),
    patch=patch_beside(__name__),
    read_result=read_result_alone,
)
