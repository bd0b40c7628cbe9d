"""Catalogs without schemas: what is read, guessed, refused, and what is left to others."""

import contextlib
import copy

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import toolcanon as tc
from tests.tables import table
from toolcanon.errors import NoTools, UnreadableTool
from toolcanon.formats.wire.text_data import assignments, object_in_text, signature
from toolcanon.registry import get_format

OBJECT = {"type": "object", "properties": {"a": {"type": "string"}}}
CATALOGS = ("acebench", "api-bank", "docker-registry", "rapidapi", "seal-tools")

READ = [
    (
        {"api_name": "f", "field": "F", "parameters": {"a": {"type": "str"}}, "required": ["a"],
         "responses": {"b": {"type": "bool"}}},
        {"name": "f", "category": "F",
         "input_schema": {**OBJECT, "required": ["a"]},
         "output_schema": {"type": "object", "properties": {"b": {"type": "boolean"}}}},
    ),
    (
        {"api_name": "f", "tool_name": "T", "category_name": "C", "api_description": "d",
         "required_parameters": [{"name": "a", "type": "STRING"}],
         "optional_parameters": [{"name": "d", "type": "DATE (YYYY-MM-DD)"}]},
        {"name": "f", "namespace": "T", "category": "C", "description": "d", "id": "T:f",
         "input_schema": {"type": "object", "required": ["a"],
                          "properties": {"a": {"type": "string"},
                                         "d": {"type": "string", "format": "date"}}}},
    ),
    (
        {"name": "f", "arguments": [{"name": "a", "type": "string", "desc": "x"},
                                    {"name": "b", "type": "array", "optional": True}],
         "annotations": {"readOnlyHint": True}},
        {"input_schema": {"type": "object", "required": ["a"],
                          "properties": {"a": {"type": "string", "description": "x"},
                                         "b": {"type": "array"}}},
         "hints": tc.ToolHints(read_only=True)},
    ),
    (
        {"name": "f", "_arguments": OBJECT, "results": OBJECT, "tags": ["t"]},
        {"input_schema": OBJECT, "output_schema": OBJECT, "tags": ["t"]},
    ),
    (
        {"类名": "F", "API名称": "T", "input_parameters": "(a: str, n: List[int] = [1])",
         "api_info": "description = 'd'\ninput_parameters = {'a': {'description': 'x'}}"},
        {"name": "F", "title": "T", "description": "d",
         "input_schema": {"type": "object", "required": ["a"],
                          "properties": {"a": {"type": "string", "description": "x"},
                                         "n": {"type": "array", "items": {"type": "integer"},
                                               "default": [1]}}}},
    ),
    (
        {"name": "F", "input_parameters": "(title, year)",
         "api_info": "input_parameters = {'title': 'the title', 'year': 'the year'}"},
        {"input_schema": {"type": "object", "required": ["title", "year"],
                          "properties": {"title": {"description": "the title"},
                                         "year": {"description": "the year"}}}},
    ),
    (
        {"api_name": "f", "tool_name": "T",
         "parameters": {"type": "object", "properties": {"a": {"type": "string"}},
                        "required": ["a"], "additionalProperties": False},
         "required_parameters": [{"name": "b", "type": "STRING"}],
         "optional_parameters": [{"name": "c", "type": "NUMBER"}, {"name": "a"}]},
        {"input_schema": {"type": "object", "required": ["a", "b"], "additionalProperties": False,
                          "properties": {"a": {"type": "string"}, "b": {"type": "string"},
                                         "c": {"type": "number"}}}},
    ),
    (
        {"name": "f", "inputSchema": {"a": {"type": "string"}, "b": {"type": "int"}},
         "required": ["b"]},
        {"input_schema": {"type": "object", "required": ["b"],
                          "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}},
    ),
    (
        {"name": "f", "parameters": '{"type": "object", "properties": {"a": {"type": "string"}}}'},
        {"input_schema": OBJECT},
    ),
    (
        {"name": "f", "parameters": "{'a': 'str, required', 'b': \"one of x, y\"}"},
        {"input_schema": {"type": "object", "required": ["a"],
                          "properties": {"a": {"type": "string"},
                                         "b": {"type": "string", "enum": ["x", "y"]}}}},
    ),
]  # fmt: skip


@table("definition, expected", READ)
def test_read(definition, expected):
    before = copy.deepcopy(definition)
    (tool,) = tc.read(definition)
    assert definition == before
    for field, value in expected.items():
        assert getattr(tool, field) == value, field


ENDPOINT = {"name": "a", "description": "d", "method": "GET",
            "required_parameters": [{"name": "q", "type": "STRING"}],
            "optional_parameters": []}  # fmt: skip


def test_a_service_with_its_endpoints():
    body = {"tool_name": "T", "title": "T", "api_list": [ENDPOINT, {**ENDPOINT, "name": "b"}]}
    for source in (None, "rapidapi"):
        tools = tc.read(body, source=source)
        assert [(tool.id, tool.input_schema["required"]) for tool in tools] == [
            ("T:a", ["q"]),
            ("T:b", ["q"]),
        ]
    rows = tc.convert(body, "rapidapi")
    assert [row["tool_name"] for row in rows.payload] == ["T", "T"]
    told = [loss.before for loss in rows.losses if loss.code == "L011"]
    assert [noted["group"] for noted in told] == [{"tool_name": "T", "title": "T"}] * 2
    assert tc.convert(body, "rapidapi", lower=False).payload == body
    there = tc.convert(body, "openai")
    assert [item["function"]["name"] for item in there.payload] == ["T_a", "T_b"]
    assert (
        tc.convert(there.payload, "rapidapi", receipt=there.receipt(), lower=False).payload == body
    )


def test_services_stay_apart_and_an_endpoint_has_the_last_word():
    first = {"tool_name": "T", "category_name": "c", "api_list": [ENDPOINT]}
    second = {"tool_name": "U", "api_list": [{**ENDPOINT, "tool_name": "V"}]}
    flat = {**ENDPOINT, "tool_name": "W"}
    payload = [first, second, flat]
    tools = tc.read(payload)
    assert [(tool.namespace, tool.category) for tool in tools] == [
        ("T", "c"),
        ("V", None),
        ("W", None),
    ]
    assert tc.convert(payload, "rapidapi", lower=False).payload == payload
    query = {"query": "q", "api_list": [flat]}
    assert [tool.namespace for tool in tc.read(query)] == ["W"]


def test_a_fault_in_a_service_has_its_place():
    with pytest.raises(UnreadableTool) as caught:
        tc.read({"tool_name": "T", "api_list": [ENDPOINT, {**ENDPOINT, "name": ""}]})
    assert caught.value.at == "/api_list/1/name"


GUESSED = [
    ({"api_name": "f", "required_parameters": [{"name": "a"}],
      "optional_parameters": [{"name": "b"}, {"name": "a"}]}, "/optional_parameters/1"),
    ({"name": "f", "arguments": [{"name": "a", "type": "string"}, {"name": "a"}]}, "/arguments/1"),
    ({"name": "f", "input_parameters": "(a: str)",
      "api_info": "input_parameters = {'b': {'type': 'str'}}"}, "/input_parameters"),
    ({"name": "f", "input_parameters": "(a str)",
      "api_info": "input_parameters = {'a': {'type': 'str'}}"}, "/input_parameters"),
    ({"name": "f", "input_parameters": "(a: str)", "api_info": "input_parameters = os.environ"},
     "/api_info"),
    ({"api_name": "f", "parameters": OBJECT, "required_parameters": [{"name": "b"}]},
     "/parameters"),
    ({"api_name": "f", "required_parameters": [{"name": "a", "type": "NUMBER", "default": "5"}]},
     "/required_parameters/0/default"),
    ({"api_name": "f", "required_parameters": [{"name": "a", "type": "NUMBER", "default": ""}]},
     "/required_parameters/0/default"),
]  # fmt: skip


@pytest.mark.parametrize("definition, at", GUESSED)
def test_guesses_are_reported_with_their_place(definition, at):
    result = tc.canonicalize(definition)
    assert any(text.startswith(f"Guessed at {at}:") for text in result.warnings)
    (told,) = [x for x in tc.convert(definition, "anthropic").losses if x.code == "L017"]
    assert at in [guess["at"] for guess in told.before["guesses"]]
    found = tc.check(definition, ["anthropic"], select=("Q120",)).findings
    assert any(f"guessed at {at}:" in finding.message for finding in found)
    assert at in [str(finding.origin) for finding in found]


DEFAULTS = [
    ("NUMBER", "1859", {"default": 1859}),
    ("NUMBER", "-1.5", {"default": -1.5}),
    ("number, optional", " 5 ", {"default": 5}),
    ("INTEGER", "5", {"default": 5}),
    ("INTEGER", "5.5", None),
    ("BOOLEAN", "True", {"default": True}),
    ("NUMBER", "", {}),
    ("BOOLEAN", " ", {}),
    ("NUMBER", "007", None),
    ("NUMBER", "many", None),
    ("NUMBER", "null", None),
    ("NUMBER", "true", None),
    ("BOOLEAN", "1", None),
    ("NUMBER", 5, None),
    ("STRING", "5", None),
    ("STRING", "", None),
    ("Weird", "5", None),
    (["number"], "5", None),
]


@table("kind, default, expected", DEFAULTS)
def test_defaults_that_came_as_texts(kind, default, expected):
    listed = [{"name": "a", "type": kind, "default": default}]
    row = {"api_name": "f", "optional_parameters": listed}
    (tool,) = tc.read(row)
    told = tool.extras["rapidapi"]["$"].get("guesses", [])
    assert len(told) == (expected is not None)
    member = {"type": kind} | ({"default": default} if expected is None else expected)
    assert repr(tool.inputs["properties"]["a"]) == repr(member)
    assert tc.bind(tool, "rapidapi", lower=False).payload == row


def test_a_default_that_is_a_text_elsewhere_is_written_as_it_is():
    schema = {"type": "object", "properties": {"a": {"type": "number", "default": "5"}}}
    bound = tc.bind(tc.CanonicalTool(name="f", inputs=schema), "rapidapi")
    assert tc.read(bound.payload, source="rapidapi")[0].inputs == schema


PLACES = [
    (
        {"type": "object", "properties": {"a": {"type": "List[str]"}}},
        "L111",
        "/inputs/properties/a",
    ),
    ({"a": {"type": "string"}}, "L112", "/inputs"),
    ({"type": "object", "properties": {"a": "string"}}, "L113", "/inputs/properties"),
    ({"type": "object", "properties": {"a": {"enum": "x|y"}}}, "L114", "/inputs/properties/a/enum"),
]


@table("schema, code, at", PLACES)
@table("target", ["openai", "anthropic", "gemini", "mcp"])
def test_readings_of_schemas_are_losses_with_their_place(schema, code, at, target):
    losses = tc.convert({"name": "f", "parameters": schema}, target).losses
    assert (code, at) in {(loss.code, str(loss.at)) for loss in losses}


REFUSED = [
    ({"api_name": "", "field": "F", "parameters": {}}, "/api_name"),
    ({"api_name": "f", "field": "F", "parameters": [1]}, "/parameters"),
    ({"api_name": "f", "field": "F", "parameters": "city and days"}, "/parameters"),
    ({"api_name": "f", "required_parameters": [{"name": ""}]}, "/required_parameters/0/name"),
    ({"api_name": "f", "required_parameters": [], "optional_parameters": ["a"]},
     "/optional_parameters/0"),
    ({"api_name": "f", "required_parameters": [], "optional_parameters": "a"},
     "/optional_parameters"),
    ({"name": "f", "arguments": [{"name": "a", "desc": "x"}, {"type": "string"}]},
     "/arguments/1/name"),
    ({"name": "f", "api_info": "input_parameters = open('x')"}, "/api_info"),
    ({"name": "f", "parameters": "oops"}, "/parameters"),
    ({"api_name": "f", "parameters": {"anyOf": [OBJECT]}, "required_parameters": [{"name": "b"}]},
     "/parameters"),
]  # fmt: skip


@table("definition, at", REFUSED)
def test_refused_with_a_place(definition, at):
    with pytest.raises(UnreadableTool) as caught:
        tc.read(definition)
    assert caught.value.at == at


NOT_OURS = [
    {"name": "f", "arguments": {"a": 1}},  # a call
    {"name": "f", "arguments": '{"a": 1}'},
    {"name": "f", "description": "d", "arguments": {"city": "Rome"}},
    {"name": "p", "description": "d", "arguments": [{"name": "a", "description": "x",
                                                     "required": True}]},  # a prompt
    {"name": "f", "description": "d"},
    {"name": "f", "parameters": OBJECT, "required_parameters": []},
    {"name": "f", "inputSchema": OBJECT, "annotations": {"readOnlyHint": True}},
    {"name": "f", "input_schema": OBJECT, "arguments": []},
    {"type": "function", "function": {"name": "f", "parameters": OBJECT}, "results": {}},
]  # fmt: skip


@pytest.mark.parametrize("definition", NOT_OURS)
def test_what_others_write_is_left_to_them(definition):
    assert tc.detect(definition).format not in CATALOGS


def test_a_prompt_is_no_tool():
    with pytest.raises((NoTools, UnreadableTool)):
        tc.read(NOT_OURS[3])


@pytest.mark.parametrize("catalog", CATALOGS)
def test_any_schema_can_be_written(catalog):
    """What a list cannot say is written whole; nothing of it is lost."""
    schemas = [
        {"type": "object", "properties": {"a-b": {"type": "string", "name": "x"}},
         "required": ["a-b"]},
        {"type": "object", "properties": {"a": True}},
        {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["b", "a"]},
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {}}},
        {"anyOf": [OBJECT], "title": "t", "description": "d"},
        {"type": "array", "items": {"type": "string"}},
        {"type": "object", "properties": {"a": {"desc": "x", "optional": True}}, "required": []},
    ]  # fmt: skip
    for schema in schemas:
        tool = tc.CanonicalTool(name="f", inputs=schema)
        (again,) = tc.read(tc.bind(tool, catalog).payload, source=catalog)
        assert again.inputs == schema


