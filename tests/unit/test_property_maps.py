"""Bare maps of members: which schemas are meant as one, and which only look like it."""

import copy
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolcanon as tc
from tests.tables import table
from toolcanon.errors import UnreadableTool
from toolcanon.formats.wire.text_data import assigned
from toolcanon.formats.wire.unread_parameters import from_map
from toolcanon.schema.upgrade.property_maps import property_map

A = {"type": "string", "description": "x"}
B = {"type": "int"}

MAPS = [
    ({"a": A, "b": None}, {"a": A}),
    ({"a": {**A, "enum": None, "description": None}, "type": None}, None),
    ({"a": A, "b": None, "required": ["b"]}, {"a": A, "b": {}}),
    ({"x-api-key": A, "a": A}, None),
    ({"x-api-key": A}, None),
    ({"x-api-key": "string", "a": "string"}, None),
    ({"$filter": A, "a": A}, None),
    ({"a": A, "$schema": "https://json-schema.org/draft/2020-12/schema"}, {"a": A}),
    ({"a": A, "$comment": "x"}, {"a": A}),
    ({"a": A, "strict": True}, {"a": A}),
    ({"a": A, "version": 1}, {"a": A}),
    ({"a": A, "optional": ["a"]}, {"a": A}),
    ({"a": A, "x-note": "n"}, {"a": A}),
    ({"a": A, "x-order": {"a": 1}}, {"a": A}),
    ({"a": A, "properties": {}}, {"a": A}),
    ({"a": A, "additionalProperties": False}, {"a": A}),
    ({"a": A, "additionalProperties": {"type": "string"}}, {"a": A}),
    ({"a": "string", "b": "int", "strict": True}, {"a": "string", "b": "int"}),
    ({"a": {"$ref": "#/$defs/x"}, "$defs": {"x": A}}, {"a": {"$ref": "#/$defs/x"}}),
    # named like keywords
    ({"items": {"type": "List[int]", "description": "q"}, "a": A}, None),
    ({"items": B, "required": ["items"]}, {"items": B}),
    ({"not": {"type": "str, optional"}}, None),
    ({"default": {"type": "str, optional", "description": "x"}, "a": A}, None),
    ({"properties": {"description": "q", "type": "List[str]"}}, None),
    ({"anyOf": A, "$ref": A, "title": A}, None),
    # texts that are types, named like keywords
    ({"id": "string", "name": "string"}, None),
    ({"title": "string", "year": "int"}, None),
    ({"title": "text", "description": "str, optional", "year": "int"}, None),
    ({"city": "string", "format": "string", "pattern": "text"}, None),
    ({"city": "string", "format": "json or xml"}, None),
    ({"items": "List[str]", "default": "string", "count": "int"}, None),
    ({"type": "string", "city": "string"}, None),
    ({"type": "string", "id": "string", "when": "date"}, None),
    ({"type": "string", "city": "string", "title": "", "required": ["city"]},
     {"type": "string", "city": "string"}),
    ({"type": "", "city": "string"}, {"city": "string"}),
    ({"id": "string"}, None),
    ({"title": "string", "description": "string"}, None),
    ({"a": A, "title": "string"}, None),
    ({"a": A, "id": "https://example.com/a.json", "title": "Path"}, {"a": A}),
    ({"title": "Path", "path": "string"}, {"path": "string"}),
    ({"description": "Where it is", "city": "string"}, {"city": "string"}),
    ({"description": "Object: all it takes", "city": "string"}, {"city": "string"}),
    ({"description": "none", "city": "string"}, {"city": "string"}),
    ({"description": "Dict[str, int]", "title": "STRING, optional", "city": "string"}, None),
    ({"$schema": "https://json-schema.org/draft/2020-12/schema", "city": "string", "id": "int"},
     {"city": "string", "id": "int"}),
]  # fmt: skip
SAID = [  # and called objects
    ({"type": "object", "a": A, "required": ["a"]}, {"a": A}),
    ({"type": "dict", "a": A}, {"a": A}),
    ({"type": ["object", "null"], "a": A}, {"a": A}),
    ({"type": "object", "a": A, "b": B, "additionalProperties": False, "description": "d"},
     {"a": A, "b": B}),
    ({"type": "object", "properties": {}, "a": A}, {"a": A}),
    ({"type": "object", "properties": None, "a": A, "b": None}, {"a": A}),
    ({"type": "object", "a": {"description": "x"}}, {"a": {"description": "x"}}),
    ({"type": "object", "a": {"type": "weird", "description": "x"}, "b": {}},
     {"a": {"type": "weird", "description": "x"}, "b": {}}),
    ({"type": "object", "a": {"anyOf": [B]}, "x-api-key": A},
     {"a": {"anyOf": [B]}, "x-api-key": A}),
    ({"type": "object", "a": {"$ref": "#/$defs/x"}, "$defs": {"x": A}},
     {"a": {"$ref": "#/$defs/x"}}),
    ({"type": "object", "a": "string", "b": "int"}, {"a": "string", "b": "int"}),
    ({"type": "object", "a": "string", "required": ["a"]}, {"a": "string"}),
    ({"type": "object", "title": A}, {"title": A}),
    ({"type": "object", "title": "string", "year": "int"}, {"title": "string", "year": "int"}),
]  # fmt: skip


