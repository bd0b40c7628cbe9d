"""Google Gemini: function declarations, with a Schema or a JSON Schema, in both letter cases."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
from toolcanon.formats.gemini.history import RULES
from toolcanon.formats.wire import (
    Format,
    Match,
    Wire,
    build,
    build_builtin,
    codec_beside,
    notes,
    own_extras,
    reading,
    restore_extras,
    take,
)
from toolcanon.formats.wire.accepts import one_of
from toolcanon.formats.wire.extras import BUILTIN, KEYS
from toolcanon.formats.wire.places import as_object, located
from toolcanon.ir import STATED_HINTS, CanonicalTool, Kind, stated_hints
from toolcanon.jsonio.types import Json, JsonObject

ID = "gemini"

INPUTS = ("parametersJsonSchema", "parameters_json_schema", "parameters")
OUTPUTS = ("responseJsonSchema", "response_json_schema", "response")
WRAPPERS = ("functionDeclarations", "function_declarations")
KNOWN = {"behavior": one_of("UNSPECIFIED")}
BEHAVIOR = {"BLOCKING": False, "NON_BLOCKING": True}

DECLARATION = reading(
    {
        "name": ("name", str),
        "description": ("description", str),
        **dict.fromkeys(INPUTS, ("inputs", dict)),
        **dict.fromkeys(OUTPUTS, ("outputs", dict)),
    }
)
TYPES = frozenset({"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"})
_UPPER = re.compile(r"(?<=[a-z])([A-Z])")
_CAMEL = (
    "googleSearch googleSearchRetrieval codeExecution urlContext googleMaps fileSearch computerUse "
    "retrieval mcpServers enterpriseWebSearch parallelAiSearch exaAiSearch"
).split()
BUILTINS = frozenset(_CAMEL) | {_UPPER.sub(r"_\1", name).lower() for name in _CAMEL}


_TELLING = frozenset({*INPUTS[:2], *OUTPUTS[:2]})
_JSON_SCHEMA = Match(1.0, "a JSON Schema under a key of its own")
_UPPER_CASE = Match(0.9, "'parameters' with an upper-case type")
_WITH_RESPONSE = Match(0.65, "'parameters' and 'response'")
_LIKE_LEGACY = Match(0.5, "'name' and 'parameters', as in a declaration")
_WITH_BEHAVIOR = Match(0.9, "'behavior' of a declaration")
_NAME_ALONE = Match(0.1, "a name alone is a declaration without parameters")


def sniff(definition: JsonObject) -> Match | None:
    if "name" in definition:
        return None if "type" in definition else _sniff_declaration(definition)
    for key in WRAPPERS:
        if isinstance(definition.get(key), list):
            return Match(1.0, f"a list of {key!r}", many=True)
    builtins = definition.keys() & BUILTINS
    if builtins and builtins == definition.keys():
        return Match(1.0, f"built-in {min(builtins)!r}", many=len(builtins) > 1)
    return None


def _sniff_declaration(definition: JsonObject) -> Match | None:
    if not definition.keys().isdisjoint(_TELLING):
        return _JSON_SCHEMA
    schema = definition.get("parameters")
    if isinstance(schema, dict):
        kind = schema.get("type")
        if isinstance(kind, str) and kind in TYPES:
            return _UPPER_CASE
        if "response" in definition:
            return _WITH_RESPONSE
        return _LIKE_LEGACY
    if isinstance(definition.get("behavior"), str):
        return _WITH_BEHAVIOR
    if definition.keys() <= {"name", "description"}:
        return _NAME_ALONE
    return None


def read(definition: JsonObject) -> CanonicalTool:
    if "name" not in definition:
        builtins = definition.keys() & BUILTINS
        if builtins:
            return build_builtin(ID, min(builtins), definition)
    said, left, noted = take(definition, DECLARATION, ID)
    keys = {}
    for field, known in (("inputs", INPUTS), ("outputs", OUTPUTS)):
        present = [key for key in known if definition.get(key)]
        if len(present) > 1:
            raise UnreadableTool(ID, f"/{present[1]}", f"{present[0]} is given as well")
        if field in said and present[0] != known[0]:
            keys[known[0]] = present[0]
    if keys:
        noted[KEYS] = keys
    behavior = BEHAVIOR.get(str(left.get("behavior")))
    if behavior is not None:
        del left["behavior"]
        said[STATED_HINTS] = {"background": behavior}
    return build(ID, said, left, noted, definition)


def spread(definition: JsonObject) -> list[CanonicalTool]:
    """Every declaration of a Tool, then the built-in tools beside them."""
    tools: list[CanonicalTool] = []
    for key, value in definition.items():
        if value is None:
            continue
        if key in BUILTINS:
            tools.append(read({key: value}))
        elif key in WRAPPERS and isinstance(value, list):
            for index, item in enumerate(value):
                with located(f"/{key}/{index}"):
                    tools.append(read(as_object(item, ID)))
        else:
            raise UnreadableTool(ID, f"/{key}", f"unknown beside {WRAPPERS[0]}, or no list")
    return tools


def write(tool: CanonicalTool, wire: Wire) -> JsonObject:
    said = tool.__dict__
    own = own_extras(tool, ID) if "extras" in said else {}
    if "kind" in said and said["kind"] is Kind.BUILTIN:
        return dict(notes(own)[BUILTIN])
    out: JsonObject = {"name": wire.name}
    if description := said.get("description"):
        out["description"] = description
    # The two fields exclude each other, on either side.
    which = 2 if wire.dialect in {OPENAPI, THROUGH_LITELLM} else 0
    if wire.inputs:
        out[INPUTS[which]] = wire.inputs
    if wire.outputs:
        out[OUTPUTS[which]] = wire.outputs
    if "hints" in said or STATED_HINTS in said:
        hints = stated_hints(tool)
        if "background" in hints:
            out["behavior"] = "NON_BLOCKING" if hints["background"] else "BLOCKING"
    return restore_extras(out, own, KNOWN, verbatim=wire.verbatim) if own else out


def assemble(items: Sequence[tuple[CanonicalTool, JsonObject]]) -> Json:
    """One Tool with all declarations, where the first of them stood; built-ins by themselves."""
    declarations: list[JsonObject] = []
    out: list[JsonObject] = []
    for tool, item in items:
        if tool.__dict__.get("kind") is Kind.BUILTIN:
            out.append(item)
            continue
        if not declarations:
            out.append({WRAPPERS[0]: declarations})
        declarations.append(item)
    return out


def request(tools: Json, strict: bool) -> JsonObject:  # noqa: FBT001
    """Strictness is a mode of the whole request here."""
    config: JsonObject = {"tools": tools}
    if strict:
        config["toolConfig"] = {"functionCallingConfig": {"mode": "VALIDATED"}}
    return {"config": config}


def force(name: str, is_text: bool) -> Json:  # noqa: FBT001
    del is_text
    return {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": [name]}}


DEFAULT = Dialect(
    id=ID,
    history=RULES,
    version="2026-11",
    title="parametersJsonSchema",
    sources=(
        Source(
            "google-genai 3.1.0 response_json_schema",
            "2026-11",
            "keywords it lists; recursion only inside members that are not required",
        ),
        Source("github.com/pydantic/pydantic-ai/issues/3610", "2026-08", "an enum needs a type"),
    ),
    keywords=table(
        Support.ENFORCED,
        accepted=(
            "$schema $comment title description default deprecated readOnly writeOnly examples "
            "allOf not if then else dependentSchemas dependentRequired patternProperties "
            "propertyNames unevaluatedItems unevaluatedProperties exclusiveMinimum "
            "exclusiveMaximum multipleOf pattern contentEncoding contentMediaType contentSchema"
        ),
        ignored=(
            "minLength maxLength minProperties maxProperties uniqueItems contains minContains "
            "maxContains"
        ),
        rejected="const",
    ),
    references=ReferenceRules(siblings=False, unavoidable=False),
    enum_typed=True,
    limits=SizeLimits(tools=512),
    models=("gemini-", "gemma-"),
    usual=4,
)

OPENAPI = Dialect(
    id=f"{ID}/openapi",
    version="2026-11",
    title="parameters, an OpenAPI subset",
    sources=(
        Source("google-genai 3.1.0 types.Schema", "2026-11", "its fields, unknown ones refused"),
        Source("google-genai 3.1.0 docstrings", "2026-11", "names of parameters"),
        Source("github.com/BerriAI/litellm/issues/40003", "2026-08", "no empty enum value"),
        Source("litellm 1.106.2 Vertex builder", "2026-11", "formats; empty properties; strict"),
        Source("github.com/BerriAI/litellm/issues/11164", "2026-11", "a union stands alone"),
    ),
    keywords=dict.fromkeys(
        (
            "type properties items required enum anyOf nullable format minimum maximum minItems "
            "maxItems minLength maxLength pattern minProperties maxProperties"
        ).split(),
        Support.ENFORCED,
    )
    | dict.fromkeys("description title default propertyOrdering".split(), Support.ACCEPTED),
    others=Support.REJECTED,
    formats=frozenset({"enum", "date-time"}),  # others are dropped on the way
    references=ReferenceRules(keep=False),
    booleans=False,
    typed=True,
    type_lists=False,
    nullable=True,
    union_siblings=False,
    lone_unions=True,
    root_unions=False,
    empty_properties=False,
    maps=False,
    items=True,
    enum_strings=True,
    # Whatever is called strict is deleted on the way, whether it is a flag or a parameter.
    members=NamePolicy("a-zA-Z0-9_", 64, first="a-zA-Z_", reserved=frozenset({"strict"})),
    nested_members=True,
    limits=SizeLimits(tools=512),
    models=("gemini-", "gemma-"),
    routes=("vertex", "openrouter", "live"),
)

# The same tools may reach another provider there, where less of the root gets through.
THROUGH_LITELLM = replace(
    OPENAPI,
    id=f"{OPENAPI.id}/litellm",
    title="parameters, as LiteLLM passes them on",
    sources=(
        *OPENAPI.sources,
        Source("litellm 1.106.2 completion", "2026-11", "executed; what is left of the root"),
    ),
    root_remarks=False,
    routes=("litellm",),
)


FORMAT = Format(
    id=ID,
    codec=codec_beside(__name__),
    title="Google Gemini",
    known_as=("google", "vertex", "vertexai", "vertex-ai", "google-genai"),
    sources=(
        Source("google-genai 3.1.0 types", "2026-11", "shapes, executed; names up to 128"),
        Source("https://ai.google.dev/gemini-api/docs/function-calling", "2026-08", "fields"),
    ),
    signals=frozenset({*INPUTS, *OUTPUTS, *WRAPPERS, *BUILTINS, "behavior", "name"}),
    sniff=sniff,
    containers=(("tools",), ("config", "tools")),
    read=read,
    spread=spread,
    write=write,
    is_regular=True,
    assemble=assemble,
    request=request,
    force=force,
    dialects=(DEFAULT, OPENAPI, THROUGH_LITELLM),
    names=NamePolicy("a-zA-Z0-9_.:-", 128, first="a-zA-Z_"),
)
