"""Failures stated in text: read as failures, written unchanged, flagged where there is a flag."""

import json

import toolcanon as tc
from tests.tables import table

CALLS = {
    "openai": [{"role": "assistant", "content": None, "tool_calls": [
        {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}],
    "openai-responses": [
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}],
}  # fmt: skip
FAILURES = [
    '{"ok":false,"error":"no file"}',
    '{"ok":false,"error":"no file","errorType":"not_found"}',
    '{"ok": false, "error": "no file", "error_type": "not_found"}',
    '{"details":{"parameter":"/a","n":1.0},"errorType":"validation","error":"é","ok":false}',
    '{"ok":false,"error":"","details":{}}',
]
OTHERS = [
    '{"ok":false,"error":"x","errorType":"my_own"}',
    '{"ok":false,"error":"x","errorType":null}',
    '{"ok":false,"error":"x","errorType":["timeout"]}',
    '{"ok":false,"error":"x","why":"y"}',
    '{"ok":false,"error":"x","details":"y"}',
    '{"ok":false,"errorType":"timeout"}',
    '{"ok":true,"error":"x","errorType":"timeout"}',
]
families = table("family", CALLS)


def history(family, text):
    if family == "openai":
        return [*CALLS[family], {"role": "tool", "tool_call_id": "c", "content": text}]
    return [*CALLS[family], {"type": "function_call_output", "call_id": "c", "output": text}]


def read(family, text):
    conversation = tc.read_conversation(history(family, text), source=family)
    (result,) = [one for message in conversation for one in message.results]
    return conversation, result


@families
@table("text", FAILURES)
def test_failures_go_everywhere_and_come_back(family, text):
    conversation, result = read(family, text)
    assert result.is_error is True
    written = tc.write_messages(conversation, family)
    assert written.payload == history(family, text)
    assert not written.losses
    response = tc.ToolResponse.from_result(result)
    assert response == tc.ToolResponse.from_value(json.loads(text))
    flagged = tc.write_messages(conversation, "anthropic").payload[-1]["content"][0]
    assert flagged["is_error"] is True
    again = tc.read_conversation(tc.write_messages(conversation, "gemini").payload, source="gemini")
    (there,) = again.messages[-1].results
    assert there.is_error is True
    assert tc.ToolResponse.from_result(there) == response


@families
@table("text", OTHERS)
def test_what_only_resembles_one_is_the_tools_own(family, text):
    conversation, result = read(family, text)
    assert (result.is_error, result.content) == (None, [tc.Text(text)])
    assert tc.write_messages(conversation, family).payload == history(family, text)


@families
def test_what_states_it_already_is_not_wrapped_again(family):
    conversation, _ = read(family, "x")
    failure = tc.ToolResponse.failure("no", "timeout", parameter="/a")
    conversation.messages[-1].parts[:] = [failure.to_result("c", "f")]
    written = tc.write_messages(conversation, family)
    last = written.payload[-1]
    assert json.loads(last.get("content") or last["output"]) == failure.to_dict()
    assert not [loss for loss in written.losses if loss.code == "L304"]


@families
def test_a_changed_failure_is_written_as_changed(family):
    for text in FAILURES[:2]:
        conversation, result = read(family, text)
        result.content[0].text = "other"
        last = tc.write_messages(conversation, family).payload[-1]
        assert json.loads(last.get("content") or last["output"]) == {"ok": False, "error": "other"}
