"""What formats of frameworks do beyond the contract: records, manuals, what may be left out."""

import itertools

import pytest

import toolcanon as tc
from tests.tables import table
from toolcanon.errors import UnreadableTool

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
RECORD = {
    "one": {"description": "d", "inputSchema": SCHEMA},
    "two": {"inputSchema": SCHEMA, "strict": True},
    "search": {"type": "provider", "id": "someone.search", "args": {}},
}
CHAT = {"type": "function", "function": {"name": "f", "parameters": SCHEMA}}


def chat(**more):
    return {"type": "function", "function": {"name": "f", "parameters": SCHEMA, **more}}


def test_a_record_of_tools():
    assert tc.detect(RECORD).format == "vercel"
    for payload in (RECORD, {"model": "m", "tools": RECORD}, [RECORD]):
        tools = tc.read(payload)
        assert [tool.name for tool in tools] == ["one", "two", "search"]
        assert tools[0].inputs == SCHEMA
        assert tools[2].kind is tc.Kind.BUILTIN
    assert tc.convert(RECORD, "vercel", lower=False).payload == RECORD
    flat = tc.convert(RECORD, "vercel").payload
    assert [item["name"] for item in flat] == ["one", "two", "search"]
    assert flat[2] == {**RECORD["search"], "name": "search"}
    assert tc.convert(flat, "vercel").payload == flat
    there = tc.convert(RECORD, "mcp")
    assert [item["name"] for item in there.payload] == ["one", "two"]
    back = tc.convert(there.payload, "vercel", receipt=there.receipt(), lower=False)
    assert back.payload == RECORD


@pytest.mark.parametrize(
    "other",
    [
        {},
        {"one": {"inputSchema": SCHEMA}, "two": 3},
        {"one": {"inputSchema": SCHEMA, "name": "x"}},
        {"one": {"inputSchema": None}},
        {"one": {"type": "provider"}},
        {"one": {"parameters": SCHEMA}},
    ],
)
def test_what_is_no_record(other):
    assert tc.detect(other).confidence["vercel"] == 0


def test_the_key_names_a_provider_tool_whatever_else_it_is_called():
    record = {**RECORD, "search": {**RECORD["search"], "name": "web_search"}}
    for source in (None, "vercel"):
        assert [tool.name for tool in tc.read(record, source=source)] == ["one", "two", "search"]
        assert tc.convert(record, "vercel", source=source, lower=False).payload == record
    done = tc.convert(record, "vercel")
    assert done.payload[2] == {**RECORD["search"], "name": "search"}
    (told,) = [loss for loss in done.losses if loss.tool == "search"]
    assert told.before["builtin"]["name"] == "web_search"
    for _ in range(3):  # what is remembered says the same
        assert tc.convert(record, "vercel").payload == done.payload


def test_records_that_share_a_name_stay_apart():
    twice = [{"f": {"inputSchema": SCHEMA}}, {"f": {"description": "d", "inputSchema": {}}}]
    assert tc.convert(twice, "vercel", lower=False).payload == twice


def test_a_fault_in_a_record_has_its_place():
    with pytest.raises(UnreadableTool) as caught:
        tc.read({"a/b": {"inputSchema": {"jsonSchema": 3}, "description": "d"}, "": RECORD["one"]})
    assert caught.value.at == "//name"


def test_strictness_is_passed_on():
    strict = {"type": "function", "name": "f", "inputSchema": SCHEMA, "strict": True}
    assert tc.convert(strict, "vercel").payload == strict
    assert tc.convert(chat(strict=True), "vercel").payload == strict
    assert "strict" not in tc.convert(CHAT, "vercel").payload
    examples = {"name": "f", "input_schema": SCHEMA, "input_examples": [{"a": "x"}]}
    written = tc.convert(examples, "vercel").payload
    assert written["inputExamples"] == [{"input": {"a": "x"}}]
    assert tc.convert(written, "anthropic").payload == examples


def test_a_protocol_s_tool_is_no_framework_s():
    served = {"name": "f", "inputSchema": SCHEMA}
    assert tc.detect(served).format == "mcp"
    assert tc.detect({**served, "type": "function"}).format == "vercel"


