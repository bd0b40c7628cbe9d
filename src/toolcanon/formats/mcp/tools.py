"""Model Context Protocol, every version up to 2026-07-28: ``inputSchema``, titles, annotations."""

from __future__ import annotations

from dataclasses import replace

from toolcanon.dialect import Dialect, Source
from toolcanon.formats.mcp.clients import CLIENTS
from toolcanon.formats.wire import (
    Format,
    LoweredTool,
    Match,
    build,
    is_spelled,
    own_extras,
    reading,
    restore_extras,
    take,
)
from toolcanon.formats.wire.dialects import ADVISORY
from toolcanon.formats.wire.flat_reader import ANNOTATIONS, read_annotations, write_annotations
from toolcanon.formats.wire.format import (
    ABSENT,
    BESIDE,
    KEYS,
    SPELLING,
    TEXT,
    list_of,
    members,
    no_parameters,
    of_type,
    one_of,
    unknown_extras,
)
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio.types import JsonObject

ID = "mcp"

TOOL = reading(
    {
        "name": ("name", str),
        "title": ("title", str),
        "description": ("description", str),
        "inputSchema": ("inputs", dict),
        "outputSchema": ("outputs", dict),
    }
)
SCHEMA_KEYS = ("inputSchema", "input_schema")
SNAKE = {"input_schema": "inputSchema", "output_schema": "outputSchema", "meta": "_meta"}
# execution left the protocol with 2026-07-28; servers of the version before still send it.
ICON = {"src": of_type(str)}
ICON_MORE = {
    "mimeType": of_type(str),
    "sizes": list_of(of_type(str)),
    "theme": one_of("light", "dark"),
}
KNOWN = {
    "icons": list_of(members(ICON, ICON_MORE)),
    "_meta": of_type(dict),
    "execution": members({}, {"taskSupport": one_of("forbidden", "optional", "required")}),
}


_FIELDS = frozenset({*TOOL.fields, *KNOWN, *SNAKE, ANNOTATIONS})

_WRAPPED_SCHEMA = Match(0.5, "'inputSchema', but wrapped in 'json'")
_CAMEL_CASE = Match(1.0, "'name' and 'inputSchema'")
_SNAKE_CASE = Match(0.6, "'input_schema' beside fields of this protocol's library")


def sniff(definition: JsonObject) -> Match | None:
    if "name" not in definition:
        return None
    schema = definition.get("inputSchema")
    if "inputSchema" in definition:
        if isinstance(schema, dict) and schema.keys() == {"json"}:
            return _WRAPPED_SCHEMA
        return _CAMEL_CASE
    if "input_schema" in definition and not definition.keys().isdisjoint(
        {"output_schema", "title", "icons", "execution", "meta", "_meta"}
    ):
        return _SNAKE_CASE
    return None


def read(definition: JsonObject) -> CanonicalTool:
    source = definition
    renamed = {}
    if "inputSchema" not in definition and "input_schema" in definition:
        renamed = {SNAKE[k]: k for k in definition if k in SNAKE and SNAKE[k] not in definition}
        known = {theirs: ours for ours, theirs in renamed.items()}
        source = {known.get(key, key): value for key, value in definition.items()}
    said, left, noted = take(source, TOOL, ID)
    if ANNOTATIONS in left:
        read_annotations(left, said, noted)
    if renamed:
        noted[KEYS] = renamed
        for note in (SPELLING, TEXT, BESIDE):
            if note in noted:
                noted[note] = {renamed.get(k, k): v for k, v in noted[note].items()}
    if "inputSchema" not in source:
        noted[ABSENT] = ["inputSchema"]
    return build(ID, said, left, noted, definition)


def write(tool: CanonicalTool, wire: LoweredTool) -> JsonObject:
    said = tool.__dict__
    own = own_extras(tool, ID)
    out: JsonObject = {"name": wire.name}
    if title := said.get("title"):
        out["title"] = title
    if description := said.get("description"):
        out["description"] = description
    if wire.inputs:
        out["inputSchema"] = wire.inputs
    elif not (wire.verbatim and any(is_spelled(own, key) for key in SCHEMA_KEYS)):
        out["inputSchema"] = no_parameters()
    if wire.outputs:
        out["outputSchema"] = wire.outputs
    write_annotations(tool, own, out, verbatim=wire.verbatim)
    if own:
        out = restore_extras(out, own, KNOWN, verbatim=wire.verbatim)
        # Every version allows other keys, and a proxy must hand on what it does not know.
        if not wire.verbatim:
            out |= unknown_extras(own, _FIELDS)
    if wire.dialect is not None and "without" in wire.dialect.options:
        gone = wire.dialect.options["without"].split()
        if "object answers" in wire.dialect.options and wire.outputs.get("type") != "object":
            gone.append("outputSchema")
        out = {key: value for key, value in out.items() if key not in gone}
    return out


_LATEST_2026_07_28 = Dialect(
    id=ID,
    version="2026-07-28",
    title="specification 2026-07-28",
    sources=(Source("MCP specification 2026-07-28", "2026-08", "any keyword of 2020-12"),),
    keywords=ADVISORY,
    options={"without": "execution"},  # tasks became an extension
)

LATEST = replace(
    _LATEST_2026_07_28,
    version="2026-11-18",
    sources=(
        *_LATEST_2026_07_28.sources,
        Source(
            "MCP specification 2026-07-28 schema.json",
            "2026-11-18",
            "a tool may have other keys, so execution of earlier versions may stay",
            ("options",),
        ),
    ),
    options={},
    earlier=(_LATEST_2026_07_28,),
)


def _earlier(version: str, without: str) -> Dialect:
    return Dialect(
        id=f"{ID}/{version}",
        version=version,
        title=f"specification {version}",
        sources=(Source(f"MCP specification {version} schema.json", "2026-08", "types of fields"),),
        keywords=ADVISORY,
        booleans=False,  # its schema types the members of properties as objects
        options={"without": without, "object answers": "up to then"},
    )


EARLIER = (
    _earlier("2025-11-25", ""),
    _earlier("2025-06-18", "icons execution"),
    _earlier("2025-03-26", "icons execution title outputSchema _meta"),
    _earlier("2024-11-05", "icons execution title outputSchema _meta annotations"),
)

FORMAT = Format(
    id=ID,
    title="Model Context Protocol",
    sources=(
        Source("MCP specification 2024-11-05 to 2026-07-28", "2026-08", "fields of each version"),
        Source("mcp-types 2.3.0", "2026-11", "versioned models, executed"),
    ),
    signals=frozenset({"inputSchema", "input_schema"}),
    sniff=sniff,
    rank=3,
    containers=(("tools",), ("result", "tools")),
    read=read,
    write=write,
    is_regular=True,
    dialects=(LATEST, *EARLIER, *CLIENTS),
    # Names should be 1 to 128 of [A-Za-z0-9_.-] since 2025-11-25, but nothing refuses others, and
    # a server's own names must reach it unchanged.
    names=None,
)
