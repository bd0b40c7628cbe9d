"""Calls with free text whose input is not a string, or is missing."""

import toolcanon as tc
from tests.tables import table
from toolcanon.conversations.switch import switch

INPUTS = [
    ({}, ""),
    ({"input": None}, ""),
    ({"input": 7}, "7"),
    ({"input": {"a": "x"}}, '{"a":"x"}'),
    ({"input": ["x"]}, '["x"]'),
]


def chat(given):
    call = {"id": "c1", "type": "custom", "custom": {"name": "run", **given}}
    return [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
    ]


def responses(given):
    return [
        {"role": "user", "content": "go"},
        {"type": "custom_tool_call", "call_id": "c1", "name": "run", **given},
        {"type": "custom_tool_call_output", "call_id": "c1", "output": "done"},
    ]


SOURCES = {"openai": chat, "openai-responses": responses}
TARGETS = ["openai", "openai-responses", "anthropic", "gemini", "bedrock"]


@table("given, text", INPUTS)
@table("source", SOURCES)
def test_any_input_is_read_as_text_and_written_back_as_it_was(source, given, text):
    history = SOURCES[source](given)
    read = tc.read_conversation(history, source=source)
    (call,) = read.messages[1].calls
    assert (call.is_text, call.text) == (True, text)
    assert tc.write_messages(read, source).payload == history
    call.text = "other"
    assert "'input': 'other'" in repr(tc.write_messages(read, source).payload)


@table("given, text", INPUTS)
@table("target", TARGETS)
@table("source", SOURCES)
def test_no_such_call_is_dropped_with_its_result(source, target, given, text):
    done = switch(SOURCES[source](given), target, source=source)
    assert not {"R102", "R132"} & {repair.code for repair in done.repairs}
    back = tc.read_conversation(done.payload, source=target)
    assert [len(message.calls) for message in back.messages] == [0, 1, 0]
    assert [len(message.results) for message in back.messages] == [0, 0, 1]
