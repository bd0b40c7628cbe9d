"""Payloads of every wrapping, live objects, and the errors for what holds no tool."""

import pytest

import toolcanon as tc
from tests.tables import table
from toolcanon.errors import (
    BadReceipt,
    LimitExceeded,
    NoTools,
    NotWritable,
    UnknownFormat,
    UnreadableTool,
    WrongFormat,
)

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
CHAT = {"type": "function", "function": {"name": "f", "parameters": SCHEMA}}
LEGACY = {"name": "f", "parameters": SCHEMA}
FLAT = {"type": "function", "name": "f", "parameters": SCHEMA}
CLAUDE = {"name": "f", "input_schema": SCHEMA}
SERVER = {"name": "f", "inputSchema": SCHEMA}
DECLARATION = {"name": "f", "parametersJsonSchema": SCHEMA}
SPEC = {"toolSpec": {"name": "f", "inputSchema": {"json": SCHEMA}}}

WRAPPED = [
    ("openai", {"model": "m", "messages": [], "tools": [CHAT]}),
    ("openai", {"model": "m", "messages": [], "functions": [{"name": "f"}]}),
    ("openai-responses", {"model": "m", "input": "hi", "tools": [FLAT]}),
    ("openai-responses", {"input": [{"type": "additional_tools", "tools": [FLAT]}]}),
    ("openai-responses", {"input": [{"type": "message"}, {"type": "tool_search_output",
                                                        "tools": [FLAT]}]}),
    ("anthropic", {"model": "m", "max_tokens": 1, "messages": [], "tools": [CLAUDE]}),
    ("gemini", {"functionDeclarations": [{"name": "f", "description": "d"}]}),
    ("gemini", {"function_declarations": [{"name": "f"}]}),
    ("gemini", {"contents": [], "tools": [{"functionDeclarations": [LEGACY]}]}),
    ("gemini", {"config": {"tools": [{"function_declarations": [LEGACY]}]}}),
    ("bedrock", {"modelId": "m", "messages": [], "toolConfig": {"tools": [SPEC]}}),
    ("bedrock", {"tools": [SPEC], "toolChoice": {"auto": {}}}),
    ("mcp", {"tools": [SERVER], "nextCursor": "x"}),
    ("mcp", {"jsonrpc": "2.0", "id": 1, "result": {"tools": [SERVER]}}),
    ("mcp", [{"result": {"tools": [SERVER]}}]),
]  # fmt: skip


@table("format_id, body", WRAPPED)
def test_wrappers_and_bodies(format_id, body):
    (tool,) = tc.read(body)
    assert (tool.name, tool.source_format) == ("f", format_id)
    assert tc.detect(body).format in {format_id, "openai", "raw"}
    assert isinstance(tc.convert(body, "mcp").payload, list)


def test_mixed_lists_and_text():
    mixed = [CHAT, {**CLAUDE, "name": "g"}, {**SERVER, "name": "h"}]
    assert [tool.name for tool in tc.read(mixed)] == ["f", "g", "h"]
    assert tc.convert(mixed, "mcp").source == "mixed"
    assert tc.read('{"name": "f", "inputSchema": {}}')[0].name == "f"
    lines = b'{"name": "f", "inputSchema": {}}\n\n{"name": "g", "input_schema": {}}\n'
    assert [tool.source_format for tool in tc.read(lines)] == ["mcp", "anthropic"]
    assert [tool.name for tool in tc.read(iter([CHAT]))] == ["f"]
    assert tc.read([]) == []


def test_a_tool_with_many_parts_gives_them_in_order():
    tool = {"functionDeclarations": [{"name": "a"}, {"name": "b"}], "googleSearch": {}}
    assert [t.name for t in tc.read(tool)] == ["a", "b", "googleSearch"]
    there = tc.convert([tool], "gemini", lower=False)
    assert there.payload == [
        {"functionDeclarations": [{"name": "a"}, {"name": "b"}]},
        {"googleSearch": {}},
    ]


def test_namespaces():
    group = {
        "type": "namespace",
        "name": "crm",
        "description": "Customers",
        "tools": [{"type": "function", "name": "get"}, {"type": "custom", "name": "note"}],
    }
    tools = tc.read(group)
    assert [tool.id for tool in tools] == ["crm:get", "crm:note"]
    assert tc.convert([group], "openai-responses", lower=False).payload == [group]
    there = tc.convert([group], "gemini")
    assert there.binding.names == {"crm:get": "crm:get", "crm:note": "crm:note"}
    there = tc.convert([group], "openai")
    assert there.binding.names == {"crm:get": "crm_get", "crm:note": "crm_note"}
    assert {loss.code for loss in there.losses} >= {"L002"}
    back = tc.convert(
        there.payload,
        "openai-responses",
        source="openai",
        receipt=there.binding.receipt(),
        lower=False,
    )
    assert back.payload == [group]
    other = {**group, "name": "erp"}
    assert len(tc.convert([group, other], "anthropic").payload) == 4


