"""OpenAI Chat Completions: a ``function`` inside a typed wrapper; bare legacy ``functions``.

Free-text tools are ``custom``, with the grammar one level deeper than in the Responses API.
"""

from __future__ import annotations

from dataclasses import replace

from toolcanon.dialect import Source
from toolcanon.formats.openai.engines import LLGUIDANCE, OUTLINES
from toolcanon.formats.openai.history import RULES
from toolcanon.formats.wire import (
    Format,
    Match,
    Wire,
    build,
    codec_beside,
    notes,
    own_extras,
    reading,
    restore_extras,
    take,
)
from toolcanon.formats.wire.chat import force as force_function
from toolcanon.formats.wire.chat import note_around, wrapped
from toolcanon.formats.wire.dialects import CHAT_NAMES, CHECKED, DECODED, EVERY_MEMBER, decoded
from toolcanon.formats.wire.extras import KEYS, SHAPE
from toolcanon.formats.wire.freeform import read_grammar, write_grammar
from toolcanon.formats.wire.unread import is_call
from toolcanon.ir import CanonicalTool, Kind
from toolcanon.jsonio.types import Json, JsonObject

ID = "openai"
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
_FREEFORM = Kind.FREEFORM
READS = {"strict": "strict", "input_schema": "inputs"}
CUSTOM = reading({"name": ("name", str), "description": ("description", str)})


_WRAPPED = Match(1.0, "type 'function' with a nested 'function'")
_UNTYPED = Match(0.8, "a nested 'function' without a type")
_WRAPPED_CUSTOM = Match(1.0, "type 'custom' with a nested 'custom'")
_LEGACY = Match(0.7, "'name' and 'parameters' at the top, as in legacy functions")


def sniff(definition: JsonObject) -> Match | None:
    inner = definition.get("function")
    if isinstance(inner, dict):
        if "arguments" in inner and is_call(inner):
            return None
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
        note_around(definition, "function", noted)
    else:
        inner = definition.get("custom")
        if isinstance(inner, dict) and definition.get("type") == "custom":
            said, left, noted = take(inner, CUSTOM, ID, "/custom")
            read_grammar(said, left, noted, nested=True)
            note_around(definition, "custom", noted)
            return build(ID, said, left, noted, definition, "/custom")
        inner = definition
        said, left, noted = take(definition, FUNCTION, ID)
        noted[SHAPE] = BARE
    if "input_schema" in inner:
        _choose_schema(inner, said, left, noted)
    return build(ID, said, left, noted, definition, "" if inner is definition else "/function")


def _choose_schema(
    inner: JsonObject, said: JsonObject, left: JsonObject, noted: JsonObject
) -> None:
    """With both keys the right one counts, if it says anything."""
    if inner.get("parameters"):
        left["input_schema"] = inner["input_schema"]
        said["inputs"] = inner["parameters"]
    elif "inputs" in said:
        noted[KEYS] = {"parameters": "input_schema"}


def write(tool: CanonicalTool, wire: Wire) -> JsonObject:
    said = tool.__dict__
    out: JsonObject = {"name": wire.name}
    if description := said.get("description"):
        out["description"] = description
    own = own_extras(tool, ID) if "extras" in said else {}
    if said.get("kind") is _FREEFORM:
        write_grammar(tool, out, nested=True)
        kind = "custom"
    else:
        kind = "function"
        if wire.inputs:
            out["parameters"] = wire.inputs
        if wire.strict is not None:
            out["strict"] = wire.strict
    if not own:
        return {"type": kind, kind: out}
    out = restore_extras(out, own, {}, verbatim=wire.verbatim)
    if wire.verbatim and notes(own).get(SHAPE) == BARE:
        return out
    return wrapped(kind, out, own, verbatim=wire.verbatim)


def force(name: str, is_text: bool) -> Json:  # noqa: FBT001
    if is_text:
        return {"type": "custom", "custom": {"name": name}}
    return force_function(name, is_text)


DEFAULT = replace(
    CHECKED,
    id=ID,
    history=RULES,
    version="2026-11",
    title="function calling",
    sources=(
        Source("github.com/streamnative/streamnative-mcp-server/issues/26", "2026-08", "items"),
        Source("github.com/nspady/google-calendar-mcp/issues/39", "2026-08", "unions at the root"),
        Source("github.com/zed-industries/zed/issues/32946", "2026-08", "128 tools", ("tools",)),
    ),
    models=("gpt-", "chatgpt-", "o1", "o3", "o4", "ft:gpt-"),
    usual=1,
)

_STRICT_2026_11 = replace(
    EVERY_MEMBER,
    id=f"{ID}/strict",
    version="2026-11",
    title="structured outputs",
    sources=(
        Source(
            "https://platform.openai.com/docs/guides/structured-outputs", "2026-11", "the subset"
        ),
        Source("openai-node 7.53.0 toStrictJsonSchema", "2026-11", "what it refuses, executed"),
        Source("github.com/openai/openai-agents-python/issues/4390", "2026-08", "no default"),
    ),
    models=DEFAULT.models,
    usual=2,
)

STRICT = replace(
    decoded(_STRICT_2026_11),
    version="2026-11-18",
    sources=(
        *_STRICT_2026_11.sources,
        Source(
            "openai-python 3.49.0 _ensure_strict_json_schema, openai-agents 0.24.0 strict_schema",
            "2026-11-18",
            "required beside every properties, be both empty; executed",
            ("empty_required",),
        ),
        DECODED,
    ),
    empty_required=True,
    earlier=(_STRICT_2026_11,),
)


FORMAT = Format(
    id=ID,
    codec=codec_beside(__name__),
    title="OpenAI Chat Completions",
    known_as=("gpt", "chatgpt", "azure"),
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
    is_regular=True,
    force=force,
    dialects=(DEFAULT, STRICT, LLGUIDANCE, OUTLINES),
    names=CHAT_NAMES,
    kinds=frozenset({Kind.FUNCTION, Kind.FREEFORM}),
)
