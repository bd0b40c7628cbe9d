"""The codec of messages, with cache marks.

Fields of this provider are in ``extras``; blocks of this provider (built-in tools, uploads,
summaries of compacted turns) are ``Native``. Messages of other providers are arranged in turns,
results first, because every result must be in the message behind its call.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from toolcanon.errors import NotAConversation
from toolcanon.formats.anthropic.content import ID, read_result
from toolcanon.formats.anthropic.requests import (
    HAND,
    read_answer,
    read_messages,
    read_request,
    sniff,
    sniff_answer,
    sniff_body,
    write_answer,
    write_request,
)
from toolcanon.formats.anthropic.stream import AnthropicAccumulator
from toolcanon.formats.wire.codec import (
    CacheMarks,
    Codec,
    Mark,
    control,
    flow_beside,
    mark_of,
    own,
    patch_beside,
)
from toolcanon.formats.wire.results import Rename, answered, named, ran, texts_in
from toolcanon.ir.conversation import Call, Media, Native, Part, Result, Text
from toolcanon.jsonio.types import Json, JsonObject

_KEY: Final = "cache_control"
_WORD: Final = "ephemeral"


def _take(parts: list[Part]) -> tuple[list[Part], list[Mark]]:
    if not _has_any(parts):
        return parts, []
    found = parts
    marks: list[Mark] = []
    for number, part in enumerate(parts):
        said: list[Json] = []
        made: Any = part
        if isinstance(part, Result) and any(_is_marked(held) for held in part.content):
            said += [_said(held) for held in part.content if _is_marked(held)]
            content = [_bare(held) if _is_marked(held) else held for held in part.content]
            made = replace(part, content=content)
        if _is_marked(part):
            said.append(_said(part))
            made = _bare(made)
        if made is not part:
            found = list(parts) if found is parts else found
            found[number] = made
        given = [value for value in said if value is not None]  # null is no mark
        if given:
            marks.append(mark_of(given[-1], _WORD)._replace(behind=number))
    return found, marks


def _has_any(parts: list[Any]) -> bool:
    """Return whether there are any marks: called for every message."""
    for part in parts:
        if part.__class__ is Native:
            continue
        extras = part.extras
        if extras is not None and ID in extras and _KEY in extras[ID]:
            return True
        if part.__class__ is Result and _has_any(part.content):
            return True
    return False


def _is_marked(part: Part) -> bool:
    return part.__class__ is not Native and _KEY in own(part.extras, ID)  # type: ignore[union-attr]


def _said(part: Any) -> Json:
    return own(part.extras, ID)[_KEY]


def _bare(part: Any) -> Any:
    left = {key: value for key, value in own(part.extras, ID).items() if key != _KEY}
    extras = {key: value for key, value in part.extras.items() if key != ID}
    return replace(part, extras=({**extras, ID: left} if left else extras) or None)


def _put(parts: list[Part], mark: Mark) -> list[Part] | None:
    """Put a mark on the last part before it that can have one: no reasoning, no blank text."""
    for number in range(mark.behind, -1, -1):
        part = parts[number]
        if isinstance(part, (Media, Call, Result)) or (
            isinstance(part, Text) and part.text.strip()
        ):
            return [*parts[:number], _with(part, mark), *parts[number + 1 :]]
    return None


def _with(part: Any, mark: Mark) -> Any:
    kept = {**own(part.extras, ID), _KEY: control(mark, _WORD)}
    return replace(part, extras={**(part.extras or {}), ID: kept})


def _take_tools(tools: list[Json]) -> tuple[list[Json], list[Mark]]:
    left: list[Json] = []
    marks: list[Mark] = []
    for tool in tools:
        if isinstance(tool, dict) and _KEY in tool:
            if tool[_KEY] is not None:
                name = tool.get("name")
                mark = mark_of(tool[_KEY], _WORD)
                marks.append(mark._replace(tool=name if isinstance(name, str) else None))
            left.append({key: value for key, value in tool.items() if key != _KEY})
        else:
            left.append(tool)
    return left, marks


def _put_tools(tools: list[Json], mark: Mark) -> list[Json]:
    names = [tool.get("name") for tool in tools]
    at = names.index(mark.tool) if mark.tool in names else len(tools) - 1
    return [*tools[:at], {**tools[at], _KEY: control(mark, _WORD)}, *tools[at + 1 :]]


MARKS: Final = CacheMarks(take=_take, put=_put, take_tools=_take_tools, put_tools=_put_tools)


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
    accumulate=AnthropicAccumulator,
    say=say_native,
    marks=MARKS,
    flow=flow_beside(__name__),
    patch=patch_beside(__name__),
    read_result=read_result_alone,
)
