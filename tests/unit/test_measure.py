"""The numbers of a schema and of its values: by tables, and by a walk written differently."""

import time

from hypothesis import given
from hypothesis import strategies as st

from tests.tables import table
from toolcanon.schema.algebra.constraints import (
    at_least,
    at_most,
    kinds_left,
    names_required,
    span,
    values_left,
)
from toolcanon.schema.measure import measure
from toolcanon.schema.values import size_of

OBJECT = {"type": "object"}


def nest(levels):
    schema = {"type": "object"}
    for _ in range(levels - 1):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


# A name, a schema, and the numbers that matter in it.
CASES = [
    ("nothing", {}, {"depth": 0, "deepest": (), "nodes": 1, "enum_values": 0, "properties": 0}),
    ("an object", OBJECT, {"depth": 1, "deepest": ()}),
    ("a leaf", {"type": "string"}, {"depth": 0}),
    ("five levels", nest(5), {"depth": 5, "deepest": ("properties", "a") * 4, "properties": 4}),
    (
        "arrays lead on but do not count",
        {"type": "object", "properties": {"a": {"type": "array", "items": OBJECT}}},
        {"depth": 2, "deepest": ("properties", "a", "items"), "nodes": 3},
    ),
    (
        "unions lead on but do not count",
        {"anyOf": [{"type": "null"}, {"allOf": [{"type": ["object", "null"]}]}]},
        {"depth": 1, "deepest": ("anyOf", 1, "allOf", 0), "unions": 2},
    ),
    ("no type but properties", {"properties": {"a": True}}, {"depth": 1, "nodes": 2}),
    (
        "definitions start anew",
        {**nest(2), "$defs": {"deep": nest(3)}},
        {"depth": 3, "deepest": ("$defs", "deep", *("properties", "a") * 2)},
    ),
    (
        "references are not followed",
        {"type": "object", "properties": {"a": {"$ref": "#"}}},
        {"depth": 1, "nodes": 2},
    ),
    ("the first of the deepest", {"anyOf": [OBJECT, OBJECT]}, {"deepest": ("anyOf", 0)}),
    (
        "optional",
        {"properties": {"a": {}, "b": {}, "c": {}}, "required": ["b", "elsewhere"]},
        {"properties": 3, "optional": 2, "name_chars": 3},
    ),
    (
        "names",
        {
            "properties": {"ab": {"const": "cde"}, "x": {"const": 12345}},
            "$defs": {"Four": {"enum": ["12345", 6, None]}},
            "required": ["ab"],
        },
        {"name_chars": 2 + 3 + 1 + 4 + 5, "enum_values": 3},
    ),
    (
        "enums",
        {"anyOf": [{"enum": ["aaaa"]}, {"enum": [1, "b", "c"]}]},
        {"enum_values": 4, "enums": ((1, 4), (3, 2)), "largest_enum": (3, 2)},
    ),
    (
        "data is not measured",
        {"default": {"properties": {"a": 1}, "enum": [1]}, "examples": [{"anyOf": []}]},
        {"nodes": 1, "properties": 0, "enum_values": 0, "unions": 0, "name_chars": 0},
    ),
    (
        "parameters called like keywords",
        {"properties": {"enum": {"type": "array"}, "anyOf": {}, "properties": {"enum": ["v"]}}},
        {"properties": 3, "unions": 0, "enum_values": 1, "depth": 1},
    ),
    (
        "unions",
        {"properties": {"a": {"type": ["string", "null"]}, "b": {"anyOf": [{}, {}]}}},
        {"unions": 2, "nodes": 5},
    ),
    (
        "garbage",
        {"properties": ["a"], "enum": "x", "required": 3, "$defs": None, "anyOf": 1, "type": 7},
        {"properties": 0, "enum_values": 0, "nodes": 1, "depth": 0},
    ),
]


@table("schema, expected", [case[1:] for case in CASES],
                         ids=[case[0] for case in CASES])  # fmt: skip
def test_measures(schema, expected):
    measures = measure(schema)
    assert {name: getattr(measures, name) for name in expected} == expected


LEAVES = st.sampled_from([{"type": "string"}, {"enum": ["a", 1]}, True, {"const": "xyz"}])
NAMES = st.sampled_from(["a", "type", "$defs", "enum"])
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.fixed_dictionaries(
            {"type": st.just("object"), "properties": st.dictionaries(NAMES, inner, max_size=3)},
            optional={"$defs": st.dictionaries(NAMES, inner, max_size=2)},
        ),
        st.builds(lambda child: {"type": "array", "items": child}, inner),
        st.builds(lambda children: {"anyOf": children}, st.lists(inner, max_size=3)),
    ),
    max_leaves=12,
).filter(lambda schema: schema is not True)


