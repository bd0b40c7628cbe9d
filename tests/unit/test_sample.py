"""The sampler: every goal of a schema reached, checked by a validator that is not ours."""

import copy
import json
import time
from itertools import pairwise

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import rows
from tests.sampling import sample
from tests.tables import table
from toolcanon.schema import upgrade
from toolcanon.schema.sampling.scalars import matching
from toolcanon.schema.validate import judge


def fits(schema, value):
    return jsonschema_rs.Draft202012Validator(schema).is_valid(value)


STRING, NULL, INTEGER = {"type": "string"}, {"type": "null"}, {"type": "integer"}
TREE = {
    "type": "object",
    "properties": {"v": STRING, "kids": {"type": "array", "items": {"$ref": "#"}}},
    "required": ["v"],
}

# Schema, goals that must be reached, instances among the valid, instances among the invalid.
CASES = {
    "optional": (
        {"type": "object", "properties": {"a": INTEGER}},
        ["/properties/a present", "/properties/a absent", "/properties/a/type violated"],
        [{}, {"a": 1}],
        [],
    ),
    "required": (
        {"type": "object", "properties": {"a": STRING}, "required": ["a"]},
        ["/required/0 violated"],
        [],
        [{}],
    ),
    "closed": (
        {"type": "object", "properties": {"a": STRING}, "additionalProperties": False},
        ["/additionalProperties violated"],
        [{}],
        [],
    ),
    "bounds": (
        {"type": "integer", "minimum": 2, "maximum": 5},
        ["/minimum bound", "/maximum bound", "/minimum violated", "/maximum violated"],
        [2, 5],
        [1, 6],
    ),
    "exclusive": (
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        ["/exclusiveMinimum bound", "/exclusiveMaximum violated"],
        [0.5],
        [0, 1],
    ),
    "multiple": (
        {"type": "number", "multipleOf": 0.1, "minimum": 0.25},
        ["/multipleOf bound", "/multipleOf violated", "/minimum violated"],
        [],
        [0.2],
    ),
    "text": (
        {"type": "string", "minLength": 2, "maxLength": 3},
        ["/minLength bound", "/maxLength bound", "/minLength violated", "/maxLength violated"],
        [],
        [],
    ),
    "pattern": (
        {"type": "string", "pattern": "^[a-c]+[0-9]{2}$", "minLength": 5, "maxLength": 6},
        ["/pattern matched", "/pattern violated", "/minLength bound", "/maxLength bound"],
        ["aaa00", "aaaa00"],
        [],
    ),
    "enum": ({"enum": ["a", 1, None]}, ["/enum/0", "/enum/2", "/enum violated"], ["a", None], []),
    "const": ({"const": {"a": [1]}}, ["/const", "/const violated"], [{"a": [1]}], []),
    "null": ({"type": ["string", "null"]}, [" null", " string", "/type violated"], [None], [1]),
    "anyOf": (
        {"properties": {"a": {"anyOf": [STRING, NULL]}}, "type": "object"},
        ["/properties/a/anyOf/0", "/properties/a/anyOf/1", "/properties/a/anyOf violated"],
        [{"a": None}],
        [{"a": 1}],
    ),
    "oneOf": (
        {
            "type": "object",
            "properties": {"a": STRING, "b": STRING},
            "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
        },
        ["/oneOf/0", "/oneOf/1", "/oneOf violated", "/oneOf more than one"],
        [{"a": "text"}, {"b": "text"}],
        [{"a": "text", "b": "text"}],
    ),
    "map": (
        {"type": "object", "additionalProperties": INTEGER},
        [f"/additionalProperties {n} entries" for n in range(3)],
        [{}, {"k": 1}, {"k": 1, "k2": 1}],
        [],
    ),
    "lengths": (
        {"type": "array", "items": STRING, "minItems": 1, "maxItems": 3},
        ["/minItems bound", "/maxItems bound", " 2 items", "/minItems violated",
         "/maxItems violated", "/items/type violated"],
        [],
        [[]],
    ),
    "tuple": (
        {"type": "array", "prefixItems": [STRING, INTEGER, NULL], "items": False},
        [" 0 items", " 1 items", " 2 items", " 3 items", "/items violated",
         "/prefixItems/1/type violated"],
        [[], ["text", 1, None]],
        [],
    ),
    "unique": (
        {"type": "array", "items": STRING, "uniqueItems": True, "minItems": 3},
        ["/minItems bound", "/uniqueItems violated"],
        [],
        [],
    ),
    "contains": (
        {"type": "array", "contains": {"const": "x"}, "items": STRING},
        ["/contains held", "/contains violated"],
        [["x"]],
        [[]],
    ),
    "dependentRequired": (
        {"type": "object", "properties": {"a": INTEGER}, "dependentRequired": {"a": ["b"]}},
        ["/dependentRequired/a/0 followed", "/dependentRequired/a/0 violated"],
        [{}],
        [{"a": 1}],
    ),
    "dependentSchemas": (
        {
            "type": "object",
            "properties": {"a": INTEGER, "b": INTEGER},
            "dependentSchemas": {"a": {"required": ["b"]}},
        },
        ["/dependentSchemas/a present", "/dependentSchemas/a absent",
         "/dependentSchemas/a/required/0 violated"],
        [{"a": 1, "b": 1}],
        [{"a": 1}],
    ),
    "if": (
        {
            "type": "object",
            "properties": {"kind": {"enum": ["a", "b"]}, "size": INTEGER},
            "required": ["kind"],
            "if": {"properties": {"kind": {"const": "a"}}},
            "then": {"required": ["size"]},
            "else": {"properties": {"size": {"maximum": 0}}},
        },
        ["/then", "/else", "/then/required/0 violated", "/else/properties/size/maximum violated"],
        [{"kind": "b"}],
        [{"kind": "a"}],
    ),
    "references": (
        {
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/x~1y%20z"}, "b": {"$ref": "#anchor"}},
            "$defs": {
                "x/y z": {"type": "string", "enum": ["q"]},
                "n": {"$anchor": "anchor", "type": "integer", "minimum": 7},
            },
        },
        ["/$defs/x~1y z/enum/0", "/$defs/n/minimum violated", "/$defs/n/minimum bound"],
        [{"a": "q", "b": 7}],
        [],
    ),
    "recursion": (TREE, ["/properties/kids 1 items", "/properties/kids/type violated"], [], []),
    "allOf": (
        {"allOf": [{"properties": {"a": STRING}, "required": ["a"]}, {"type": "object"}]},
        ["/allOf/0/required/0 violated", "/allOf/1/type violated"],
        [{"a": "text"}],
        [{}],
    ),
    "patternProperties": (
        {"type": "object", "patternProperties": {"^x-": INTEGER}, "additionalProperties": False},
        ["/patternProperties/^x- present", "/patternProperties/^x-/type violated"],
        [{}, {"x-": 1}],
        [],
    ),
    "propertyNames": (
        {"type": "object", "propertyNames": {"pattern": "^[a-z]{3}$"}},
        ["/propertyNames violated"],
        [{"aaa": 1}],
        [],
    ),
    "counts": (
        {"type": "object", "minProperties": 1, "maxProperties": 2},
        ["/minProperties bound", "/maxProperties bound", "/minProperties violated",
         "/maxProperties violated"],
        [],
        [{}],
    ),
    "not": ({"type": "integer", "not": {"const": 1}}, ["/not violated"], [], [1]),
    "untyped": ({}, [" string", " null", " array", " object"], ["text", None, [1], {}], []),
    "untyped object": (
        {"properties": {"a": STRING}, "required": ["a"]},
        [" object", " null", "/required/0 violated"],
        [{"a": "text"}, None],
        [{}],
    ),
    "free object": ({"type": "object"}, ["/type violated"], [{}, {"k": 1}], []),
    "format": ({"type": "string", "format": "date"}, [], ["2024-02-29"], []),
    "everything": (True, [" string"], ["text"], []),
}  # fmt: skip


