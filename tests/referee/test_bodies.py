"""The packages' types judge bodies: what they take, what they refuse, and what the corpus holds."""

import copy
import re
from collections import Counter

import pytest

from tests.conftest import rows
from tests.referee.bodies import FAMILIES, sdk_faults
from tests.referee.sample_histories import PLAYS, perform
from tests.referee.test_histories import LABELS
from tests.tables import table

KEY = {"openai": "messages", "openai-responses": "input", "anthropic": "messages",
       "gemini": "contents", "bedrock": "messages"}  # fmt: skip
CALLED = "ask call:a result:a"


@pytest.mark.parametrize("family", FAMILIES)
def test_what_the_plays_perform_is_taken(family):
    for play in sorted({good for _, refusers, good, _ in PLAYS if family in refusers}):
        body = perform(family, play)
        before = copy.deepcopy(body)
        assert sdk_faults(family, body) == []
        assert sdk_faults(family, body[KEY[family]]) == []
        assert body == before


def changed(family, path, value):
    """A play in which one place holds something else."""
    body = perform(family, CALLED)
    place = body
    *way, last = path.split("/")
    for step in way:
        place = place[int(step)] if isinstance(place, list) else place[step]
    place[int(last) if isinstance(place, list) else last] = value
    return body


# family, the place, what is put there, what is complained about
REFUSED = [
    ("openai", "messages/0/role", "model", "/messages/0: of no known type"),
    ("openai", "messages/0/extra", 1, "/messages/0/ChatCompletionUserMessageParam/extra: Extra"),
    ("openai", "messages/1/tool_calls/0/function/arguments", {}, "arguments"),
    ("openai", "messages/1/tool_calls/0", {"id": "a", "function": {}}, "type"),
    ("openai", "messages/1/tool_calls/0/extra", 1, "extra: Extra inputs"),
    ("openai", "messages/2/content", None, "content"),
    ("openai", "messages/2/content", [{"type": "image_url"}], "content"),
    ("openai", "tool_choice", {"type": "function", "name": "f"}, "tool_choice"),
    ("openai-responses", "input/1/arguments", {}, "/input/1/ResponseFunctionToolCallParam/arg"),
    ("openai-responses", "input/1", {"type": "function_call"}, "call_id: Field required"),
    ("openai-responses", "input/1", {"type": "reasoning", "id": "rs_1"}, "summary"),
    ("openai-responses", "input/2/output", {}, "output"),
    ("openai-responses", "input/2", {"role": "tool", "content": "r"}, "/input/2"),
    ("openai-responses", "input/0/extra", 1, "extra: Extra inputs"),
    ("openai-responses", "extra", 1, "/extra: Extra inputs"),
    ("anthropic", "messages/0/role", "tool", "/messages/0: of no known type"),
    ("anthropic", "messages/0/content", None, "content"),
    ("anthropic", "messages/1/content/0/type", "tool_call", "content"),
    ("anthropic", "messages/1/content/0/input", [], "ToolUseBlockParam/input"),
    ("anthropic", "messages/1/content/0/index", 1, "ToolUseBlockParam/index: Extra"),
    ("anthropic", "messages/2/content/0/is_error", None, "ToolResultBlockParam/is_error"),
    ("anthropic", "messages/1/content/0", {"type": "thinking", "thinking": "hm"}, "signature"),
    ("gemini", "contents/0/role", "assistant", "/contents/0/role: no such role"),
    ("gemini", "contents/0/parts/0", {}, "one payload, not 0"),
    ("gemini", "contents/1/parts/0/text", "w", "one payload, not 2"),
    ("gemini", "contents/1/parts/0/functionCall/args", [], "args"),
    ("gemini", "contents/1/parts/0/functionCall/thoughtSignature", "YQ==", "Extra inputs"),
    ("gemini", "contents/1/parts/0/thoughtSignature", "*", "base64"),
    ("gemini", "contents/2/parts/0/functionResponse/name", None, "name: Field required"),
    ("gemini", "contents/2/parts/0/functionResponse/response", "r", "response"),
    ("gemini", "extra", 1, "/extra: Extra inputs"),
    ("bedrock", "messages/0/content", "words", "content"),
    ("bedrock", "messages/0/role", "model", "/messages/0/role: 'model' is none of"),
    ("bedrock", "messages/0/content/0", {"text": "a", "cachePoint": {}}, "content"),
    ("bedrock", "messages/0/content/0/extra", 1, "extra"),
    ("bedrock", "messages/1/content/0/toolUse/toolUseId", "", "toolUseId"),
    ("bedrock", "messages/1/content/0/toolUse/toolUseId", "x" * 65, "length 65, not 1 to 64"),
    ("bedrock", "messages/1/content/0/toolUse/name", "a.b", "does not match"),
    ("bedrock", "messages/2/content/0/toolResult/status", "failed", "'failed' is none of"),
    ("bedrock", "messages/0/content/0",
     {"image": {"format": "png", "source": {"bytes": "*"}}}, "bytes: not base64"),
    ("bedrock", "toolConfig/tools", [], "toolConfig"),
]  # fmt: skip


