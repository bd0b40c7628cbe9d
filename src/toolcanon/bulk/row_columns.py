"""Columns beside the tools of a row that are not converted with them, and what to do about it.

Calls and turns agree with the tools of their row. Where a conversion changes names or arguments, or
writes the tools alone, such a column is reported instead of left behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from toolcanon.conversion.containers import contents
from toolcanon.errors import NoTools, ToolcanonError, UnwrittenColumn
from toolcanon.jsonio.types import Json, JsonObject

COLUMNS: Final = frozenset({"answers", "calls", "conversations", "tool_calls"})
"""Where published data keeps calls, and turns of ``from`` and ``value``."""
_ARGUMENTS: Final = frozenset({"args", "arguments", "parameters"})
_TURN: Final = frozenset({"from", "value"})
_SCHEMAS: Final = frozenset({"function", "inputSchema", "input_schema", "parameters"})
_TURNS_ADVICE: Final = "turns of from and value are not read, so write them as role and content"


class Column(NamedTuple):
    """A column that holds calls, or turns of a conversation that is not read."""

    key: str
    is_turns: bool


def column_in(
    row: JsonObject, known: Iterable[str | None], read: Callable[[str], Json]
) -> Column | None:
    """The first such column that is none of the known ones. ``read`` makes a value of a text."""
    for key in sorted(COLUMNS.intersection(row).difference(known)):
        value = _decoded(row[key], read)
        items = value if isinstance(value, list) else [value]
        objects = [item for item in items if isinstance(item, dict)]
        if any(item.keys() >= _TURN for item in objects):
            return Column(key, True)
        if any(_is_call(item) for item in objects):
            return Column(key, False)
    return None


def ensure_agreement(
    row: JsonObject, known: Iterable[str | None], read: Callable[[str], Json]
) -> None:
    """Raise UnwrittenColumn for a column that tools under other names would contradict."""
    found = column_in(row, known, read)
    if found is None:
        return
    how = f"name it with --calls-field {found.key}"
    reason = "its names and arguments would not be those of the tools"
    raise UnwrittenColumn(found.key, reason, _TURNS_ADVICE if found.is_turns else how)


def ensure_whole(row: Json, read: Callable[[str], Json]) -> None:
    """Raise UnwrittenColumn for a column that writing the tools alone would drop."""
    if not isinstance(row, dict) or COLUMNS.isdisjoint(row) or not (held := contents(row)):
        return
    found = column_in(row, (), read)
    if found is None:
        return
    field = str(held[0].at[0])
    how = f"name the columns with --tools-field {field}"
    how += "" if found.is_turns else f" --calls-field {found.key}"
    raise UnwrittenColumn(found.key, "only the tools would be written", how)


def advised(error: NoTools, row: Json, read: Callable[[str], Json]) -> NoTools:
    """The same error with what the row seems to hold, where that can be seen."""
    if not isinstance(row, dict):
        return error
    for key, value in row.items():
        tools = _decoded(value, read) if isinstance(value, str) else None
        items = tools if isinstance(tools, list) else [tools]
        if any(isinstance(item, dict) and _is_tool(item) for item in items):
            return NoTools(f"the row has its tools as text in {key!r}, so name --tools-field {key}")
    found = column_in(row, (), read)
    if found is not None and found.is_turns:
        return NoTools(f"the row has none in a field, and in {found.key!r} {_TURNS_ADVICE}")
    return error


def _is_call(item: Mapping[str, Json]) -> bool:
    inner = item.get("function")
    call = inner if isinstance(inner, dict) else item
    return isinstance(call.get("name"), str) and not _ARGUMENTS.isdisjoint(call)


def _is_tool(item: Mapping[str, Json]) -> bool:
    return ("name" in item or "function" in item) and not _SCHEMAS.isdisjoint(item)


def _decoded(value: Json, read: Callable[[str], Json]) -> Json:
    if not (isinstance(value, str) and value.lstrip()[:1] in {"[", "{"}):
        return value
    try:
        return read(value)
    except ToolcanonError:
        return value
