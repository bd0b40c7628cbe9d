"""There and back: what a switch made for one provider does not stay when the history goes home."""

import pytest

import toolcanon as tc
from toolcanon.conversations.switch import switch

LONG = "n" * 90


def claude(name="look"):
    call = {"type": "tool_use", "id": "c1", "name": name, "input": {"a": 1}}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "done"}
    return {
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
        ]
    }


@pytest.mark.parametrize("with_receipt", [True, False])
@pytest.mark.parametrize("target", ["anthropic", "openai", "openai-responses", "gemini"])
def test_tools_declared_only_for_calls_are_not_carried_on(target, with_receipt):
    there = switch(claude(), "bedrock")
    assert [repair.code for repair in there.repairs] == ["R119"]
    assert there.payload["toolConfig"]["tools"]
    back = switch(there.payload, target, receipt=there.receipt() if with_receipt else None)
    assert "tools" not in back.payload
    assert back.binding is None


def test_tools_declared_only_for_calls_stay_where_they_are_demanded():
    there = switch(claude(), "bedrock")
    again = switch(there.payload, "bedrock")
    assert again.payload == there.payload
    assert not again.repairs


def test_a_real_tool_beside_them_is_carried_on():
    there = switch(claude(), "bedrock").payload
    spec = {"name": "new", "description": "It is new.", "inputSchema": {"json": {"type": "object"}}}
    there["toolConfig"]["tools"].append({"toolSpec": spec})
    back = switch(there, "anthropic")
    assert [tool["name"] for tool in back.payload["tools"]] == ["new"]


@pytest.mark.parametrize("target", ["bedrock", "openai", "openai-responses", "gemini"])
def test_names_of_tools_that_were_not_given_come_back_whole(target):
    there = switch(claude(LONG), target)
    back = switch(there.payload, "anthropic", source=target, receipt=there.receipt())
    assert called(back.payload, "anthropic") == [LONG]


@pytest.mark.parametrize("source", ["openai-responses", "gemini"])
def test_names_that_only_some_models_refuse_come_home(source):
    given = switch(claude(LONG), source).payload
    text = str(called(given, source)[0])
    at_home = _replaced(given, text, LONG)
    assert called(switch(at_home, source, source=source).payload, source) == [LONG]
    there = switch(at_home, "bedrock", source=source)
    back = switch(there.payload, source, source="bedrock", receipt=there.receipt())
    assert called(back.payload, source) == [LONG]


def called(payload, family):
    read = tc.read_conversation(payload, source=family)
    return [call.name for message in read.messages for call in message.calls]


def _replaced(value, old, new):
    if isinstance(value, dict):
        return {key: _replaced(item, old, new) for key, item in value.items()}
    if isinstance(value, list):
        return [_replaced(item, old, new) for item in value]
    return new if value == old else value
