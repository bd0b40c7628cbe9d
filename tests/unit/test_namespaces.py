"""Namespaces at a target whose calls name them: legal, unique, and only real ones."""

import re

import pytest

import toolcanon as tc
from toolcanon.errors import AmbiguousChoice

LEGAL = re.compile(r"[a-zA-Z0-9_-]{1,64}").fullmatch
RESPONSES = "openai-responses"


def space(name, *tools):
    return {
        "type": "namespace",
        "name": name,
        "description": f"About {name}.",
        "tools": [
            {"type": "function", "name": tool, "parameters": {"type": "object", "properties": {}},
             "strict": False}
            for tool in tools
        ],
    }  # fmt: skip


def endpoint(service, name="search"):
    return {
        "tool_name": service,
        "api_name": name,
        "api_description": "d",
        "required_parameters": [{"name": "q", "type": "STRING"}],
        "optional_parameters": [],
    }


def test_names_of_namespaces_are_made_legal_and_stay_unique():
    given = [space("crm.v2", "get"), space("crm v2", "get"), space("fine", "get")]
    done = tc.convert(given, RESPONSES)
    names = [item["name"] for item in done.payload]
    assert all(map(LEGAL, names))
    assert len(set(names)) == 3
    assert names[2] == "fine"
    assert done.names == {
        "crm.v2:get": f"{names[0]}:get",
        "crm v2:get": f"{names[1]}:get",
        "fine:get": "fine:get",
    }
    renamed = [loss for loss in done.losses if loss.at == ("namespace",)]
    assert [(loss.code, loss.before, loss.after) for loss in renamed] == [
        ("L001", "crm.v2", names[0]),
        ("L001", "crm v2", names[1]),
    ]
    for tool_id, wire in done.names.items():
        assert done.restore(wire, "{}").name == tool_id


def test_one_tool_of_an_illegal_namespace():
    (tool,) = tc.read(space("crm.v2", "get"))
    for _ in range(3):  # also once it is remembered
        done = tc.bind(tool, RESPONSES)
        assert done.payload["name"] == "crm_v2"
        assert [loss.code for loss in done.losses if loss.at == ("namespace",)] == ["L001"]
        assert done.needs_restore


def test_a_renamed_namespace_comes_back_with_the_receipt():
    given = [space("crm.v2", "get", "put"), space("mail", "get")]
    tools = tc.read(given)
    done = tc.bind(tools, RESPONSES)
    assert [tool.id for tool in tc.read(done.payload, receipt=done.receipt())] == [
        "crm.v2:get", "crm.v2:put", "mail:get",
    ]  # fmt: skip
    again = tc.Binding.from_receipt(done.receipt())
    assert again.names == done.names
    assert again.restore("crm_v2:put", {}).name == "crm.v2:put"


def test_verbatim_keeps_the_name_of_a_namespace():
    given = [space("crm.v2", "get")]
    assert tc.convert(given, RESPONSES, lower=False).payload == given


def test_a_switched_history_calls_the_namespace_that_the_tools_have():
    body = {
        "model": "m",
        "tools": [space("crm.v2", "get")],
        "input": [
            {"type": "message", "role": "user", "content": "x"},
            {"type": "function_call", "call_id": "c1", "name": "get", "namespace": "crm.v2",
             "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "1"},
        ],
    }  # fmt: skip
    done = tc.switch(body, RESPONSES, tools=tc.read(body["tools"]))
    (call,) = (item for item in done.payload["input"] if item["type"] == "function_call")
    assert (call["namespace"], call["name"]) == ("crm_v2", "get")
    assert done.payload["tools"][0]["name"] == "crm_v2"


@pytest.mark.parametrize("many", [False, True])
def test_a_group_of_a_catalog_is_no_namespace(many):
    given = endpoint("My Service.v2")
    done = tc.convert([given, endpoint("Other")] if many else given, RESPONSES)
    first = done.payload[0] if many else done.payload
    assert first["type"] == "function"
    assert first["name"] == "My_Service_v2_search"
    assert "L002" in {loss.code for loss in done.losses}
    assert done.restore("My_Service_v2_search", {"q": "x"}).name == "My Service.v2:search"
    back = tc.convert(done.payload, "rapidapi", receipt=done.receipt()).payload
    assert (back[0] if many else back)["tool_name"] == "My Service.v2"


def test_a_catalog_and_our_own_documents_keep_the_group():
    for target in ("rapidapi", "canonical"):
        done = tc.convert(endpoint("My Service.v2"), target).payload
        assert "My Service.v2" in (done.get("tool_name"), done.get("namespace"))


def test_a_namespace_that_was_given_to_a_tool_is_a_real_one():
    tool = tc.CanonicalTool(name="f", namespace="a.b", inputs={"type": "object"})
    assert tc.bind(tool, RESPONSES).payload["type"] == "namespace"


def test_a_choice_is_refused_where_two_namespaces_share_the_name():
    done = tc.convert([space("mail", "search"), space("files", "search", "open")], RESPONSES)
    assert done.tool_choice("files:open") == {"type": "function", "name": "open"}
    with pytest.raises(AmbiguousChoice) as caught:
        done.tool_choice("mail:search")
    assert caught.value.known == ("mail:search", "files:search")
    with pytest.raises(AmbiguousChoice):
        tc.Binding.from_receipt(done.receipt()).tool_choice("mail:search")
    alone = tc.bind([tool for tool in done.tools if tool.id == "mail:search"], RESPONSES)
    assert alone.tool_choice("mail:search") == {"type": "function", "name": "search"}
