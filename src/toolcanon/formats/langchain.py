"""LangChain: ``{name, description, args_schema}``, schemas with a title, live tools and models.

The library has no wire format of its own. What people store and pass around is read here, and its
objects are recognised by their attributes, without importing it.
"""

from __future__ import annotations

from typing import Any

from toolcanon.dialect import Source
from toolcanon.formats.wire import (
    KEYS,
    SHAPE,
    Format,
    Match,
    Plain,
    PlainForm,
    Wire,
    build,
    own_extras,
    reading,
    restore_extras,
    take,
)
from toolcanon.formats.wire.accepts import anything
from toolcanon.formats.wire.schemas import NO_PARAMETERS
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio.types import Json, JsonObject

ID = "langchain"
AS_SCHEMA = "schema"
AS_MEMBERS = "members"

SCHEMA_KEYS = ("args_schema", "schema", "parameters")
TOOL = reading(
    {
        "name": ("name", str),
        "description": ("description", str),
        "tags": ("tags", list),
        **dict.fromkeys(SCHEMA_KEYS, ("inputs", dict)),
    }
)
KNOWN = dict.fromkeys(("metadata", "return_direct", "response_format", "extras"), anything)


_ARGS_SCHEMA = Match(0.9, "'args_schema'")
_PLAIN_SCHEMA = Match(0.9, "'schema'")
_NAMED_MEMBERS = Match(0.6, "'name' and 'properties'")
_TITLED_DOCUMENT = Match(0.5, "'title' and 'properties', but a document of its own")
_TITLED_SCHEMA = Match(0.8, "'title' and 'properties': a schema as a tool")


def sniff(definition: JsonObject) -> Match | None:
    if "args_schema" in definition:
        return _ARGS_SCHEMA
    if "schema" in definition:
        return _PLAIN_SCHEMA
    if "properties" not in definition:
        return None
    if "name" in definition:
        return _NAMED_MEMBERS
    if isinstance(definition.get("title"), str):
        if "$schema" in definition or "$id" in definition:
            return _TITLED_DOCUMENT
        return _TITLED_SCHEMA
    return None


def read(definition: JsonObject) -> CanonicalTool:
    present = [key for key in SCHEMA_KEYS if key in definition]
    if not present and "properties" in definition:
        return _read_members(definition) if "name" in definition else _read_schema(definition)
    source = definition
    if len(present) > 1:  # the first counts, the others are kept aside
        source = {key: value for key, value in definition.items() if key not in present[1:]}
    said, left = take(source, TOOL, ID)
    left.update({key: definition[key] for key in present[1:]})
    if present and present[0] != SCHEMA_KEYS[0]:
        left[KEYS] = {SCHEMA_KEYS[0]: present[0]}
    schema = said.get("inputs", {})
    if isinstance(schema.get("model_fields"), dict):
        said["inputs"] = _from_model_fields(schema["model_fields"])
    if "name" not in said and isinstance(
        title := definition.get("title") or schema.get("title"), str
    ):
        said["name"] = title
    return build(ID, said, left, definition)


def _read_schema(definition: JsonObject) -> CanonicalTool:
    """``bind_tools`` takes a JSON Schema whose title is the tool's name."""
    said: JsonObject = {"name": definition.get("title")}
    left: JsonObject = {SHAPE: AS_SCHEMA}
    inputs = {key: value for key, value in definition.items() if key != "title"}
    if isinstance(definition.get("description"), str) and definition["description"]:
        said["description"] = inputs.pop("description")
    said["inputs"] = inputs
    if not isinstance(said["name"], str) or not said["name"]:
        del said["name"]
    return build(ID, said, left, definition)