def depth(schema):
    """The depth of the schema itself, and below it the largest of its definitions'."""
    if schema is True:
        return 0, 0
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    inner += [schema["items"]] if "items" in schema else []
    below = [depth(child) for child in inner]
    own = (schema.get("type") == "object") + max((d for d, _ in below), default=0)
    apart = [max(depth(child)) for child in schema.get("$defs", {}).values()]
    return own, max([0, *apart, *(d for _, d in below)])


@given(SCHEMAS)
def test_depth_agrees_with_plain_recursion(schema):
    measures = measure(schema)
    assert measures.depth == max(depth(schema))
    found = schema
    for step in measures.deepest:
        found = found[step]
    assert measures.depth == 0 or found["type"] == "object"


@given(SCHEMAS, SCHEMAS)
def test_two_side_by_side_add_up(left, right):
    both = measure({"anyOf": [left, right]})
    one, other = measure(left), measure(right)
    for name in ("properties", "optional", "enum_values", "name_chars"):
        assert getattr(both, name) == getattr(one, name) + getattr(other, name)
    assert both.nodes == one.nodes + other.nodes + 1
    assert both.unions == one.unions + other.unions + 1
    assert both.depth == max(one.depth, other.depth)
    assert both.largest_enum == max(one.largest_enum, other.largest_enum)


INF = float("inf")
# Several schemas, whether no integer and no fraction is left, the lowest and highest integer.
SPANS = [
    ([{}], (False, False), []),
    ([{"minimum": 1.5}, {"maximum": 4, "minimum": 0}], (False, False), [2, 4]),
    ([{"exclusiveMinimum": 1}, {"exclusiveMaximum": 2}], (True, False), [2, 1]),
    ([{"minimum": 1}, {"maximum": 1}], (False, True), [1, 1]),
    ([{"minimum": 0.5}, {"maximum": 0.5}], (True, False), [1, 0]),
    ([{"minimum": 0.5}, {"exclusiveMaximum": 0.5}], (True, True), [1, 0]),
    ([{"multipleOf": 4, "minimum": 1}, {"multipleOf": 6}], (False, True), [12]),
    ([{"multipleOf": 4, "minimum": 1, "maximum": 3}], (True, True), [4, 0]),
    ([{"maximum": 0}], (False, False), [0]),
    ([{"minimum": "1", "maximum": True, "multipleOf": 0.5}], (False, False), []),
    ([{"minimum": 10**399}], (False, False), [10**399]),
]


@table("nodes, without, ends", SPANS)
def test_spans(nodes, without, ends):
    found = span(nodes)
    assert (found.no_integer(), found.no_fraction()) == without
    assert [end for end in found.ends() if end is not None] == ends


def test_what_several_schemas_leave():
    nodes = [
        {"minLength": 2, "enum": [1, 2], "required": ["a", {}], "type": ["integer", "null"]},
        {"minLength": 3.0, "const": 1, "dependentRequired": {"a": ["b"], "b": ["a", "c"]}},
        {"minLength": "9", "dependentRequired": {"x": ["y"], "c": 3}, "type": ["number", "null"]},
    ]
    assert at_least(nodes, "minLength") == 3
    assert (at_least(nodes, "minItems"), at_most(nodes, "maxItems")) == (0, INF)
    assert at_most([{"maxItems": 3}, {"maxItems": 2}], "maxItems") == 2
    assert values_left(nodes) == [1]
    assert values_left([{}]) is None
    assert list(names_required(nodes)) == ["a", "b", "c"]
    assert kinds_left(nodes) == ["null", "integer"]
    assert kinds_left([{"type": "colour"}]) == kinds_left([{}])
    assert kinds_left([{"type": "string"}, {"type": "null"}]) == []
    assert size_of({"a": [1, {}], "b": "text"}) == 5


def test_large_and_deep_schemas_are_quick():
    wide = {"type": "object", "properties": {f"p{i}": {"type": "string"} for i in range(50_000)}}
    started = time.process_time()
    assert measure(wide).properties == 50_000
    assert measure(nest(250)).depth == 250
    assert time.process_time() - started < 3
