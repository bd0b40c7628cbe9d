"""What a target did not hold: the tool that went in, against the tool its reader sees.

Formats do not list what they lose. What they wrote is read back, and whatever differs is the loss;
so nothing can be lost without being noticed here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from toolcanon.errors import UnreadableTool
from toolcanon.formats.wire import WritableFormat
from toolcanon.ir import DEFAULT_VERSION, CanonicalTool
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject


class _Absent:
    """Stands for a member that is not there, which null does not."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()


class Difference(NamedTuple):
    """One place, before and after; ABSENT on either side where there is nothing."""

    at: Pointer
    before: Json
    after: Json


def said_of(value: Json) -> Json:
    """Return the value of one side of a difference, None where there is nothing."""
    return None if value is ABSENT else value


def facts(tool: CanonicalTool) -> JsonObject:
    """All that a tool states, without where it came from and without what was merely inferred."""
    stated = tool.__dict__  # not by attribute: that would make every default there is
    out: JsonObject = {"name": tool.name}
    if namespace := stated.get("namespace"):
        out["namespace"] = namespace
    if (version := stated.get("version", DEFAULT_VERSION)) != DEFAULT_VERSION:
        out["version"] = version
    for field in ("description", "inputs", "outputs"):
        if value := stated.get(field):
            out[field] = value
    if tool.has_own_capabilities:
        out["capabilities"] = tool.capabilities.model_dump()
    if (security := stated.get("security")) is not None:
        out["security"] = security.model_dump()
    out.update(tool.said())
    return out


def differences(before: CanonicalTool, after: CanonicalTool) -> Iterator[Difference]:
    """Field by field; hints by hint, extras by format and key."""
    old, new = facts(before), facts(after)
    for field in dict.fromkeys([*old, *new]):
        if field == "hints":
            yield from _members(old, new, Pointer(), field)
        elif field == "extras":
            ours, theirs = old.get(field, {}), new.get(field, {})
            for format_id in dict.fromkeys([*ours, *theirs]):
                yield from _members(ours, theirs, Pointer((field,)), format_id)
        elif old.get(field, ABSENT) != new.get(field, ABSENT):
            yield Difference(Pointer((field,)), old.get(field, ABSENT), new.get(field, ABSENT))


def _members(old: JsonObject, new: JsonObject, at: Pointer, field: str) -> Iterator[Difference]:
    ours, theirs = old.get(field, {}), new.get(field, {})
    for key in dict.fromkeys([*ours, *theirs]):
        if ours.get(key, ABSENT) != theirs.get(key, ABSENT):
            yield Difference(at / field / key, ours.get(key, ABSENT), theirs.get(key, ABSENT))


def read_back(target: WritableFormat, item: JsonObject) -> CanonicalTool:
    """The tool that the target's own reader sees in what was written."""
    match = target.sniff(item)
    if match is None or not match.many or target.spread is None:
        return target.read(item)
    tools = target.spread(item)
    if not tools:
        raise UnreadableTool(target.id, "/extras", "what was kept aside for it is no tool")
    return tools[0]
