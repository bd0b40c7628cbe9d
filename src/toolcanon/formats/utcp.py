"""UTCP 1.x: ``inputs``, ``outputs`` and a call template, which states how to call the tool.

Tools are in a manual, ``{utcp_version, manual_version, tools}``. The library rejects a tool without
a template; no other format has one, so the server of the tool has to add it, and a loss reports
it.
"""

from __future__ import annotations

from toolcanon.dialect import Dialect, Source
from toolcanon.formats.wire import (
    Format,
    LoweredTool,
    Match,
    build,
    own_extras,
    reading,
    restore_extras,
    take,
)
from toolcanon.formats.wire.dialects import ADVISORY
from toolcanon.formats.wire.format import of_type
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio.types import Json, JsonObject

ID = "utcp"
TEMPLATE = "tool_call_template"
PROVIDER = "tool_provider"  # its name before 1.0

TOOL = reading(
    {
        "name": ("name", str),
        "description": ("description", str),
        "inputs": ("inputs", dict),
        "outputs": ("outputs", dict),
        "tags": ("tags", list),
    }
)


def _is_template(value: Json) -> bool:
    return isinstance(value, dict) and isinstance(value.get("call_template_type"), str)


KNOWN = {TEMPLATE: _is_template, "average_response_size": of_type(int)}

_TEMPLATE = Match(1.0, "'tool_call_template'")
_PROVIDER = Match(0.95, "'inputs' and 'tool_provider', as before 1.0")
_WITHOUT = Match(0.5, "'inputs' as a schema, without a call template")


def sniff(definition: JsonObject) -> Match | None:
    if "name" not in definition:
        return None
    if TEMPLATE in definition:
        return _TEMPLATE
    inputs = definition.get("inputs")
    if not isinstance(inputs, dict):
        return None
    if PROVIDER in definition:
        return _PROVIDER
    return _WITHOUT if inputs.get("type") == "object" else None


def read(definition: JsonObject) -> CanonicalTool:
    said, left, noted = take(definition, TOOL, ID)
    if not all(isinstance(tag, str) for tag in said.get("tags", ())):
        left["tags"] = said.pop("tags")
    return build(ID, said, left, noted, definition)


def write(tool: CanonicalTool, wire: LoweredTool) -> JsonObject:
    said = tool.__dict__
    own = own_extras(tool, ID)
    out: JsonObject = {"name": wire.name}
    if description := said.get("description"):
        out["description"] = description
    if wire.inputs:
        out["inputs"] = wire.inputs
    if wire.outputs:
        out["outputs"] = wire.outputs
    if tags := said.get("tags"):
        out["tags"] = tags
    return restore_extras(out, own, KNOWN, verbatim=wire.verbatim) if own else out


DEFAULT = Dialect(
    id=ID,
    version="2026-11",
    title="inputs and outputs",
    sources=(
        Source("utcp 1.2.0 JsonSchema", "2026-11", "members are objects; other keywords pass"),
    ),
    keywords=ADVISORY,
    booleans=False,
)

FORMAT = Format(
    id=ID,
    title="Universal Tool Calling Protocol",
    sources=(Source("utcp 1.2.0 Tool", "2026-11", "shapes; the template is required"),),
    signals=frozenset({TEMPLATE, "inputs"}),
    sniff=sniff,
    containers=(("tools",),),
    read=read,
    write=write,
    needs=frozenset({TEMPLATE}),
    dialects=(DEFAULT,),
)