@pytest.mark.parametrize("catalog", CATALOGS)
def test_a_changed_tool_is_not_written_as_it_was(catalog):
    """The spelling of a row is only repeated as long as its meaning is the same."""
    rows = {
        "acebench": {"name": "f", "_arguments": copy.deepcopy(OBJECT), "tags": ["t"]},
        "api-bank": {"name": "f", "input_parameters": "( a:str )"},
        "docker-registry": {"name": "f", "arguments": [
            {"name": "a", "type": "string", "optional": False}]},
        "rapidapi": {"api_name": "f", "required_parameters": [{"name": "a"}, {"name": "a"}]},
        "seal-tools": {"api_name": "f", "parameters": "{'a': {'type': 'str'}}"},
    }  # fmt: skip
    (tool,) = tc.read(rows[catalog], source=catalog)
    assert tc.bind(tool, catalog, lower=False).payload == rows[catalog]
    tool.inputs = {"type": "object", "properties": {"new": {"type": "integer"}}}
    (again,) = tc.read(tc.bind(tool, catalog, lower=False).payload, source=catalog)
    assert again.inputs == tool.inputs


SIGNATURES = [
    ("(a: str, b: int = 5)", "", [("a", "str", ()), ("b", "int", (5,))]),
    ("F(a, *, b: 'List[str]' = None)", "F", [("a", None, ()), ("b", "List[str]", (None,))]),
    ("(self, a: Dict[str, float])", "", [("a", "Dict[str, float]", ())]),
    ("()", "", []),
]


