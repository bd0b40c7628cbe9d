"""Several schemas as one: every value that all accept is accepted; without residue, only those."""

import copy
import time

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tables import table
from toolcanon.schema.algebra.conjunction import conjoin

CLOSED = {"properties": {"a": {}}, "additionalProperties": False}
CASES = [
    ("nothing", [], {}, []),
    ("one", [{"type": "string"}], {"type": "string"}, []),
    ("true is neutral", [True, {"type": "string"}, True], {"type": "string"}, []),
    ("false is told", [{"type": "string"}, False], {"type": "string"}, [("not", {})]),
    ("number and integer", [{"type": "number"}, {"type": "integer"}], {"type": "integer"}, []),
    ("integer and number", [{"type": "integer"}, {"type": "number"}], {"type": "integer"}, []),
    (
        "lists of types",
        [{"type": ["null", "number", "string"]}, {"type": ["string", "integer", "array"]}],
        {"type": ["integer", "string"]},
        [],
    ),
    (
        "types that exclude each other",
        [{"type": "string"}, {"type": ["integer", "null"]}],
        {"type": "string"},
        [("type", ["integer", "null"])],
    ),
    (
        "tighter bounds",
        [{"minimum": 1, "maxLength": 5, "minItems": 2}, {"minimum": 3.5, "maxLength": 4}],
        {"minimum": 3.5, "maxLength": 4, "minItems": 2},
        [],
    ),
    ("factors", [{"multipleOf": 4}, {"multipleOf": 6}], {"multipleOf": 12}, []),
    (
        "broken factors",
        [{"multipleOf": 0.5}, {"multipleOf": 2}],
        {"multipleOf": 0.5},
        [("multipleOf", 2)],
    ),
    ("enums", [{"enum": [1, "a", True]}, {"enum": ["a", 1.0]}], {"enum": [1, "a"]}, []),
    ("true is not one", [{"enum": [True]}, {"enum": [1]}], {"enum": [True]}, [("enum", [1])]),
    ("const and enum", [{"enum": ["a", "b"]}, {"const": "b"}], {"const": "b"}, []),
    ("not among them", [{"const": "c"}, {"enum": ["a"]}], {"const": "c"}, [("enum", ["a"])]),
    ("consts", [{"const": 1}, {"const": True}], {"const": 1}, [("const", True)]),
    (
        "members",
        [
            {"properties": {"a": {"type": "number"}, "b": {}}, "required": ["b"]},
            {"properties": {"c": True, "a": {"minimum": 1}}, "required": ["a", "b"]},
        ],
        {
            "properties": {"a": {"type": "number", "minimum": 1}, "b": {}, "c": True},
            "required": ["b", "a"],
        },
        [],
    ),
    (
        "residue further down",
        [{"properties": {"a/b": {"pattern": "x"}}}, {"properties": {"a/b": {"pattern": "y"}}}],
        {"properties": {"a/b": {"pattern": "x"}}},
        [("properties/a~1b/pattern", "y")],
    ),
    (
        "closed against more members",
        [CLOSED, {"properties": {"b": {}}}],
        {"properties": {"a": {}, "b": {}}, "additionalProperties": False},
        [("additionalProperties", False)],
    ),
    ("closed with the same members", [CLOSED, {"properties": {"a": {}}}], CLOSED, []),
    ("closed against nothing", [{"type": "object"}, CLOSED], {"type": "object", **CLOSED}, []),
    ("both closed alike", [CLOSED, CLOSED], CLOSED, []),
    (
        "closed with fewer members",
        [CLOSED, {"properties": {}, "additionalProperties": {}}],
        CLOSED,
        [],
    ),
    (
        "a map and a member",
        [{"additionalProperties": {"type": "integer"}}, {"properties": {"a": {"minimum": 1}}}],
        {
            "additionalProperties": {"type": "integer"},
            "properties": {"a": {"minimum": 1, "type": "integer"}},
        },
        [],
    ),
    (
        "maps",
        [{"additionalProperties": {"minimum": 1}}, {"additionalProperties": {"maximum": 2}}],
        {"additionalProperties": {"minimum": 1, "maximum": 2}},
        [],
    ),
    (
        "patterns of names",
        [{"patternProperties": {"^x": {"minimum": 1}}}, {"patternProperties": {"^x": {}, "y": {}}}],
        {"patternProperties": {"^x": {"minimum": 1}, "y": {}}},
        [],
    ),
    (
        "a pattern of names against a closed object",
        [CLOSED, {"patternProperties": {"^x": {}}}],
        {**CLOSED, "patternProperties": {"^x": {}}},
        [("additionalProperties", False)],
    ),
    ("items", [{"items": {"minimum": 1}}, {"items": {"maximum": 2}}],
     {"items": {"minimum": 1, "maximum": 2}}, []),
    (
        "items by position",
        [{"prefixItems": [{"minimum": 1}, {}], "items": False}, {"items": {"maximum": 2}}],
        {"prefixItems": [{"minimum": 1, "maximum": 2}, {"maximum": 2}], "items": False},
        [],
    ),
    ("pattern", [{"pattern": "a"}, {"pattern": "a"}], {"pattern": "a"}, []),
    ("patterns", [{"pattern": "a"}, {"pattern": "b"}], {"pattern": "a"}, [("pattern", "b")]),
    ("formats", [{"format": "uri"}, {"format": "date"}], {"format": "uri"}, [("format", "date")]),
    ("unique", [{"uniqueItems": False}, {"uniqueItems": True}], {"uniqueItems": True}, []),
    ("a union and not", [{"type": "object"}, {"anyOf": [{}]}],
     {"type": "object", "anyOf": [{}]}, []),
    ("unions", [{"anyOf": [{}]}, {"anyOf": [True]}], {"anyOf": [{}]}, [("anyOf", [True])]),
    ("the same union", [{"oneOf": [{}]}, {"oneOf": [{}]}], {"oneOf": [{}]}, []),
    (
        "conditions stay together",
        [{"if": {}, "then": {"minimum": 1}}, {"if": {"type": "null"}, "else": False}],
        {"if": {}, "then": {"minimum": 1}},
        [("if", {"type": "null"}), ("else", False)],
    ),
    ("a branch without a condition", [{"then": False}, {"if": {}, "else": {}}],
     {"if": {}, "else": {}}, []),
    ("contained", [{"minContains": 2}, {"contains": {}, "maxContains": 3}],
     {"contains": {}, "maxContains": 3}, []),
    ("names of members", [{"propertyNames": {"minLength": 1}}, {"propertyNames": {"maxLength": 2}}],
     {"propertyNames": {"minLength": 1, "maxLength": 2}}, []),
    (
        "dependencies",
        [
            {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"a": {"minProperties": 1}}},
            {
                "dependentRequired": {"a": ["c", "b"], "d": ["e"]},
                "dependentSchemas": {"a": {"maxProperties": 3}},
            },
        ],
        {
            "dependentRequired": {"a": ["b", "c"], "d": ["e"]},
            "dependentSchemas": {"a": {"minProperties": 1, "maxProperties": 3}},
        },
        [],
    ),
    (
        "annotations",
        [
            {"title": "t", "description": "", "default": None, "x-a": 1, "$defs": {"d": True}},
            {"title": "u", "description": "d", "default": 2, "x-a": 2, "$defs": {"e": True}},
            {"description": "e", "deprecated": True},
        ],
        {
            "title": "t",
            "description": "d",
            "default": None,
            "x-a": 1,
            "$defs": {"e": True, "d": True},
            "deprecated": True,
        },
        [],
    ),
    (
        "its own parts",
        [{"allOf": [{"minimum": 1}, {"allOf": [{"maximum": 2}]}], "title": "t"}],
        {"title": "t", "minimum": 1, "maximum": 2},
        [],
    ),
    (
        "unevaluated sees its own parts",
        [{"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": False}],
        {"properties": {"a": {}}, "unevaluatedProperties": False},
        [],
    ),
    (
        "unevaluated does not see its neighbours",
        [{"unevaluatedProperties": False}, {"properties": {"a": {}}}],
        {"unevaluatedProperties": False, "properties": {"a": {}}},
        [("unevaluatedProperties", False)],
    ),
    (
        "unevaluated goes when what it sees goes",
        [{"anyOf": [{}]}, {"anyOf": [CLOSED], "unevaluatedProperties": False}],
        {"anyOf": [{}]},
        [("anyOf", [CLOSED]), ("unevaluatedProperties", False)],
    ),
    ("unevaluated alone", [{"type": "object"}, {"unevaluatedProperties": False}],
     {"type": "object", "unevaluatedProperties": False}, []),
    ("garbage", [{"type": [{}], "required": 1, "properties": 3, "minimum": "1", "items": 3},
                 {"type": [{}], "required": [], "properties": {"a": 1}, "minimum": 1}],
     {"type": {}, "required": 1, "properties": {"a": 1}, "minimum": "1", "items": 3},
     [("required", []), ("minimum", 1)]),
]  # fmt: skip


