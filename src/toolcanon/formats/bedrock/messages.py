"""The codec of messages, with cache points.

Bytes are raw in the AWS SDKs and base64 text in plain JSON; both are read, and written back as they
were. Cache points, and tools that are loaded or run by the provider, are ``Native``. Messages of
other providers are arranged in turns, results first.
"""

from __future__ import annotations

from typing import Final

from toolcanon.errors import NotAConversation
from toolcanon.formats.bedrock.content import read_result
from toolcanon.formats.bedrock.media import ID
from toolcanon.formats.bedrock.requests import (
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
from toolcanon.formats.bedrock.stream import BedrockAccumulator
from toolcanon.formats.wire.blocks import is_blank
from toolcanon.formats.wire.codec import (
    CacheMarks,
    Codec,
    Mark,
    control,
    dump,
    flow_beside,
    mark_of,
)
from toolcanon.formats.wire.results import Rename, answered, ran, texts_in
from toolcanon.ir.conversation import Native, Part, Result, Text
from toolcanon.jsonio.types import Json, JsonObject

_TAG: Final = "cachePoint"
_WORD: Final = "default"


def _take(parts: list[Part]) -> tuple[list[Part], list[Mark]]:
    for part in parts:  # called for every message
        if part.__class__ is Native:
            break
    else:
        return parts, []
    left: list[Part] = []
    marks: list[Mark] = []
    for part in parts:
        if _is_point(part) and isinstance(part, Native):
            mark = mark_of(part.value[_TAG], _WORD)
            marks.append(mark._replace(behind=len(left) - 1))
        else:
            left.append(part)
    return (left, marks) if marks else (parts, marks)


def _is_point(part: Part) -> bool:
    return (
        isinstance(part, Native)
        and part.format == ID
        and part.type == _TAG
        and isinstance(part.value, dict)
    )


def _put(parts: list[Part], mark: Mark) -> list[Part] | None:
    """Put a mark behind the part and behind all results that follow, which must not be separated.

    Blank texts before it are not sent, and two marks in a row are rejected.
    """
    at = mark.behind + 1
    while at and isinstance(parts[at - 1], Text) and is_blank(parts[at - 1].text):  # type: ignore[union-attr]
        at -= 1
    if not at:
        return None
    if isinstance(parts[at - 1], Result):
        while at < len(parts) and isinstance(parts[at], Result):
            at += 1
    if at < len(parts) and _is_point(parts[at]):
        return parts  # there is one already
    point = Native(ID, _TAG, {_TAG: control(mark, _WORD)})
    return [*parts[:at], point, *parts[at:]]


def _take_tools(tools: list[Json]) -> tuple[list[Json], list[Mark]]:
    left: list[Json] = []
    marks: list[Mark] = []
    for tool in tools:
        if isinstance(tool, dict) and isinstance(tool.get(_TAG), dict):
            mark = mark_of(tool[_TAG], _WORD)
            marks.append(mark._replace(tool=_name(left[-1]) if left else None))
        else:
            left.append(tool)
    return left, marks


def _name(tool: Json) -> str | None:
    inner = tool.get("toolSpec", tool) if isinstance(tool, dict) else None
    name = inner.get("name") if isinstance(inner, dict) else None
    return name if isinstance(name, str) else None


def _put_tools(tools: list[Json], mark: Mark) -> list[Json]:
    names = [_name(tool) for tool in tools]
    at = names.index(mark.tool) if mark.tool in names else len(tools) - 1
    return [*tools[: at + 1], {_TAG: control(mark, _WORD)}, *tools[at + 1 :]]


MARKS: Final = CacheMarks(take=_take, put=_put, take_tools=_take_tools, put_tools=_put_tools)


_TEXTS: Final = frozenset({"text", "title", "source", "url"})


def say_native(part: Native, rename: Rename) -> str | None:
    """Return the text of a block of this provider; None where it has none."""
    del rename
    inner = part.value.get(part.type) if isinstance(part.value, dict) else None
    if not isinstance(inner, dict):
        return None
    if part.type == "toolUse":
        return ran(inner.get("name"), inner.get("input"))
    if part.type == "toolResult":
        content = inner.get("content")
        blocks = content if isinstance(content, list) else []
        texts = [
            text
            for block in blocks
            for text in (
                [dump(block["json"])]
                if isinstance(block, dict) and "json" in block
                else texts_in(block, _TEXTS)
            )
        ]
        return answered(str(inner.get("type", "tool")).removesuffix("_result"), texts)
    return None


def read_result_alone(block: JsonObject) -> Result:
    """Read a single ``toolResult`` block, or its value."""
    inner = block.get("toolResult", block)
    is_named = isinstance(inner, dict) and isinstance(inner.get("toolUseId"), str)
    result = read_result(inner, {}, None) if is_named else None
    if result is None:
        raise NotAConversation("", "a result needs a toolUseId")
    return result


_EVENTS: Final = frozenset(
    """messageStart contentBlockStart contentBlockDelta contentBlockStop messageStop
    metadata""".split()
)


def sniff_event(event: JsonObject) -> float:
    """Return how likely this is an event: an object whose one member names its kind."""
    return 1.0 if len(event) == 1 and not _EVENTS.isdisjoint(event) else 0.0


CODEC: Final = Codec(
    system="system",
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
    accumulate=BedrockAccumulator,
    say=say_native,
    marks=MARKS,
    flow=flow_beside(__name__),
    read_result=read_result_alone,
)
