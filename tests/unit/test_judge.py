"""The judge: right where it judges, silent where it cannot, never stuck and never raising."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolcanon.jsonio import Pointer
from toolcanon.schema.judge import judge


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


@pytest.mark.parametrize(
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
def test_patterns_that_cannot_be_run_are_left_out_and_told(schema, at, good, bad):
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


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
WORDS = st.sampled_from(
    "type properties items anyOf not $ref $id $defs pattern patternProperties minimum a".split()
)


@settings(deadline=None)
@given(st.dictionaries(WORDS, JSON | st.just("#"), max_size=4), JSON)
def test_no_schema_and_no_value_raises(schema, value):
    found = judge(schema)
    verdict = found.accepts(value)
    assert bool(found.problems(value)) is (verdict is False)
    assert found.judged or verdict is None
