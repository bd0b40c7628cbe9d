"""Definitions that once broke something: found by attacking, kept so that they stay fixed."""

import collections
import contextlib
import copy
import json
import types as python_types

import pytest

import toolcanon as tc
from tests.laws import TARGETS, check_pair, check_predicted_losses
from tests.tables import table
from toolcanon.conversion.predicted_losses import RECIPES
from toolcanon.errors import (
    BadReceipt,
    DuplicateTool,
    LimitExceeded,
    NoTools,
    ToolcanonError,
    UnreadableTool,
)
from toolcanon.jsonio import loads
from toolcanon.schema import upgrade

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
MARKS = ["$", "$$", "$spelling", "$keys", "$shape", "$builtin", "$around", "$tool"]
BASES = {
    "openai": {"type": "function", "function": {"name": "f", "parameters": SCHEMA}},
    "openai-responses": {"type": "function", "name": "f", "parameters": SCHEMA},
    "anthropic": {"name": "f", "input_schema": SCHEMA},
    "gemini": {"name": "f", "parametersJsonSchema": SCHEMA},
    "mcp": {"name": "f", "inputSchema": SCHEMA},
    "bedrock": {"toolSpec": {"name": "f", "inputSchema": {"json": SCHEMA}}},
    "langchain": {"name": "f", "args_schema": SCHEMA},
}


@table("value", [5, None, {}, {"name": "evil"}, {"builtin": {"name": "evil"}}, []])
@table("mark", MARKS)
@table("source", BASES)
def test_a_definition_cannot_forge_our_notes(source, mark, value):
    definition = copy.deepcopy(BASES[source])
    definition[mark] = copy.deepcopy(value)
    before = copy.deepcopy(definition)
    (tool,) = tc.read(definition, source=source)
    assert definition == before, "must not be changed"
    assert tool.name == "f"
    for target in TARGETS:
        written = tc.bind(tool, target).payload
        if source == target == "mcp":  # which is open: a key that means nothing to us stays
            assert written.pop(mark) == value
        assert "evil" not in json.dumps(written) or target == "canonical"
        check_pair(tool, definition, source, target, mark)


@table(
    "extras",
    [
        {"openai": {"$": 5}},
        {"openai": {"$": {"keys": 5}}},
        {"openai": {"$": {"keys": {"a": 5}}}},
        {"openai": {"$": {"nope": {}}}},
        {"openai": {"$": {"absent": [{}]}}},
        {"gemini": {"$": {"builtin": {"functionDeclarations": []}}}},
        {"openai-responses": {"$": {"builtin": {"x": 1}}}},
        {"openai-responses": {"$": {"group": 5}}},
        {"mcp": {"annotations": 5}},
        {"mcp": {"annotations": "x", "$": {"spelling": {}}}},
        {"bedrock": {"$": {"around": 5}}},
    ],
)
def test_edited_canonical_documents_end_in_our_errors(extras):
    (format_id,) = extras
    for kind in ("function", "builtin"):
        document = {"name": "f", "inputs": {}, "source_format": "raw", "namespace": "n",
                    "kind": kind, "extras": extras, "hints": {"read_only": True}}  # fmt: skip
        for lower in (True, False):
            try:
                done = tc.convert([document], format_id, source="canonical", lower=lower)
                assert done.losses is not None
                assert done.receipt()
            except ToolcanonError:
                pass


SAME = [
    ("langchain", {"name": "f", "args_schema": {"model_fields": {"a": {}}}}),
    ("langchain", {"title": "f", "args_schema": {"type": "object"}}),
    ("langchain", {"name": "f", "args_schema": None, "schema": {"type": "object"}}),
    ("langchain", {"name": "f", "args_schema": {"type": "object"}, "tags": [1]}),
    ("bedrock", {"toolSpec": {"name": "f"}}),
    ("json-schema", {"$schema": "x", "title": "t", "x-security": None, "x-capabilities": None}),
    ("openai", {"name": "f", "parameters": None, "input_schema": {"type": "object"}}),
    ("mcp", {"name": "f", "input_schema": {}, "output_schema": {"a": 1}, "outputSchema": {"b": 1}}),
    ("openai-responses", {"type": "namespace", "name": "n", "tools": []}),
    ("gemini", {"name": "f", "parameters": None, "parametersJsonSchema": SCHEMA}),
    ("anthropic", {"name": "f", "input_schema": {"type": "object", "x-outputs": {"type": "x"}}}),
    ("openai", {"name": "f", "parameters": {"type": ["object", "null"]}}),
    ("openai", {"name": "f", "parameters": {"type": {"a": 1}}}),
    ("openai", {"type": "custom", "custom": {"name": "t", "format": None}}),
    ("openai-responses", {"type": "custom", "name": "t", "format": None}),
    ("openai", {"name": "f", "parameters": {"type": "dict", "dependencies": {"a": ["b"]},
                                            "dependentRequired": 5}}),
]  # fmt: skip