@table("schema, members", MAPS + SAID)
def test_maps(schema, members):
    before = copy.deepcopy(schema)
    found = property_map(schema)
    assert schema == before
    assert found is not None
    expected = {k: v for k, v in schema.items() if v is not None} if members is None else members
    assert found["properties"] == expected
    assert property_map(found) is None, "done once"


NO_MAPS = [
    {}, {"type": "object"}, {"type": "object", "properties": {}, "required": []},
    {"type": "object", "properties": {"a": A}, "x-order": {"type": "string", "description": "d"}},
    {"type": "object", "properties": {"a": A}, "b": A},
    {"properties": {"a": A}, "b": A},
    {"properties": {"type": A, "description": A}},
    {"type": "object", "x-order": {"type": "string"}},
    {"x-order": {"type": "string"}},
    {"x-order": {"a": 1}},
    {"type": "object", "$defs": {"a": A}},
    {"type": "object", "definitions": {"a": A}, "patternProperties": {"b": A}},
    {"definitions": {"type": A}},
    {"type": "object", "additionalProperties": {"type": "string"}},
    {"type": "object", "externalDocs": {"description": "d", "url": "u"}},
    {"type": "object", "docs": {"description": "d", "url": "u"}},
    {"type": "object", "errorMessage": {"type": "must be an object"}},
    {"type": "object", "media": {"type": "application/json"}},
    {"type": "object", "discriminator": {"propertyName": "a", "mapping": {}}},
    {"type": "object", "extends": {"$ref": "#/a"}, "example": A},
    {"type": "object", "default": {"type": "circle", "radius": 1}},
    {"type": "object", "tsType": "Map"},
    {"type": "object", "name": "weather", "version": 1},
    {"type": "array", "items": A}, {"type": "string", "a": A}, {"type": ["string", "null"], "a": A},
    {"items": A}, {"not": {"type": "string"}},
    {"$ref": "#/a", "a": A},
    {"oneOf": [{"$ref": "#/a"}], "a": A},
    {"definitions": {"x": {"$ref": "#/a~1b/c"}}, "a/b": A},
    {"description": "d", "title": "t"},
    {"type": "object", "title": "X", "description": "a string"},
    {"type": "object", "title": "List", "description": "list of strings"},
    {"type": "object", "title": "Object", "tsType": "Map"},
    {"title": "List"}, {"title": "List", "description": "Nothing to give"},
    {"default": "string"}, {"format": "date"}, {"pattern": "^a$", "comment": "x"},
    {"type": "string"}, {"type": "string", "title": "string"},
    {"type": "string", "format": "date"}, {"type": "string", "default": "string"},
    {"type": "number", "unit": "time"}, {"type": "string", "goType": "string"},
    {"type": "array", "items": "string"}, {"type": "string", "city": "Rome"},
    {"type": "string", "city": "string", "enum": ["a"]},
    {"type": "string", "city": "string", "properties": "string"},
]  # fmt: skip


@table("schema", NO_MAPS)
def test_schemas_that_are_none(schema):
    assert property_map(schema) is None


def test_what_references_lead_to_stays_where_it_is():
    found = property_map({"a": A, "b": {"$ref": "#/a"}})
    assert found == {"type": "object", "a": A, "properties": {"a": A, "b": {"$ref": "#/a"}}}
    found = property_map({"a": A, "b": B, "not": {"$ref": "#/a"}})
    assert found == {"type": "object", "a": A, "not": {"$ref": "#/a"}, "properties": {"b": B}}


