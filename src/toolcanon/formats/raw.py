"""Unknown JSON with a name: the last resort, with a finding for every guess."""

from __future__ import annotations

from toolcanon.errors import UnreadableTool
from toolcanon.formats.wire import Format, Match
from toolcanon.formats.wire.format import keep_aside
from toolcanon.formats.wire.unread_parameters import instead_of_a_tool
from toolcanon.ir import CanonicalTool, ToolCapability, trusted_tool
from toolcanon.jsonio.types import Json, JsonObject

ID = "raw"
SCHEMAS = ("parameters", "input_schema", "inputSchema", "schema")


_ANYTHING = Match(0.1, "any JSON object")


def sniff(definition: JsonObject) -> Match | None:
    del definition
    return _ANYTHING


def read(definition: JsonObject) -> CanonicalTool:
    tool = extract(definition)
    if not tool.name:
        raise UnreadableTool(ID, "", "the format is unknown, and no field is a name")
    lost = [key for key, value in definition.items() if _holds_objects(value)]
    if lost and not tool.inputs and not instead_of_a_tool(definition):  # parameters would be lost
        reason = f"the format is unknown, and its parameters may be under {lost[0]!r}"
        raise UnreadableTool(ID, f"/{lost[0]}", reason)
    return tool


def extract(definition: JsonObject) -> CanonicalTool:
    """Return a tool by the usual keys of name, description and schema, without capabilities."""
    inner = definition.get("function")
    function = inner if isinstance(inner, dict) else {}
    said: JsonObject = {
        "source_format": ID,
        "capabilities": ToolCapability(),
        "name": _text(definition.get("name"))
        or _text(definition.get("title"))
        or _text(function.get("name")),
    }
    if description := _text(definition.get("description")) or _text(function.get("description")):
        said["description"] = description
    for key in SCHEMAS:
        schema = definition.get(key)
        if isinstance(schema, dict) and schema:
            said["inputs"] = schema
            break
    left = {key: value for key, value in definition.items() if key not in {"name", "description"}}
    if left:
        said["extras"] = {ID: keep_aside(left, {})}
    return trusted_tool(said, definition)


def _holds_objects(value: Json) -> bool:
    items = value if isinstance(value, list) else [value]
    return any(isinstance(item, dict) and item for item in items)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


FORMAT = Format(
    id=ID,
    title="Unknown JSON",
    signals=frozenset(),
    sniff=sniff,
    rank=5,
    read=read,
)