@table("target", TARGETS)
@table("source, definition", SAME)
def test_odd_shapes_come_back_whole(source, definition, target):
    (tool,) = tc.read(definition, source=source)
    assert tc.bind(tool, source, lower=False).payload == definition
    check_pair(tool, definition, source, target, definition)


def test_groups_come_back_verbatim():
    group = {"type": "namespace", "name": "n", "tools": [{"type": "function", "name": "f"}]}
    assert tc.convert([group], "openai-responses", lower=False).payload == [group]


@pytest.mark.parametrize(
    "value",
    [
        {"name": 5, "properties": {}},
        {"name": ["a"], "properties": {}},
        {"functionDeclarations": [{"name": "f"}], "function_declarations": None},
        {"functionDeclarations": [{"name": "f"}], "function_declarations": 3},
        json.loads("[" * 400 + "]" * 400),
        [[[[[{"tools": [[[]]]}]]]]],
    ],
)
def test_nothing_raises_but_our_errors(value):
    assert tc.canonicalize(value).tool is not None
    assert tc.detect(value).format
    with contextlib.suppress(ToolcanonError):
        tc.read(value)


def test_wrappers_nested_without_end():
    deep: dict = {"name": "f", "inputSchema": {}}
    for _ in range(3000):
        deep = {"tools": deep}
    assert tc.detect(deep).format == "raw"
    assert tc.canonicalize(deep).tool is not None
    with pytest.raises(LimitExceeded):
        tc.read(deep)


@pytest.mark.parametrize("value", [None, 5, True, 1.5, "abc"])
def test_scalars_are_raw(value):
    assert tc.detect(value).format == "raw"


@table(
    "tools",
    [
        [{"wire": "f", "group": []}],
        [{"wire": "f", "restore": [{"at": 5, "seen": None}]}],
        [{"wire": "f", "restore": [{"at": "/inputs/required/0/x", "seen": None, "before": 1}]}],
        [{"wire": "f", "restore": [{"at": "/extras", "seen": None, "before": "x"}]}],
        [{"wire": "f", "restore": [{"at": "/extras/openai/$", "seen": None, "before": 1}]}],
        [{"wire": "f", "restore": [{"at": "no pointer", "seen": None}]}],
        [{"wire": "f", "restore": {}}],
        [{"wire": "f", "original_definition": 3}],
        [{"dropped": 3}],
        [{"dropped": {"name": []}, "wire": {}}],
        [{"dropped": {}}],
        [3],
    ],
)
def test_damaged_receipts(tools):
    definition = {"name": "f", "inputSchema": {"type": "object", "required": ["a"]}}
    with pytest.raises(BadReceipt):
        tc.read(definition, receipt={"toolcanon-receipt": 1, "ir": 1, "tools": tools})


def test_unclosed_strings_take_linear_time():
    from toolcanon.errors import MalformedJson

    with pytest.raises(MalformedJson):
        loads(b"[" * 200 + b'"' + b'\\"' * 2_000_000)
    with pytest.raises(LimitExceeded):
        loads(b"[" * 300 + b'"' + b'\\"' * 500_000)


def test_many_required_flags_take_linear_time():
    members = {f"p{i}": {"required": True} for i in range(40_000)}
    schema = {"properties": members, "required": [f"q{i}" for i in range(40_000)]}
    assert len(upgrade(schema).schema["required"]) == 80_000


def test_the_place_of_a_duplicate_is_that_of_its_key():
    from toolcanon.errors import DuplicateKey

    with pytest.raises(DuplicateKey) as caught:
        loads(b'{"a":{"x":1},\n"a":{"c":1,"c":2}}')
    assert (caught.value.key, caught.value.first, caught.value.second) == ("a", (1, 2), (2, 1))


