"""Cohere Chat v2: the envelope of Chat Completions; strict mode is a setting of the request.

``strict_tools`` applies to all tools of a request, so a tool has no setting of its own; tools that
are read from a request take its setting. No tool can be forced by its name. Tools of v1,
``{name, description, parameter_definitions}``, are read as well.
"""

from __future__ import annotations

from dataclasses import replace

from toolcanon.dialect import (
    Dialect,
    NamePolicy,
    ReferenceRules,
    SizeLimits,
    Source,
    Support,
    table,
)
from toolcanon.errors import UnreadableTool
from toolcanon.formats.wire import (
    LoweredTool,
    Match,
    build,
    notes,
    own_extras,
    reading,
    restore_extras,
    take,
)
from toolcanon.formats.wire.chat import chat_format, chat_writer
from toolcanon.formats.wire.dialects import GRAMMAR_WITHOUT_BOUNDS, HELD
from toolcanon.formats.wire.format import SHAPE, as_object, located
from toolcanon.formats.wire.unread_parameters import object_schema
from toolcanon.ir import STATED_HINTS, CanonicalTool
from toolcanon.jsonio.types import Json, JsonObject

ID = "cohere"
FIRST = "v1"
DEFINITIONS = "parameter_definitions"
"""The members by name, each with its type name and whether it is required."""
STRICTLY = "strict_tools"

TOOL = reading(
    {"name": ("name", str), "description": ("description", str), DEFINITIONS: ("inputs", dict)}
)
CHAT = chat_format(ID, strict=False, parameters_required=True)
write_chat = chat_writer(ID, strict=False, parameters_required=True)

_FIRST = Match(1.0, f"'name' and {DEFINITIONS!r}")
_REQUEST = Match(1.0, f"{STRICTLY!r} beside 'tools'", many=True)


def sniff(definition: JsonObject) -> Match | None:
    if STRICTLY in definition and isinstance(definition.get("tools"), list):
        return _REQUEST
    if DEFINITIONS in definition and "name" in definition:
        return _FIRST
    return CHAT.sniff(definition)


def read(definition: JsonObject) -> CanonicalTool:
    if "function" in definition or "name" not in definition:
        return CHAT.read(definition)
    said, left, noted = take(definition, TOOL, ID)
    if "inputs" in said:
        said["inputs"] = object_schema(said["inputs"])
    noted[SHAPE] = FIRST
    return build(ID, said, left, noted, definition)


def spread(definition: JsonObject) -> list[CanonicalTool]:
    """Return the tools of a request with its setting of strict mode; null means unset."""
    strict = definition[STRICTLY]
    if not isinstance(strict, bool | None):
        reason = f"{STRICTLY} must be true or false, found {type(strict).__name__}"
        raise UnreadableTool(ID, f"/{STRICTLY}", reason)
    tools = []
    for index, item in enumerate(definition["tools"]):
        with located(f"/tools/{index}"):
            tool = read(as_object(item, ID))
        if strict is not None:
            tool.__dict__[STATED_HINTS] = {"strict": strict}
        tools.append(tool)
    return tools


def write(tool: CanonicalTool, wire: LoweredTool) -> JsonObject:
    own, members = own_extras(tool, ID), wire.inputs.get("properties")
    first = wire.verbatim and notes(own).get(SHAPE) == FIRST
    if not first or (wire.inputs and wire.inputs != object_schema(members or {})):
        return write_chat(tool, wire)
    out: JsonObject = {"name": wire.name}
    if description := tool.__dict__.get("description"):
        out["description"] = description
    if wire.inputs:
        out[DEFINITIONS] = members
    return restore_extras(out, own, {}, verbatim=True)


def request(tools: Json, strict: bool) -> JsonObject:  # noqa: FBT001
    return {"tools": tools, STRICTLY: True} if strict else {"tools": tools}


DEFAULT = Dialect(
    id=ID,
    version="2026-11",
    title="tool use",
    sources=(
        Source("https://docs.cohere.com/docs/structured-outputs", "2026-11", "ignored keywords"),
    ),
    keywords=table(
        Support.ACCEPTED,
        ignored="oneOf allOf not minimum maximum minLength maxLength minItems maxItems",
    ),
    root_unions=False,  # not documented as accepted there
    models=("command-",),
)

STRICT = replace(
    HELD,
    id=f"{ID}/strict",
    version="2026-11",
    title="strict tools",
    sources=(
        Source("https://docs.cohere.com/docs/structured-outputs", "2026-11", "the subset"),
        Source(
            "https://docs.cohere.com/docs/tool-use-parameter-types",
            "2026-11",
            "200 fields; something is required",
            ("members", "some_required"),
        ),
    ),
    keywords={
        **GRAMMAR_WITHOUT_BOUNDS,
        "minItems": Support.REJECTED,
        "default": Support.REJECTED,
    },
    formats=frozenset({"date-time", "date", "time", "uuid"}),
    anchors=False,
    # Recursion and lists of types are not documented.
    references=ReferenceRules(anywhere=False, siblings=False, recursive=False),
    type_lists=False,
    items=False,
    some_required=True,
    limits=SizeLimits(members=200),
    together=True,
    models=DEFAULT.models,
)

FORMAT = replace(
    CHAT,
    title="Cohere Chat v2",
    sources=(
        Source("cohere-python 7.3.1 types", "2026-11", "shapes, executed; names of v1"),
        Source("https://docs.cohere.com/reference/chat", "2026-11", STRICTLY),
    ),
    signals=CHAT.signals | {DEFINITIONS, STRICTLY},
    sniff=sniff,
    read=read,
    spread=spread,
    write=write,
    request=request,
    force=None,
    dialects=(DEFAULT, STRICT),
    names=NamePolicy("a-zA-Z0-9_", 64, first="a-zA-Z_"),
)
