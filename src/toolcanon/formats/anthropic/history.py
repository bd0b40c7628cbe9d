"""What the Messages API rejects in a history."""

from __future__ import annotations

from typing import Final

from toolcanon.dialect import NamePolicy, Source
from toolcanon.dialect.history import HistoryRules, Refusal
from toolcanon.formats.wire.history_facts import ENDS_WITH_USER, GOES_ON, NOT_FINITE, STAND_IN_SEALS

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
        "call-without-result": Refusal(
            "messages.N: `tool_use` ids were found without `tool_result` blocks immediately after: "
            "ID. Each `tool_use` block must have a corresponding `tool_result` block in the next "
            "message.",
            Source("github.com/pydantic/pydantic-ai/issues/4728", _CHECKED),
        ),
        "orphan-result": Refusal(
            "messages.N.content.M: unexpected `tool_use_id` found in `tool_result` blocks: ID. "
            "Each `tool_result` block must have a corresponding `tool_use` block in the previous "
            "message.",
            Source("github.com/pydantic/pydantic-ai/issues/4728", _CHECKED),
        ),
        "result-too-late": Refusal(
            "messages.N.content.M: unexpected `tool_use_id` found in `tool_result` blocks: ID.",
            Source("github.com/pydantic/pydantic-ai/issues/4728", _CHECKED),
            unsure=("system-between",),
        ),
        "text-before-result": Refusal(
            "messages.N: `tool_use` ids were found without `tool_result` blocks immediately after: "
            "ID.",
            Source("github.com/pydantic/pydantic-ai/issues/3253", _CHECKED),
        ),
        "call-id-twice": Refusal(
            "messages.N.content.M: `tool_use` ids must be unique",
            Source("github.com/openclaw/openclaw/issues/4700", _CHECKED, "over all turns"),
        ),
        "two-results": Refusal(
            "messages.N.content.M: each tool_use must have a single result. Found multiple "
            "`tool_result` blocks with id: ID",
            Source("github.com/vectorize-io/hindsight/issues/4250", _CHECKED),
        ),
        "call-id-illegal": Refusal(
            "messages.N.content.M.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
            Source("docs.anthropic.com/en/api/messages", _CHECKED),
        ),
        "call-name-illegal": Refusal(
            "messages.N.content.M.tool_use.name: String should match pattern "
            "'^[a-zA-Z0-9_-]{1,128}$'",
            Source("github.com/home-assistant/core/issues/147760", _CHECKED, "of tools"),
        ),
        "tool-name-twice": Refusal(
            "tools: Tool names must be unique.",
            Source("github.com/tailcallhq/forgecode/issues/892", _CHECKED),
        ),
        "tools-missing": Refusal(
            "Requests which include `tool_use` or `tool_result` blocks must define tools",
            Source("docs.anthropic.com/en/api/messages", _CHECKED, "older models"),
            is_certain=False,
        ),
        "empty-text": Refusal(
            "messages: text content blocks must be non-empty",
            Source("github.com/experientiallabs/experiential/issues/804", _CHECKED, "probed"),
            unsure=("blank-beside-media",),
            taken=("blank-beside-words", "in-result"),
        ),
        "empty-message": Refusal(
            "messages.0: user messages must have non-empty content",
            Source("github.com/experientiallabs/experiential/issues/804", _CHECKED, "probed"),
            taken=("assistant",),
        ),
        "error-without-words": Refusal(
            "messages.N.content.M.tool_result: content cannot be empty if `is_error` is true",
            Source("github.com code search", _CHECKED, "handled in this way by several clients"),
        ),
        "first-not-user": Refusal(
            'messages: first message must use the "user" role',
            Source("github.com/lobehub/lobehub/issues/1601", _CHECKED, "formerly; accepted since"),
            is_certain=False,
        ),
        "ends-with-assistant": Refusal(
            "This model does not support assistant message prefill. The conversation must end with "
            "a user message.",
            Source("github.com/strands-agents/sdk-python/issues/1694", _CHECKED, "from 4.6 on"),
            is_certain=False,
            surely=ENDS_WITH_USER,
            sparing=GOES_ON,
        ),
        "arguments-no-object": Refusal(
            "messages.N.content.M.tool_use.input: Input should be a valid dictionary",
            Source("anthropic-sdk-python 2.8.0 types", _CHECKED),
        ),
        "reasoning-missing": Refusal(
            "messages.N.content.0.type: Expected `thinking` or `redacted_thinking`, but found "
            "`tool_use`. When `thinking` is enabled, a final `assistant` message must start with a "
            "thinking block",
            Source("github.com/vybestack/llxprt-code/issues/2335", _CHECKED),
            unsure=("may-think",),
        ),
        "foreign-reasoning": Refusal(
            "messages.N.content.M: Invalid `signature` in `thinking` block",
            Source("github.com/vybestack/llxprt-code/issues/2335", _CHECKED, "by model"),
        ),
        "reasoning-unsealed": Refusal(
            "messages.N.content.M.thinking.signature: Field required",
            Source("anthropic-sdk-python 2.8.0 types", _CHECKED),
        ),
        "forced-while-thinking": Refusal(
            "Thinking may not be enabled when tool_choice forces tool use.",
            Source("github.com/srtab/daiv/issues/527", _CHECKED),
            unsure=("may-think",),
        ),
        "choice-without-tools": Refusal(
            "tool_choice: tool_choice may only be specified while providing tools",
            Source("docs.anthropic.com/en/api/messages", _CHECKED, "not literally"),
            is_certain=False,
        ),
        "choice-unknown": Refusal(
            "Tool 'NAME' not found in provided tools",
            Source("github.com code search", _CHECKED, "handled in this way by several clients"),
        ),
        "system-misplaced": Refusal(
            "messages.N: role 'system' is not supported on this model",
            Source("github.com/LeenHawk/gproxy", _CHECKED, "at the beginning, of every model"),
        ),
        "member-misshapen": Refusal(
            "messages.N.content: Input should be a valid list",
            Source("github.com/langchain-ai/langchain/pull/34286", _CHECKED, "of nulls"),
            unsure=("null",),
            quotes={"null": "messages.N.content.M.tool_use.caller: Extra inputs are not permitted"},
        ),
        "call-unreadable": Refusal(
            "messages.N.content.M.tool_use.name: Field required",
            Source("anthropic-sdk-python 2.8.0 types", _CHECKED),
        ),
        "number-not-finite": Refusal("The request body is not valid JSON", NOT_FINITE),
    },
    ids=NamePolicy("a-zA-Z0-9_-", 100_000),
    names=NamePolicy("a-zA-Z0-9_-", 128),
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
