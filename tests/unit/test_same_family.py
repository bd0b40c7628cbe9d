"""Requests that stay with their provider: a tool has one name in tools, choice and history."""

import json

import pytest

import toolcanon as tc
from tests.referee.histories import certain_faults
from tests.wire_histories import FAMILIES

TOO_LONG = "q" * 200
LEGAL = "db_query"
REFUSED = {family: "db query" if family == "gemini" else "db.query" for family in FAMILIES}


def request(family, *, declared, called=None, chosen=None):
    """A request with tools, a call of one of them with its result, and the choice of one."""
    body = {
        "messages": [{"role": "user", "content": "go"}],
        "tools": [{"name": name, "input_schema": {"type": "object"}} for name in declared],
    }
    written = tc.switch(body, family, source="anthropic").payload
    for number, name in enumerate(declared):  # whose names no writer would write
        _rename(written["tools" if family != "bedrock" else "toolConfig"], number, name)
    history = tc.read_conversation(written, family)
    if called is not None:
        history.messages += [
            tc.Message("assistant", [tc.Call(called, {}, "c1")]),
            tc.Message("tool", [tc.Result("c1", [tc.Text("ok")], called)]),
        ]
    if chosen is not None:
        history.tool_choice = tc.ToolChoice("tool", [chosen])
    return tc.write_conversation(history, family).payload


def _rename(tools, number, name):
    if isinstance(tools, dict):
        tools = tools["tools"]
    if "functionDeclarations" in tools[0]:
        tools = tools[0]["functionDeclarations"]
    tool = tools[number]
    tool.get("function", tool.get("toolSpec", tool))["name"] = name


def names(family, body):
    """The names in tools, in calls and in the choice."""
    held = tc.read_conversation(body, family)
    choice = held.tool_choice
    return (
        [tool.name for tool in tc.read(held.tools)],
        [call.name for message in held.messages for call in message.calls],
        choice.names if choice else [],
    )


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", [None, TOO_LONG], ids=["characters", "length"])
def test_a_refused_name_is_changed_alike_in_tools_choice_and_history(family, name):
    name = name or REFUSED[family]
    body = request(family, declared=[name, "other"], called=name, chosen=name)
    assert names(family, body) == ([name, "other"], [name], [name])
    was = json.dumps(body)
    done = tc.switch(body, family, source=family)
    (made, other), called, chosen = names(family, done.payload)
    assert made != name
    assert (called, chosen, other) == ([made], [made], "other")
    assert [loss.before for loss in done.losses if loss.code == "L001"] == [name]
    assert not certain_faults(family, done.payload)
    assert json.dumps(body) == was
    again = tc.switch(done.payload, family, source=family)
    assert again.payload == done.payload
    back = tc.switch(done.payload, family, source=family, receipt=done.receipt())
    assert back.payload == done.payload  # which the provider takes, unlike the first


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("called", [None, LEGAL])
def test_a_refused_name_of_a_tool_that_is_not_called_is_changed(family, called):
    name = REFUSED[family]
    body = request(family, declared=[LEGAL, name], called=called, chosen=name)
    (kept, made), calls, chosen = names(family, tc.switch(body, family, source=family).payload)
    assert kept == LEGAL
    assert calls == ([LEGAL] if called else [])
    assert made not in {LEGAL, name}
    assert chosen == [made]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_call_of_an_undeclared_tool_never_takes_the_name_of_a_declared_one(family):
    body = request(family, declared=[LEGAL], called=REFUSED[family])
    done = tc.switch(body, family, source=family)
    declared, (made,), _ = names(family, done.payload)
    assert declared == [LEGAL]
    assert made not in {LEGAL, REFUSED[family]}
    assert {repair.code for repair in done.repairs} >= {"R120", "R121"}


@pytest.mark.parametrize("family", FAMILIES)
def test_tools_are_not_touched_where_every_name_is_taken(family):
    body = request(family, declared=[LEGAL, "other"], called=LEGAL, chosen="other")
    done = tc.switch(body, family, source=family)
    assert done.payload == body
    assert not done.repairs
    assert not done.losses


def test_the_dialect_that_is_asked_for_is_applied_to_the_tools_of_a_request():
    body = request("openai", declared=[LEGAL])
    (tool,) = tc.switch(body, "openai/strict", source="openai").payload["tools"]
    assert tool["function"]["strict"] is True
    assert tool["function"]["parameters"]["additionalProperties"] is False
