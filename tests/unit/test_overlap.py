"""Whether two schemas are certainly apart: a table, and a validator that never objects."""

import time

import jsonschema_rs
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tables import table
from toolcanon.schema.algebra.overlap import Allowance, are_apart
from toolcanon.schema.references import References

NO, YES, UNKNOWN = "no value is valid for both", "some value is", "not proved"


def tagged(tag, **more):
    return {
        "type": "object",
        "properties": {"kind": {"const": tag}, **more},
        "required": ["kind"],
    }


CASES = [
    ("anything", True, {}, YES),
    ("nothing", False, {}, NO),
    ("types", {"type": "string"}, {"type": "object"}, NO),
    ("null", {"type": ["string", "null"]}, {"type": ["null", "array"]}, YES),
    ("integers are numbers", {"type": "integer"}, {"type": "number"}, YES),
    ("not that type", {"type": "string"}, {"not": {"type": ["string", "null"]}}, NO),
    ("not an integer", {"type": "number"}, {"not": {"type": "integer"}}, YES),
    ("consts", {"const": 1}, {"const": 1.0}, YES),
    ("true is not one", {"const": True}, {"const": 1}, NO),
    ("enums", {"enum": ["a", "b"]}, {"enum": ["c"]}, NO),
    ("enum and schema", {"enum": ["a", 7]}, {"type": "integer", "maximum": 6}, NO),
    ("enum and pattern", {"enum": ["a1"]}, {"pattern": "^[a-z]\\d$"}, YES),
    ("enum and formats", {"const": "x"}, {"format": "date"}, UNKNOWN),
    ("ranges", {"minimum": 2}, {"maximum": 1}, YES),
    ("typed ranges", {"type": "number", "minimum": 2}, {"maximum": 1}, NO),
    ("a point", {"type": "number", "minimum": 2}, {"type": "number", "maximum": 2}, YES),
    (
        "a point excluded",
        {"type": "number", "exclusiveMinimum": 2},
        {"type": "number", "maximum": 2},
        NO,
    ),
    (
        "between integers",
        {"type": "integer", "exclusiveMinimum": 2},
        {"type": "number", "exclusiveMaximum": 3},
        NO,
    ),
    (
        "between numbers",
        {"type": "number", "exclusiveMinimum": 2},
        {"type": "number", "exclusiveMaximum": 3},
        YES,
    ),
    (
        "no common multiple in reach",
        {"type": "integer", "multipleOf": 4, "minimum": 1},
        {"type": "number", "multipleOf": 6, "maximum": 11},
        NO,
    ),
    (
        "a common multiple",
        {"type": "integer", "multipleOf": 4, "minimum": 1},
        {"multipleOf": 6, "maximum": 12},
        YES,
    ),
    ("lengths", {"type": "string", "minLength": 4}, {"type": "string", "maxLength": 3}, NO),
    ("long enough", {"type": "string", "minLength": 3}, {"type": "string", "maxLength": 3}, YES),
    ("patterns", {"type": "string", "pattern": "^#"}, {"type": "string", "pattern": "!$"}, UNKNOWN),
    ("a pattern", {"type": "string", "pattern": "^[a-z]+$"}, {"type": "string"}, YES),
    (
        "a pattern with an example",
        {"type": "string", "pattern": "^#!", "examples": ["#!x"]},
        {"type": "string"},
        YES,
    ),
    ("look-around", {"type": "string", "pattern": "(?=a)"}, {"type": "string"}, UNKNOWN),
    ("a format", {"type": "string", "format": "date"}, {"type": "string"}, YES),
    (
        "formats",
        {"type": "string", "format": "date"},
        {"type": "string", "format": "uuid"},
        UNKNOWN,
    ),
    ("tags", tagged("cat"), tagged("dog"), NO),
    ("the same tag", tagged("cat", a={"type": "string"}), tagged("cat", b={}), YES),
    ("a tag not required", tagged("cat"), {"type": "object"}, YES),
    (
        "tags of which one is optional",
        tagged("cat"),
        {"type": "object", "properties": {"kind": {"const": "dog"}}},
        NO,
    ),
    (
        "tags, both optional",
        {"type": "object", "properties": {"kind": {"const": "cat"}}},
        {"type": "object", "properties": {"kind": {"const": "dog"}}},
        YES,
    ),
    (
        "required here, closed out there",
        {"type": "object", "required": ["a"]},
        {"type": "object", "properties": {"b": {}}, "additionalProperties": False},
        NO,
    ),
    (
        "required here, matched there",
        {"type": "object", "required": ["a"]},
        {"type": "object", "patternProperties": {"^a": {}}, "additionalProperties": False},
        YES,
    ),
    (
        "required here, maybe matched there",
        {"type": "object", "required": ["a"]},
        {"type": "object", "patternProperties": {"(?=a)": {}}, "additionalProperties": False},
        UNKNOWN,
    ),
    (
        "required here, named otherwise there",
        {"type": "object", "required": ["a"]},
        {"type": "object", "propertyNames": {"minLength": 2}},
        NO,
    ),
    (
        "entailed here, closed out there",
        {"type": "object", "required": ["a"], "dependentRequired": {"a": ["b"]}},
        {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
        NO,
    ),
    (
        "a map and a member",
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
        NO,
    ),
    (
        "numbers of members",
        {"type": "object", "minProperties": 2},
        {"type": "object", "maxProperties": 1},
        NO,
    ),
    (
        "more members than may be",
        {"type": "object", "minProperties": 2},
        {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
        NO,
    ),
    ("some members", {"type": "object", "minProperties": 2}, {"type": "object"}, YES),
    ("objects of any type", {"required": ["a"]}, {"properties": {"a": False}}, YES),
    ("both may be empty", {"type": "array", "items": {"type": "string"}},
     {"type": "array", "items": {"type": "null"}}, YES),
    ("one is not empty", {"type": "array", "items": {"type": "string"}, "minItems": 1},
     {"type": "array", "items": {"type": "null"}}, NO),
    ("items by position", {"type": "array", "prefixItems": [{}, {"const": 1}], "minItems": 2},
     {"type": "array", "prefixItems": [{}, {"const": 2}]}, NO),
    ("numbers of items", {"type": "array", "minItems": 3},
     {"type": "array", "maxItems": 2}, NO),
    ("no third item", {"type": "array", "minItems": 3},
     {"type": "array", "prefixItems": [{}, {}], "items": False}, NO),
    ("unions apart", {"anyOf": [{"type": "string"}, {"type": "null"}]},
     {"oneOf": [{"type": "integer"}, {"type": "array"}]}, NO),
    ("unions", {"anyOf": [{"type": "string"}, {"type": "null"}]},
     {"anyOf": [{"type": "integer"}, {"type": "null"}]}, YES),
    ("exactly one", {"oneOf": [{"type": "null"}, {"type": ["null", "string"]}]},
     {"type": ["null", "string"]}, YES),
    ("tags in a union", {"anyOf": [tagged("a"), tagged("b")]},
     {"oneOf": [tagged("c"), tagged("d")]}, NO),
    ("tags in parts", {"allOf": [tagged("a"), {"required": ["x"]}]}, tagged("b"), NO),
    ("parts", {"allOf": [{"type": "string"}, {"minLength": 1}]}, {"type": "string"}, YES),
    ("not", {"type": "string"}, {"not": {"type": "string", "minLength": 1}}, YES),
    ("condition", {"type": "string"}, {"if": {"minLength": 1}, "then": False}, YES),
    ("a remote reference", {"$ref": "https://elsewhere.test/"}, {}, UNKNOWN),
    ("a remote reference and a type",
     {"$ref": "https://elsewhere.test/", "type": "string"}, {"type": "null"}, NO),
    ("garbage", {"type": "colour", "minimum": "x", "enum": 3, "required": 1}, {}, UNKNOWN),
    ("more garbage", {"anyOf": 3, "properties": [], "allOf": {}}, {"type": ["null", {}]}, UNKNOWN),
]  # fmt: skip


@table("a, b, expected", [case[1:] for case in CASES],
                         ids=[case[0] for case in CASES])  # fmt: skip
def test_overlaps(a, b, expected):
    assert are_apart(a, b) is (expected is NO)
    assert are_apart(b, a) is (expected is NO)


ROOT = {
    "$defs": {
        "Cat": tagged("cat", name={"$ref": "#/$defs/Name"}),
        "Dog": tagged("dog", friend={"$ref": "#/$defs/Dog"}),
        "Hound": {"allOf": [{"$ref": "#/$defs/Dog"}, {"required": ["friend"]}]},
        "Name": {"type": "string", "minLength": 1},
        "Tree": {
            "type": "object",
            "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}},
            "required": ["kids"],
        },
        "Endless": {"properties": {"n": {"$ref": "#/$defs/Endless"}}, "required": ["n"],
                    "type": "object"},
        "Circle": {"$ref": "#/$defs/Circle"},
        "Pet": {"oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}]},
        "Never": {"not": {"$ref": "#/$defs/Name"}, "type": "string"},
        "Knot": {"anyOf": [{"$ref": "#/$defs/Knot"}, {"type": "null"}]},
    }
}  # fmt: skip
REFERRED = [
    ("Cat", "Dog", NO),
    ("Cat", "Cat", YES),
    ("Hound", "Dog", YES),
    ("Pet", "Cat", YES),
    ("Pet", "Name", NO),
    ("Tree", "Tree", YES),
    ("Tree", "Cat", YES),
    ("Endless", "Endless", UNKNOWN),
    ("Endless", "Name", NO),
    ("Never", "Name", UNKNOWN),
    ("Circle", "Name", YES),
    ("Knot", "Name", UNKNOWN),
]


@table("one, other, expected", REFERRED)
def test_references(one, other, expected):
    a, b = ({"$ref": f"#/$defs/{name}"} for name in (one, other))
    assert are_apart(a, b, References(ROOT)) is (expected is NO)
    assert are_apart(ROOT["$defs"][one], b, References(ROOT)) is (expected is NO)


def bomb(levels, keyword):
    refs = [[{"$ref": f"#/$defs/d{n + 1}"}] * 2 for n in range(levels)]
    return {"$defs": {**{f"d{n}": {keyword: refs[n]} for n in range(levels)}, f"d{levels}": {}}}


def deep(levels):
    schema = {}
    for _ in range(levels):
        schema = {"type": "object", "required": ["a"], "properties": {"a": schema}}
    return schema


wide = {"anyOf": [{"required": [f"p{n}"], "type": "object"} for n in range(3000)]}
HOSTILE = [
    (bomb(30, "allOf"), {"$ref": "#/$defs/d0"}, {"type": "string"}),
    (bomb(30, "anyOf"), {"$ref": "#/$defs/d0"}, {"type": "string", "pattern": "^#!"}),
    (bomb(30, "oneOf"), {"$ref": "#/$defs/d0"}, {"type": "string"}),
    ({}, {"allOf": [wide] * 20}, {"allOf": [wide] * 20, "type": "object", "pattern": "x"}),
    ({}, {"allOf": [{"anyOf": [{"minLength": n}, {"maxLength": n}]} for n in range(40)]},
     {"type": "string", "pattern": "^#!"}),
    ({}, deep(120), deep(120)),
    ({}, {"enum": list(range(100_000))}, {"enum": list(range(100_000, 200_000))}),
    ({}, {"enum": list(range(9000))}, {"enum": list(range(9000, 18_000))}),
    ({}, {"type": ["null"] * 20_000, "anyOf": [{"minLength": 1}] * 20_000, "pattern": "#"},
     {"type": ["null"] * 20_000}),
    ({}, {"required": [f"a{n}" for n in range(9000)], "type": "object"},
     {"dependentRequired": {f"a{n}": [f"b{n}"] for n in range(9000)}}),
    ({}, {"anyOf": [{"properties": {f"p{m}": {"type": "string"} for m in range(20)},
                     "required": ["p1"]} for n in range(500)], "type": "object"},
     {"patternProperties": {f"^x{n}{{50}}": {} for n in range(500)}, "pattern": "#"}),
    ({}, {"type": "array", "minItems": 10**18}, {"type": "array"}),
    ({}, {"type": "string", "minLength": 10**18}, {"type": "string"}),
    ({}, {"type": "object", "minProperties": 10**18}, {"type": "object"}),
    ({}, {"type": "number", "minimum": 10**399}, {"type": "number", "maximum": 1e308}),
    ({}, {"multipleOf": 10**399}, {"multipleOf": 10**398 + 1, "type": "integer"}),
    ({}, {"type": "string", "pattern": "(a+)+$"}, {"const": "a" * 5000 + "!"}),
]  # fmt: skip


@table("root, a, b", HOSTILE)
def test_hostile_schemas_are_answered_soon(root, a, b):
    started = time.process_time()
    are_apart(a, b, References(root))
    assert time.process_time() - started < 2


NAMES = st.sampled_from(["a", "b", "xa"])
SMALL = st.integers(-1, 4)
COUNT = st.integers(0, 3)
PATTERN = st.sampled_from(["a", "^x", "b$"])
TYPE = st.sampled_from(["object", "array", "string", "integer", "number", "null", "boolean"])
VALUES = st.recursive(
    st.none() | st.booleans() | SMALL | st.sampled_from(["", "a", "xa", "abc", 1.5, 2.0]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=5,
)


def keywords(inner):
    lists = st.lists(inner, min_size=1, max_size=3)
    return {
        "enum": st.lists(VALUES, min_size=1, max_size=4),
        "const": VALUES,
        **dict.fromkeys(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], SMALL),
        "multipleOf": st.sampled_from([1, 2, 3, 0.5]),
        **dict.fromkeys(
            "minLength maxLength minItems maxItems minProperties maxProperties".split(), COUNT
        ),
        "pattern": PATTERN,
        "format": st.sampled_from(["date", "uuid", "odd"]),
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
        "$ref": st.sampled_from(["#/$defs/x", "#/$defs/y"]),
    }


@st.composite
def nodes(draw, inner):
    table = keywords(inner)
    keys = draw(st.lists(st.sampled_from(sorted(table)), max_size=4, unique=True))
    kind = draw(st.none() | TYPE | st.lists(TYPE, min_size=1, max_size=3, unique=True))
    return {**({} if kind is None else {"type": kind}), **{key: draw(table[key]) for key in keys}}


SCHEMAS = st.recursive(st.booleans() | nodes(st.booleans()), nodes, max_leaves=4)
DEFS = st.fixed_dictionaries(
    {"x": SCHEMAS, "y": st.sampled_from([{"type": "string"}, {"items": {"$ref": "#/$defs/y"}}])}
)


@settings(max_examples=120)
@given(SCHEMAS, SCHEMAS, DEFS, st.lists(VALUES, min_size=1, max_size=10))
def test_no_is_never_contradicted(a, b, defs, values):
    references = References({"$defs": defs})
    if "#/$defs/x" in repr(defs["x"]) or not are_apart(a, b, references):
        return
    judge = jsonschema_rs.Draft202012Validator({"allOf": [a, b], "$defs": defs})
    assert not any(map(judge.is_valid, values))


def test_the_answers_tell_something():
    """Schemas of different types are apart, those of one type are not."""
    kinds = [{"type": kind} for kind in ("string", "integer", "null", "object", "array")]
    assert [are_apart(a, b) for a in kinds for b in kinds].count(True) == 20


def test_many_questions_share_an_allowance():
    apart = {"type": "string"}, {"type": "integer"}
    allowance = Allowance()
    before = allowance.left
    assert are_apart(*apart, allowance=allowance)
    assert 0 < allowance.left < before
    allowance.left = 0
    assert not are_apart(*apart, allowance=allowance), "not known any more"
    assert allowance.left == 0
    assert are_apart(*apart)
