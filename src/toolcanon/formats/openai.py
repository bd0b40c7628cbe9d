"""OpenAI Chat Completions: a ``function`` inside a typed wrapper; bare legacy ``functions``.

Free-text tools are ``custom``, with the grammar one level deeper than in the Responses API.
"""

from __future__ import annotations

from toolcanon.dialect import NamePolicy, Source
from toolcanon.formats.wire import (
    Format,
    Match,
    Plain,
    PlainForm,
    Wire,
    build,
    notes,
    own_extras,
    reading,
    restore_extras,
    take,
)
from toolcanon.formats.wire.extras import AROUND, KEYS, SHAPE
from toolcanon.formats.wire.freeform import read_grammar, write_grammar
from toolcanon.formats.wire.plain import flat
from toolcanon.ir import CanonicalTool, Kind
from toolcanon.jsonio.types import JsonObject

ID = "openai"
BARE = "bare"
FLAT = flat("parameters", strict_key="strict")

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
    if isinstance(inner, dict):
        said, left, noted = take(inner, FUNCTION, ID, "/function")
        _note_around(definition, "function", noted)
    else:
        inner = definition.get("custom")
        if isinstance(inner, dict) and definition.get("type") == "custom":
            said, left, noted = take(inner, CUSTOM, ID, "/custom")
            read_grammar(said, left, noted, nested=True)
            _note_around(definition, "custom", noted)
            return build(ID, said, left, noted, definition, "/custom")
        inner = definition
        said, left, noted = take(definition, FUNCTION, ID)
        noted[SHAPE] = BARE
    if "input_schema" in inner:
        _choose_schema(inner, said, left, noted)
    return build(ID, said, left, noted, definition, "" if inner is definition else "/function")


def _note_around(definition: JsonObject, kind: str, noted: JsonObject) -> None:
    """Remember a wrapper that says more, or less, than its type."""
    if len(definition) != 2 or definition.get("type") != kind:  # noqa: PLR2004 - type and kind
        noted[AROUND] = {key: value for key, value in definition.items() if key != kind}


def _choose_schema(
    inner: JsonObject, said: JsonObject, left: JsonObject, noted: JsonObject
) -> None:
    """With both keys the right one counts, if it says anything."""
    if inner.get("parameters"):
        left["input_schema"] = inner["input_schema"]
        said["inputs"] = inner["parameters"]
    elif "inputs" in said:
        noted[KEYS] = {"parameters": "input_schema"}


def write_plain(
    name: str,
    description: str,
    schema: JsonObject,
    strict: bool | None,  # noqa: FBT001
    outputs: JsonObject | None,
) -> JsonObject:
    return {"type": "function", "function": FLAT(name, description, schema, strict, outputs)}


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
    out = restore_extras(out, own, {}, verbatim=wire.verbatim)
    noted = notes(own) if wire.verbatim else {}
    if noted.get(SHAPE) == BARE:
        return out
    return {**noted[AROUND], kind: out} if AROUND in noted else {"type": kind, kind: out}


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
    ),
    names=NamePolicy("a-zA-Z0-9_-", 64),
    kinds=frozenset({Kind.FUNCTION, Kind.FREEFORM}),
)
