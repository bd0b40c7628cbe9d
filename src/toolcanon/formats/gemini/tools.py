"""Tools, dialects, and the rules that the provider holds histories against."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from toolcanon.dialect import (
    Dialect,
    NamePolicy,
    ReferenceRules,
    SizeLimits,
    Source,
    Support,
    table,
)
from toolcanon.dialect.history import HistoryRules, RuleRefusal
from toolcanon.errors import UnreadableTool
from toolcanon.formats.wire import (
    Format,
    LoweredTool,
    Match,
    build,
    build_builtin,
    codec_beside,
    notes,
    own_extras,
    reading,
    restore_extras,
    take,
)
from toolcanon.formats.wire.dialects import NOT_FINITE
from toolcanon.formats.wire.format import BUILTIN, KEYS, as_object, located, one_of
from toolcanon.ir import STATED_HINTS, CanonicalTool, Kind, stated_hints
from toolcanon.jsonio.types import Json, JsonObject

_CHECKED: Final = "2026-11"
_COUNT: Final = (
    "Please ensure that the number of function response parts is equal to the number of function "
    "call parts of the function call turn."
)

RULES: Final = HistoryRules(
    said_elsewhere=(),
    pairs_by_place=True,
    joined=frozenset({"assistant"}),
    refusals={
        "call-without-result": RuleRefusal(
            _COUNT,
            Source("github.com/cloudwego/eino-ext/issues/571", _CHECKED),
            unsure=("last",),
        ),
        "orphan-result": RuleRefusal(
            _COUNT,
            Source("github.com/docker/docker-agent/issues/2959", _CHECKED),
            unsure=("other-name",),
        ),
        "result-too-late": RuleRefusal(
            "Please ensure that function response turn comes immediately after a function call "
            "turn.",
            Source("github.com/langchain-ai/langchain/issues/27799", _CHECKED),
            unsure=("system-between",),
        ),
        "two-results": RuleRefusal(
            _COUNT, Source("github.com/crewAIInc/crewAI/issues/4693", _CHECKED)
        ),
        "call-id-twice": RuleRefusal(
            'functionResponse.id "A" does not match functionCall.id "B"',
            Source("github.com/router-for-me/CLIProxyAPI/issues/5199", _CHECKED, "one backend"),
            is_certain=False,
            taken=("apart",),
        ),
        "call-name-illegal": RuleRefusal(
            "Invalid function name. Must start with a letter or an underscore.",
            Source("google-genai 3.1.0 types", _CHECKED, "128; services reported 64"),
            unsure=("unusual",),
        ),
        "tool-name-twice": RuleRefusal(
            "Duplicate function declaration found: NAME",
            Source("github.com/lobehub/lobehub/pull/12604", _CHECKED),
        ),
        "empty-text": RuleRefusal(
            "Unable to submit request because it has an empty text parameter.",
            Source("github.com/google-gemini/deprecated-generative-ai-python/issues/697", _CHECKED),
            is_certain=False,
            taken=("blank", "blank-beside-media", "blank-beside-words", "in-result", "in-system"),
        ),
        "empty-message": RuleRefusal(
            "GenerateContentRequest.contents[N].parts: contents.parts must not be empty.",
            Source("github.com/vercel/ai/issues/3775", _CHECKED),
        ),
        "first-not-user": RuleRefusal(
            "Please ensure that function call turn comes immediately after a user turn or after a "
            "function response turn.",
            Source("github.com/cloudwego/eino-ext/issues/571", _CHECKED, "of turns with calls"),
            unsure=("assistant",),
        ),
        "same-role-twice": RuleRefusal(
            "Please ensure that function call turn comes immediately after a user turn or after a "
            "function response turn.",
            Source("github.com/cloudwego/eino-ext/issues/571", _CHECKED, "recent models accept it"),
            is_certain=False,
            taken=("user", "assistant"),
        ),
        "seal-missing": RuleRefusal(
            "Function call is missing a thought_signature in functionCall parts.",
            Source("ai.google.dev/gemini-api/docs/thought-signatures", _CHECKED),
            models=r"gemini-(?:[3-9]|\d\d)",
            sparing=r"gemini-[12](?!\d)",
        ),
        "foreign-reasoning": RuleRefusal(
            "Invalid value at 'contents[N].parts[M].thought_signature' (TYPE_BYTES), Base64 "
            "decoding failed",
            Source("google-genai 3.1.0 types", _CHECKED, "bytes"),
            taken=("other-model",),
        ),
        "choice-without-tools": RuleRefusal(
            "Function calling config is set without function_declarations.",
            Source("github.com/musistudio/claude-code-router/pull/1207", _CHECKED, "some models"),
            is_certain=False,
        ),
        "choice-unknown": RuleRefusal(
            "allowed_function_names holds a name that no function declaration has.",
            Source("ai.google.dev/gemini-api/docs/function-calling", _CHECKED, "not literally"),
            is_certain=False,
        ),
        "arguments-no-object": RuleRefusal(
            "Invalid value at 'contents[N].parts[M].function_call.args' (type "
            "type.googleapis.com/google.protobuf.Struct)",
            Source("google-genai 3.1.0 types", _CHECKED),
        ),
        "member-misshapen": RuleRefusal(
            "Invalid value at 'contents[N].parts[M].function_response.response' (type "
            "type.googleapis.com/google.protobuf.Struct)",
            Source("google-genai 3.1.0 types", _CHECKED),
        ),
        "call-unreadable": RuleRefusal(
            "GenerateContentRequest.contents[N].parts[M].function_call.name: Name cannot be empty.",
            Source("google-genai 3.1.0 types", _CHECKED, "not literally"),
        ),
        "number-not-finite": RuleRefusal("Invalid JSON payload received.", NOT_FINITE),
    },
    chooses_by_list=True,
    largest_integer=2**53,  # args and response are google.protobuf.Struct: doubles (2026-11)
    names=NamePolicy("a-zA-Z0-9_.:-", 128, first="a-zA-Z_"),
    usual_names=NamePolicy("a-zA-Z0-9_.:-", 64, first="a-zA-Z_"),
    seal=("thoughtSignature", "thought_signature"),
    seals=r"(?:[\w+/-]{4})*(?:[\w+/-]{2}==|[\w+/-]{3}=)?",
    stand_in="skip_thought_signature_validator",
    call_natives=("functionCall",),
)


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
    """Read every declaration of a Tool, then the built-in tools beside them."""
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
            raise UnreadableTool(ID, f"/{key}", f"unknown beside {WRAPPERS[0]}, or not a list")
    return tools


def write(tool: CanonicalTool, wire: LoweredTool) -> JsonObject:
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
    """Return one Tool with all declarations, at the place of the first; built-ins are separate."""
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
        Source("github.com/BerriAI/litellm/issues/11164", "2026-11", "a union has no siblings"),
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