@table("schemas, schema, residue", [case[1:] for case in CASES],
                         ids=[case[0] for case in CASES])  # fmt: skip
def test_conjunctions(schemas, schema, residue):
    before = copy.deepcopy(schemas)
    found = conjoin(schemas)
    assert found.schema == schema
    assert repr(found.residue) == repr(residue)  # 1 is not true here
    assert schemas == before


NAMES = st.sampled_from(["a", "b", "xa"])
SMALL = st.integers(-1, 4)
VALUES = st.recursive(
    st.none() | st.booleans() | SMALL | st.sampled_from(["", "a", "xa", "abc", 1.5, 2.0]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=5,
)
COUNT = st.integers(0, 3)
PATTERN = st.sampled_from(["a", "^x", "b$"])
TYPE = st.sampled_from(["object", "array", "string", "integer", "number", "null", "boolean"])


def keywords(inner):
    lists = st.lists(inner, min_size=1, max_size=2)
    return {
        "type": TYPE | st.lists(TYPE, min_size=1, max_size=3, unique=True),
        "enum": st.lists(VALUES, min_size=1, max_size=4),
        "const": VALUES,
        **dict.fromkeys(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], SMALL),
        "multipleOf": st.sampled_from([1, 2, 3, 0.5]),
        **dict.fromkeys(
            "minLength maxLength minItems maxItems minProperties maxProperties".split(), COUNT
        ),
        **dict.fromkeys(["minContains", "maxContains"], COUNT),
        "pattern": PATTERN,
        "uniqueItems": st.booleans(),
        "required": st.lists(NAMES, max_size=2, unique=True),
        "properties": st.dictionaries(NAMES, inner, max_size=3),
        "patternProperties": st.dictionaries(PATTERN, inner, max_size=2),
        "dependentSchemas": st.dictionaries(NAMES, inner, max_size=2),
        "dependentRequired": st.dictionaries(NAMES, st.lists(NAMES, unique=True), max_size=2),
        **dict.fromkeys(
            "additionalProperties items contains propertyNames not if then else "
            "unevaluatedProperties unevaluatedItems".split(),
            inner,
        ),
        **dict.fromkeys(["prefixItems", "anyOf", "oneOf", "allOf"], lists),
    }


