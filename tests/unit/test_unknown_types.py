"""Calls of an unknown type, with a name and arguments that can be read."""

import pytest

import toolcanon as tc
from tests.tables import table
from toolcanon.conversations.read_write import write_messages
from toolcanon.conversations.switch import switch

FAMILIES = ("openai", "openai-responses", "anthropic", "gemini", "bedrock", "vercel")

HISTORIES = {
    "openai": [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "x", "type": "builtin_function",
             "function": {"name": "search", "arguments": '{"q": 1}'}}]},
        {"role": "tool", "tool_call_id": "x", "content": "found"},
        {"role": "assistant", "content": "done"},
        {"role": "user", "content": "go on"},
    ],
    "openai-responses": [
        {"role": "user", "content": "q"},
        {"type": "builtin_call", "call_id": "x", "name": "search", "arguments": '{"q": 1}'},
        {"type": "builtin_call_output", "call_id": "x", "output": "found"},
        {"role": "assistant", "content": "done"},
        {"role": "user", "content": "go on"},
    ],
    "anthropic": [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [
            {"type": "builtin_use", "id": "x", "name": "search", "input": {"q": 1}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "x", "content": "found"}]},
        {"role": "assistant", "content": "done"},
        {"role": "user", "content": "go on"},
    ],
}  # fmt: skip


@table("source", HISTORIES)
@table("target", FAMILIES)
def test_a_call_of_an_unknown_type_keeps_its_result_and_its_place(source, target):
    done = switch(HISTORIES[source], target, source=source)
    read = tc.read_conversation(done.payload, source=target)
    said = [part for message in read.messages for part in message.parts]
    kinds = [part.__class__.__name__ for part in said]
    assert kinds == ["Text", "Call", "Result", "Text", "Text"]
    assert said[1].name == "search"
    assert said[1].arguments == {"q": 1}
    assert said[1].id == said[2].call_id
    assert said[2].content[0].text == "found"
    reported = {repair.code for repair in done.repairs}, {loss.code for loss in done.losses}
    assert reported == (({"R131"}, set()) if source == target else (set(), {"L308"}))
    assert "builtin" not in str(done.payload)


@pytest.mark.parametrize("source", HISTORIES)
def test_an_unknown_type_is_written_back_as_it_was(source):
    read = tc.read_conversation(HISTORIES[source], source=source)
    assert write_messages(read, source).payload == HISTORIES[source]


def test_a_call_that_its_provider_answered_is_no_call():
    content = [
        {"type": "new_tool_use", "id": "x", "name": "search", "input": {"q": 1}},
        {"type": "new_tool_result", "tool_use_id": "x", "content": "found"},
    ]
    (message,) = tc.read_conversation(
        [{"role": "assistant", "content": content}], source="anthropic"
    ).messages
    assert not message.calls
    item = {"type": "new_call", "call_id": "x", "name": "s", "arguments": "{}", "output": "found"}
    (message,) = tc.read_conversation([item], source="openai-responses").messages
    assert not message.calls


@pytest.mark.parametrize(
    "function", [{"name": "f"}, {"arguments": "{}"}, {"name": "f", "arguments": 1}]
)
def test_an_unknown_type_without_name_or_arguments_is_no_call(function):
    call = {"id": "x", "type": "builtin", "function": function}
    history = [{"role": "assistant", "content": None, "tool_calls": [call]}]
    (message,) = tc.read_conversation(history, source="openai").messages
    assert not message.calls
