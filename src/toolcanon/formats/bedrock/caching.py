"""``cachePoint``: a block of its own behind the cached part."""

from __future__ import annotations

from typing import Final

from toolcanon.formats.bedrock.spelling import ID
from toolcanon.formats.wire.blocks import is_blank
from toolcanon.formats.wire.marks import CacheMarks, Mark, control, mark_of
from toolcanon.ir.conversation import Native, Part, Result, Text
from toolcanon.jsonio.types import Json

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
