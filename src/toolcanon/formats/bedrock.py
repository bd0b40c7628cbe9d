"""Amazon Bedrock Converse: ``toolSpec`` with the schema under ``inputSchema.json``."""

from __future__ import annotations

from toolcanon.dialect import NamePolicy, Source
from toolcanon.errors import UnreadableTool
from toolcanon.formats.wire import (
    SHAPE,
    SPELLING,
    Format,
    Match,
    Plain,
    Wire,
    build,
    own_extras,
    reading,
    restore_extras,
    take,
)
from toolcanon.formats.wire.extras import BUILTIN
from toolcanon.formats.wire.schemas import NO_PARAMETERS
from toolcanon.ir import CanonicalTool, Kind
from toolcanon.jsonio.types import JsonObject

ID = "bedrock"
BARE = "bare"
WRAPPER = "$wrapper"

SPEC = reading(
    {"name": ("name", str), "description": ("description", str), "inputSchema": ("wrapped", dict)},
    hints={"strict": "strict"},
)


_TOOL_SPEC = Match(1.0, "'toolSpec'")
_BARE_SPEC = Match(0.9, "'inputSchema' wrapped in 'json'")


def sniff(definition: JsonObject) -> Match | None:
    if isinstance(definition.get("toolSpec"), dict):
        return _TOOL_SPEC
    for key in ("systemTool", "cachePoint"):
        if isinstance(definition.get(key), dict):
            return Match(1.0, repr(key))
    schema = definition.get("inputSchema")
    if isinstance(schema, dict) and schema.keys() == {"json"} and "name" in definition:
        return _BARE_SPEC
    return None


def read(definition: JsonObject) -> CanonicalTool:
    spec = definition.get("toolSpec")
    if spec is None:
        for key in ("systemTool", "cachePoint"):
            inner = definition.get(key)
            if isinstance(inner, dict):
                # A cache point is no tool, but it belongs between them and must not get lost.
                builtin = {"name": str(inner.get("name") or key), "kind": Kind.BUILTIN}
                return build(ID, builtin, {BUILTIN: definition}, definition)
        spec = definition
    if not isinstance(spec, dict):
        raise UnreadableTool(ID, "/toolSpec", "toolSpec must be an object")
    said, left = take(spec, SPEC, ID, "" if spec is definition else "/toolSpec")
    wrapped = said.pop("wrapped", None)
    if wrapped is not None:
        schema = wrapped.get("json")
        if not isinstance(schema, dict) or len(wrapped) > 1:
            raise UnreadableTool(
                ID, "/toolSpec/inputSchema", "inputSchema must hold one object under 'json'"
            )
        if schema:
            said["inputs"] = schema
        else:
            left.setdefault(SPELLING, {})["inputSchema"] = wrapped
    if spec is definition:
        left[SHAPE] = BARE
    elif len(definition) > 1:
        left[WRAPPER] = {key: value for key, value in definition.items() if key != "toolSpec"}
    return build(ID, said, left, definition)


def write_plain(name: str, description: str, schema: JsonObject) -> JsonObject:
    spec: JsonObject = {"name": name}
    if description:
        spec["description"] = description
    spec["inputSchema"] = {"json": schema}
    return {"toolSpec": spec}


def write(tool: CanonicalTool, wire: Wire) -> JsonObject:
    said = tool.__dict__
    own = own_extras(tool, ID)
    if BUILTIN in own:
        return dict(own[BUILTIN])
    out: JsonObject = {"name": wire.name}
    if description := said.get("description"):  # an empty one is refused
        out["description"] = description
    if wire.inputs:
        out["inputSchema"] = {"json": wire.inputs}
    elif not (wire.verbatim and "inputSchema" in own.get(SPELLING, {})):
        out["inputSchema"] = {"json": dict(NO_PARAMETERS)}
    hints = tool.stated_hints()
    if "strict" in hints:
        out["strict"] = hints["strict"]
    if not own:
        return {"toolSpec": out}
    inner = {key: value for key, value in own.items() if key != WRAPPER}
    out = restore_extras(out, inner, {}, verbatim=wire.verbatim)
    if wire.verbatim:
        return out if own.get(SHAPE) == BARE else {"toolSpec": out, **own.get(WRAPPER, {})}
    return {"toolSpec": out}


FORMAT = Format(
    id=ID,
    title="Amazon Bedrock Converse",
    sources=(Source("botocore 1.44.0 service model", "2026-11", "shapes, lengths and patterns"),),
    signals=frozenset({"toolSpec", "systemTool", "cachePoint", "inputSchema"}),
    sniff=sniff,
    containers=(("tools",), ("toolConfig", "tools")),
    read=read,
    write=write,
    plain=Plain(write=write_plain, writes=frozenset({"strict"})),
    names=NamePolicy("a-zA-Z0-9_-", 64),
)
