"""Requests that stay with their provider: a tool has one name in tools, choice and history."""

import json

import pytest

import toolcanon as tc
from tests.referee.histories import certain_faults
from tests.tables import table
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
    history = tc.read_conversation(written, source=family)
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
    held = tc.read_conversation(body, source=family)
    choice = held.tool_choice
    return (
        [tool.name for tool in tc.read(held.tools)],
        [call.name for message in held.messages for call in message.calls],
        choice.names if choice else [],
    )


@table("family", FAMILIES)
@table("name", [None, TOO_LONG], ids=["characters", "length"])
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


@table("family", FAMILIES)
@table("called", [None, LEGAL])
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


def _loading(kind, tools, *, called, chosen, declared=()):
    """A request of the Responses API whose history declares tools."""
    calls = [
        {"type": "function_call", "call_id": f"c{number}", "arguments": "{}", **call}
        for number, call in enumerate(called)
    ]
    results = [
        {"type": "function_call_output", "call_id": f"c{number}", "output": "ok"}
        for number in range(len(called))
    ]
    return {
        "model": "gpt-5.5",
        "input": [{"role": "user", "content": "go"}, {"type": kind, "tools": tools},
                  *calls, *results],
        "tools": [{"type": "tool_search"}, *declared],
        "tool_choice": {"type": "function", "name": chosen},
    }  # fmt: skip


def _function(name):
    return {"type": "function", "name": name, "parameters": {"type": "object", "properties": {}}}


@pytest.mark.parametrize("kind", ["additional_tools", "tool_search_output"])
def test_a_tool_that_the_history_declares_is_renamed_like_its_calls(kind):
    body = _loading(kind, [_function("db.query"), _function("other")],
                    called=[{"name": "db.query"}], chosen="db.query")  # fmt: skip
    was = json.dumps(body)
    done = tc.switch(body, "openai-responses", source="openai-responses")
    _, item, call, _ = done.payload["input"]
    made = call["name"]
    assert made != "db.query"
    assert [tool["name"] for tool in item["tools"]] == [made, "other"]
    assert done.payload["tool_choice"]["name"] == made
    assert {repair.code for repair in done.repairs} == {"R120"}
    assert json.dumps(body) == was
    assert tc.switch(done.payload, "openai-responses").payload == done.payload
    back = tc.switch(done.payload, "openai-responses", receipt=done.receipt())
    assert back.payload == done.payload  # which the provider takes, unlike the first


def test_a_loaded_tool_that_is_not_called_is_renamed_alone_and_apart_from_others():
    tools = [_function("db.query"), _function("db_query")]
    body = _loading("additional_tools", tools, called=[], chosen="db.query")
    done = tc.switch(body, "openai-responses", source="openai-responses")
    made, kept = (tool["name"] for tool in done.payload["input"][1]["tools"])
    assert kept == "db_query"
    assert made not in {"db.query", "db_query"}
    assert done.payload["tool_choice"]["name"] == made


def test_a_tool_that_is_declared_and_loaded_has_one_name():
    body = _loading("additional_tools", [_function("db.query")], called=[{"name": "db.query"}],
                    chosen="db.query", declared=[_function("db.query")])  # fmt: skip
    done = tc.switch(body, "openai-responses", source="openai-responses")
    named = {tool["name"] for tool in done.payload["tools"] if "name" in tool}
    named |= {done.payload["input"][1]["tools"][0]["name"], done.payload["input"][2]["name"]}
    assert named == {done.payload["tool_choice"]["name"]} != {"db.query"}


def test_a_loaded_tool_in_a_namespace_is_renamed_like_its_calls():
    space = {"type": "namespace", "name": "crm", "description": "d", "tools": [_function("a.b")]}
    body = _loading("tool_search_output", [space],
                    called=[{"name": "a.b", "namespace": "crm"}], chosen="crm")  # fmt: skip
    del body["tool_choice"]
    done = tc.switch(body, "openai-responses", source="openai-responses")
    _, item, call, _ = done.payload["input"]
    assert call["namespace"] == "crm"
    assert call["name"] == item["tools"][0]["tools"][0]["name"] != "a.b"


def test_loaded_tools_are_not_touched_where_every_name_is_taken():
    body = _loading("additional_tools", [_function("other")], called=[{"name": "other"}],
                    chosen="other")  # fmt: skip
    done = tc.switch(body, "openai-responses", source="openai-responses")
    assert done.payload == body
    assert not done.repairs


@table("family", FAMILIES)
@table("other", [*FAMILIES, "mcp", "vercel"])
def test_tools_in_the_shape_of_another_provider_are_written_anew(family, other):
    """Also in a request that stays at home, where they would be rejected."""
    if other == family:
        return
    body = request(family, declared=["f"], called="f")
    schema = {"type": "object", "properties": {"q": {"type": "string"}}}
    foreign = tc.bind({"name": "f", "inputSchema": schema}, other).payload
    foreign = foreign if isinstance(foreign, list) else [foreign]
    given = {**body, "tools": foreign}
    if family == "bedrock":
        given = {**body, "toolConfig": {"tools": foreign}}
    done = tc.switch(given, family, source=family)
    (tool,) = tc.read(done.payload)
    assert (tool.source_format, tool.inputs) == (family, schema)
    assert [(made.code, made.before) for made in done.repairs] == [("R131", other)]
    found = tc.check(given, to=family, source=family).findings
    assert [item.code for item in found if item.level == "error"] == ["C128"]
    again = tc.switch(done.payload, family)
    assert (again.payload, again.repairs) == (done.payload, ())
