"""Tools, dialects, and the rules that the provider holds histories against."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from toolcanon.dialect import NamePolicy, Source
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
from toolcanon.formats.wire.dialects import (
    CHAT_NAMES,
    CHECKED,
    DECODED,
    EVERY_MEMBER,
    NOT_FINITE,
    STAND_IN_SEALS,
    decoded,
)
from toolcanon.formats.wire.flat_reader import read_grammar, write_grammar
from toolcanon.formats.wire.format import (
    BUILTIN,
    GROUP,
    NOTES,
    SPELLING,
    as_object,
    either,
    list_of,
    located,
    one_of,
)
from toolcanon.ir import CanonicalTool, Kind, stated_hints
from toolcanon.jsonio.types import Json, JsonObject

_CHECKED: Final = "2026-11"

RULES: Final = HistoryRules(
    pairing="later",
    async_key="async",
    stored=("previous_response_id", "conversation"),
    # One of these or input "must be provided" (github.com/symfony/ai/pull/2303, 2026-11).
    said_elsewhere=("previous_response_id", "conversation", "prompt"),
    system_stays=True,
    search_tool={"type": "tool_search"},  # types of its Python SDK, 2026-11
    search_types="tool_search",
    stored_items=("item_reference", "compaction"),
    refusals={
        "call-without-result": RuleRefusal(
            "No tool output found for function call ID.",
            Source("github.com/openai/openai-agents-python/issues/2148", _CHECKED),
            unsure=("async",),
        ),
        "orphan-result": RuleRefusal(
            "No tool call found for function call output with call_id ID.",
            Source("github.com/openai/openai-agents-python/issues/2148", _CHECKED),
            unsure=("no-id",),
        ),
        "two-results": RuleRefusal(
            "No tool call found for function call output with call_id ID.",
            Source("github.com/openai/openai-agents-python/issues/2148", _CHECKED, "supposed"),
            is_certain=False,
        ),
        "call-id-twice": RuleRefusal(
            "No tool output found for function call ID.",
            Source("github.com/openai/openai-agents-python/issues/2148", _CHECKED, "supposed"),
            is_certain=False,
        ),
        "call-id-illegal": RuleRefusal(
            "Invalid 'input[i].call_id': string too long. Expected a string with maximum length 64",
            Source("github.com/decolua/9router/issues/393", _CHECKED),
            unsure=("unusual",),
        ),
        "item-id-illegal": RuleRefusal(
            "Invalid 'input[i].id': 'call_x'. Expected an ID that begins with 'fc'.",
            Source("github.com/nodetool-ai/nodetool/issues/4252", _CHECKED),
            unsure=("text-call", "message", "thought"),
        ),
        "call-name-illegal": RuleRefusal(
            "Invalid 'input[i].name': string does not match pattern",
            Source("openai-python 3.49.0 types", _CHECKED, "letters, digits, _ and -"),
            unsure=("unusual",),
        ),
        "arguments-no-object": RuleRefusal(
            "Failed to parse tool call arguments as JSON",
            Source("github.com/local-inference-lab/vllm/issues/684", _CHECKED, "similar servers"),
            is_certain=False,
        ),
        "tool-name-twice": RuleRefusal(
            "Tool names must be unique.",
            Source("github.com/tailcallhq/forgecode/issues/892", _CHECKED, "of other messages"),
            is_certain=False,
        ),
        "reasoning-alone": RuleRefusal(
            "Item 'rs_x' of type 'reasoning' was provided without its required following item.",
            Source("github.com/newo-ether/Agora/issues/141", _CHECKED),
            unsure=("no-id",),
        ),
        "reasoning-missing": RuleRefusal(
            "Item 'msg_x' of type 'message' was provided without its required 'reasoning' item",
            Source("github.com/newo-ether/Agora/issues/141", _CHECKED, "models that reason"),
            is_certain=False,
            models=r"gpt-[5-9]|gpt-\d\d|o\d|codex",
        ),
        "reasoning-unsealed": RuleRefusal(
            "Item with id 'rs_x' not found. Items are not persisted when `store` is set to false.",
            Source("github.com/vercel/ai/issues/7543", _CHECKED),
            is_certain=False,
            taken=("stored",),
        ),
        "foreign-reasoning": RuleRefusal(
            "The encrypted content for item rs_x could not be verified. Reason: Encrypted content "
            "could not be decrypted or parsed.",
            Source("github.com/BerriAI/litellm", _CHECKED, "code invalid_encrypted_content"),
            unsure=("other-model", "other-provider"),
        ),
        "choice-without-tools": RuleRefusal(
            "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are "
            "specified.",
            Source("platform.openai.com/docs/api-reference/responses", _CHECKED),
            taken=("none", "auto"),
        ),
        "choice-unknown": RuleRefusal(
            "Tool choice 'NAME' not found in 'tools' parameter.",
            Source("github.com/router-for-me/CLIProxyAPI/issues/3036", _CHECKED),
        ),
        "member-misshapen": RuleRefusal(
            "Invalid type for 'input[i].output': expected one of an array of objects or string, "
            "but got an object instead.",
            Source("github.com/openai/openai-python/issues/3008", _CHECKED, "of nulls"),
            unsure=("null",),
            quotes={"null": "Unknown parameter: 'input[i].status'."},
        ),
        "call-unreadable": RuleRefusal(
            "Missing required parameter: 'input[i].name'.",
            Source("openai-python 3.49.0 types", _CHECKED),
        ),
        "number-not-finite": RuleRefusal(
            "We could not parse the JSON body of your request.", NOT_FINITE
        ),
    },
    ids=NamePolicy(r"\s\S", 64),
    usual_ids=NamePolicy("a-zA-Z0-9_-", 64),
    item_prefixes={"call": "fc", "text-call": "ctc", "message": "msg", "thought": "rs"},
    names=NamePolicy("a-zA-Z0-9_-", 128),
    usual_names=NamePolicy("a-zA-Z0-9_-", 64),
    tool_items=("additional_tools", "tool_search_output"),
    store="store",
    is_follower_bound=True,
    foreign_seals=STAND_IN_SEALS,
    nullable=frozenset({"caller", "encrypted_content", "phase", "file_id", "image_url"}),
    never_null=frozenset({"status", "query", "queries", "sources", "actions", "created_by"}),
    call_natives=("item.function_call", "item.custom_tool_call"),
)


ID = "openai-responses"

FUNCTION = reading(
    {
        "name": ("name", str),
        "description": ("description", str),
        "parameters": ("inputs", dict),
        "output_schema": ("outputs", dict),
    },
    hints={"strict": "strict", "defer_loading": "deferred", "async": "background"},
)
CUSTOM = reading(
    {"name": ("name", str), "description": ("description", str)},
    hints={"defer_loading": "deferred", "async": "background"},
)
KNOWN = {
    "allowed_callers": either(list_of(one_of("direct", "programmatic")), one_of(None)),
}

# Hosted tools of the 3.49 types; search tools also come dated.
HOSTED = re.compile(
    r"file_search|computer|computer_use_preview|mcp|code_interpreter|programmatic_tool_calling|"
    r"image_generation|local_shell|shell|tool_search|apply_patch|"
    r"web_search(_preview)?(_\d{4}_\d{2}_\d{2})?"
)
_ELSEWHERE = ("function", "inputSchema", "input_schema")


_FLAT = Match(1.0, "type 'function' with a flat 'name'")
_CUSTOM_WITH_SCHEMA = Match(0.6, "type 'custom' with a flat 'name', but with 'parameters'")
_FREE_TEXT = Match(1.0, "type 'custom' with a flat 'name'")
_GROUP = Match(1.0, "type 'namespace' with 'tools'", many=True)


def sniff(definition: JsonObject) -> Match | None:
    kind = definition.get("type")
    if not isinstance(kind, str):
        return None
    if kind == "function" and "name" in definition:
        if any(key in definition for key in _ELSEWHERE):
            return None
        return _FLAT
    if kind == "custom" and "name" in definition and "input_schema" not in definition:
        if "parameters" in definition:
            return _CUSTOM_WITH_SCHEMA
        return _FREE_TEXT
    if kind == "namespace" and isinstance(definition.get("tools"), list):
        return _GROUP
    if HOSTED.fullmatch(kind):
        return Match(1.0, f"type {kind!r} is a hosted tool")
    return None


def read(definition: JsonObject) -> CanonicalTool:
    kind = definition.get("type")
    if kind == "custom":
        said, left, noted = take(definition, CUSTOM, ID)
        del left["type"]
        read_grammar(said, left, noted, nested=False)
        return build(ID, said, left, noted, definition)
    if isinstance(kind, str) and HOSTED.fullmatch(kind):
        name = definition.get("server_label") or definition.get("name") or kind
        return build_builtin(ID, name, definition)
    said, left, noted = take(definition, FUNCTION, ID)
    if left.get("type") == "function":
        del left["type"]
    return build(ID, said, left, noted, definition)


def spread(definition: JsonObject) -> list[CanonicalTool]:
    """The tools of a namespace; its own description and keys ride on each of them."""
    name = definition.get("name")
    if not isinstance(name, str) or not name:
        raise UnreadableTool(ID, "/name", "a namespace needs a name")
    if not definition["tools"]:  # nothing in it yet, but it must not get lost
        return [build_builtin(ID, name, definition)]
    about = {k: v for k, v in definition.items() if k not in {"type", "name", "tools"}}
    tools = []
    for index, item in enumerate(definition["tools"]):
        with located(f"/tools/{index}"):
            tool = read(as_object(item, ID))
        tool.namespace = name
        own = own_extras(tool, ID)
        tool.extras = {**tool.extras, ID: {**own, NOTES: {**notes(own), GROUP: about}}}
        tools.append(tool)
    return tools


def write(tool: CanonicalTool, wire: LoweredTool) -> JsonObject:
    item = _write(tool, wire)
    namespace = wire.namespace
    if not namespace:
        return item
    about = notes(own_extras(tool, ID)).get(GROUP)
    head = {"type": "namespace", "name": namespace}
    if about is not None and wire.verbatim:
        return {**head, **about, "tools": [item]}
    description = (about or {}).get("description")
    if not isinstance(description, str) or not description:
        description = f"Tools of {tool.namespace}."  # the field is required
    return {**head, "description": description, "tools": [item]}


def _write(tool: CanonicalTool, wire: LoweredTool) -> JsonObject:
    said = tool.__dict__
    own = own_extras(tool, ID)
    if said.get("kind") is Kind.BUILTIN:
        return dict(notes(own)[BUILTIN])
    out: JsonObject = {"type": "function", "name": wire.name}
    if description := said.get("description"):
        out["description"] = description
    hints = stated_hints(tool)
    if said.get("kind") is Kind.FREEFORM:
        out["type"] = "custom"
        write_grammar(tool, out, nested=False)
    else:
        _write_schemas(tool, wire, out)
    if hints:
        if "deferred" in hints:
            out["defer_loading"] = hints["deferred"]
        if "background" in hints:
            out["async"] = hints["background"]
    if own:
        return restore_extras(out, own, KNOWN, verbatim=wire.verbatim)
    return out


def _write_schemas(tool: CanonicalTool, wire: LoweredTool, out: JsonObject) -> None:
    """``parameters`` and ``strict`` are required by the types, each of them nullable.

    An absent ``strict`` lets the server try strict mode; other providers mean "no" by it.
    """
    strict = wire.strict
    if wire.inputs:
        out["parameters"] = wire.inputs
    if wire.outputs:
        out["output_schema"] = wire.outputs
    if strict is not None:
        out["strict"] = strict
    if wire.verbatim and tool.source_format == ID:
        return
    spelled = notes(own_extras(tool, ID)).get(SPELLING, {})
    if not wire.inputs:
        out["parameters"] = spelled.get("parameters") if wire.verbatim else None
    if strict is None:
        out["strict"] = None if tool.source_format == ID else False


def assemble(items: Sequence[tuple[CanonicalTool, JsonObject]]) -> Json:
    """Neighbours in one namespace share its wrapper."""
    out: list[JsonObject] = []
    for _, item in items:
        last = out[-1] if out else {}
        if item.get("type") == "namespace" and _about(item) == _about(last):
            out[-1] = {**last, "tools": [*last["tools"], *item["tools"]]}
        else:
            out.append(item)
    return out


def _about(item: JsonObject) -> JsonObject:
    return {key: value for key, value in item.items() if key != "tools"}


def force(name: str, is_text: bool) -> Json:  # noqa: FBT001
    return {"type": "custom" if is_text else "function", "name": name}


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
    title="OpenAI Responses",
    known_as=("responses",),
    sources=(
        Source("openai-python 3.49.0 types", "2026-11", "shapes, executed with extra keys refused"),
        Source("openai-python 3.49.0 docstrings", "2026-11", "what an absent strict means"),
    ),
    signals=frozenset({"type"}),
    sniff=sniff,
    containers=(("tools",), ("input", "*", "tools")),
    read=read,
    spread=spread,
    write=write,
    is_regular=True,
    assemble=assemble,
    force=force,
    dialects=(DEFAULT, STRICT),
    names=CHAT_NAMES,
    namespaces=True,
    calls_name_spaces=True,
    kinds=frozenset({Kind.FUNCTION, Kind.FREEFORM}),
)