def test_built_in_tools_are_dropped_aloud_and_come_back():
    search = {"type": "web_search"}
    there = tc.convert(search, "anthropic")
    assert there.payload == []
    assert [loss.code for loss in there.losses] == ["L015"]
    assert there.losses.material == there.losses
    back = tc.convert([], "openai-responses", receipt=there.binding.receipt())
    assert back.payload == search
    both = tc.convert([FLAT, search, {**FLAT, "name": "g"}], "mcp")
    assert [tool["name"] for tool in both.payload] == ["f", "g"]
    back = tc.convert(
        both.payload, "openai-responses", source="mcp", receipt=both.binding.receipt(), lower=False
    )
    assert back.payload == [FLAT, search, {**FLAT, "name": "g"}]


def test_free_text_becomes_one_parameter():
    there = tc.convert(
        {"type": "custom", "name": "sql", "format": {"type": "grammar", "syntax": "lark",
                                                     "definition": "x"}},
        "anthropic",
    )  # fmt: skip
    assert there.payload["input_schema"]["required"] == ["input"]
    assert there.losses.summary()["codes"] == {"L013": 2, "L014": 1}
    assert [loss.code for loss in there.losses.material] == ["L014"]


@table(
    "payload, error",
    [
        (3, NoTools),
        ([3], NoTools),
        ({"foo": 1}, NoTools),
        ({}, NoTools),
        ([[{}]], NoTools),
        (object(), NoTools),
        (int, NoTools),
        ({"name": 3, "inputSchema": {}}, UnreadableTool),
        ({"name": "", "inputSchema": {}}, UnreadableTool),
        ({"name": "f", "parameters": 3}, UnreadableTool),
        ({"toolSpec": {"name": "f", "inputSchema": {"json": 3}}}, UnreadableTool),
        ({"functionDeclarations": [3]}, UnreadableTool),
        ({"type": "namespace", "name": "n", "tools": [3]}, UnreadableTool),
        ({"name": "f", "parameters": SCHEMA, "parametersJsonSchema": SCHEMA}, UnreadableTool),
        ({"name": "x" * 2000, "inputSchema": {}}, LimitExceeded),
    ],
)
def test_what_holds_no_tool_is_refused(payload, error):
    with pytest.raises(error) as caught:
        tc.read(payload)
    assert str(caught.value)


def test_errors_point_into_the_payload():
    with pytest.raises(UnreadableTool) as caught:
        tc.read({"tools": [CHAT, {"type": "function", "function": {"name": "g", "parameters": 3}}]})
    assert caught.value.at == "/tools/1/function/parameters"


def test_the_wrong_format_is_named():
    with pytest.raises(WrongFormat) as caught:
        tc.read(SERVER, source="anthropic")
    assert (caught.value.requested, caught.value.detected) == ("anthropic", "mcp")
    with pytest.raises(WrongFormat):
        tc.read(CHAT, source="mcp")


def test_formats_are_checked():
    with pytest.raises(UnknownFormat, match="did you mean 'gemini'"):
        tc.convert(CHAT, "gemin")
    with pytest.raises(NotWritable):
        tc.convert(CHAT, "raw")
    with pytest.raises(UnknownFormat):
        tc.read(CHAT, source="nope")


def test_deep_objects_built_in_python_are_refused():
    deep: dict = {}
    for _ in range(5000):
        deep = {"items": deep}
    with pytest.raises(LimitExceeded):
        tc.read({"name": "f", "inputSchema": deep})
    with pytest.raises(LimitExceeded):
        tc.convert({"name": "f", "parameters": {"type": "dict", "items": deep}}, "mcp")
    endless: dict = {}
    endless["items"] = endless
    with pytest.raises(LimitExceeded):
        tc.read({"name": "f", "inputSchema": endless})


def test_receipts_are_checked():
    for receipt in ({}, {"toolcanon-receipt": 99}, {"toolcanon-receipt": 1, "ir": 1, "tools": 3}):
        with pytest.raises(BadReceipt):
            tc.convert(CHAT, "mcp", receipt=receipt)
    other = tc.convert({**SERVER, "name": "other"}, "openai").binding.receipt()
    with pytest.raises(BadReceipt, match="'f'"):
        tc.convert(CHAT, "mcp", receipt=other)


def test_an_edit_since_the_conversion_is_kept():
    there = tc.convert({"name": "f", "title": "T", "inputSchema": {"type": "dict"}}, "anthropic")
    receipt = there.binding.receipt()
    edited = {**there.payload, "description": "new", "input_schema": SCHEMA}
    back = tc.convert(edited, "mcp", source="anthropic", receipt=receipt)
    assert back.payload == {
        "name": "f",
        "title": "T",
        "description": "new",
        "inputSchema": SCHEMA,
    }


def test_big_numbers_survive():
    big = {"name": "f", "inputSchema": {"type": "object", "x-big": 2**70, "y": float("inf")}}
    tool = tc.read(big)[0]
    assert tool.original_definition == big
    assert tc.convert(big, "anthropic").payload["input_schema"]["x-big"] == 2**70
