"""Read definitions of which some parts are invalid: the rest is read, the parts are reported."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from toolcanon.conversion.plain import plain, plain_throughout
from toolcanon.conversion.reader import read_payload
from toolcanon.errors import NoTools, UnreadableTool
from toolcanon.ir import CanonicalTool, trusted_tool
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json

_MOST_PARTS: Final = 8
_NAME: Final = "name"
NAMELESS: Final = "nameless"
"""Stands for a missing name while reading. No result contains it."""


@dataclass(slots=True)
class Rest:
    """The tools of a definition, and the parts that were left out."""

    tools: list[CanonicalTool]
    left_out: list[UnreadableTool] = field(default_factory=list)


def read_rest(definition: Any, format_id: str) -> Rest:
    """Read a definition in one format without its unreadable parts.

    A tool without a name is named "". Raises the error of ``read`` if no part causes it.
    """
    given = left = plain_throughout(plain(definition))
    is_nameless = False
    left_out: list[UnreadableTool] = []
    for _ in range(_MOST_PARTS):
        try:
            tools = read_payload(left, format_id)[0]
        except UnreadableTool as error:
            at = Pointer.parse(error.at)
            if not at:
                raise
            left = _without(left, at, error)
            is_nameless = is_nameless or at[-1] == _NAME
            if at[-1] != _NAME:
                left_out.append(error)
            continue
        if left is not given:
            tools = [_restored(tool, given, is_nameless=is_nameless) for tool in tools]
        return Rest(tools, left_out)
    raise NoTools(f"more than {_MOST_PARTS} of its parts cannot be read")


def _restored(tool: CanonicalTool, given: Json, *, is_nameless: bool) -> CanonicalTool:
    """Return the tool with its own name and the original definition."""
    fields = {key: value for key, value in tool.__dict__.items() if key != "_source"}
    if is_nameless and fields[_NAME] == NAMELESS:
        fields[_NAME] = ""
    return trusted_tool(fields, given if isinstance(given, dict) else None)


def _without(value: Json, at: Pointer, error: UnreadableTool) -> Json:
    """Return a copy without one member, or with a stand-in for the name."""
    step, below = at[0], Pointer(at[1:])
    if isinstance(value, dict):
        if not below:
            rest = {key: item for key, item in value.items() if key != step}
            return {_NAME: NAMELESS, **rest} if step == _NAME else rest
        if step in value:
            return {**value, step: _without(value[step], below, error)}
    elif isinstance(value, list) and below and str(step).isdigit() and int(step) < len(value):
        index = int(step)
        return [*value[:index], _without(value[index], below, error), *value[index + 1 :]]
    raise error