ANSWER = {"type": "object", "properties": {"b": {"type": "integer"}}}
INSIDE = [
    CHAT,
    chat(strict=True),
    chat(**{"return": ANSWER}),
    chat(**{"return": {}, "strict": False}),
]


@table("order", list(itertools.permutations(range(4))))
def test_a_key_inside_a_wrapper_decides_the_format_in_any_order(order):
    expected = {
        0: (None, None),
        1: (None, True),
        2: (ANSWER, None),
        3: (None, None),  # strict is no word of the one who writes return
    }
    for index in order * 2:
        written = tc.convert(INSIDE[index], "openai-responses").payload
        outputs, strict = expected[index]
        assert written.get("output_schema") == outputs
        assert (written["strict"] or None) == strict
        told = tc.convert(INSIDE[index], "openai-responses", source=tc.detect(INSIDE[index]).format)
        assert written == told.payload
    assert [tc.detect(item).format for item in INSIDE] == [
        "openai", "openai", "huggingface", "huggingface",
    ]  # fmt: skip


def test_what_may_be_left_out():
    schema = {
        "type": "object",
        "properties": {
            "needed": {"type": "string", "description": "N."},
            "maybe": {"type": "integer"},
            "nothing": {"type": ["string", "null"]},
        },
        "required": ["nothing", "needed"],
    }
    bound = tc.convert({"name": "f", "inputSchema": schema}, "smolagents")
    assert bound.payload == {
        "name": "f",
        "description": "",
        "inputs": {
            "nothing": {"type": ["string", "null"], "description": ""},
            "maybe": {"type": "integer", "description": "", "nullable": True},
            "needed": {"type": "string", "description": "N."},
        },
        "output_type": "any",
    }
    assert not bound.losses.material
    assert tc.convert(bound.payload, "mcp").payload["inputSchema"] == schema
    sent = {"needed": "x", "maybe": None, "nothing": None}
    assert bound.restore("f", sent).arguments == {"needed": "x", "nothing": None}


def test_the_answer_s_type():
    for outputs, word, schema in (
        ({"type": "integer"}, "integer", None),
        ({"type": "object", "properties": {}}, "object", {"type": "object", "properties": {}}),
        ({"anyOf": [{"type": "string"}]}, "any", {"anyOf": [{"type": "string"}]}),
        ({}, "any", None),
    ):
        made = tc.bind(tc.CanonicalTool(name="f", outputs=outputs), "smolagents")
        assert (made.payload["output_type"], made.payload.get("output_schema")) == (word, schema)
        assert tc.read(made.payload)[0].outputs == outputs


def test_a_manual():
    template = {"call_template_type": "http", "url": "https://example.com"}
    tool = {"name": "f", "inputs": SCHEMA, "tags": ["t"], "tool_call_template": template}
    manual = {"utcp_version": "1.0.1", "manual_version": "1.0.0", "tools": [tool]}
    (read,) = tc.read(manual)
    assert (read.source_format, read.inputs, read.tags) == ("utcp", SCHEMA, ["t"])
    assert tc.convert(manual, "utcp").payload == [tool]
    odd = {**tool, "tool_call_template": 3}
    assert "tool_call_template" not in tc.convert(odd, "utcp").payload
    assert (
        "tool_call_template" not in tc.convert({"name": "f", "inputSchema": SCHEMA}, "utcp").payload
    )


class Metadata:
    """As a library's own would be, by attributes alone."""

    name, description, fn_schema, return_direct = "f", "d", None, True

    def get_parameters_dict(self):
        return {}


class Live:
    metadata = Metadata()


def test_live_objects_by_their_attributes():
    for thing in (Live(), Metadata()):
        (tool,) = tc.read(thing)
        assert (tool.source_format, tool.name) == ("llamaindex", "f")
        assert list(tool.inputs["properties"]) == ["input"]
        assert tool.extras["llamaindex"]["return_direct"] is True
    with pytest.raises(tc.ToolcanonError):
        tc.read(Metadata)