@table("family, path, value, complaint", REFUSED)
def test_what_the_types_refuse(family, path, value, complaint):
    body = changed(family, path, value)
    found = sdk_faults(family, body)
    assert any(complaint in fault for fault in found), found
    assert len(found) <= 8  # of the member that was meant, not of all there are
    if path.startswith(KEY[family]):
        assert sdk_faults(family, body[KEY[family]])


@table("family", FAMILIES)
@table("thing", [None, "text", 1, [None], [1]])
def test_what_is_not_a_body_is_reported_without_a_crash(family, thing):
    assert sdk_faults(family, thing)
    sdk_faults(family, {})  # some packages insist on nothing


def test_beta_blocks_are_taken():
    body = perform("anthropic", CALLED)
    added = {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "f"}}
    body["messages"].append({"role": "system", "content": [added]})
    assert sdk_faults("anthropic", body) == []


EXTRA = "Extra inputs are not permitted"
# Why bodies in the corpus are not what the packages of today would send.
REASONS = {
    "openai": [
        (r"/model: Field required", "messages only, as examples and tests hold them"),
        (r"/tools/\d+(: of no known type|/\w+ToolParam/)", "tools as compatible servers have them"),
        (r"/messages/\d+/ChatCompletionAssistantMessageParam/prefix: ", "Mistral says `prefix`"),
        (r"/messages/\d+/\w+AssistantMessageParam/reasoning_content: ", "DeepSeek's word"),
        (r"/messages/\d+/ChatCompletionToolMessageParam/name: ", "the old name of the function"),
        (r"/messages/\d+/\w+UserMessageParam/tool_calls: ", "a client's dump of its class"),
        (r"/(response_format|logprobs)", "null in place of nothing"),
        (rf"/\w+: {EXTRA}", "settings of gateways and servers like it (LiteLLM, Ollama, xAI)"),
    ],
    "openai-responses": [
        (r".*/FunctionToolParam/strict: Field required", "the service does not insist"),
        (r"/input/\d+/ResponseOutputMessageParam/(id|status): ", "the service does not insist"),
        (r"/input/\d+/EasyInputMessageParam/(id|content)", "so it is not the easy form either"),
        (r"/input/\d+/\w+/content/.*/detail: Field required", "the service does not insist"),
        (r"/input/\d+/ResponseCustomToolCallParam/status: ", "sent back as it was received"),
        (r"/input/\d+/Response\w+CallParam/(input|arguments): Field", "a test leaves them out"),
        (r"/tools/\d+/Mcp/server_label: ", "a test that leaves it out"),
        (r"/(input/list.*: Input should be a valid list|model: )", "a body of another service"),
    ],
    "anthropic": [
        (rf"/(temperature|top_p|top_k): {EXTRA}", "gone from the types; older models take it"),
        (r"/max_tokens: ", "counting tokens, or a test that leaves it out"),
        (r"/messages/.*/abort_reason: ", "sent back as it was received"),
        (r"/(thinking|tool_choice|tools|stop|system|stream|metadata|model)\b", "null for nothing"),
        (rf"/\w+: {EXTRA}", "settings of a gateway"),
    ],
    "gemini": [],
    "bedrock": [(r".*toolSpec: \"inputSchema\"", "a test that leaves it out")],
}  # fmt: skip


def reason_for(family, fault):
    return next((why for pattern, why in REASONS[family] if re.match(pattern, fault)), None)


@pytest.mark.corpus
@pytest.mark.parametrize("label", LABELS)
def test_bodies_of_the_corpus_are_taken_or_known(label):
    family, counted = LABELS[label], Counter()
    for row in rows(label, "conversations"):
        request = row["body"].get("request")
        if not isinstance(request, dict):
            continue
        faults = sdk_faults(family, request)
        counted["refused" if faults else "taken"] += 1
        for fault in faults:
            assert reason_for(family, fault), (row["id"], fault)
    assert counted["taken"] >= {"openai": 0.4}.get(family, 0.8) * counted.total()
