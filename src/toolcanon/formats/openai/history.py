"""What Chat Completions rejects in a history."""

from __future__ import annotations

from typing import Final

from toolcanon.dialect import NamePolicy, Source
from toolcanon.dialect.history import HistoryRules, Refusal
from toolcanon.formats.wire.history_facts import NOT_FINITE

_CHECKED: Final = "2026-11"

RULES: Final = HistoryRules(
    said_elsewhere=(),
    system_stays=True,
    joined=frozenset({"tool"}),
    refusals={
        "call-without-result": Refusal(
            "An assistant message with 'tool_calls' must be followed by tool messages responding "
            "to each 'tool_call_id'. The following tool_call_ids did not have response messages: "
            "ID",
            Source("github.com/BerriAI/litellm/issues/21114", _CHECKED),
        ),
        "orphan-result": Refusal(
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding "
            "message with 'tool_calls'.",
            Source("github.com/BerriAI/litellm/issues/21114", _CHECKED, "exact text of the API"),
        ),
        "result-too-late": Refusal(
            "An assistant message with 'tool_calls' must be followed by tool messages responding "
            "to each 'tool_call_id'.",
            Source("platform.openai.com/docs/guides/function-calling", _CHECKED),
        ),
        "two-results": Refusal(
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding "
            "message with 'tool_calls'.",
            Source("github.com/BerriAI/litellm/issues/21114", _CHECKED, "exact text of the API"),
            unsure=("same-message",),
        ),
        "call-id-twice": Refusal(
            "An assistant message with 'tool_calls' must be followed by tool messages responding "
            "to each 'tool_call_id'.",
            Source("github.com/BerriAI/litellm/issues/21114", _CHECKED, "of compatible servers"),
            is_certain=False,
            taken=("apart",),
        ),
        "call-id-illegal": Refusal(
            "Invalid 'messages[i].tool_calls[j].id': string too long. Expected a string with "
            "maximum length 40",
            Source("github.com/vercel/ai/issues/8132", _CHECKED, "40 once, 64 on other routes"),
            unsure=("unusual", "empty-id"),
        ),
        "call-name-illegal": Refusal(
            "Invalid 'messages[i].tool_calls[j].function.name': string does not match pattern",
            Source("openai-python 3.49.0 types", _CHECKED, "letters, digits, _ and -, 64 at most"),
        ),
        "empty-message": Refusal(
            "Invalid value for 'content': expected a string, got null.",
            Source("github.com/vercel/ai/pull/13744", _CHECKED, "unless with calls"),
            taken=("user",),
            quotes={
                "no-calls": "Invalid 'messages[i].tool_calls': empty array. Expected an array with "
                "minimum length 1, but got an empty array instead."
            },
        ),
        "arguments-no-object": Refusal(
            "Failed to parse tool call arguments as JSON",
            Source(
                "github.com/OpenHands/software-agent-sdk/issues/2887", _CHECKED, "similar servers"
            ),
            is_certain=False,
        ),
        "seal-missing": Refusal(
            "Function call is missing a thought_signature in functionCall parts.",
            Source("github.com/alibaba/open-code-review/issues/1393", _CHECKED),
            is_certain=False,
            is_guests=True,
        ),
        "tool-name-twice": Refusal(
            "Tool names must be unique.",
            Source("github.com/tailcallhq/forgecode/issues/892", _CHECKED, "of other messages"),
            is_certain=False,
        ),
        "choice-without-tools": Refusal(
            "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are "
            "specified.",
            Source("platform.openai.com/docs/api-reference/chat", _CHECKED),
            unsure=("none",),
        ),
        "choice-unknown": Refusal(
            "Tool choice 'NAME' not found in 'tools' parameter.",
            Source("github.com/router-for-me/CLIProxyAPI/issues/3036", _CHECKED, "of Responses"),
        ),
        "member-misshapen": Refusal(
            "Invalid type for 'messages[i].content': expected one of a string or array of objects, "
            "but got an object instead.",
            Source("openai-python 3.49.0 types", _CHECKED),
            unsure=("null", "calling"),
            quotes={
                "null": "Invalid type for 'messages[i].tool_calls': expected an array of objects, "
                "but got null instead."
            },
        ),
        "call-unreadable": Refusal(
            "Missing required parameter: 'messages[i].tool_calls[j].function.name'.",
            Source("openai-python 3.49.0 types", _CHECKED),
        ),
        "number-not-finite": Refusal(
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
