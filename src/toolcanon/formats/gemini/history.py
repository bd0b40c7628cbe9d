"""What generateContent rejects in a history."""

from __future__ import annotations

from typing import Final

from toolcanon.dialect import NamePolicy, Source
from toolcanon.dialect.history import HistoryRules, Refusal
from toolcanon.formats.wire.history_facts import NOT_FINITE

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
        "call-without-result": Refusal(
            _COUNT,
            Source("github.com/cloudwego/eino-ext/issues/571", _CHECKED),
            unsure=("last",),
        ),
        "orphan-result": Refusal(
            _COUNT,
            Source("github.com/docker/docker-agent/issues/2959", _CHECKED),
            unsure=("other-name",),
        ),
        "result-too-late": Refusal(
            "Please ensure that function response turn comes immediately after a function call "
            "turn.",
            Source("github.com/langchain-ai/langchain/issues/27799", _CHECKED),
            unsure=("system-between",),
        ),
        "two-results": Refusal(_COUNT, Source("github.com/crewAIInc/crewAI/issues/4693", _CHECKED)),
        "call-id-twice": Refusal(
            'functionResponse.id "A" does not match functionCall.id "B"',
            Source("github.com/router-for-me/CLIProxyAPI/issues/5199", _CHECKED, "one backend"),
            is_certain=False,
            taken=("apart",),
        ),
        "call-name-illegal": Refusal(
            "Invalid function name. Must start with a letter or an underscore.",
            Source("google-genai 3.1.0 types", _CHECKED, "128; services reported 64"),
            unsure=("unusual",),
        ),
        "tool-name-twice": Refusal(
            "Duplicate function declaration found: NAME",
            Source("github.com/lobehub/lobehub/pull/12604", _CHECKED),
        ),
        "empty-text": Refusal(
            "Unable to submit request because it has an empty text parameter.",
            Source("github.com/google-gemini/deprecated-generative-ai-python/issues/697", _CHECKED),
            is_certain=False,
            taken=("blank", "blank-beside-media", "blank-beside-words", "in-result", "in-system"),
        ),
        "empty-message": Refusal(
            "GenerateContentRequest.contents[N].parts: contents.parts must not be empty.",
            Source("github.com/vercel/ai/issues/3775", _CHECKED),
        ),
        "first-not-user": Refusal(
            "Please ensure that function call turn comes immediately after a user turn or after a "
            "function response turn.",
            Source("github.com/cloudwego/eino-ext/issues/571", _CHECKED, "of turns with calls"),
            unsure=("assistant",),
        ),
        "same-role-twice": Refusal(
            "Please ensure that function call turn comes immediately after a user turn or after a "
            "function response turn.",
            Source("github.com/cloudwego/eino-ext/issues/571", _CHECKED, "recent models accept it"),
            is_certain=False,
            taken=("user", "assistant"),
        ),
        "seal-missing": Refusal(
            "Function call is missing a thought_signature in functionCall parts.",
            Source("ai.google.dev/gemini-api/docs/thought-signatures", _CHECKED),
            models=r"gemini-(?:[3-9]|\d\d)",
            sparing=r"gemini-[12](?!\d)",
        ),
        "foreign-reasoning": Refusal(
            "Invalid value at 'contents[N].parts[M].thought_signature' (TYPE_BYTES), Base64 "
            "decoding failed",
            Source("google-genai 3.1.0 types", _CHECKED, "bytes"),
            taken=("other-model",),
        ),
        "choice-without-tools": Refusal(
            "Function calling config is set without function_declarations.",
            Source("github.com/musistudio/claude-code-router/pull/1207", _CHECKED, "some models"),
            is_certain=False,
        ),
        "choice-unknown": Refusal(
            "allowed_function_names holds a name that no function declaration has.",
            Source("ai.google.dev/gemini-api/docs/function-calling", _CHECKED, "not literally"),
            is_certain=False,
        ),
        "arguments-no-object": Refusal(
            "Invalid value at 'contents[N].parts[M].function_call.args' (type "
            "type.googleapis.com/google.protobuf.Struct)",
            Source("google-genai 3.1.0 types", _CHECKED),
        ),
        "member-misshapen": Refusal(
            "Invalid value at 'contents[N].parts[M].function_response.response' (type "
            "type.googleapis.com/google.protobuf.Struct)",
            Source("google-genai 3.1.0 types", _CHECKED),
        ),
        "call-unreadable": Refusal(
            "GenerateContentRequest.contents[N].parts[M].function_call.name: Name cannot be empty.",
            Source("google-genai 3.1.0 types", _CHECKED, "not literally"),
        ),
        "number-not-finite": Refusal("Invalid JSON payload received.", NOT_FINITE),
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