def _read_members(definition: JsonObject) -> CanonicalTool:
    """``{name, description, properties}``: the members of the schema beside the name."""
    members = definition["properties"]
    left = {
        key: value
        for key, value in definition.items()
        if key not in {"name", "description", "type", "properties", "required"}
    }
    said = {"name": definition["name"]}
    if isinstance(definition.get("description"), str) and definition["description"]:
        said["description"] = definition["description"]
    elif "description" in definition:
        left["description"] = definition["description"]
    said["inputs"] = {
        "type": definition.get("type", "object"),
        "properties": members,
        "required": definition.get("required", []),
    }
    left[SHAPE] = {AS_MEMBERS: [key for key in ("type", "required") if key in definition]}
    return build(ID, said, left, definition)


def _from_model_fields(fields: JsonObject) -> JsonObject:
    """A dumped model class: only names and whether they are required survive there."""
    needed = [
        name
        for name, field in fields.items()
        if not isinstance(field, dict) or field.get("is_required", True)
    ]
    return {
        "type": "object",
        "properties": {name: {"type": "string"} for name in fields},
        "required": needed,
    }


def write_plain(name: str, description: str, schema: JsonObject) -> JsonObject:
    if description:
        return {"name": name, "description": description, SCHEMA_KEYS[0]: schema}
    return {"name": name, SCHEMA_KEYS[0]: schema}


def write(tool: CanonicalTool, wire: Wire) -> JsonObject:
    said = tool.__dict__
    own = own_extras(tool, ID)
    shape = own.get(SHAPE) if wire.verbatim else None
    description = said.get("description")
    if shape == AS_SCHEMA:
        head = {"title": wire.name}
        return (
            {**head, "description": description, **wire.inputs}
            if description
            else {**head, **wire.inputs}
        )
    out: JsonObject = {"name": wire.name}
    if description:
        out["description"] = description
    if isinstance(shape, dict):
        out["properties"] = wire.inputs.get("properties", {})
        out.update({key: wire.inputs[key] for key in shape[AS_MEMBERS] if key in wire.inputs})
    elif not wire.verbatim or wire.inputs:
        out[SCHEMA_KEYS[0]] = wire.inputs or dict(NO_PARAMETERS)
    if tags := said.get("tags"):
        out["tags"] = tags
    return restore_extras(out, own, KNOWN, verbatim=wire.verbatim) if own else out


def adopt(thing: Any) -> JsonObject | None:
    """A live tool, or a model class handed over as one."""
    if isinstance(thing, type):
        return thing.model_json_schema() if hasattr(thing, "model_json_schema") else None
    if not (hasattr(thing, "args_schema") and hasattr(thing, "name") and hasattr(thing, "invoke")):
        return None
    out: JsonObject = {"name": thing.name, "description": thing.description or ""}
    out["args_schema"] = _schema_of(thing)
    for key in ("tags", "metadata", "extras"):
        if value := getattr(thing, key, None):
            out[key] = value
    if getattr(thing, "return_direct", False):
        out["return_direct"] = True
    if getattr(thing, "response_format", "content") != "content":
        out["response_format"] = thing.response_format
    return out


def _schema_of(thing: Any) -> Json:
    """What the model sees: without injected arguments where the tool can tell."""
    stated = getattr(thing, "tool_call_schema", None) or thing.args_schema
    if isinstance(stated, dict):
        return stated
    if hasattr(stated, "model_json_schema"):
        return stated.model_json_schema()
    return {"type": "object", "properties": thing.args} if hasattr(thing, "args") else {}


FORMAT = Format(
    id=ID,
    title="LangChain",
    sources=(Source("langchain-core 1.7.2", "2026-11", "tool attributes and accepted dicts"),),
    signals=frozenset({"args_schema", "schema", "properties"}),
    sniff=sniff,
    rank=4,
    containers=(("tools",),),
    adopt=adopt,
    read=read,
    write=write,
    plain=Plain(
        write=write_plain,
        writes=frozenset({"tags"}),
        forms=(
            PlainForm(
                inputs=SCHEMA_KEYS[0],
                reads={"tags": "tags", **dict.fromkeys(SCHEMA_KEYS[1:], "inputs")},
            ),
        ),
        telling=frozenset({"$schema"}),
    ),
)
