"""``cache_control``: a mark on the last block or tool that is to be cached."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from toolcanon.formats.anthropic.spelling import ID
from toolcanon.formats.wire.codec import own
from toolcanon.formats.wire.marks import CacheMarks, Mark, control, mark_of
from toolcanon.ir.conversation import Call, Media, Native, Part, Result, Text
from toolcanon.jsonio.types import Json

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