@st.composite
def nodes(draw, inner):
    table = keywords(inner)
    keys = draw(st.lists(st.sampled_from(sorted(table)), max_size=4, unique=True))
    return {key: draw(table[key]) for key in keys}


SCHEMAS = st.recursive(st.booleans() | nodes(st.booleans()), nodes, max_leaves=3)


def agrees(parts, values):
    schema, residue = conjoin(parts)
    assert "allOf" not in schema
    judges = [jsonschema_rs.Draft202012Validator(part) for part in parts]
    merged = jsonschema_rs.Draft202012Validator(schema)
    for value in values:
        wanted = all(judge.is_valid(value) for judge in judges)
        found = merged.is_valid(value)
        assert found or not wanted
        assert residue or found == wanted


@settings(max_examples=150)
@given(st.lists(SCHEMAS, min_size=1, max_size=4), st.lists(VALUES, min_size=1, max_size=8))
def test_nothing_is_lost_and_nothing_gained_in_silence(schemas, values):
    agrees(schemas, values)


OBJECTS = st.fixed_dictionaries(
    {},
    optional={
        "properties": st.dictionaries(NAMES, st.sampled_from([True, {"minimum": 1}]), max_size=2),
        "patternProperties": st.dictionaries(PATTERN, st.just({"maximum": 2}), max_size=1),
        "additionalProperties": st.sampled_from([False, True, {"type": "integer"}]),
        "unevaluatedProperties": st.sampled_from([False, {"type": "integer"}]),
        "anyOf": st.sampled_from([[{"properties": {"b": True}}, {}], [{"required": ["a"]}]]),
    },
)
MEMBERS = st.dictionaries(NAMES, st.sampled_from([0, 1, 3, "s"]), max_size=3)


@settings(max_examples=150)
@given(st.lists(OBJECTS, min_size=1, max_size=3), st.booleans(), st.lists(MEMBERS, min_size=3))
def test_members_are_neither_lost_nor_gained_in_silence(schemas, together, values):
    parts = [{"allOf": [*schemas[1:], True], **schemas[0]}] if together else schemas
    agrees(parts, values)


def deep(keyword, levels):
    schema = {"minimum": 1}
    for _ in range(levels):
        schema = {keyword: {"a": schema} if keyword == "properties" else schema}
    return schema


@pytest.mark.parametrize("keyword, levels", [("items", 250), ("properties", 125), ("not", 250)])
def test_deep_schemas(keyword, levels):
    schema, residue = conjoin([deep(keyword, levels), deep(keyword, levels)])
    assert schema == deep(keyword, levels)
    assert residue == []


def test_many_schemas_are_quick():
    schemas = [
        {"properties": {f"p{n}": {"minimum": n}}, "required": [f"p{n}"]} for n in range(8000)
    ]
    started = time.process_time()
    schema, residue = conjoin(schemas)
    assert time.process_time() - started < 2
    assert list(schema["properties"]) == schema["required"] == [f"p{n}" for n in range(8000)]
    assert residue == []
