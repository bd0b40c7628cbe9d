"""Tools, dialects, and the rules that the provider holds histories against."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from toolcanon.dialect import Dialect, NamePolicy, Source
from toolcanon.dialect.history import HistoryRules, RuleRefusal
from toolcanon.formats.wire import (
    Format,
    LoweredTool,
    Match,
    build,
    build_builtin,
    codec_beside,
    is_spelled,
    notes,
    own_extras,
    reading,
    restore_extras,
    take,
)
from toolcanon.formats.wire.dialects import (
    ADVISORY,
    CHAT_NAMES,
    ENDS_WITH_USER,
    GOES_ON,
    NOT_FINITE,
    OPTIONAL_MEMBERS,
    STAND_IN_SEALS,
)
from toolcanon.formats.wire.format import (
    ABSENT,
    BUILTIN,
    carried,
    either,
    list_of,
    members,
    no_parameters,
    one_of,
)
from toolcanon.ir import STATED_HINTS, CanonicalTool, Kind, stated_hints
from toolcanon.jsonio.types import Json, JsonObject

_CHECKED: Final = "2026-11"
_SYSTEM_TAKERS: Final = r"claude-opus-(?:4[-.](?:[89]|[1-9]\d)|[5-9]|[1-9]\d)(?!\d)"
"""Opus from 4.8 on (platform.claude.com, mid-conversation system messages; 2026-11)."""
_SYSTEM_REFUSERS: Final = (
    r"claude-(?:instant|[123](?!\d)|(?:sonnet|haiku)-[34](?!\d)|sonnet-5(?!\d)"
    r"|opus-4(?:[-.@][0-7](?!\d)|[-@]\d{6,}|$))"
)
"""They answer "role 'system' is not supported on this model" (github.com/LeenHawk/gproxy)."""

RULES: Final = HistoryRules(
    said_elsewhere=(),
    refusals={
        "call-without-result": RuleRefusal(
            "messages.N: `tool_use` ids were found without `tool_result` blocks immediately after: "
            "ID. Each `tool_use` block must have a corresponding `tool_result` block in the next "
            "message.",
            Source("github.com/pydantic/pydantic-ai/issues/4728", _CHECKED),
        ),
        "orphan-result": RuleRefusal(
            "messages.N.content.M: unexpected `tool_use_id` found in `tool_result` blocks: ID. "
            "Each `tool_result` block must have a corresponding `tool_use` block in the previous "
            "message.",
            Source("github.com/pydantic/pydantic-ai/issues/4728", _CHECKED),
        ),
        "result-too-late": RuleRefusal(
            "messages.N.content.M: unexpected `tool_use_id` found in `tool_result` blocks: ID.",
            Source("github.com/pydantic/pydantic-ai/issues/4728", _CHECKED),
            unsure=("system-between",),
        ),
        "text-before-result": RuleRefusal(
            "messages.N: `tool_use` ids were found without `tool_result` blocks immediately after: "
            "ID.",
            Source("github.com/pydantic/pydantic-ai/issues/3253", _CHECKED),
        ),
        "call-id-twice": RuleRefusal(
            "messages.N.content.M: `tool_use` ids must be unique",
            Source("github.com/openclaw/openclaw/issues/4700", _CHECKED, "over all turns"),
        ),
        "two-results": RuleRefusal(
            "messages.N.content.M: each tool_use must have a single result. Found multiple "
            "`tool_result` blocks with id: ID",
            Source("github.com/vectorize-io/hindsight/issues/4250", _CHECKED),
        ),
        "call-id-illegal": RuleRefusal(
            "messages.N.content.M.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
            Source("docs.anthropic.com/en/api/messages", _CHECKED),
        ),
        "call-name-illegal": RuleRefusal(
            "messages.N.content.M.tool_use.name: String should match pattern "
            "'^[a-zA-Z0-9_-]{1,128}$'",
            Source("github.com/home-assistant/core/issues/147760", _CHECKED, "of tools"),
            unsure=("unusual",),
        ),
        "tool-name-twice": RuleRefusal(
            "tools: Tool names must be unique.",
            Source("github.com/tailcallhq/forgecode/issues/892", _CHECKED),
        ),
        "tools-missing": RuleRefusal(
            "Requests which include `tool_use` or `tool_result` blocks must define tools",
            Source("docs.anthropic.com/en/api/messages", _CHECKED, "older models"),
            is_certain=False,
        ),
        "empty-text": RuleRefusal(
            "messages: text content blocks must be non-empty",
            Source("github.com/experientiallabs/experiential/issues/804", _CHECKED, "probed"),
            unsure=("blank-beside-media",),
            taken=("blank-beside-words", "in-result"),
        ),
        "empty-message": RuleRefusal(
            "messages.0: user messages must have non-empty content",
            Source("github.com/experientiallabs/experiential/issues/804", _CHECKED, "probed"),
            taken=("assistant",),
        ),
        "error-without-words": RuleRefusal(
            "messages.N.content.M.tool_result: content cannot be empty if `is_error` is true",
            Source("github.com code search", _CHECKED, "handled in this way by several clients"),
        ),
        "first-not-user": RuleRefusal(
            'messages: first message must use the "user" role',
            Source("github.com/lobehub/lobehub/issues/1601", _CHECKED, "formerly; accepted since"),
            is_certain=False,
        ),
        "ends-with-assistant": RuleRefusal(
            "This model does not support assistant message prefill. The conversation must end with "
            "a user message.",
            Source("github.com/strands-agents/sdk-python/issues/1694", _CHECKED, "from 4.6 on"),
            is_certain=False,
            surely=ENDS_WITH_USER,
            sparing=GOES_ON,
        ),
        "arguments-no-object": RuleRefusal(
            "messages.N.content.M.tool_use.input: Input should be a valid dictionary",
            Source("anthropic-sdk-python 2.8.0 types", _CHECKED),
        ),
        "reasoning-missing": RuleRefusal(
            "messages.N.content.0.type: Expected `thinking` or `redacted_thinking`, but found "
            "`tool_use`. When `thinking` is enabled, a final `assistant` message must start with a "
            "thinking block",
            Source("github.com/vybestack/llxprt-code/issues/2335", _CHECKED),
            unsure=("may-think",),
        ),
        "foreign-reasoning": RuleRefusal(
            "messages.N.content.M: Invalid `signature` in `thinking` block",
            Source("github.com/vybestack/llxprt-code/issues/2335", _CHECKED, "by model"),
        ),
        "reasoning-unsealed": RuleRefusal(
            "messages.N.content.M.thinking.signature: Field required",
            Source("anthropic-sdk-python 2.8.0 types", _CHECKED),
        ),
        "forced-while-thinking": RuleRefusal(
            "Thinking may not be enabled when tool_choice forces tool use.",
            Source("github.com/srtab/daiv/issues/527", _CHECKED),
            unsure=("may-think",),
        ),
        "choice-without-tools": RuleRefusal(
            "tool_choice: tool_choice may only be specified while providing tools",
            Source("docs.anthropic.com/en/api/messages", _CHECKED, "not literally"),
            is_certain=False,
        ),
        "choice-unknown": RuleRefusal(
            "Tool 'NAME' not found in provided tools",
            Source("github.com code search", _CHECKED, "handled in this way by several clients"),
        ),
        "system-misplaced": RuleRefusal(
            "messages.N: role 'system' is not supported on this model",
            Source("github.com/LeenHawk/gproxy", _CHECKED, "at the beginning, of every model"),
        ),
        "member-misshapen": RuleRefusal(
            "messages.N.content: Input should be a valid list",
            Source("github.com/langchain-ai/langchain/pull/34286", _CHECKED, "of nulls"),
            unsure=("null",),
            quotes={"null": "messages.N.content.M.tool_use.caller: Extra inputs are not permitted"},
        ),
        "call-unreadable": RuleRefusal(
            "messages.N.content.M.tool_use.name: Field required",
            Source("anthropic-sdk-python 2.8.0 types", _CHECKED),
        ),
        "number-not-finite": RuleRefusal("The request body is not valid JSON", NOT_FINITE),
    },
    ids=NamePolicy("a-zA-Z0-9_-", 100_000),
    names=NamePolicy("a-zA-Z0-9_-", 128),
    # Copies of the documentation state 64 or 128, an error of the API states 128: names that are
    # made have 64 at most, and those that the provider may have accepted stay.
    usual_names=CHAT_NAMES,
    native_calls=("server_tool_use", "mcp_tool_use"),
    native_result="_tool_result",
    system_takers=_SYSTEM_TAKERS,
    system_refusers=_SYSTEM_REFUSERS,
    lists_allowed=False,
    # Types of its Python SDK, 2026-11; one of the two searches by words.
    search_tool={"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"},
    search_types=r"tool_search_tool_(bm25|regex)(_\d{8})?",
    tool_settings=("mcp_servers",),
    tool_items=("tool_addition",),
    bare_note="text",
    thinking=("thinking", "type"),
    foreign_seals=STAND_IN_SEALS,
    nullable=frozenset(
        "cache_control citations context title document_title toolset_name transformations".split()
    ),
    never_null=frozenset({"caller"}),
    call_natives=("tool_use",),
)


ID = "anthropic"

TOOL = reading(
    {
        "name": ("name", str),
        "description": ("description", str),
        "input_schema": ("inputs", dict),
        "input_examples": ("examples", list),
    },
    hints={"strict": "strict", "defer_loading": "deferred"},
)
CALLERS = (
    "direct",
    "code_execution_20250825",
    "code_execution_20260120",
    "code_execution_20260521",
)
KNOWN = {
    "type": one_of("custom", None),
    "cache_control": either(
        members({"type": one_of("ephemeral")}, {"ttl": one_of("5m", "1h")}), one_of(None)
    ),
    "allowed_callers": list_of(one_of(*CALLERS)),
    "eager_input_streaming": one_of(True, False, None),
}

CARRIED = {"cache_control": KNOWN["cache_control"]}
"""Marks that gateways take in the envelopes of others, and pass on."""

# bash_20250124, web_search_20260318, computer_toolset_20260801 … and the undated ones.
SERVER = re.compile(r"[a-z0-9_]+_\d{8}|mcp_toolset|tool_search_tool_(bm25|regex)")


_CUSTOM_TOOL = Match(1.0, "'name' and 'input_schema'")


def sniff(definition: JsonObject) -> Match | None:
    if "name" in definition and "input_schema" in definition:
        return _CUSTOM_TOOL
    kind = definition.get("type")
    if isinstance(kind, str) and SERVER.fullmatch(kind):
        return Match(1.0, f"type {kind!r} is a server tool")
    return None


def read(definition: JsonObject) -> CanonicalTool:
    kind = definition.get("type")
    if "input_schema" not in definition and isinstance(kind, str) and SERVER.fullmatch(kind):
        return build_builtin(ID, definition.get("name") or kind, definition)
    said, left, noted = take(definition, TOOL, ID)
    if "input_schema" not in definition:
        noted[ABSENT] = ["input_schema"]
    return build(ID, said, left, noted, definition)


def write(tool: CanonicalTool, wire: LoweredTool) -> JsonObject:
    said = tool.__dict__
    own = own_extras(tool, ID) if "extras" in said else {}
    if "kind" in said and said["kind"] is Kind.BUILTIN:
        return dict(notes(own)[BUILTIN])
    out: JsonObject = {"name": wire.name}
    if description := said.get("description"):
        out["description"] = description
    if wire.inputs:
        out["input_schema"] = wire.inputs
    elif not (wire.verbatim and is_spelled(own, "input_schema")):
        out["input_schema"] = no_parameters()
    if wire.strict is not None:
        out["strict"] = wire.strict
    if "hints" in said or STATED_HINTS in said:
        hints = stated_hints(tool)
        if "deferred" in hints:
            out["defer_loading"] = hints["deferred"]
    examples = said.get("examples")
    if examples and (wire.verbatim or all(isinstance(example, dict) for example in examples)):
        out["input_examples"] = examples
    if own:
        out = restore_extras(out, own, KNOWN, verbatim=wire.verbatim)
    if "extras" in said and not wire.verbatim:
        for key, value in carried(tool, CARRIED).items():
            out.setdefault(key, value)
    return out


def force(name: str, is_text: bool) -> Json:  # noqa: FBT001
    del is_text
    return {"type": "tool", "name": name}


DEFAULT = Dialect(
    id=ID,
    history=RULES,
    version="2026-11",
    title="tool use",
    sources=(
        Source("github.com/anthropics/claude-code/issues/44788", "2026-08", "unions at the root"),
        Source("github.com/anthropics/claude-code/issues/79418", "2026-08", "parameter names"),
    ),
    keywords=ADVISORY,
    root_unions=False,
    members=OPTIONAL_MEMBERS.members,
    models=("claude-",),
    usual=3,
)

STRICT = replace(
    OPTIONAL_MEMBERS,
    id=f"{ID}/strict",
    version="2026-11",
    title="strict tool use",
    sources=(
        Source(
            "https://docs.claude.com/en/docs/build-with-claude/structured-outputs",
            "2026-11",
            "the subset and its limits",
        ),
        Source("anthropic-python 2.8.0 transform_schema", "2026-11", "executed"),
    ),
    models=DEFAULT.models,
)


FORMAT = Format(
    id=ID,
    codec=codec_beside(__name__),
    title="Anthropic Messages",
    known_as=("claude",),
    sources=(
        Source(
            "anthropic-python 2.8.0 types", "2026-11", "shapes, executed with extra keys refused"
        ),
        Source(
            "https://docs.claude.com/en/api/messages", "2026-08", "names: 64 is safe, 128 is not"
        ),
    ),
    signals=frozenset({"input_schema", "type"}),
    sniff=sniff,
    rank=2,
    containers=(("tools",), ("messages", "*", "content", "*", "tool", "definition")),
    read=read,
    write=write,
    is_regular=True,
    carries=frozenset(CARRIED),
    force=force,
    dialects=(DEFAULT, STRICT),
    names=CHAT_NAMES,
)
