"""Amazon Bedrock Converse: ``toolSpec`` with the schema under ``inputSchema.json``."""

from __future__ import annotations

from dataclasses import replace

from toolcanon.dialect import Dialect, Source
from toolcanon.errors import UnreadableTool
from toolcanon.formats.bedrock.history import RULES
from toolcanon.formats.wire import (
    Format,
    Match,
    Wire,
    build,
    build_builtin,
    codec_beside,
    is_spelled,
    notes,
    own_extras,
    reading,
    restore_extras,
    take,
)
from toolcanon.formats.wire.dialects import ADVISORY, CHAT_NAMES, OPTIONAL_MEMBERS
from toolcanon.formats.wire.extras import ABSENT, AROUND, BUILTIN, SHAPE, SPELLING
from toolcanon.formats.wire.schemas import no_parameters
from toolcanon.ir import CanonicalTool, Kind
from toolcanon.jsonio.types import Json, JsonObject

ID = "bedrock"
BARE = "bare"

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
                return build_builtin(ID, inner.get("name") or key, definition)
        spec = definition
    if not isinstance(spec, dict):
        raise UnreadableTool(ID, "/toolSpec", "toolSpec must be an object")
    said, left, noted = take(spec, SPEC, ID, "" if spec is definition else "/toolSpec")
    place = "" if spec is definition else "/toolSpec"
    if "inputSchema" in left:
        raise UnreadableTool(ID, f"{place}/inputSchema", "inputSchema must be an object")
    wrapped = said.pop("wrapped", None)
    if wrapped is not None:
        schema = wrapped.get("json")
        if not isinstance(schema, dict) or len(wrapped) > 1:
            reason = "inputSchema must hold one object under 'json'"
            raise UnreadableTool(ID, f"{place}/inputSchema", reason)
        if schema:
            said["inputs"] = schema
        else:
            noted.setdefault(SPELLING, {})["inputSchema"] = wrapped
    elif "inputSchema" not in spec:
        noted[ABSENT] = ["inputSchema"]
    if spec is definition:
        noted[SHAPE] = BARE
    elif len(definition) > 1:
        noted[AROUND] = {key: value for key, value in definition.items() if key != "toolSpec"}
    return build(ID, said, left, noted, definition, place)


def write(tool: CanonicalTool, wire: Wire) -> JsonObject:
    said = tool.__dict__
    own = own_extras(tool, ID)
    if said.get("kind") is Kind.BUILTIN:
        return dict(notes(own)[BUILTIN])
    out: JsonObject = {"name": wire.name}
    if description := said.get("description"):  # an empty one is refused
        out["description"] = description
    if wire.inputs:
        out["inputSchema"] = {"json": wire.inputs}
    elif not (wire.verbatim and is_spelled(own, "inputSchema")):
        out["inputSchema"] = {"json": no_parameters()}
    if wire.strict is not None:
        out["strict"] = wire.strict
    if not own:
        return {"toolSpec": out}
    out = restore_extras(out, own, {}, verbatim=wire.verbatim)
    noted = notes(own) if wire.verbatim else {}
    if noted.get(SHAPE) == BARE:
        return out
    return {"toolSpec": out, **noted.get(AROUND, {})}


def request(tools: Json, strict: bool) -> JsonObject:  # noqa: FBT001
    del strict
    return {"toolConfig": {"tools": tools}}


def force(name: str, is_text: bool) -> Json:  # noqa: FBT001
    del is_text
    return {"tool": {"name": name}}


DEFAULT = Dialect(
    id=ID,
    history=RULES,
    version="2026-11",
    title="Converse",
    sources=(
        Source(
            "https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use.html",
            "2026-11",
            "an object at the root",
        ),
    ),
    keywords=ADVISORY,
    root_unions=False,
    routes=("bedrock",),
    usual=5,
)

STRICT = replace(
    OPTIONAL_MEMBERS,
    id=f"{ID}/strict",
    version="2026-11",
    title="Converse, structured outputs",
    sources=(
        Source(
            "https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html",
            "2026-11",
            "the subset",
        ),
        Source("pydantic-ai 2.66.0, which says it tested live", "2026-10", "what is refused"),
    ),
    routes=DEFAULT.routes,
)


FORMAT = Format(
    id=ID,
    codec=codec_beside(__name__),
    title="Amazon Bedrock Converse",
    known_as=("aws", "converse", "amazon"),
    sources=(Source("botocore 1.44.0 service model", "2026-11", "shapes, lengths and patterns"),),
    signals=frozenset({"toolSpec", "systemTool", "cachePoint", "inputSchema"}),
    sniff=sniff,
    containers=(("tools",), ("toolConfig", "tools")),
    read=read,
    write=write,
    is_regular=True,
    request=request,
    force=force,
    dialects=(DEFAULT, STRICT),
    names=CHAT_NAMES,
)
