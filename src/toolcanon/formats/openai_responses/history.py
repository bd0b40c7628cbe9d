"""What the Responses API rejects in a history."""

from __future__ import annotations

from typing import Final

from toolcanon.dialect import NamePolicy, Source
from toolcanon.dialect.history import HistoryRules, Refusal
from toolcanon.formats.wire.history_facts import NOT_FINITE, STAND_IN_SEALS

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
        "call-without-result": Refusal(
            "No tool output found for function call ID.",
            Source("github.com/openai/openai-agents-python/issues/2148", _CHECKED),
            unsure=("async",),
        ),
        "orphan-result": Refusal(
            "No tool call found for function call output with call_id ID.",
            Source("github.com/openai/openai-agents-python/issues/2148", _CHECKED),
            unsure=("no-id",),
        ),
        "two-results": Refusal(
            "No tool call found for function call output with call_id ID.",
            Source("github.com/openai/openai-agents-python/issues/2148", _CHECKED, "supposed"),
            is_certain=False,
        ),
        "call-id-twice": Refusal(
            "No tool output found for function call ID.",
            Source("github.com/openai/openai-agents-python/issues/2148", _CHECKED, "supposed"),
            is_certain=False,
        ),
        "call-id-illegal": Refusal(
            "Invalid 'input[i].call_id': string too long. Expected a string with maximum length 64",
            Source("github.com/decolua/9router/issues/393", _CHECKED),
            unsure=("unusual",),
        ),
        "item-id-illegal": Refusal(
            "Invalid 'input[i].id': 'call_x'. Expected an ID that begins with 'fc'.",
            Source("github.com/nodetool-ai/nodetool/issues/4252", _CHECKED),
            unsure=("text-call", "message", "thought"),
        ),
        "call-name-illegal": Refusal(
            "Invalid 'input[i].name': string does not match pattern",
            Source("openai-python 3.49.0 types", _CHECKED, "letters, digits, _ and -"),
            unsure=("unusual",),
        ),
        "arguments-no-object": Refusal(
            "Failed to parse tool call arguments as JSON",
            Source("github.com/local-inference-lab/vllm/issues/684", _CHECKED, "similar servers"),
            is_certain=False,
        ),
        "tool-name-twice": Refusal(
            "Tool names must be unique.",
            Source("github.com/tailcallhq/forgecode/issues/892", _CHECKED, "of other messages"),
            is_certain=False,
        ),
        "reasoning-alone": Refusal(
            "Item 'rs_x' of type 'reasoning' was provided without its required following item.",
            Source("github.com/newo-ether/Agora/issues/141", _CHECKED),
            unsure=("no-id",),
        ),
        "reasoning-missing": Refusal(
            "Item 'msg_x' of type 'message' was provided without its required 'reasoning' item",
            Source("github.com/newo-ether/Agora/issues/141", _CHECKED, "models that reason"),
            is_certain=False,
            models=r"gpt-[5-9]|gpt-\d\d|o\d|codex",
        ),
        "reasoning-unsealed": Refusal(
            "Item with id 'rs_x' not found. Items are not persisted when `store` is set to false.",
            Source("github.com/vercel/ai/issues/7543", _CHECKED),
            is_certain=False,
            taken=("stored",),
        ),
        "foreign-reasoning": Refusal(
            "The encrypted content for item rs_x could not be verified. Reason: Encrypted content "
            "could not be decrypted or parsed.",
            Source("github.com/BerriAI/litellm", _CHECKED, "code invalid_encrypted_content"),
            unsure=("other-model", "other-provider"),
        ),
        "choice-without-tools": Refusal(
            "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are "
            "specified.",
            Source("platform.openai.com/docs/api-reference/responses", _CHECKED),
            taken=("none", "auto"),
        ),
        "choice-unknown": Refusal(
            "Tool choice 'NAME' not found in 'tools' parameter.",
            Source("github.com/router-for-me/CLIProxyAPI/issues/3036", _CHECKED),
        ),
        "member-misshapen": Refusal(
            "Invalid type for 'input[i].output': expected one of an array of objects or string, "
            "but got an object instead.",
            Source("github.com/openai/openai-python/issues/3008", _CHECKED, "of nulls"),
            unsure=("null",),
            quotes={"null": "Unknown parameter: 'input[i].status'."},
        ),
        "call-unreadable": Refusal(
            "Missing required parameter: 'input[i].name'.",
            Source("openai-python 3.49.0 types", _CHECKED),
        ),
        "number-not-finite": Refusal(
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
