"""What Converse rejects in a history."""

from __future__ import annotations

from typing import Final

from toolcanon.dialect import NamePolicy, Source
from toolcanon.dialect.history import HistoryRules, Refusal
from toolcanon.formats.wire.history_facts import ENDS_WITH_USER, GOES_ON, NOT_FINITE, STAND_IN_SEALS

_CHECKED: Final = "2026-11"

RULES: Final = HistoryRules(
    said_elsewhere=(),
    refusals={
        "call-without-result": Refusal(
            "Expected toolResult blocks at messages.N.content for the following Ids: ID",
            Source("docs.aws.amazon.com/bedrock", _CHECKED),
        ),
        "orphan-result": Refusal(
            "The number of toolResult blocks at messages.N.content exceeds the number of toolUse "
            "blocks of previous turn.",
            Source("docs.aws.amazon.com/bedrock", _CHECKED),
        ),
        "result-too-late": Refusal(
            "Expected toolResult blocks at messages.N.content for the following Ids: ID",
            Source("docs.aws.amazon.com/bedrock", _CHECKED),
            unsure=("words-between", "system-between"),
        ),
        "text-before-result": Refusal(
            "Conversation blocks and tool result blocks cannot be provided in the same turn.",
            Source("github.com/langchain-ai/langchain-aws/issues/141", _CHECKED, "some models"),
            is_certain=False,
        ),
        "two-results": Refusal(
            "The number of toolResult blocks at messages.N.content exceeds the number of toolUse "
            "blocks of previous turn.",
            Source("docs.aws.amazon.com/bedrock", _CHECKED),
        ),
        "call-id-twice": Refusal(
            "The toolUse blocks contain duplicate Ids",
            Source("github.com/BerriAI/litellm/pull/20049", _CHECKED, "not literally"),
            unsure=("apart",),
        ),
        "call-id-illegal": Refusal(
            "Value at 'messages.N.member.content.M.member.toolUse.toolUseId' failed to satisfy "
            "constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.:-]+",
            Source("botocore 1.44.0 service model", _CHECKED, "older: no dot, no colon"),
            unsure=("unusual",),
        ),
        "call-name-illegal": Refusal(
            "Value at 'messages.N.member.content.M.member.toolUse.name' failed to satisfy "
            "constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
            Source("botocore 1.44.0 service model", _CHECKED),
        ),
        "tool-name-twice": Refusal(
            "The tools in toolConfig contain duplicate names",
            Source("docs.aws.amazon.com/bedrock", _CHECKED, "not literally"),
        ),
        "tools-missing": Refusal(
            "The toolConfig field must be defined when using toolUse and toolResult content "
            "blocks.",
            Source("github.com/aws-samples/bedrock-access-gateway/issues/239", _CHECKED),
        ),
        "empty-text": Refusal(
            "The text field in the ContentBlock object at messages.N.content.M is blank",
            Source("github.com/NousResearch/hermes-agent/issues/55092", _CHECKED),
        ),
        "empty-message": Refusal(
            "The content field in the Message object at messages.N is empty",
            Source("docs.aws.amazon.com/bedrock", _CHECKED, "not literally"),
        ),
        "error-without-words": Refusal(
            "The content field at messages.N.content.0.toolResult cannot be empty when status "
            "value is error.",
            Source(
                "github.com/aws-samples/sample-multi-agent-orchestration-chat-on-agentcore/15",
                _CHECKED,
            ),
        ),
        "first-not-user": Refusal(
            "A conversation must start with a user message.",
            Source("docs.aws.amazon.com/bedrock", _CHECKED),
        ),
        "same-role-twice": Refusal(
            "A conversation must alternate between user and assistant roles.",
            Source("docs.aws.amazon.com/bedrock", _CHECKED),
        ),
        "ends-with-assistant": Refusal(
            "This model does not support assistant message prefill. The conversation must end with "
            "a user message.",
            Source("github.com/strands-agents/sdk-python/issues/1694", _CHECKED, "from 4.6 on"),
            is_certain=False,
            surely=ENDS_WITH_USER,
            sparing=rf"{GOES_ON}|^(?!.*claude)",
        ),
        "arguments-no-object": Refusal(
            "The format of the value at messages.N.content.M.toolUse.input is invalid.",
            Source("docs.aws.amazon.com/bedrock", _CHECKED, "not literally"),
        ),
        "foreign-reasoning": Refusal(
            "Invalid `signature` in `thinking` block",
            Source("github.com/vybestack/llxprt-code/issues/2335", _CHECKED, "by model"),
            unsure=("other-model", "other-provider"),
        ),
        "reasoning-unsealed": Refusal(
            "messages.N.content.M.thinking.signature: Field required",
            Source("github.com/vybestack/llxprt-code/issues/2335", _CHECKED, "models that sign"),
            is_certain=False,
        ),
        "reasoning-missing": Refusal(
            "Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
            Source("github.com/vybestack/llxprt-code/issues/2335", _CHECKED, "models that sign"),
            is_certain=False,
        ),
        "forced-while-thinking": Refusal(
            "Thinking may not be enabled when tool_choice forces tool use.",
            Source("github.com/srtab/daiv/issues/527", _CHECKED, "models that sign"),
            is_certain=False,
        ),
        "choice-without-tools": Refusal(
            "Parameter validation failed: Invalid length for parameter toolConfig.tools, value: 0, "
            "valid min length: 1",
            Source("botocore 1.44.0 service model", _CHECKED),
        ),
        "choice-unknown": Refusal(
            "The tool of toolChoice is not among the tools of toolConfig",
            Source("docs.aws.amazon.com/bedrock", _CHECKED, "not literally"),
            is_certain=False,
        ),
        "member-misshapen": Refusal(
            "Parameter validation failed: Invalid type for parameter messages[N].content, value: "
            "x, type: <class 'str'>, valid types: <class 'list'>, <class 'tuple'>",
            Source("botocore 1.44.0 service model", _CHECKED),
        ),
        "call-unreadable": Refusal(
            "Parameter validation failed: Missing required parameter in "
            'messages[N].content[M].toolUse: "name"',
            Source("botocore 1.44.0 service model", _CHECKED),
        ),
        "number-not-finite": Refusal("The request body is not valid JSON", NOT_FINITE),
    },
    ids=NamePolicy("a-zA-Z0-9_.:-", 64),
    usual_ids=NamePolicy("a-zA-Z0-9_-", 64),
    names=NamePolicy("a-zA-Z0-9_-", 64),
    quiet=("cachePoint",),
    lists_allowed=False,
    forbids_calls=False,
    tool_items=("toolAddition",),
    thinking=("additionalModelRequestFields", "thinking", "type"),
    foreign_seals=STAND_IN_SEALS,
    nullable=frozenset(),
    call_natives=("toolUse",),
)