def test_a_value_that_holds_itself_is_looked_at_once():
    schema = {"a": {**A}}
    schema["a"]["again"] = schema
    assert property_map(schema)["properties"] == {"a": schema["a"]}


OBJECTS = [case for case in MAPS + SAID if not isinstance(case[0].get("type"), list)]


@table("schema, members", OBJECTS)
@table("target", ["openai", "anthropic", "mcp"])
def test_no_parameter_is_lost_in_a_conversion(schema, members, target):
    definition = {"name": "f", "description": "d", "parameters": schema}
    (tool,) = tc.read(definition)
    expected = {k for k, v in schema.items() if v is not None} if members is None else set(members)
    assert set(tool.input_schema["properties"]) == expected
    (again,) = tc.read(tc.convert(definition, target).payload, source=target)
    assert {name.lstrip("_$") for name in again.input_schema["properties"]} == {
        name.lstrip("$") for name in expected
    }
    assert tc.convert(definition, "openai", source="openai", lower=False).payload == definition


@pytest.mark.parametrize("target", ["openai", "anthropic", "gemini", "openai-responses"])
def test_an_unknown_type_among_others_may_be_anything(target):
    members = {"a": {"type": ["Weird", "null"], "description": "x"}}
    definition = {"name": "f", "parameters": {"type": "object", "properties": members}}
    (tool,) = tc.read(tc.convert(definition, target).payload, source=target)
    assert tool.input_schema["properties"]["a"].get("type") != ["null"]
    assert tool.input_schema["properties"]["a"].get("type") != "null"


@pytest.mark.parametrize(
    "definition",
    [{"name": "f", "description": "d", "parameters": "{}"}, {"name": "f", "input_schema": " {} "},
     {"type": "function", "function": {"name": "f", "parameters": "{}"}},
     {"name": "f", "inputSchema": "{}", "outputSchema": "{}"}],
)  # fmt: skip
def test_a_text_that_spells_nothing_comes_back(definition):
    (tool,) = tc.read(definition)
    assert tool.inputs == {}
    assert tc.bind(tool, tool.source_format, lower=False).payload == definition


NAMES = st.sampled_from("a b items not default x-a $a title properties type enum anyOf".split())
SCHEMAS = st.sampled_from([A, B, {}, {"description": "d"}, {"$ref": "#/a"}, {"type": "List[int]"}])
ODD = st.sampled_from([None, True, 1, "text", "string", ["a"], {"x": 1}])


@given(st.dictionaries(NAMES, SCHEMAS | ODD, max_size=5), st.sampled_from([None, "object", "dict"]))
def test_nothing_but_nulls_is_dropped(schema, kind):
    schema = schema if kind is None else {**schema, "type": kind}
    found = property_map(schema)
    if found is None:
        return
    kept = {**found, **found["properties"]}
    nothing = {key for key, value in schema.items() if value is None or key == "properties"}
    assert kept.keys() >= schema.keys() - nothing
    assert all(kept[key] == value for key, value in schema.items() if key not in nothing)


@given(
    st.dictionaries(NAMES, SCHEMAS | ODD, max_size=5), st.dictionaries(NAMES, SCHEMAS, min_size=1)
)
def test_an_object_with_properties_is_none(schema, members):
    assert property_map({**schema, "type": "object", "properties": members}) is None


SEAL = [
    {"x-api-key": {"type": "str"}, "a": {"type": "int"}},
    {"items": {"type": "str"}},
    {"x-order": {"type": "str"}},
    {"not": {"description": "q"}, "type": {"type": "str"}},
    {"properties": {"type": "str", "description": "q"}},
    {"default": {"type": "List[str]"}, "definitions": {"type": "dict"}},
    {"title": "str", "format": "string"},
    {"type": "str", "city": "str"},
    {"title": "the title", "year": "the year"},
    {"type": "the type", "format": "the format", "city": "the city"},
    {"city": {"type": "str"}, "days": ["int", "how many"], "unit": None, "size": 3},
    {"city": None},
    {"city": {"type": "str"}, "items": ["int", "which"], "title": None},
    {"x-api-key": "str", "a": "str"},
]


