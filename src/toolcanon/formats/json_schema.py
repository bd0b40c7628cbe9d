"""A JSON Schema document as a tool: the title is its name, the members are its arguments."""

from __future__ import annotations

from pydantic import ValidationError

from toolcanon.dialect import Source
from toolcanon.formats.wire import Format, Match, Wire, notes, own_extras
from toolcanon.formats.wire.extras import SHAPE, keep_aside
from toolcanon.ir import CanonicalTool, ToolCapability, ToolSecurity
from toolcanon.jsonio.types import JsonObject
from toolcanon.schema.legacy import LATEST_URI

ID = "json-schema"
UNTITLED = "untitled"
_APPLICATORS = ("$ref", "allOf", "anyOf", "oneOf", "definitions", "$defs", "patternProperties")
_OURS = frozenset({"title", "description", "x-outputs", "x-capabilities", "x-security"})


_DECLARED = Match(0.95, "'$schema'")
_KEYWORDS = Match(0.6, "keywords of a schema document")
_MEMBERS = Match(0.5, "'properties' without a name")


def sniff(definition: JsonObject) -> Match | None:
    if "name" in definition or "tools" in definition:
        return None
    if isinstance(definition.get("$schema"), str):
        return _DECLARED
    if "$id" in definition or any(key in definition for key in _APPLICATORS):
        return _KEYWORDS
    if "properties" in definition or isinstance(definition.get("enum"), list):
        return _MEMBERS
    return None


def read(definition: JsonObject) -> CanonicalTool:
    title = definition.get("title")
    said: JsonObject = {"source_format": ID}
    noted: JsonObject = {}
    inputs = {key: value for key, value in definition.items() if key not in _OURS}
    if isinstance(title, str) and title:
        said["name"] = title
    else:
        said["name"] = _name_from_id(definition)
        noted[SHAPE] = UNTITLED
        if "title" in definition:
            inputs["title"] = title
    description = definition.get("description")
    if isinstance(description, str) and description:
        said["description"] = description
    elif "description" in definition:
        inputs["description"] = description
    _read_extensions(definition, said, inputs)
    if inputs:
        said["inputs"] = inputs
    if noted:
        said["extras"] = {ID: keep_aside({}, noted)}
    return CanonicalTool.trusted(said, definition)


def _read_extensions(definition: JsonObject, said: JsonObject, inputs: JsonObject) -> None:
    outputs = definition.get("x-outputs")
    if isinstance(outputs, dict) and outputs:
        said["outputs"] = outputs
    elif "x-outputs" in definition:
        inputs["x-outputs"] = outputs
    for key, field, model in (
        ("x-capabilities", "capabilities", ToolCapability),
        ("x-security", "security", ToolSecurity),
    ):
        if key not in definition:
            continue
        stated = definition[key]
        try:
            said[field] = model.model_validate(stated)
        except ValidationError:
            inputs[key] = stated
        else:
            if said[field].model_dump() != stated:
                del said[field]
                inputs[key] = stated


def _name_from_id(definition: JsonObject) -> str:
    """``https://example.com/schemas/trip.schema.json`` is a trip; nothing known is no name."""
    stated = definition.get("$id") or definition.get("id") or ""
    if not isinstance(stated, str):
        return ""
    return stated.rstrip("/#").rpartition("/")[2].partition(".")[0]


def write(tool: CanonicalTool, wire: Wire) -> JsonObject:
    said = tool.__dict__
    out: JsonObject = {}
    if not wire.verbatim:
        out["$schema"] = wire.inputs.get("$schema", LATEST_URI)
    if not (wire.verbatim and notes(own_extras(tool, ID)).get(SHAPE) == UNTITLED):
        out["title"] = wire.name
    if description := said.get("description"):
        out["description"] = description
    for key, value in wire.inputs.items():
        out.setdefault(key, value)
    if wire.outputs:
        out["x-outputs"] = wire.outputs
    if tool.has_own_capabilities:
        out["x-capabilities"] = tool.capabilities.model_dump()
    if tool.security is not None:
        out["x-security"] = tool.security.model_dump()
    return out


FORMAT = Format(
    id=ID,
    title="JSON Schema document",
    sources=(Source("https://json-schema.org/draft/2020-12", "2026-11", "keywords"),),
    signals=frozenset({"$schema", "$id", "properties", "enum", *_APPLICATORS}),
    sniff=sniff,
    read=read,
    write=write,
)
