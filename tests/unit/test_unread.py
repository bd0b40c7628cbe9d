"""What looks like a definition: calls, messages, parameters under another key, whose tools."""

import contextlib
import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolcanon as tc
from tests.tables import table
from toolcanon.conversion.detect import _MOST_WRAPPERS
from toolcanon.errors import NoTools, ToolcanonError, UnreadableTool, WrongFormat
from toolcanon.registry import builtin_formats

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
MEMBERS = {"a": {"type": "string", "description": "x"}}
LISTED = [{"name": "a", "type": "string"}]
CHAT = {"type": "function", "function": {"name": "f", "parameters": SCHEMA}}
SOURCES = {
    "openai": ("function", {"type": "function", "function": {"name": "f", "description": "d"}}),
    "openai-responses": (None, {"type": "function", "name": "f", "description": "d"}),
    "anthropic": (None, {"name": "f", "description": "d", "input_schema": None}),
    "mcp": (None, {"name": "f", "description": "d", "inputSchema": {}}),
    "gemini": (None, {"name": "f", "description": "d", "behavior": "BLOCKING"}),
    "bedrock": ("toolSpec", {"toolSpec": {"name": "f", "description": "d"}}),
    "acebench": (None, {"name": "f", "description": "d", "results": {}, "tags": ["t"]}),
    "langchain": (None, {"name": "f", "description": "d", "args_schema": None}),
}
KEYS = "inputSchema params schema input args_schema paramters Parameters args fields".split()


def place_in(source, key, value):
    """A definition of a format without parameters, with something under a key, and its place."""
    inner, definition = copy.deepcopy(SOURCES[source])
    (definition[inner] if inner else definition)[key] = value
    return definition, f"/{inner}/{key}" if inner else f"/{key}"


@table("value", [SCHEMA, MEMBERS, LISTED], ids=["schema", "map", "list"])
@table("key", KEYS)
@table("source", SOURCES)
def test_parameters_are_read_or_refused_wherever_they_stand(source, key, value):
    definition, at = place_in(source, key, value)
    for named in (None, source):
        try:
            (tool,) = tc.read(definition, source=named)
            found = "in the tool" if "a" in str(tool.inputs) else "lost"
        except WrongFormat:
            found = at
        except UnreadableTool as error:
            found = error.at
        assert found in {"in the tool", at}


HARMLESS = [
    ("annotations", {"readOnlyHint": True}),
    ("cache_control", {"type": "ephemeral"}),
    ("output_schema", SCHEMA),
    ("returns", MEMBERS),
    ("response", SCHEMA),
    ("examples", [{"name": "a", "type": "string"}]),
    ("configSchema", SCHEMA),
    ("_meta", {"a": {"type": "string"}}),
    ("labels", ["a", "b"]),
    ("tags", [{"name": "a", "description": "b"}]),
    ("icons", [{"src": "x", "mimeType": "image/png"}]),
    ("execution", {"taskSupport": "optional"}),
    ("args", {}),
    ("args", []),
    ("params", None),
    ("parameters", {"type": "object"}),
    ("arguments", {"type": "object", "properties": {}}),
    ("input", "What is the weather: rain or sun?"[:20]),
    ("usage", "call f() with nothing"),
    ("strict", True),
]


@table("key, value", HARMLESS)
@table("source", ["openai", "openai-responses", "anthropic", "mcp", "bedrock"])
def test_a_tool_without_parameters_may_say_other_things(source, key, value):
    definition, _ = place_in(source, key, value)
    before = copy.deepcopy(definition)
    (tool,) = tc.read(definition, source=source)
    assert tool.name == "f"
    assert definition == before


@pytest.mark.parametrize(
    "definition, at",
    [
        ({"name": "Foo", "input_parameters": "token: str", "api_info": ""}, "/input_parameters"),
        ({"name": "f", "inputs": "{'q': …}", "output_type": "string"}, "/inputs"),
        ({"name": "Q", "expressions": "Q(token: str, account: str)"}, "/expressions"),
        ({"name": "f", "signature": "a: int, b: str"}, "/signature"),
        ({"name": "f", "args": ["city", "days"]}, "/args"),
        ({"type": "function", "function": {"name": "f"}, "parameters": SCHEMA}, "/parameters"),
        (
            {"functionDeclarations": [{"name": "f", "args": SCHEMA}]},
            "/functionDeclarations/0/args",
        ),
        ([CHAT, {"name": "g", "inputSchema": None, "args": SCHEMA}], "/1/args"),
        ({"tools": [CHAT, {"name": "g", "inputSchema": None, "args": SCHEMA}]}, "/tools/1/args"),
    ],
)
def test_the_place_is_reported(definition, at):
    with pytest.raises(UnreadableTool) as caught:
        tc.read(definition)
    assert caught.value.at == at
    with pytest.raises(UnreadableTool):
        tc.convert(definition, "anthropic")
    assert tc.canonicalize(definition).tool is not None