@table("name", CASES)
def test_goals_are_reached(name):
    schema, goals, valid, invalid = CASES[name]
    before = copy.deepcopy(schema)
    found = sample(schema)
    assert schema == before
    assert set(goals) <= set(found.coverage.hit)
    for value in valid:
        assert value in found.valid
    for value in invalid:
        assert value in found.invalid
    assert all(fits(schema, value) for value in found.valid)
    assert not any(fits(schema, value) for value in found.invalid)


@table("name", sorted(set(CASES) - {"multiple", "if"}))
def test_nothing_is_missed_in_plain_schemas(name):
    assert sample(CASES[name][0]).coverage.missed == ()


def test_valid_instances_have_declared_members_only():
    schema = {"type": "object", "properties": {"a": STRING, "b": TREE}}
    assert all(value.keys() <= {"a", "b"} for value in sample(schema).valid)


def test_recursion_goes_down_and_stops():
    deepest = max(json.dumps(value).count("kids") for value in sample(TREE).valid)
    assert 1 <= deepest <= 4


def test_at_most_that_many():
    schema = {"type": "object", "properties": {f"p{i}": {"enum": [1, 2, 3]} for i in range(30)}}
    found = sample(schema, most=3)
    assert len(found.valid) == len(found.invalid) == 3
    assert found.coverage.ratio < sample(schema).coverage.ratio


