"""What the AI SDK rejects in a history, before it calls a model.

What it passes on, a model's provider may still reject: such rules are not certain here.
"""

from __future__ import annotations

from typing import Final

from toolcanon.dialect import NamePolicy, Source
from toolcanon.dialect.history import HistoryRules, Refusal
from toolcanon.formats.vercel.spelling import AWAITS, REQUEST, RESPONSE
from toolcanon.formats.wire.history_facts import NOT_FINITE

_CHECKED: Final = "2026-11"
_PROMPT: Final = "ai 7.0.170 src/prompt/convert-to-language-model-prompt.ts"

RULES: Final = HistoryRules(
    said_elsewhere=(),
    joined=frozenset({"tool", "assistant"}),
    async_key=AWAITS,
    lists_allowed=False,
    quiet=(REQUEST, RESPONSE),
    refusals={
        "call-without-result": Refusal(
            "AI_MissingToolResultsError: Tool result is missing for tool call ID.",
            Source(_PROMPT, _CHECKED, "at every message of the user, and at the end"),
            taken=("async",),
        ),
        "orphan-result": Refusal(
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding "
            "message with 'tool_calls'.",
            Source(_PROMPT, _CHECKED, "passed on: the model's provider rejects it"),
            is_certain=False,
        ),
        "result-too-late": Refusal(
            "AI_MissingToolResultsError: Tool result is missing for tool call ID.",
            Source(_PROMPT, _CHECKED, "results come before the user speaks"),
            unsure=("model-between",),
        ),
        "two-results": Refusal(
            "each tool_use must have a single result",
            Source(_PROMPT, _CHECKED, "passed on: the model's provider rejects it"),
            is_certain=False,
        ),
        "call-id-twice": Refusal(
            "`tool_use` ids must be unique",
            Source(_PROMPT, _CHECKED, "passed on: the model's provider rejects it"),
            is_certain=False,
            taken=("apart",),
        ),
        "call-id-illegal": Refusal(
            "Invalid input: expected string, received undefined",
            Source(
                "ai 7.0.170 src/prompt/content-part.ts",
                _CHECKED,
                "toolCallId is a text in the schema of messages that the package exports",
            ),
            taken=("empty-id",),
        ),
        "empty-message": Refusal(
            "Message must contain at least one part",
            Source("ai 7.0.170 src/ui/validate-ui-messages.ts", _CHECKED, "of UIMessages"),
            is_certain=False,
            taken=("assistant",),
        ),
        "choice-without-tools": Refusal(
            "tool_choice may only be specified while providing tools",
            Source("ai 7.0.170 src/prompt/prepare-tool-choice.ts", _CHECKED, "passed on"),
            is_certain=False,
        ),
        "number-not-finite": Refusal("Invalid input: expected number, received NaN", NOT_FINITE),
    },
    ids=NamePolicy(r"\s\S", 100_000),
)