def test_our_own_documents_are_read_whatever_was_kept_aside():
    lost = tc.canonicalize({"name": "f", "takes": SCHEMA}).tool
    assert "takes" in lost.extras["raw"]
    (tool,) = tc.read(lost.to_dict())
    assert tool.extras == lost.extras


CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
NO_TOOLS = [
    (CALL, "a call"),
    ({"function": {"name": "f", "arguments": {}}}, "a call"),
    ({"function": {"name": "f", "arguments": {"a": {"b": 1}}}}, "a call"),
    ({"type": "function", "function": {"name": "f", "arguments": ""}}, "a call"),
    ({"type": "function_call", "name": "f", "call_id": "1", "arguments": "{}"}, "a call"),
    ({"type": "file_search_call", "name": "f", "id": "1"}, "a call"),
    ({"type": "tool_use", "id": "1", "name": "f", "input": {}}, "a call"),
    ({"type": "tool_use", "id": "1", "name": "f", "input": {"a": 1}}, "a call"),
    ({"type": "tool_result", "name": "f", "content": []}, "the answer"),
    ({"type": "function_call_output", "name": "f", "call_id": "1", "output": "x"}, "the answer"),
    ({"role": "user", "content": "x", "name": "bob"}, "a message"),
    ({"role": "tool", "content": "x", "name": "f", "tool_call_id": "1"}, "a message"),
    ({"name": "f", "arguments": '{"a": 1}'}, "a call"),
    ({"name": "f", "arguments": {"city": "Bern"}}, "a call"),
    ({"id": "1", "name": "f", "arguments": {}}, "a call"),
]


@table("value, word", NO_TOOLS)
def test_what_is_no_definition_is_refused_by_its_name(value, word):
    assert tc.detect(value).format == "raw"
    with pytest.raises(NoTools, match=f"it is {word}"):
        tc.read(value)
    with pytest.raises(NoTools, match=f"at /1: it is {word}"):
        tc.read([CHAT, value])


@pytest.mark.parametrize("source", ["openai", "mistral", "cohere", "llamaindex", "huggingface"])
def test_a_call_is_no_definition_where_the_format_is_named(source):
    with pytest.raises(NoTools, match="a call"):
        tc.read(CALL, source=source)


@pytest.mark.parametrize(
    "definition, source",
    [
        ({"type": "function", "function": {"name": "f", "parameters": SCHEMA, "arguments": "{}"}},
         "openai"),
        ({"type": "tool_use", "name": "f", "input_schema": SCHEMA}, "anthropic"),
        ({"role": "user", "content": "x", "name": "f", "parameters": SCHEMA}, "openai"),
        ({"name": "create", "arguments": MEMBERS}, "acebench"),
        ({"name": "f", "description": "d", "arguments": {}, "tags": ["t"]}, "acebench"),
        ({"type": "transfer_call", "name": "f", "parameters": {}}, "openai"),
    ],
)  # fmt: skip
def test_what_has_a_schema_is_a_definition(definition, source):
    (tool,) = tc.read(definition)
    assert tool.source_format == source


ENDPOINT = {
    "name": "ep",
    "url": "u",
    "description": "d",
    "method": "GET",
    "required_parameters": [{"name": "q", "type": "STRING"}],
    "optional_parameters": [],
}


@pytest.mark.parametrize("schema", ["", SCHEMA, {}, None])
def test_the_schema_of_an_answer_is_not_taken_for_the_parameters(schema):
    service = {"tool_name": "S", "api_list": [{**ENDPOINT, "schema": schema}]}
    (tool,) = tc.read(service)
    assert (tool.source_format, list(tool.inputs["properties"])) == ("rapidapi", ["q"])
    assert tc.detect(service).format == "rapidapi"
    (tool,) = tc.read({**ENDPOINT, "schema": schema})
    assert (tool.source_format, list(tool.inputs["properties"])) == ("rapidapi", ["q"])


def test_a_schema_key_is_weak_evidence_beside_what_is_not_langchains():
    named = {"name": "f", "schema": SCHEMA}
    assert tc.detect(named).confidence["langchain"] == 0.9
    assert tc.detect({**named, "strict": True}).confidence["langchain"] < 0.5
    assert tc.read(named)[0].inputs == SCHEMA
    other = {"name": "f", "schema": {"type": "object"}, "parameters": SCHEMA}
    assert tc.read(other)[0].inputs == SCHEMA