@table("members", SEAL)
def test_a_field_that_is_a_map_is_one(members):
    needed = [next(iter(members))]
    row = {"api_name": "f", "field": "F", "parameters": members, "required": needed,
           "responses": members}  # fmt: skip
    (tool,) = tc.read(row)
    assert tool.inputs == {"type": "object", "properties": members, "required": needed}
    assert tool.outputs == {"type": "object", "properties": members}
    assert tc.bind(tool, "seal-tools", lower=False).payload == row

    row = {"name": "f", "api_info": f"input_parameters = {members!r}"}
    (tool,) = tc.read(row)
    assert tool.inputs["properties"] == members
    assert tc.bind(tool, "api-bank", lower=False).payload == row


@table(
    "schema",
    [{"type": "object", "properties": {"a": A}}, {"properties": {"a": A}},
     {"properties": {"items": A, "type": A}}, {"anyOf": [A]}, {"$ref": "#/$defs/a", "$defs": {}},
     {"additionalProperties": A}, {"type": "array", "items": A}, {"type": "string"},
     {"type": "object", "title": "X", "description": "a string"}, {"description": "none"},
     {"title": "the title", "description": "d"}, {"type": "object", "city": "the city"},
     {"type": ["object", "null"], "description": "d"}, {"additionalProperties": False},
     {"properties": {"a": A}, "days": ["int"]}],
)  # fmt: skip
def test_a_schema_in_place_of_a_map_stays_one(schema):
    assert from_map(schema) is schema


def test_annotations_of_a_whole_map_are_no_members():
    beside = {"required": ["a"], "description": "What it takes", "additionalProperties": False,
              "$schema": "https://json-schema.org/draft/2020-12/schema", "x-order": 1}  # fmt: skip
    members = {"a": A, "b": None}
    found = from_map({**members, **beside})
    assert found == {"type": "object", **beside, "properties": members}
    assert from_map({**members, **beside}, {"description"})["properties"] == {
        **members,
        "description": "What it takes",
    }


def test_names_known_from_elsewhere_are_members():
    members = {"type": "string", "properties": A, "title": "the title"}
    assert from_map(members, members.keys())["properties"] == members
    row = {"api_name": "f", "field": "F", "parameters": {"type": "string"}, "required": ["type"]}
    assert tc.read(row)[0].inputs["properties"] == row["parameters"]


def test_members_that_are_no_schemas_are_reported():
    members = {"city": {"type": "str"}, "days": ["int", "how many"], "unit": None}
    row = {"api_name": "f", "field": "F", "parameters": members, "required": ["city"]}
    found = tc.convert(row, "openai")
    written = found.payload["function"]["parameters"]
    assert written["properties"] == {"city": {"type": "string"}, "days": {}, "unit": {}}
    assert written.keys() == {"type", "properties", "required"}
    assert [loss.effect for loss in found.losses if loss.code == "L233"] == [tc.Effect.WIDENED]


DETAILS = [  # the type and the default of a description, those of a signature, and what is meant
    ({"type": "list"}, "List[str]", {"type": "array", "items": {"type": "string"}}),
    ({"type": "List[str]"}, "list", {"type": "array", "items": {"type": "string"}}),
    ({"type": "list[dict]"}, "List[Dict[str, int]]",
     {"type": "array", "items": {"type": "object", "additionalProperties": {"type": "integer"}}}),
    ({"type": "str"}, "Literal['x', 'y']", {"type": "string", "enum": ["x", "y"]}),
    ({"type": "int"}, "Literal[1, 2]", {"enum": [1, 2]}),
    ({"type": "str", "enum": ["x", "y"]}, "Literal['x', 'y']",
     {"type": "string", "enum": ["x", "y"]}),
    ({"type": "str"}, "Optional[str]", {"type": ["string", "null"]}),
    ({"type": "list"}, "Optional[List[int]]",
     {"type": ["array", "null"], "items": {"type": "integer"}}),
    ({"type": "Optional[str]"}, "str", {"type": ["string", "null"]}),
    ({"type": "str"}, "datetime", {"type": "string"}),
    ({"type": "str"}, "TimeRange", {"type": "string"}),
    ({"type": "any"}, "int", {"type": "integer"}),
    ({"type": "int, default 5"}, "int = 5", {"type": "integer", "default": 5}),
    ({"type": "str, default 'x'"}, "Literal['x', 'y'] = 'x'",
     {"type": "string", "enum": ["x", "y"], "default": "x"}),
    ({"type": "int", "default": 7}, "int = None", {"type": "integer", "default": 7}),
    ("how many", "int = 5", {"type": "integer", "description": "how many", "default": 5}),
    ("list", "List[int]", {"type": "array", "items": {"type": "integer"}}),
    (None, "int = 5", {"type": "integer", "default": 5}),
]  # fmt: skip
DOUBTS = [
    ({"type": "str"}, "int", {"type": "string"}),
    ({"type": "str", "enum": ["a"]}, "Literal['x', 'y']", {"type": "string", "enum": ["a"]}),
    ({"type": "Optional[list]"}, "List[int]", {"type": ["array", "null"]}),
    ({"type": "int", "default": 7}, "int = 5", {"type": "integer", "default": 7}),
    ({"type": "int", "default": 1}, "int = True", {"type": "integer", "default": 1}),
    ({"type": "int, default 7"}, "int = 5", {"type": "integer", "default": 7}),
    ({"type": "Weird"}, "int", {"type": "integer"}),
]


