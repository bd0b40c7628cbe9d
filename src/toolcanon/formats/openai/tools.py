"""Tools, dialects, engines, and the rules that the provider holds histories against.

Free-text tools are ``custom``, with the grammar one level deeper than in the Responses API.

vLLM, SGLang and llama.cpp have this format and pass schemas to such an engine. How each handles a
keyword was measured on small schemas, and a test measures it again (``tests/engines``).
"""

from __future__ import annotations

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
from toolcanon.formats.wire import (
    Format,
    LoweredTool,
    Match,
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
from toolcanon.formats.wire.dialects import (
    CHAT_NAMES,
    CHECKED,
    DECODED,
    EVERY_MEMBER,
    FORMATS,
    HELD,
    NOT_FINITE,
    decoded,
)
from toolcanon.formats.wire.flat_reader import read_grammar, write_grammar
from toolcanon.formats.wire.format import KEYS, SHAPE
from toolcanon.formats.wire.unread_parameters import is_call
from toolcanon.ir import CanonicalTool, Kind
from toolcanon.jsonio.types import Json, JsonObject

_VERSION = "2026-11-18"
_MEASURED = "2026-11"
_SPOKEN = "title description default deprecated readOnly writeOnly examples"
_NAMED = "$schema $id $comment $vocabulary"
_CONTENT = "contentEncoding contentMediaType contentSchema"

LLGUIDANCE = Dialect(
    id="openai/llguidance",
    version=_VERSION,
    title="enforced by llguidance",
    sources=(Source("llguidance 1.9.1, measured", _MEASURED, "keywords, formats and shapes"),),
    keywords=table(
        Support.ENFORCED,
        accepted=f"{_SPOKEN} {_CONTENT} $comment $vocabulary",
        rejected=(
            "not if then else oneOf dependentSchemas dependentRequired propertyNames uniqueItems "
            "contains minContains maxContains unevaluatedItems unevaluatedProperties "
            # These two only for objects whose declared members are all required.
            "minProperties maxProperties allOf dependencies "
            "$schema $id $anchor $dynamicRef $dynamicAnchor"
        ),
    ),
    formats=FORMATS | {"uri"},
    plain_patterns=True,
    references=ReferenceRules(anywhere=False, siblings=False),
    enum_typed=True,
    largest_bound=2**62,
    lengths_beside_pattern=(40, 64),
    name_patterns=1,
    empty_enums=False,
    strict=True,
)
"""It rejects what it cannot enforce, so nothing is sent that is not enforced."""

OUTLINES = replace(
    HELD,
    id="openai/outlines",
    version=_VERSION,
    title="enforced by Outlines",
    sources=(Source("outlines-core 0.2.14, measured", _MEASURED, "keywords, formats and shapes"),),
    keywords=table(
        Support.ENFORCED,
        # It ignores these.
        accepted=(
            f"{_SPOKEN} {_NAMED} {_CONTENT} "
            "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf uniqueItems"
        ),
        # It rejects some of these, and enforces the others incorrectly.
        rejected=(
            "pattern patternProperties propertyNames minProperties maxProperties prefixItems "
            "contains minContains maxContains unevaluatedItems unevaluatedProperties "
            "dependentRequired dependentSchemas dependencies oneOf allOf not if then else "
            "$anchor $dynamicRef $dynamicAnchor"
        ),
    ),
    others=Support.ACCEPTED,
    formats=frozenset({"date", "email", "uri", "uuid"}),
    references=ReferenceRules(keep=False, recursive=False),
    # Each optional member multiplies the expression, at every level.
    all_required=True,
    type_lists=False,
    members=NamePolicy(r'^"\\\x00-\x1f', 1_000),
    nested_members=True,
    limits=SizeLimits(),
)
"""It makes one regular expression of a schema, so only what that describes can be written."""


_CHECKED: Final = "2026-11"

RULES: Final = HistoryRules(
    said_elsewhere=(),
    system_stays=True,
    joined=frozenset({"tool"}),
    refusals={
        "call-without-result": RuleRefusal(
            "An assistant message with 'tool_calls' must be followed by tool messages responding "
            "to each 'tool_call_id'. The following tool_call_ids did not have response messages: "
            "ID",
            Source("github.com/BerriAI/litellm/issues/21114", _CHECKED),
        ),
        "orphan-result": RuleRefusal(
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding "
            "message with 'tool_calls'.",
            Source("github.com/BerriAI/litellm/issues/21114", _CHECKED, "exact text of the API"),
        ),
        "result-too-late": RuleRefusal(
            "An assistant message with 'tool_calls' must be followed by tool messages responding "
            "to each 'tool_call_id'.",
            Source("platform.openai.com/docs/guides/function-calling", _CHECKED),
        ),
        "two-results": RuleRefusal(
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding "
            "message with 'tool_calls'.",
            Source("github.com/BerriAI/litellm/issues/21114", _CHECKED, "exact text of the API"),
            unsure=("same-message",),
        ),
        "call-id-twice": RuleRefusal(
            "An assistant message with 'tool_calls' must be followed by tool messages responding "
            "to each 'tool_call_id'.",
            Source("github.com/BerriAI/litellm/issues/21114", _CHECKED, "of compatible servers"),
            is_certain=False,
            taken=("apart",),
        ),
        "call-id-illegal": RuleRefusal(
            "Invalid 'messages[i].tool_calls[j].id': string too long. Expected a string with "
            "maximum length 40",
            Source("github.com/vercel/ai/issues/8132", _CHECKED, "40 once, 64 on other routes"),
            unsure=("unusual", "empty-id"),
        ),
        "call-name-illegal": RuleRefusal(
            "Invalid 'messages[i].tool_calls[j].function.name': string does not match pattern",
            Source("openai-python 3.49.0 types", _CHECKED, "letters, digits, _ and -, 64 at most"),
        ),
        "empty-message": RuleRefusal(
            "Invalid value for 'content': expected a string, got null.",
            Source("github.com/vercel/ai/pull/13744", _CHECKED, "unless with calls"),
            taken=("user",),
            quotes={
                "no-calls": "Invalid 'messages[i].tool_calls': empty array. Expected an array with "
                "minimum length 1, but got an empty array instead."
            },
        ),
        "arguments-no-object": RuleRefusal(
            "Failed to parse tool call arguments as JSON",
            Source(
                "github.com/OpenHands/software-agent-sdk/issues/2887", _CHECKED, "similar servers"
            ),
            is_certain=False,
        ),
        "seal-missing": RuleRefusal(
            "Function call is missing a thought_signature in functionCall parts.",
            Source("github.com/alibaba/open-code-review/issues/1393", _CHECKED),
            is_certain=False,
            is_guests=True,
        ),
        "tool-name-twice": RuleRefusal(
            "Tool names must be unique.",
            Source("github.com/tailcallhq/forgecode/issues/892", _CHECKED, "of other messages"),
            is_certain=False,
        ),
        "choice-without-tools": RuleRefusal(
            "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are "
            "specified.",
            Source("platform.openai.com/docs/api-reference/chat", _CHECKED),
            unsure=("none",),
        ),
        "choice-unknown": RuleRefusal(
            "Tool choice 'NAME' not found in 'tools' parameter.",
            Source("github.com/router-for-me/CLIProxyAPI/issues/3036", _CHECKED, "of Responses"),
        ),
        "member-misshapen": RuleRefusal(
            "Invalid type for 'messages[i].content': expected one of a string or array of objects, "
            "but got an object instead.",
            Source("openai-python 3.49.0 types", _CHECKED),
            unsure=("null", "calling"),
            quotes={
                "null": "Invalid type for 'messages[i].tool_calls': expected an array of objects, "
                "but got null instead."
            },
        ),
        "call-unreadable": RuleRefusal(
            "Missing required parameter: 'messages[i].tool_calls[j].function.name'.",
            Source("openai-python 3.49.0 types", _CHECKED),
        ),
        "number-not-finite": RuleRefusal(
            "We could not parse the JSON body of your request.", NOT_FINITE
        ),
    },
    ids=NamePolicy(r"\s\S", 64),
    usual_ids=NamePolicy("a-zA-Z0-9_-", 40),
    idless_note="legacy",
    names=NamePolicy("a-zA-Z0-9_-", 64),
    silent_notes=("null", "absent"),
    never_empty=("tool_calls",),
    seal=("extra_content",),
    nullable=frozenset(
        """content refusal audio function_call reasoning_content reasoning reasoning_details
        extra_content""".split()
    ),
    call_natives=("tool_calls", "tool_calls.function", "tool_calls.custom"),
)


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
    """Keep the correct one of two keys, if it has a value."""
    if inner.get("parameters"):
        left["input_schema"] = inner["input_schema"]
        said["inputs"] = inner["parameters"]
    elif "inputs" in said:
        noted[KEYS] = {"parameters": "input_schema"}


def write(tool: CanonicalTool, wire: LoweredTool) -> JsonObject:
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