def test_subclasses_of_dict_are_objects():
    ordered = collections.OrderedDict
    tool = ordered(name="f", input_schema=ordered(SCHEMA))
    assert tc.convert(tool, "mcp").payload == BASES["mcp"]
    assert tc.bind(python_types.MappingProxyType(BASES["mcp"]), "openai").payload == BASES["openai"]


def test_bodies_with_several_lists():
    listed = {"type": "mcp_list_tools", "server_label": "s",
              "tools": [{"name": "g", "input_schema": SCHEMA}]}  # fmt: skip
    body = {"input": [listed], "tools": [BASES["openai-responses"]]}
    assert {tool.name for tool in tc.read(body)} == {"f", "g"}
    deferred = {**BASES["openai-responses"], "defer_loading": True}
    found = {"type": "tool_search_output", "tools": [BASES["openai-responses"]]}
    assert len(tc.convert({"tools": [deferred], "input": [found]}, "anthropic").payload) == 1


def test_schema_key_beside_tools():
    body = {"$schema": "x", "tools": [BASES["mcp"]]}
    assert [tool.name for tool in tc.read(body)] == ["f"]
    assert tc.read({"$schema": "x", "name": "f", "parameters": SCHEMA})[0].name == "f"


def test_raw_does_not_lose_parameters():
    with pytest.raises(ToolcanonError, match="takes"):
        tc.convert({"name": "f", "takes": {"a": {"type": "str"}}}, "openai")
    assert tc.read({"name": "f", "description": "d", "labels": ["x"]})[0].name == "f"


def test_final_names_are_unique():
    nameless = {"type": "object", "properties": {"a": {}}}
    with pytest.raises(DuplicateTool):
        tc.convert([nameless, {"title": "tool", "properties": {}}], "openai")


def test_equal_names_keep_their_own_values():
    tools = [{**BASES["mcp"], "title": "one"}, {**BASES["mcp"], "title": "two"}]
    there = tc.convert(tools, "anthropic", lower=False)
    back = tc.convert(there.payload, "mcp", receipt=there.receipt(), lower=False)
    assert back.payload == tools


def test_schemas_changed_in_place_are_seen():
    (tool,) = tc.read({"name": "f", "parameters": {"type": "dict", "properties": {}}})
    tc.bind(tool, "mcp")
    tool.inputs["properties"]["new"] = {"type": "float"}
    assert "new" in tc.bind(tool, "mcp").payload["inputSchema"]["properties"]


def test_emitters_of_other_kinds():
    server = tc.canonicalize({"type": "web_search_20250305", "name": "web_search"}).tool
    assert tc.emit_anthropic(server) == {"type": "web_search_20250305", "name": "web_search"}
    with pytest.raises(ToolcanonError):
        tc.emit_openai(server)
    text = tc.canonicalize({"type": "custom", "name": "t"}).tool
    assert tc.emit_anthropic(text)["input_schema"]["required"] == ["input"]
    catalog = tc.canonicalize({"name": "f", "parameters": {"type": "dict"}}).tool
    assert tc.emit_mcp(catalog)["inputSchema"] == {"type": "object"}
    uri = tc.emit_json_schema(catalog, dialect="draft-07")["$schema"]
    assert uri == "http://json-schema.org/draft-07/schema#"


def test_dumping_a_part():
    tool = tc.CanonicalTool(name="f")
    assert set(tool.model_dump(include={"name", "version"})) == {"name", "version"}
    assert "original_definition" not in tool.model_dump(exclude={"original_definition"})


@pytest.mark.parametrize("timeout", ["5", float("inf"), float("nan"), -1])
def test_time_limits_are_numbers(timeout):
    with pytest.raises(ToolcanonError):
        tc.read({"name": "f", "inputs": {}, "source_format": "raw", "timeout": timeout})


