"""OpenAI Chat Completions: a ``function`` inside a typed wrapper; bare legacy ``functions``.

Free-text tools are ``custom``, with the grammar one level deeper than in the Responses API.
"""

from __future__ import annotations

from toolcanon.dialect import NamePolicy, Source
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
from toolcanon.formats.wire.freeform import read_grammar, write_grammar
from toolcanon.ir import CanonicalTool, Kind
from toolcanon.jsonio.types import JsonObject

ID = "openai"
TOOL = "$tool"
BARE = "bare"

FUNCTION = reading(
    {
        "name": ("name", str),
        "description": ("description", str),
        "parameters": ("inputs", dict),
        "input_schema": ("inputs", dict),  # seen in the wild beside the right key's absence
    },
    hints={"strict": "strict"},
)
READS = {"strict": "strict", "input_schema": "inputs"}
CUSTOM = reading({"name": ("name", str), "description": ("description", str)})


_WRAPPED = Match(1.0, "type 'function' with a nested 'function'")
_UNTYPED = Match(0.8, "a nested 'function' without a type")
_WRAPPED_CUSTOM = Match(1.0, "type 'custom' with a nested 'custom'")
_LEGACY = Match(0.7, "'name' and 'parameters' at the top, as in legacy functions")


def sniff(definition: JsonObject) -> Match | None:
    inner = definition.get("function")
    if isinstance(inner, dict):
        if definition.get("type") == "function":
            return _WRAPPED
        return _UNTYPED if "name" in inner else None
    if definition.get("type") == "custom" and isinstance(definition.get("custom"), dict):
        return _WRAPPED_CUSTOM
    if "name" in definition and "parameters" in definition:
        return _LEGACY
    return None


def read(definition: JsonObject) -> CanonicalTool:
    inner = definition.get("function")
    if inner.__class__ is dict:
        return _read_function(definition, inner)
    inner = definition.get("custom")
    if inner.__class__ is dict and definition.get("type") == "custom":
        return _read_custom(definition, inner)
    said, left = take(definition, FUNCTION, ID)
    left[SHAPE] = BARE
    return build(ID, _with_keys(said, left, definition), left, definition)


def _read_function(definition: JsonObject, inner: JsonObject) -> CanonicalTool:
    said, left = take(inner, FUNCTION, ID, "/function")
    if "input_schema" in inner:
        said = _with_keys(said, left, inner)
    if len(definition) > 2 or definition.get("type") != "function":  # noqa: PLR2004 - type, function
        left[TOOL] = {key: value for key, value in definition.items() if key != "function"}
    return build(ID, said, left, definition)


def _with_keys(said: JsonObject, left: JsonObject, inner: JsonObject) -> JsonObject:
    """Remember that the schema went by the other key; with both, the right one counts."""
    if "input_schema" in inner:
        if "parameters" in inner:
            left["input_schema"] = inner["input_schema"]
            if isinstance(inner["parameters"], dict):
                said["inputs"] = inner["parameters"]
        elif "inputs" in said:
            left[KEYS] = {"parameters": "input_schema"}
    return said


def _read_custom(definition: JsonObject, inner: JsonObject) -> CanonicalTool:
    said, left = take(inner, CUSTOM, ID, "/custom")
    read_grammar(said, left, nested=True)
    if len(definition) > 2:  # noqa: PLR2004 - type, custom
        left[TOOL] = {key: value for key, value in definition.items() if key != "custom"}
    return build(ID, said, left, definition)


def write_plain(name: str, description: str, schema: JsonObject) -> JsonObject:
    inner: JsonObject = {"name": name}
    if description:
        inner["description"] = description
    inner["parameters"] = schema
    return {"type": "function", "function": inner}


def write(tool: CanonicalTool, wire: Wire) -> JsonObject:
    said = tool.__dict__
    out: JsonObject = {"name": wire.name}
    if description := said.get("description"):
        out["description"] = description
    own = own_extras(tool, ID)
    if said.get("kind") is Kind.FREEFORM:
        write_grammar(tool, out, nested=True)
        kind = "custom"
    else:
        kind = "function"
        if wire.inputs:
            out["parameters"] = wire.inputs
        hints = tool.stated_hints()
        if "strict" in hints:
            out["strict"] = hints["strict"]
    if not own:
        return {"type": kind, kind: out}
    wrapper = own.get(TOOL) if wire.verbatim else None
    bare = wire.verbatim and own.get(SHAPE) == BARE
    inner = {key: value for key, value in own.items() if key != TOOL}
    out = restore_extras(out, inner, {}, verbatim=wire.verbatim)
    if bare:
        return out
    return {"type": kind, kind: out} if wrapper is None else {**wrapper, kind: out}


FORMAT = Format(
    id=ID,
    title="OpenAI Chat Completions",
    sources=(
        Source("openai-python 3.49.0 types", "2026-11", "shapes, executed with extra keys refused"),
        Source("https://platform.openai.com/docs/guides/function-calling", "2026-11", "names"),
    ),
    signals=frozenset({"function", "custom", "parameters"}),
    sniff=sniff,
    rank=1,
    containers=(("tools",), ("functions",)),
    read=read,
    write=write,
    plain=Plain(
        write=write_plain,
        writes=frozenset({"strict"}),
        forms=(
            PlainForm(inputs="parameters", inside="function", type="function", reads=READS),
            PlainForm(inputs="parameters", reads=READS),
        ),
        telling=frozenset({"$schema"}),
    ),
    names=NamePolicy("a-zA-Z0-9_-", 64),
    kinds=frozenset({Kind.FUNCTION, Kind.FREEFORM}),
)
