"""LangChain: ``{name, description, args_schema}``, schemas with a title, live tools and models.

The library has no wire format of its own. The shapes that programs store are read here, and its
objects are recognised by their attributes, without importing it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from toolcanon.dialect import Dialect, ReferenceRules, Source
from toolcanon.formats.wire import (
    Format,
    LoweredTool,
    Match,
    build,
    notes,
    own_extras,
    reading,
    restore_extras,
    take,
)
from toolcanon.formats.wire.dialects import ADVISORY
from toolcanon.formats.wire.format import ABSENT, KEYS, SHAPE, SPELLING, anything, no_parameters
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import APPLIES, POSITIONS

ID = "langchain"
AS_SCHEMA = "schema"
AS_MEMBERS = "members"
AS_FIELDS = "model-fields"

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
_OF_SCHEMAS = frozenset({*POSITIONS, *APPLIES, "type", "$schema", "$id", "$ref", "enum", "const"})
_OWN = frozenset({*TOOL.fields, *KNOWN, "title", "type"}) - {"parameters"}

_ARGS_SCHEMA = Match(0.9, "'args_schema'")
_PLAIN_SCHEMA = Match(0.9, "'schema'")
_SOME_SCHEMA = Match(0.4, "'schema', beside keys of other formats")
_NAMED_MEMBERS = Match(0.6, "'name' and 'properties'")
_TITLED_DOCUMENT = Match(0.5, "'title' and 'properties', but a document of its own")
_TITLED_SCHEMA = Match(0.8, "'title' and 'properties': a schema as a tool")


def sniff(definition: JsonObject) -> Match | None:
    if "args_schema" in definition:
        return _ARGS_SCHEMA
    if "schema" in definition:
        return _PLAIN_SCHEMA if definition.keys() <= _OWN else _SOME_SCHEMA
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
    chosen = next((key for key in present if definition[key]), "")  # the first that is not empty
    source = {k: v for k, v in definition.items() if k not in present or k == chosen}
    said, left, noted = take(source, TOOL, ID)
    left.update({key: definition[key] for key in present if key != chosen})
    if chosen and chosen != SCHEMA_KEYS[0]:
        noted[KEYS] = {SCHEMA_KEYS[0]: chosen}
    if not all(isinstance(tag, str) for tag in said.get("tags", ())):
        left["tags"] = said.pop("tags")
    schema = said.get("inputs", {})
    if isinstance(schema.get("model_fields"), dict):
        noted[SHAPE] = AS_FIELDS
        noted.setdefault(SPELLING, {})[chosen] = schema
        said["inputs"] = _from_model_fields(schema["model_fields"])
    title = definition.get("title") or schema.get("title")
    if "name" not in said and "name" not in definition and isinstance(title, str):
        said["name"] = title
        noted[ABSENT] = ["name"]
    return build(ID, said, left, noted, definition)


def _read_schema(definition: JsonObject) -> CanonicalTool:
    """Read a JSON Schema whose title is the tool's name, as ``bind_tools`` does."""
    said: JsonObject = {"name": definition.get("title")}
    inputs = {key: value for key, value in definition.items() if key != "title"}
    if isinstance(definition.get("description"), str) and definition["description"]:
        said["description"] = inputs.pop("description")
    said["inputs"] = inputs
    return build(ID, said, {}, {SHAPE: AS_SCHEMA}, definition)


def _read_members(definition: JsonObject) -> CanonicalTool:
    """Read ``{name, description, properties}``: schema keywords beside the name."""
    rest = {key: value for key, value in definition.items() if key not in _OF_SCHEMAS}
    said, left, noted = take(rest, TOOL, ID)
    said["inputs"] = {
        "type": definition.get("type", "object"),
        "properties": definition["properties"],
        "required": definition.get("required", []),
        **{key: definition[key] for key in definition if key in _OF_SCHEMAS},
    }
    noted[SHAPE] = AS_MEMBERS
    noted[ABSENT] = [key for key in ("type", "required") if key not in definition]
    return build(ID, said, left, noted, definition)


def _from_model_fields(fields: JsonObject) -> JsonObject:
    """Read a dumped model class: only names and required flags are in it."""
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


def write(tool: CanonicalTool, wire: LoweredTool) -> JsonObject:
    said = tool.__dict__
    own = own_extras(tool, ID)
    noted = notes(own) if wire.verbatim else {}
    shape, absent = noted.get(SHAPE), noted.get(ABSENT, ())
    out: JsonObject = {"title" if shape == AS_SCHEMA else "name": wire.name}
    if description := said.get("description"):
        out["description"] = description
    if shape == AS_SCHEMA:
        return {**out, **wire.inputs}
    if shape == AS_MEMBERS:
        out |= {key: value for key, value in wire.inputs.items() if key not in absent}
    elif shape != AS_FIELDS and (wire.inputs or not wire.verbatim):
        out[SCHEMA_KEYS[0]] = wire.inputs or no_parameters()
    if "name" in absent:
        del out["name"]
    if tags := said.get("tags"):
        out["tags"] = tags
    return restore_extras(out, own, KNOWN, verbatim=wire.verbatim) if own else out


def adopt(thing: Any) -> JsonObject | None:
    """Return the definition of a live tool or of a model class; None for other objects."""
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
    """Return the schema that the model sees, without injected arguments where possible."""
    if thing.args_schema is None:  # a single text; its inferred schema contains internals
        return {"type": "object", "properties": thing.args, "required": list(thing.args)}
    stated = getattr(thing, "tool_call_schema", None) or thing.args_schema
    if isinstance(stated, dict):
        return stated
    if hasattr(stated, "model_json_schema"):
        return stated.model_json_schema()
    return {}


def force(name: str, is_text: bool) -> Json:  # noqa: FBT001
    del is_text
    return name


_DEFAULT_2026_11 = Dialect(
    id=ID,
    version="2026-11",
    title="args_schema",
    sources=(Source("langchain-core 1.7.2", "2026-11", "a JSON Schema is passed on as it is"),),
    keywords=ADVISORY,
    references=ReferenceRules(unresolved=True),
)

DEFAULT = replace(
    _DEFAULT_2026_11,
    version="2026-11-18",
    sources=(
        *_DEFAULT_2026_11.sources,
        Source(
            "langchain-core 1.7.2 dereference_refs, by which it converts tools",
            "2026-11-18",
            "raises on references that lead nowhere, have escapes or are anchors; executed",
            ("references",),
        ),
    ),
    references=ReferenceRules(escapes=False),
    earlier=(_DEFAULT_2026_11,),
)

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
    force=force,
    dialects=(DEFAULT,),
    is_regular=True,
    schema_signals=frozenset({"model_fields"}),
)