def test_what_is_not_judged_is_still_sampled():
    found = sample({"type": "object", "properties": {"a": INTEGER}, "$ref": "https://a.test/x"})
    assert {"a": 1} in found.valid
    assert found.invalid == []


def doubled(count, required):
    names = [f"a{i}" for i in range(count + 1)]
    table = {
        name: {
            "type": "object",
            "properties": {key: {"$ref": f"#/$defs/{after}"} for key in "xy"},
            "required": ["x", "y"] if required else [],
        }
        for name, after in pairwise(names)
    }
    return {"$defs": {**table, names[-1]: STRING}, "$ref": "#/$defs/a0"}


def deep(count, word):
    node = STRING
    for _ in range(count):
        node = {"properties": {"a": node}} if word == "properties" else {word: [node, NULL]}
    return node


# Schema, and whether there is an instance of reasonable size.
HOSTILE = {
    "items without end": ({"type": "array", "minItems": 10**18}, False),
    "text without end": ({"type": "string", "minLength": 1e308}, False),
    "members without end": ({"type": "object", "minProperties": 10**18}, False),
    "contains without end": ({"type": "array", "contains": STRING, "minContains": 10**18}, False),
    "requires itself": ({"type": "object", "properties": {"n": {"$ref": "#"}}, "required": ["n"]},
                        False),
    "twenty thousand required": ({"type": "object", "required": [f"p{i}" for i in range(20_000)]},
                                 False),
    "too few distinct": ({"type": "array", "items": {"type": "boolean"}, "uniqueItems": True,
                          "minItems": 200}, False),
    "doubling, required": (doubled(60, required=True), False),
    "doubling, optional": (doubled(60, required=False), True),
    "multiple of nothing": ({"type": "number", "multipleOf": 0}, True),
    "multiple of next to nothing": ({"type": "number", "multipleOf": 1e-300, "minimum": 1e300},
                                    True),
    "multiple of something huge": ({"type": "integer", "multipleOf": 10**400}, True),
    "circle": ({"$ref": "#"}, True),
    "large enum": ({"enum": list(range(100_000))}, True),
    "many branches": ({"anyOf": [{"const": i} for i in range(5_000)]}, True),
    "many choices": ({"allOf": [{"anyOf": [STRING, NULL]} for _ in range(40)]}, True),
    "many conditions": ({"allOf": [{"if": {"const": i}, "then": {"type": "integer"}}
                                   for i in range(60)]}, True),
    "many patterns": ({"type": "object", "patternProperties": {f"^a{i}": STRING
                                                               for i in range(500)}}, True),
    "many members": ({"type": "object", "properties": {f"p{i}": STRING for i in range(5_000)}},
                     True),
    "long tuple": ({"type": "array", "prefixItems": [STRING] * 5_000}, True),
    "deep members": (deep(250, "properties"), True),
    "deep choices": (deep(120, "anyOf"), True),
    "regex without end": ({"type": "string", "pattern": "^((a{1000}){1000}){1000}$"}, None),
    "empty repeats": ({"type": "string", "pattern": "^((){1000}){1000}$"}, None),
    "no regex": ({"type": "string", "pattern": "(" * 5_000}, True),
    "infinite": ({"type": "number", "minimum": float("inf")}, None),
}  # fmt: skip


@table("name", HOSTILE)
def test_hostile_schemas_are_answered_quickly_and_in_few_words(name):
    schema, possible = HOSTILE[name]
    started = time.process_time()
    found = sample(schema)
    assert time.process_time() - started < 5
    assert len(json.dumps(found.valid)) + len(json.dumps(found.invalid)) < 2_000_000
    if possible is not None:
        assert bool(found.valid) is possible
        assert (" valid" in found.coverage.hit) is possible


PATTERNS = [
    ("^[a-c]{2}-(x|yy)$", 3),
    (r"^\d{4}-\d{2}-\d{2}$", 3),
    (r"^[\w.-]+@[\w-]+\.com$", 3),
    (r"^(?<year>\d+)/\p{Lu}+$", 3),
    ("^[^a-z]$", 2),
    (r"^\S+\s\D$", 2),
    ("^$", 1),
    ("abc|d", 2),
    ("(?=a)b", 0),
    (r"(a)\1", 0),
    ("a{100000}", 0),
    ("(", 0),
]