OF_ONE = [
    ("groq", [{"type": "code_interpreter"}, {"type": "browser_search"}, CHAT]),
    ("xai", [{"type": "web_search"}, {"type": "x_search"}, CHAT]),
    ("xai", [CHAT, {"type": "web_search"}, {"type": "x_search"}]),
    ("mistral", [{"type": "web_search"}, {"type": "code_interpreter"}, CHAT,
                 {"type": "web_search_premium"}, {"type": "image_generation"}]),
]  # fmt: skip


@pytest.mark.parametrize("owner, tools", OF_ONE)
def test_the_whole_list_decides_whose_built_in_tools_they_are(owner, tools):
    for payload in (tools, {"model": "m", "messages": [], "tools": tools}):
        assert {tool.source_format for tool in tc.read(payload)} == {owner}
        assert tc.detect(payload).format == owner
        assert tc.convert(payload, owner).payload == tools
        assert tc.convert(payload, owner, lower=False).payload == tools


def test_nothing_is_decided_where_a_function_would_be_read_otherwise():
    search = {"type": "web_search"}
    odd = {"type": "function", "function": {"name": "f", "input_schema": SCHEMA}}
    mixed = [search, {"type": "x_search"}, odd]
    found = [(tool.source_format, tool.inputs) for tool in tc.read(mixed)]
    assert found == [("openai-responses", {}), ("xai", {}), ("openai", SCHEMA)]
    flat = {"type": "function", "name": "f", "parameters": SCHEMA}
    claude = {"name": "g", "input_schema": SCHEMA}
    found = [tool.source_format for tool in tc.read([search, flat, claude])]
    assert found == ["openai-responses", "openai-responses", "anthropic"]


@pytest.mark.parametrize("kind", ["web_search", "code_interpreter", "web_search_premium"])
def test_built_in_tools_of_a_named_source_come_back(kind):
    tools = [{"type": kind}, CHAT]
    for lower in (True, False):
        done = tc.convert(tools, "mistral", source="mistral", lower=lower)
        assert done.payload == tools


BY_NAME = [
    {"f": {"name": "f", "parameters": SCHEMA}, "g": {"name": "g", "parameters": SCHEMA}},
    {"f": {"description": "d", "parameters": SCHEMA}, "g": {"parameters": SCHEMA}},
    {"f": CHAT, "g": {"type": "function", "function": {"name": "g", "parameters": SCHEMA}}},
    {"one": {"name": "f", "input_schema": SCHEMA}, "two": {"name": "g", "input_schema": SCHEMA}},
]


@pytest.mark.parametrize("record", BY_NAME)
def test_definitions_by_name(record):
    before = copy.deepcopy(record)
    tools = tc.read(record)
    assert [(tool.name, tool.inputs) for tool in tools] == [("f", SCHEMA), ("g", SCHEMA)]
    assert tc.detect(record).format == tools[0].source_format
    assert [item["name"] for item in tc.convert(record, "mcp").payload] == ["f", "g"]
    assert record == before


@pytest.mark.parametrize(
    "value",
    [
        {"city": SCHEMA, "days": {"type": "integer"}},
        {"f": {"name": "f", "parameters": SCHEMA}, "version": 1},
        {"f": {"name": "f", "parameters": SCHEMA}, "g": {}},
        {"f": {"name": 5, "parameters": SCHEMA}},
        {"f": {"description": "d"}},
    ],
)
def test_other_objects_of_objects_hold_no_tools(value):
    with pytest.raises(NoTools):
        tc.read(value)


def test_errors_in_definitions_by_name_have_a_place():
    with pytest.raises(UnreadableTool) as caught:
        tc.read({"f": {"name": "f", "parameters": SCHEMA}, "g": {"name": "g", "parameters": 3}})
    assert caught.value.at == "/g/parameters"


def test_a_first_version_tool_is_read_and_written_anew():
    members = {"p": {"description": "x", "type": "str", "required": True}, "q": {"type": "int"}}
    first = {"name": "f", "description": "d", "parameter_definitions": members}
    written = tc.convert(first, "cohere").payload
    assert written["function"]["parameters"] == {
        "type": "object",
        "properties": {"p": {"description": "x", "type": "string"}, "q": {"type": "integer"}},
        "required": ["p"],
    }
    (tool,) = tc.read(first)
    tool.inputs = SCHEMA  # more than the first version can say
    assert tc.bind(tool, "cohere", lower=False).payload["function"]["parameters"] == SCHEMA


class Live:
    """An object of a library that dumps itself."""

    def model_dump(self, **_):
        return {"name": "f", "inputSchema": SCHEMA}