T = {"type": "object", "properties": {"b": {"type": "string"}}}
ROADS = [
    [{"name": "f", "parameters": {"type": "any"}}],
    [{"name": "f", "parameters": {"type": "unknown", "title": "t"}}],
    [{"name": "f", "inputSchema": SCHEMA, "strict": True}],
    [{"name": "f", "args_schema": SCHEMA, "strict": True}],
    [{"name": "f", "parameters": SCHEMA, "function": {"name": "g", "parameters": T}}],
    [{"name": "f", "args_schema": {"type": "object", "model_fields": {"a": {}}}}],
    *(
        [{**base, "toolSpec": 1}, {**base, "toolSpec": {"name": "r", "inputSchema": {"json": T}}}]
        for base in ({"name": "f", "parameters": SCHEMA}, BASES["openai-responses"],
                     BASES["gemini"], BASES["langchain"])
    ),
    [{"name": "f", "parameters": SCHEMA, "systemTool": 1},
     {"name": "f", "parameters": SCHEMA, "systemTool": {"name": "x"}}],
    [{"name": "f", "args_schema": SCHEMA, "inputSchema": {"json": SCHEMA}},
     {"name": "f", "args_schema": SCHEMA, "inputSchema": T}],
    [{"name": "f", "parameters": {"type": "OBJECT"}}, {"name": "f", "parameters": SCHEMA}],
    [{"name": "f", "parameters": SCHEMA, "$schema": 1}, {"name": "f", "parameters": SCHEMA,
                                                        "$schema": "x"}],
]  # fmt: skip


@table("target", TARGETS)
@table("definitions", ROADS)
def test_predictions_cannot_be_misled(definitions, target):
    """They are made for the first tool with some keys; the next may have other values."""
    for order in (definitions, definitions[::-1]):
        RECIPES.clear()
        for definition in order:
            check_predicted_losses(definition, target, definition)


def test_wrong_schemas_are_refused_in_every_format():
    for wrong in ("oops", [1], True):
        with pytest.raises(ToolcanonError):
            tc.convert({"toolSpec": {"name": "f", "inputSchema": wrong}}, "openai")
    with pytest.raises(ToolcanonError) as caught:
        tc.read({"toolSpec": {"inputSchema": {"json": {}}}})
    assert "/toolSpec/name" in str(caught.value)


@pytest.mark.parametrize("value", [None, 5, [], {"name": "f"}])
def test_emitters_refuse_what_is_no_tool(value):
    for emit in (tc.emit_openai, tc.emit_json_schema, tc.emit_gemini):
        with pytest.raises(ToolcanonError):
            emit(value)


def test_keys_that_are_no_strings():
    assert tc.canonicalize({1: 2}).tool.name == ""
    assert tc.canonicalize({"name": "f", "input_schema": SCHEMA, 5: 6}).tool.name == "f"


@pytest.mark.parametrize("target, strict", [("anthropic", False), ("openai", True)])
@pytest.mark.parametrize("key", [1, None, 1.5])
def test_members_whose_names_are_no_strings(key, target, strict):
    odd = {"name": "f", "input_schema": {"type": "object", "properties": {key: {"type": "null"}}}}
    for payload in (odd, [odd, {**odd, "name": "g"}]):
        for verb in (tc.convert, tc.bind):
            with pytest.raises(
                UnreadableTool, match="a key of a JSON object is a string"
            ) as caught:
                verb(payload, target, strict=strict)
            assert caught.value.at.endswith(f"/properties/{key}")
    (tool,) = tc.read(odd)
    with pytest.raises(UnreadableTool, match="a key of a JSON object is a string"):
        tc.bind(tool, target, strict=strict)


def test_the_order_comes_back():
    a, b = {"name": "a"}, {"name": "b"}
    given = [{"functionDeclarations": [a]}, {"googleSearch": {}}, {"functionDeclarations": [b]}]
    there = tc.convert(given, "gemini")
    names = [tool.name for tool in tc.read(there.payload, receipt=there.receipt())]
    assert names == ["a", "googleSearch", "b"]


@pytest.mark.parametrize(
    "definition, hint",
    [
        ({"tool_name": "f", "parameters": {"type": "object"}}, "openai, which has 'parameters'"),
        ({"toolSpecs": {"name": "f"}}, "bedrock, which has 'toolSpec' and not 'toolSpecs'"),
        ({"functionDeclaration": []}, "gemini, which has 'functionDeclarations' and not 'func"),
        ({"input_schemas": {}}, "anthropic, which has 'input_schema' and not 'input_schemas'"),
    ],
)
def test_a_definition_of_no_format_names_the_nearest(definition, hint):
    with pytest.raises(NoTools, match=rf"the nearest format is {hint}"):
        tc.read(definition)


@pytest.mark.parametrize("definition", [{"a": 1}, {"titel": "x", "descr": 1}, {"skill": "x"}])
def test_a_definition_that_resembles_nothing_names_no_format(definition):
    with pytest.raises(NoTools) as caught:
        tc.read(definition)
    assert "nearest" not in str(caught.value)