@table(
    "described, shown, expected, guessed",
    [(*case, 0) for case in DETAILS] + [(*case, 1) for case in DOUBTS],
)
def test_a_description_and_a_signature(described, shown, expected, guessed):
    members = {"a": described, "b": {"type": "str"}}
    row = {"name": "f", "input_parameters": f"(*, a: {shown}, b: str)",
           "api_info": f"input_parameters = {members!r}"}  # fmt: skip
    (tool,) = tc.read(row)
    assert tool.input_schema["properties"] == {"a": expected, "b": {"type": "string"}}
    assert tool.input_schema["required"] == (["b"] if "=" in shown else ["a", "b"])
    assert len(tool.extras["api-bank"]["$"].get("guesses", [])) == guessed
    assert tc.bind(tool, "api-bank", lower=False).payload == row


FLAGS = [
    ({"type": "string"}, None),
    ({"type": "string", "required": True}, True),
    ({"type": "string", "required": "yes"}, True),
    ({"type": "string, required"}, True),
    ({"type": "string", "required": False}, False),
    ({"type": "string, optional"}, False),
    ({"type": "string, optional", "required": True}, True),
    ({"type": "object", "required": ["x"]}, None),
    ({"type": "string", "required": "perhaps"}, None),
]
LISTED = {
    "/parameters/a": lambda a, needed: {
        "api_name": "f", "field": "F", "parameters": {"a": a}, "required": ["a"] if needed else []},
    "/required_parameters/0": lambda a, needed: {
        "api_name": "f", "required_parameters" if needed else "optional_parameters": [
            {"name": "a", **a}]},
    "/input_parameters": lambda a, needed: {
        "name": "f", "input_parameters": "(a)" if needed else "(a = None)",
        "api_info": f"input_parameters = {({'a': a})!r}"},
}  # fmt: skip


@table("needed", [True, False])
@table("member, flag", FLAGS)
@table("at", LISTED)
def test_a_member_that_contradicts_its_list(member, flag, needed, at):
    row = LISTED[at](member, needed)
    (tool,) = tc.read(row)
    assert tool.input_schema.get("required", []) == (["a"] if needed or flag else [])
    (own,) = tool.extras.values() if tool.extras else [{}]
    told = [guess["at"] for guess in own.get("$", {}).get("guesses", [])]
    place = at if needed else at.replace("required_", "optional_")
    assert told == ([place] if flag is (not needed) else [])
    assert tc.bind(tool, tool.source_format, lower=False).payload == row


SIGNED = {"name": "f", "input_parameters": "(a: str)"}
GOOD = "description = 'd'\ninput_parameters = {'a': {'type': 'str', 'description': 'x'}}"
INFOS = [
    (GOOD.replace("d", "    d", 1).replace("\n", "\n    "), 0),
    (GOOD.replace("\n", "\n    "), 0),
    (GOOD.replace("'d'", "'d' + ''"), 0),
    (GOOD.replace("'d'", "('d'\n  + '')"), 0),
    (GOOD.replace("description =", "description: str =", 1), 0),
    (GOOD + "\nflags = {'a': true, 'b': null}", 0),
    (GOOD + "\nflags = 1 +", 1),
    (GOOD + "\n\ndef call(self, a):\n    return open(a)\n", 1),
    ("class F(API):\n    " + GOOD.replace("\n", "\n    "), 1),
    ("import os\n" + GOOD + "\nother = os.environ", 2),
    (GOOD + "\nunclosed = {'a': 1", 1),
    ("unclosed = {'a': 1\n" + GOOD, 1),
    (GOOD.replace("'d'", "'''d'''") + "\nx = '''\ny = 1\n'''\nz = y", 1),
]