@pytest.mark.parametrize("text, name, parameters", SIGNATURES)
def test_signatures(text, name, parameters):
    assert signature(text) == (name, parameters)


NO_PYTHON = ["(a", "(*a)", "(**a)", "(a=open('x'))", "(a): pass\nimport os\ndef f()", "a", "",
             "(" * 500, "(a=" + "[" * 500 + ")", "(a=1e999)", "(a=b'x')", "(a={1: 2})"]  # fmt: skip


@table("text", NO_PYTHON)
def test_signatures_that_are_none(text):
    with pytest.raises(ValueError):  # noqa: PT011 - whatever the reason
        signature(text)


@pytest.mark.parametrize(
    "text", ["x = open('y')", "import os", "x = 1; del x", "def f(): pass", "x.y = 1", "x = {1: 2}",
             "x = '\\ud8", "x = " + "(" * 300]
)  # fmt: skip
def test_text_that_would_have_to_be_run_is_refused(text):
    with pytest.raises(ValueError):  # noqa: PT011
        assignments(text)


@given(st.text(max_size=80) | st.text("(){}[]'\":,=abc1 \n", max_size=80))
def test_any_text_is_data_or_refused(text):
    for parse in (assignments, signature):
        with contextlib.suppress(ValueError):
            parse(text)
    found = object_in_text("{" + text)
    assert found is None or isinstance(found, dict)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner,
                                                                max_size=3),
    max_leaves=8,
)  # fmt: skip
KEYS = st.sampled_from(
    "name api_name description parameters required_parameters optional_parameters arguments "
    "results tags api_info input_parameters expressions responses field required annotations "
    "tool_name type 类名".split()
)


@given(st.dictionaries(KEYS, JSON | st.text(max_size=20), max_size=8), st.sampled_from(CATALOGS))
@example({"description": "", "name": "0"}, "rapidapi")
def test_odd_rows_come_back_or_are_refused(row, catalog):
    get_format(catalog).sniff(row)
    try:
        (tool,) = tc.read(row, source=catalog)
    except tc.ToolcanonError:
        return
    assert tc.bind(tool, catalog, lower=False).payload == row