def test_live_objects_are_detected_as_they_are_read():
    for payload in (Live(), [Live()], {"tools": [Live()]}, [[Live()], CHAT | {}]):
        found = {tool.source_format for tool in tc.read(payload)}
        assert tc.detect(payload).format in found
    assert tc.detect([Live()]).format == "mcp"
    assert tc.detect([object()]).format == "raw"
    deep: list = [Live()]
    for _ in range(_MOST_WRAPPERS):
        deep = [deep]
    assert tc.detect(deep).format == "raw"


@pytest.mark.parametrize("target", ["utcp"])
def test_a_part_that_no_other_family_has_is_reported_as_missing(target):
    done = tc.convert(CHAT, target)
    (loss,) = done.losses.material
    assert (loss.code, str(loss.at)) == ("L018", "/extras/utcp/tool_call_template")
    report = tc.check(CHAT, [target])
    assert report.matrix["f"][target] == "rejected"
    assert [finding.code for finding in report.findings] == ["C208"]
    assert report.findings[0].remedy


def test_a_part_that_is_there_is_not_missing():
    whole = {
        "name": "f",
        "inputs": SCHEMA,
        "tool_call_template": {"call_template_type": "http", "url": "https://example.com"},
    }
    assert not tc.convert(whole, "utcp").losses.material
    assert tc.check(whole, ["utcp"]).matrix["f"]["utcp"] == "ok"
    bare = {"name": "f", "inputs": SCHEMA}
    assert not tc.convert(bare, "utcp", lower=False).losses.material, "verbatim is as it was"


def test_only_formats_that_say_so_demand_more():
    assert [item.id for item in builtin_formats().values() if item.needs] == ["utcp"]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from("name type properties parameters arguments role input a".split()),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from([*KEYS, "name", "type", "function", "arguments"]), VALUES))
def test_any_object_is_read_or_refused(definition):
    before = copy.deepcopy(definition)
    assert tc.detect(definition).format
    with contextlib.suppress(ToolcanonError):
        tc.read(definition)
    assert definition == before


EMPTY = [
    {},
    {"type": "object"},
    {"type": "object", "properties": {}},
    {"type": "object", "properties": {}, "required": [], "additionalProperties": False},
]
STATED = {"openai": "parameters", "openai-responses": "parameters", "anthropic": "input_schema",
          "mcp": "inputSchema", "langchain": "args_schema"}  # fmt: skip


@table("empty", EMPTY, ids=str)
@table("key", "parameters input_schema inputSchema args inputs".split())
@table("source", STATED)
def test_an_empty_schema_hides_no_real_one(source, key, empty):
    inner, definition = copy.deepcopy(SOURCES[source])
    holder = definition[inner] if inner else definition
    holder |= {STATED[source]: empty, **({} if key == STATED[source] else {key: SCHEMA})}
    if key == STATED[source]:
        assert not tc.read(definition)[0].inputs.get("properties")
        return
    try:
        seen = tc.read(definition)[0].inputs
    except UnreadableTool as error:
        seen = error.reason
    assert seen == SCHEMA or f"under '{key}'" in seen


@pytest.mark.parametrize("key, value", [("handler", MEMBERS), ("output_schema", SCHEMA)])
def test_a_tool_that_states_it_takes_nothing_may_state_other_things(key, value):
    stated = {"name": "f", "description": "d", "inputSchema": EMPTY[2], key: value}
    assert tc.read(stated)[0].inputs == EMPTY[2]


@pytest.mark.parametrize("blank", ["", " ", "\n"])
def test_a_blank_text_is_no_parameters_and_no_arguments(blank):
    for source, key in STATED.items():
        inner, definition = copy.deepcopy(SOURCES[source])
        (definition[inner] if inner else definition)[key] = blank
        assert tc.read(definition)[0].inputs == {}, source
        assert tc.convert(definition, source, lower=False).payload == definition, source
    for call in ({"name": "f", "arguments": blank},
                 {"type": "function", "name": "f", "arguments": blank},
                 {"type": "function", "function": {"name": "f", "arguments": blank}}):  # fmt: skip
        with pytest.raises(NoTools, match="a call of a tool"):
            tc.read(call)


@pytest.mark.parametrize("tools", [[{"type": "web_search"}, CHAT], [CHAT, {"type": "web_search"}]])
def test_a_target_that_knows_the_whole_list_keeps_it(tools):
    for target in ("mistral", "xai"):
        made = tc.convert(tools, target)
        assert (made.payload, made.losses) == (tools, ()), target
        assert tc.bind(tools, target).payload == tools
    dropped = tc.convert(tools, "anthropic").losses
    assert [(loss.code, loss.tool) for loss in dropped] == [("L015", "web_search")]
    assert {"type": "web_search"} in tc.convert(tools, "openai-responses").payload