@table("info, unread", INFOS)
def test_one_assignment_spoils_no_other(info, unread):
    row = {**SIGNED, "api_info": info}
    (tool,) = tc.read(row)
    assert tool.description == "d"
    assert tool.input_schema == {"type": "object", "properties": {"a": A}, "required": ["a"]}
    guesses = tool.extras["api-bank"]["$"].get("guesses", [])
    assert [guess["at"] for guess in guesses] == ["/api_info"] * unread
    assert tc.bind(tool, "api-bank", lower=False).payload == row


ASSIGNED = [
    ("a = 'x'\n'''a remark'''\nb = y", {"a": "x"}, ["b = y"]),
    ("a = [true, 'true', null]\nb = y", {"a": [True, "true", None]}, ["b = y"]),
    ("a: Dict[str, int] = {'b': 1}", {"a": {"b": 1}}, []),
    ("a = 'x' + y", {}, ["a = 'x' + y"]),
    ("a = 'x' + 'y'.upper()", {}, ["a = 'x' + 'y'.upper()"]),
    ("a = 'x' + 'y' * 2", {}, ["a = 'x' + 'y' * 2"]),
    ("", {}, []),
]


@pytest.mark.parametrize("text, found, unread", ASSIGNED)
def test_assigned(text, found, unread):
    assert assigned(text) == (found, unread)


@given(st.text(max_size=80) | st.text("(){}[]'\":,=+abc1 \n", max_size=80))
def test_any_text_can_be_looked_at(text):
    found, unread = assigned(text)
    assert isinstance(found, dict)
    assert all(len(part) <= 60 for part in unread)


@pytest.mark.parametrize("text", ["a = (\n" * 20_000, "'''\n" * 40_001, " \n" * 100_000, "+" * 999])
def test_hostile_texts_take_no_time(text):
    started = time.process_time()
    assigned(text)
    assert time.process_time() - started < 3


@pytest.mark.parametrize(
    "info",
    ["description = 'd'\ninput_parameters = open('x')", "description = 'd'\nx = y",
     "input_parameters = [{'name': 'a'}]", "input_parameters = 'a: str'"],
)  # fmt: skip
def test_parameters_that_stand_nowhere_else_are_not_left_aside(info):
    with pytest.raises(UnreadableTool) as caught:
        tc.read({"name": "f", "api_info": info}, source="api-bank")
    assert caught.value.at == "/api_info"
    (tool,) = tc.read({**SIGNED, "api_info": info})
    assert tool.input_schema["required"] == ["a"]


MARKS = [
    ({}, True, False),
    ({"optional": True}, False, False),
    ({"optional": "true"}, False, False),
    ({"optional": " Yes "}, False, False),
    ({"optional": "optional"}, False, False),
    ({"optional": "false"}, True, False),
    ({"optional": None}, True, False),
    ({"required": False}, False, False),
    ({"required": "no"}, False, False),
    ({"required": True}, True, False),
    ({"required": "optional"}, False, False),
    ({"optional": True, "required": False}, False, False),
    ({"optional": True, "required": True}, True, True),
    ({"optional": "perhaps"}, True, True),
    ({"type": "object", "required": ["x"]}, True, False),
]


@table("marks, needed, guessed", MARKS)
def test_marks_of_a_registry(marks, needed, guessed):
    row = {"name": "f", "arguments": [{"name": "a", "type": "string", "desc": "x", **marks}]}
    (tool,) = tc.read(row)
    assert tool.inputs.get("required", []) == (["a"] if needed else [])
    assert not {"optional"} & tool.inputs["properties"]["a"].keys()
    assert ("guesses" in tool.extras.get("docker-registry", {}).get("$", {})) is guessed
    assert tc.bind(tool, "docker-registry", lower=False).payload == row


def test_a_mark_within_a_schema_stays_there():
    schema = {"type": "object", "properties": {"a": {"type": "string", "required": True}}}
    tool = tc.CanonicalTool(name="f", inputs=schema)
    (again,) = tc.read(
        tc.bind(tool, "docker-registry", lower=False).payload, source="docker-registry"
    )
    assert again.inputs == schema
