"""LlamaIndex: the metadata of a tool, live tools that have it, and what ``to_openai_tool`` gives.

A tool is written in that envelope, which is the one of Chat Completions. Live objects are
recognised by their attributes, without importing the library.
"""

from __future__ import annotations

from typing import Any

from toolcanon.dialect import Dialect, Source
from toolcanon.formats.wire import (
    Format,
    LoweredTool,
    Match,
    build,
    is_spelled,
    notes,
    own_extras,
    reading,
    restore_extras,
    take,
)
from toolcanon.formats.wire.chat import SHARED, force, note_around, wrapped
from toolcanon.formats.wire.dialects import ADVISORY, CHAT_NAMES
from toolcanon.formats.wire.format import SHAPE, SPELLING, no_parameters
from toolcanon.formats.wire.unread_parameters import is_call
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio.types import JsonObject

ID = "llamaindex"
METADATA = "metadata"
SCHEMA = "fn_schema"
ONE_TEXT: JsonObject = {
    "type": "object",
    "properties": {"input": {"title": "input query string", "type": "string"}},
    "required": ["input"],
}
"""The schema of a tool without one."""

FUNCTION = reading(
    {
        "name": ("name", str),
        "description": ("description", str),
        "parameters": ("inputs", dict),
        SCHEMA: ("inputs", dict),
    }
)

_STATED = Match(0.95, "'fn_schema'")
_WRAPPED = Match(SHARED, "type 'function' with a nested 'function', as many write it")


def sniff(definition: JsonObject) -> Match | None:
    if SCHEMA in definition and "name" in definition:
        return _STATED
    inner = definition.get("function")
    if definition.get("type") == "function" and isinstance(inner, dict) and not is_call(inner):
        return _WRAPPED
    return None


def read(definition: JsonObject) -> CanonicalTool:
    inner = definition.get("function")
    if isinstance(inner, dict):
        said, left, noted = take(inner, FUNCTION, ID, "/function")
        note_around(definition, "function", noted)
        return build(ID, said, left, noted, definition, "/function")
    said, left, noted = take(definition, FUNCTION, ID)
    noted[SHAPE] = METADATA
    if SCHEMA in definition and definition[SCHEMA] is None:
        said["inputs"] = ONE_TEXT
    return build(ID, said, left, noted, definition)


def write(tool: CanonicalTool, wire: LoweredTool) -> JsonObject:
    own = own_extras(tool, ID)
    noted = notes(own) if wire.verbatim else {}
    as_metadata = noted.get(SHAPE) == METADATA
    key = SCHEMA if as_metadata else "parameters"
    out: JsonObject = {"name": wire.name}
    if description := tool.__dict__.get("description"):
        out["description"] = description
    if wire.inputs and key not in noted.get(SPELLING, ()):
        out[key] = wire.inputs
    elif not wire.inputs and not wire.verbatim and not is_spelled(own, key):
        out[key] = no_parameters()
    if own:
        out = restore_extras(out, own, {}, verbatim=wire.verbatim)
    return out if as_metadata else wrapped("function", out, own, verbatim=wire.verbatim)


def adopt(thing: Any) -> JsonObject | None:
    """Return the definition of a live tool or of its metadata; None for other objects."""
    if isinstance(thing, type):
        return None
    metadata = getattr(thing, METADATA, thing)
    if not (hasattr(metadata, SCHEMA) and hasattr(metadata, "get_parameters_dict")):
        return None
    model = metadata.fn_schema
    out: JsonObject = {
        "name": metadata.name,
        "description": metadata.description,
        SCHEMA: None if model is None else model.model_json_schema(),
    }
    if metadata.return_direct:
        out["return_direct"] = True
    return out


DEFAULT = Dialect(
    id=ID,
    version="2026-11",
    title="function tools",
    sources=(
        Source(
            "llama-index-core 0.14.25 ToolMetadata", "2026-11", "the schema of a model, as it is"
        ),
    ),
    keywords=ADVISORY,
    root_unions=False,  # it keeps only type, properties, required and definitions of the root
    root_properties=True,
)

FORMAT = Format(
    id=ID,
    title="LlamaIndex",
    sources=(
        Source("llama-index-core 0.14.25 ToolMetadata", "2026-11", "shapes; characters of names"),
    ),
    signals=frozenset({"function", SCHEMA}),
    sniff=sniff,
    containers=(("tools",),),
    adopt=adopt,
    read=read,
    write=write,
    is_regular=True,
    force=force,
    dialects=(DEFAULT,),
    names=CHAT_NAMES,
)
