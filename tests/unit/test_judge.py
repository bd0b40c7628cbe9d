"""The judge: right where it judges, silent where it cannot, never stuck and never raising."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import table
from toolcanon.jsonio import Pointer
from toolcanon.schema.validate import judge, lenient_judge


def doubling(count, word):
    """References that double at every step: 2 ** count checks of one value."""
    names = [f"a{i}" for i in range(count + 1)]
    table = {name: {word: [{"$ref": f"#/$defs/{after}"}] * 2} for name, after in pairwise(names)}
    return {"$defs": {**table, names[-1]: {"type": "string"}}, "$ref": "#/$defs/a0"}


def nested(depth, value=1):
    for _ in range(depth):
        value = [value]
    return value


BOMB = doubling(60, "allOf")
SMALL = {"$defs": {"a0": {"type": "string"}}, "$ref": "#/$defs/a0"}


VERDICTS = [
    ("type", {"type": "integer"}, 1, True),
    ("integral float", {"type": "integer"}, 1.0, True),
    ("type refused", {"type": "integer"}, "1", False),
    ("everything", True, [None], True),
    ("nothing", False, None, False),
    ("format is not asserted", {"type": "string", "format": "date"}, "no date", True),
    ("an older draft is ignored",
     {"$schema": "http://json-schema.org/draft-04/schema#", "prefixItems": [{"type": "null"}]},
     [1], False),
    ("an odd $schema is ignored", {"$schema": 5, "type": "null"}, 1, False),
    ("local reference", {"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"type": "null"}}}, 1, False),
    ("anchor", {"$ref": "#x", "$defs": {"a": {"$anchor": "x", "type": "null"}}}, 1, False),
    ("embedded schema",
     {"$id": "https://a.test/s", "$defs": {"a": {"$id": "https://a.test/t", "type": "null"}},
      "$ref": "https://a.test/t"}, 1, False),
    ("metaschema", {"$ref": "https://json-schema.org/draft/2020-12/schema"}, {"type": 5}, False),
    ("huge bound", {"minimum": 10**30}, 10**29, False),
    ("property called pattern", {"properties": {"pattern": {"type": "null"}}},
     {"pattern": "(?=a)"}, False),
    ("remote reference", {"$ref": "https://a.test/x"}, 1, None),
    ("missing reference", {"$ref": "#/nowhere"}, 1, None),
    ("unknown type", {"type": "colour"}, 1, None),
    ("bound that is text", {"minimum": "1"}, 1, None),
    ("circle", {"$ref": "#"}, 1, None),
    ("look-ahead under not", {"not": {"pattern": "(?=a)"}}, "b", None),
    ("look-ahead in a shared part under not",
     {"$defs": {"p": {"pattern": "(?=a)"}}, "not": {"$ref": "#/$defs/p"}}, "b", None),
    ("doubling, few", doubling(8, "allOf"), "a", True),
    ("doubling, all", doubling(60, "allOf"), "a", None),
    ("doubling, any", doubling(60, "anyOf"), 1, None),
    ("doubling at every level",
     {"allOf": [{"items": {"$ref": "#"}}, {"items": {"$ref": "#"}}]}, nested(60), None),
    ("linear at every level", {"items": {"$ref": "#"}}, nested(60), True),
    ("bomb behind a relative identifier",
     {"$id": "https://a.test/", "$ref": "#/$defs/from", "$defs": {
         "small": {"$id": "t", "type": "string"}, "bomb": {"$id": "https://b.test/t", **BOMB},
         "from": {"$id": "https://b.test/", "$ref": "t"}}}, "a", None),
    ("bomb behind a repeated identifier",
     {"$ref": "#/$defs/small", "$defs": {"small": {"$id": "https://a.test/t", **SMALL},
                                         "bomb": {"$id": "https://a.test/t", **BOMB}}}, "a", None),
    ("bomb behind an empty identifier",
     {"$defs": {**BOMB["$defs"], "small": {"$id": "", **SMALL}}, "$ref": "#/$defs/small"}, "a",
     None),
    ("bomb behind an identifier that nobody reads",
     {**BOMB, "components": {"$id": "https://a.test/t", **SMALL}, "$ref": "#/components"}, "a",
     None),
    ("bomb behind a repeated anchor",
     {"$defs": {**BOMB["$defs"], "small": {"$anchor": "x", "type": "string"},
                "bomb": {"$anchor": "x", "$ref": "#/$defs/a0"}}, "$ref": "#x"}, "a", None),
    ("bomb behind a dynamic anchor",
     {"$ref": "https://a.test/t", "$defs": {
         **BOMB["$defs"], "bomb": {"$dynamicAnchor": "x", "$ref": "#/$defs/a0"},
         "small": {"$id": "https://a.test/t", "$dynamicRef": "#x",
                   "$defs": {"x": {"$dynamicAnchor": "x", "type": "string"}}}}}, "a", None),
    ("embedded schema with references of its own",
     {"$ref": "https://a.test/t", "$defs": {"a0": {"type": "null"},
                                            "small": {"$id": "https://a.test/t", **SMALL}}},
     "a", True),
    ("regex that backtracks", {"pattern": "^(a*)*b$"}, "a" * 50_000, False),
    ("lone surrogate", {"type": "string"}, "\ud800", None),
]  # fmt: skip


@table(
    "schema, value, verdict", [case[1:] for case in VERDICTS], ids=[case[0] for case in VERDICTS]
)
def test_verdicts(schema, value, verdict):
    found = judge(schema)
    assert found.accepts(value) is verdict
    assert bool(found.problems(value)) is (verdict is False)


SKIPPED = [
    ("pattern", {"properties": {"a": {"type": "string", "pattern": "(?!x)y"}}},
     "/properties/a/pattern", {"a": "z"}, {"a": 1}),
    ("pattern of names", {"patternProperties": {"(?!x)": {}, "^b$": {"type": "null"}},
                          "additionalProperties": False},
     "/patternProperties/(?!x)", {"any": 1, "b": None}, {"b": 1}),
    ("pattern in a list", {"anyOf": [{"pattern": "(a)\\1"}, {"type": "null"}], "maxLength": 2},
     "/anyOf/0/pattern", "aa", "aaa"),
]  # fmt: skip


@pytest.mark.parametrize(
    "schema, at, good, bad", [case[1:] for case in SKIPPED], ids=[case[0] for case in SKIPPED]
)
def test_patterns_that_cannot_be_run_are_left_out_and_reported(schema, at, good, bad):
    found = judge(schema)
    assert found.judged
    assert [str(place) for place in found.skipped] == [at]
    assert (found.accepts(good), found.accepts(bad)) == (True, False)


def test_problems_have_place_keyword_and_a_short_message():
    schema = {"properties": {"a/b": {"items": {"type": "integer"}}}, "required": ["c"]}
    found = judge(schema).problems({"a/b": [1, "x" * 10_000]})
    assert {(str(p.at), p.keyword) for p in found} == {("", "required"), ("/a~1b/1", "type")}
    assert all(0 < len(p.message) < 400 for p in found)
    assert all(isinstance(p.at, Pointer) for p in found)


def test_problems_are_few():
    assert len(judge({"items": {"type": "null"}}).problems([1] * 1000)) == 20


def test_the_same_schema_is_compiled_once():
    assert judge({"type": "null", "title": "t"}) is judge({"type": "null", "title": "t"})


# A part that no validator takes, where it is left out, what it still takes and refuses.
UNREADABLE = [
    ({"$ref": "https://a.test/x.json"}, ["/$ref"], 1, None),
    ({"$ref": "#/nowhere"}, ["/$ref"], 1, None),
    ({"$ref": "#/nowhere", "type": "string"}, ["/$ref"], "a", 1),
    ({"$dynamicRef": "#nowhere"}, ["/$dynamicRef"], 1, None),
    ({"$ref": "#/components/odd"}, ["!/components/odd/type"], 1, None),
    ({"$ref": "#/properties/part"}, [], 1, None),
    ({"type": "colour"}, ["/type"], 1, None),
    ({"type": []}, ["/type"], 1, None),
    ({"type": ["string", "colour"]}, ["/type"], "a", None),
    ({"allOf": []}, ["/allOf"], 1, None),
    ({"items": None}, ["/items"], [1], None),
    ({"items": "string", "type": "array"}, ["/items"], [1], 1),
    ({"prefixItems": [None, {"type": "null"}]}, ["/prefixItems"], [1, None], [None, 1]),
    ({"prefixItems": 5, "items": False}, ["/prefixItems", "/items"], [1], None),
    ({"description": 5, "type": "null"}, ["/description"], None, 1),
    ({"maxLength": -1}, ["/maxLength"], "a", None),
    ({"multipleOf": 0}, ["/multipleOf"], 1, None),
    ({"minimum": None, "maximum": 3}, ["/minimum"], 1, 4),
    ({"required": "a"}, ["/required"], {}, None),
    ({"additionalProperties": "string"}, ["/additionalProperties"], {"a": 1}, None),
    ({"properties": [], "additionalProperties": False}, ["/properties", "/additionalProperties"],
     {"a": 1}, None),
    ({"properties": {"a": None}, "additionalProperties": False}, ["/properties"], {"a": 1},
     {"b": 1}),
    ({"$id": "#foo", "type": "null"}, [], None, 1),
    ({"$anchor": "1 x", "type": "null"}, [], None, 1),
    ({"pattern": "(", "maxLength": 1, "type": 5}, ["/pattern", "/type"], "a", "aa"),
    # Where less said would be more refused, more is left out.
    ({"not": {"type": "colour"}}, ["/not/type"], 1, None),
    ({"not": {"not": {"$ref": "#/nowhere"}}}, ["/not/not/$ref"], 1, None),
    ({"if": {"$ref": "#/nowhere"}, "then": False}, ["/if/$ref"], 1, None),
    ({"oneOf": [{"pattern": "(?=a)"}, {"type": "integer"}, {"type": "null"}]},
     ["/oneOf/0/pattern"], 1, None),
    ({"oneOf": [{"$ref": "#/nowhere", "type": "string"}, {"minLength": 1, "type": "string"}]},
     ["/oneOf/0/$ref"], "a", 1),
    ({"contains": {"type": "colour"}, "maxContains": 1}, ["/contains/type", "/maxContains"],
     [1, 2], []),
    ({"contains": {"type": "null"}, "minContains": -1}, ["/minContains", "/contains"], [1], None),
    ({"$ref": "#/nowhere", "unevaluatedProperties": False}, ["/$ref", "/unevaluatedProperties"],
     {"a": 1}, None),
    ({"patternProperties": {"(": {}}, "additionalProperties": False, "maxProperties": "1"},
     ["/patternProperties", "/maxProperties"], {"a": 1}, None),
]  # fmt: skip


@table("part, left_out, good, bad", UNREADABLE)
def test_one_unreadable_part_leaves_the_rest_to_be_judged(part, left_out, good, bad):
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "part": part},
        "required": ["n"],
        "components": {"odd": {"type": "hue"}},
    }
    found = lenient_judge(schema)
    assert judge(schema).accepts({"n": 1, "part": good}) is None
    places = [place[1:] if place[0] == "!" else f"/properties/part{place}" for place in left_out]
    assert sorted(map(str, found.skipped)) == sorted(places)
    assert found.accepts({"n": 1, "part": good}) is True
    assert bad is None or found.accepts({"n": 1, "part": bad}) is False
    assert [str(p.at) for p in found.problems({"n": "x", "part": good})] == ["/n"]
    assert [p.keyword for p in found.problems({"part": good})] == ["required"]


def test_what_can_be_judged_has_one_judge():
    for schema in (True, {"type": "null"}, {"properties": {"a": {"$ref": "#"}}}):
        assert lenient_judge(schema) is judge(schema)


def test_bombs_stay_bombs():
    for word in ("allOf", "anyOf"):
        assert lenient_judge(doubling(60, word)).accepts("a") is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
WORDS = st.sampled_from(
    "type properties items anyOf not $ref $id $defs pattern patternProperties minimum a".split()
)


@given(st.dictionaries(WORDS, JSON | st.just("#"), max_size=4), JSON)
def test_no_schema_and_no_value_raises(schema, value):
    found = judge(schema)
    verdict = found.accepts(value)
    assert bool(found.problems(value)) is (verdict is False)
    assert found.judged or verdict is None
    lenient = lenient_judge(schema)
    assert lenient.judged
    assert verdict is None or lenient.accepts(value) is verdict


SMALL_VALUES = st.sampled_from([None, 1, "a", [], [1], ["a", 1], {}, {"a": 1}, {"a": "a", "b": 1}])
PARTS = st.recursive(
    st.sampled_from([{"type": "integer"}, {"type": "string"}, {"const": 1}, {"minLength": 1}, {}]),
    lambda inner: st.one_of(
        *(inner.map(lambda part, word=word: {word: part}) for word in (
            "not", "items", "contains", "additionalProperties", "unevaluatedProperties")),
        *(st.lists(inner, min_size=1, max_size=3).map(lambda parts, word=word: {word: parts})
          for word in ("oneOf", "anyOf", "allOf", "prefixItems")),
        st.builds(lambda *parts: dict(zip(("if", "then", "else"), parts, strict=True)),
                  inner, inner, inner),
        st.dictionaries(st.sampled_from("ab"), inner).map(lambda table: {"properties": table}),
        st.builds(lambda one, other: {**one, **other}, inner, inner),
        inner.map(lambda part: {"contains": part, "maxContains": 1}),
    ),
    max_leaves=6,
)  # fmt: skip


def spoilt(node, odd):
    """A schema with something unreadable in every node."""
    if isinstance(node, list):
        return [spoilt(item, odd) for item in node]
    if not isinstance(node, dict):
        return node
    below = {
        word: {name: spoilt(item, odd) for name, item in value.items()}
        if word == "properties"
        else value if word == "const" else spoilt(value, odd)
        for word, value in node.items()
    }  # fmt: skip
    return {**below, **odd}


@given(PARTS, SMALL_VALUES, st.sampled_from([{"$ref": "#/nowhere"}, {"required": "a"}]))
def test_nothing_is_refused_for_what_was_left_out(schema, value, odd):
    if judge(schema).accepts(value):
        assert lenient_judge(spoilt(schema, odd)).accepts(value)
    assert lenient_judge({"allOf": [schema, {"type": 5}]}).accepts(value) in (
        judge(schema).accepts(value), True)  # fmt: skip