@table("pattern, least", PATTERNS)
def test_strings_are_written_from_patterns(pattern, least):
    found = matching(pattern)
    assert len(found) >= least
    assert bool(found) is bool(least)
    assert len(set(found)) == len(found)
    assert all(judge({"pattern": pattern}).accepts(text) for text in found)


def test_strings_have_the_length_asked_for():
    assert {len(text) for text in matching("^[a-z]+$", 5, 8)} >= {5, 8}
    assert matching("^[a-z]{3}$", 4) == ()


BOUND = st.integers(-3, 6)
LEAVES = st.one_of(
    st.just({}),
    st.sampled_from(["string", "integer", "number", "boolean", "null"]).map(lambda t: {"type": t}),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["integer", "number"])},
        optional={
            "minimum": BOUND,
            "maximum": BOUND,
            "exclusiveMinimum": BOUND,
            "multipleOf": st.sampled_from([0.5, 2, 3]),
        },
    ),
    st.fixed_dictionaries(
        {"type": st.just("string")},
        optional={
            "minLength": st.integers(0, 4),
            "maxLength": st.integers(0, 6),
            "pattern": st.sampled_from(["^a+$", "[0-9]", "(?=a)"]),
        },
    ),
    st.lists(st.sampled_from(["a", 1, None, True, [1]]), min_size=1).map(lambda v: {"enum": v}),
    st.just({"$ref": "#"}),
)
NAMES = st.sampled_from(["a", "b", "c/d"])


def composed(inner):
    member_map = st.dictionaries(NAMES, inner, max_size=3)
    return st.one_of(
        st.fixed_dictionaries(
            {"type": st.just("object"), "properties": member_map},
            optional={
                "required": st.lists(NAMES, unique=True, max_size=2),
                "additionalProperties": inner | st.booleans(),
                "minProperties": st.integers(0, 3),
                "maxProperties": st.integers(0, 3),
                "dependentRequired": st.just({"a": ["b"]}),
                "patternProperties": st.dictionaries(st.just("^x"), inner, max_size=1),
            },
        ),
        st.fixed_dictionaries(
            {"type": st.just("array")},
            optional={
                "items": inner | st.just(False),
                "prefixItems": st.lists(inner, min_size=1, max_size=2),
                "minItems": st.integers(0, 3),
                "maxItems": st.integers(0, 3),
                "uniqueItems": st.booleans(),
                "contains": inner,
            },
        ),
        st.lists(inner, min_size=1, max_size=3).flatmap(
            lambda s: st.sampled_from(["anyOf", "oneOf", "allOf"]).map(lambda word: {word: s})
        ),
        st.fixed_dictionaries({"if": inner, "then": inner}, optional={"else": inner}),
        inner.map(lambda schema: {"not": schema}),
    )


@settings(max_examples=100)
@given(st.recursive(LEAVES, composed, max_leaves=6))
def test_valid_fits_invalid_does_not_and_twice_is_the_same(schema):
    found = sample(schema)
    own = judge(schema)
    assert all(own.accepts(value) is not False for value in found.valid)
    assert all(own.accepts(value) is False for value in found.invalid)
    assert json.dumps(found.valid) == json.dumps(sample(copy.deepcopy(schema)).valid)
    assert not set(found.coverage.hit) & set(found.coverage.missed)
    assert (" valid" in found.coverage.hit) is bool(found.valid)


WORDS = st.sampled_from(
    "type enum const minimum multipleOf minLength maxLength pattern items prefixItems minItems "
    "maxItems contains minContains properties required additionalProperties patternProperties "
    "propertyNames dependentRequired dependentSchemas maxProperties allOf anyOf not if then $ref "
    "$defs $anchor $id".split()
)
ODD = st.recursive(
    st.sampled_from([None, True, -1, 0.5, 1e308, 10**30, "a", "string", "#", "#/$defs/a", "(?=a)"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(WORDS, ODD, max_size=5))
def test_nothing_that_calls_itself_a_schema_raises(schema):
    assert len(sample(schema).valid) <= 64


@pytest.mark.corpus
def test_schemas_of_real_tools_are_covered():
    ratios = []
    for row in rows("mcp"):
        schema = upgrade(row["definition"]["inputSchema"]).schema
        found = sample(schema)
        own = judge(schema)
        assert all(own.accepts(value) is not False for value in found.valid), row["id"]
        assert all(own.accepts(value) is False for value in found.invalid), row["id"]
        ratios.append(found.coverage.ratio)
    assert sum(ratios) / len(ratios) > 0.95
