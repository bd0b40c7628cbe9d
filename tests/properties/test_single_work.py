"""Work that is done once: what a look spares, and what is made only once, change no result."""

import copy
import json
from typing import NamedTuple
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolcanon as tc
from tests.properties.test_lens_laws import DISTINCT, few, roots, schemas, whole
from tests.tables import table
from tests.unit.test_repeated_binding import spoil
from toolcanon.conversion.bind_tool import Quota, excess_of
from toolcanon.conversion.target import find_bind_target
from toolcanon.lowering import lower, memo
from toolcanon.lowering.engine import engine_of, lower_anew
from toolcanon.lowering.lowered import Lowered
from toolcanon.lowering.passthrough import passthrough
from toolcanon.schema.malformed import CHECKED, TEXTS, sound
from toolcanon.schema.measure import Measures, count_nodes, measure
from toolcanon.schema.resources import by_place
from toolcanon.schema.upgrade.type_words import WORDS
from toolcanon.schema.upgrade.walk import upgrade

STRICT = [dialect for dialect in DISTINCT if dialect.strict]
OTHERS = """
    type const default items anyOf properties nullable example x-own additionalProperties $defs not
"""
KEYWORDS = sorted({*CHECKED, *TEXTS, *OTHERS.split()})
junk = st.sampled_from([
    None, True, False, 0, 1, -1, 0.5, 2.0, "", "a", "string", "float", [], ["a"], ["a", "a"], [[]],
    ["string", "null"], ["string"], ["any"], {}, {"a": 1}, {"a": ["b"]}, {"type": "int"}, [1],
    {"a": {"type": "string"}}, [{"type": "string"}], {"$ref": "#", "title": "t"},
])  # fmt: skip
odd = st.dictionaries(st.sampled_from(KEYWORDS), junk, max_size=4)
drafts = st.sampled_from([{}, {}, {"$schema": "http://json-schema.org/draft-07/schema#"},
                          {"$schema": "http://json-schema.org/draft-04/schema#"}])  # fmt: skip
# An object of odd members, itself perhaps odd, of some draft.
documents = st.builds(
    lambda draft, members, more: {**draft, "type": "object", "properties": members, **more},
    drafts,
    st.dictionaries(st.sampled_from("ab"), st.one_of(odd, schemas)),
    st.one_of(st.just({}), odd),
)


@few
@given(documents)
def test_what_the_walk_calls_sound_needs_no_second_look(schema):
    upgraded = upgrade(schema)
    if upgraded.is_sound:
        omitted = []
        assert sound(upgraded.schema, omitted) is upgraded.schema
        assert omitted == []
    if not upgraded.is_addressed:
        assert by_place(upgraded.schema) == (upgraded.schema, [])


@table("key", KEYWORDS)
@table("draft", [{}, {"$schema": "http://json-schema.org/draft-07/schema#"}])
def test_no_keyword_is_passed_by(key, draft):
    values = [None, True, 0, -1, 0.5, "", "a", [], ["a", "a"], [[]], {}, {"a": 1}, {"a": {}}, [{}]]
    for value in values:
        schema = {**draft, "type": "object", "properties": {"a": {"type": "string", key: value}}}
        upgraded = upgrade(schema)
        mended = sound(upgraded.schema, [])
        assert mended is upgraded.schema or not upgraded.is_sound, value


words = st.sampled_from(["string", "float", "INTEGER", "dict", "list", "bool", "number"])
worded = st.recursive(
    words.map(lambda word: {"type": word}),
    lambda inner: st.one_of(
        st.dictionaries(st.sampled_from("ab"), inner, min_size=1).map(
            lambda members: {"type": "dict", "properties": members}
        ),
        inner.map(lambda items: {"items": items, "type": "list"}),
        st.lists(inner, min_size=1, max_size=2).map(lambda branches: {"anyOf": branches}),
    ),
    max_leaves=6,
)


@few
@given(worded)
def test_type_words_are_rewritten_as_the_rules_rewrite_them(inner):
    schema = {"type": "dict", "properties": {"a": inner}, "$defs": {"b": inner}}
    found = upgrade(schema)
    with mock.patch.dict(WORDS, clear=True):
        by_rules = upgrade(schema)
    assert found.log == by_rules.log
    assert json.dumps(found.schema) == json.dumps(by_rules.schema)


def passes(dialect, schema):
    check = passthrough(dialect)
    return check is not None and check(schema)


@table("odd", [None, 5, []])
@table("word", ["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"])
def test_no_look_passes_by_a_member_that_is_no_schema(word, odd):
    inner = {"type": "object", word: {"m": odd}}
    for schema in (inner, {"type": "object", "properties": {"a": inner}}):
        assert not upgrade(schema).is_sound
        for dialect in DISTINCT:
            assert not passes(dialect, schema), dialect.id
            done = lower(schema, dialect)
            told = [loss for loss in done.losses("f", "inputs") if loss.code == "L233"]
            assert [str(loss.at).rpartition("/")[2] for loss in told] == [word], dialect.id
            assert '"m": null' not in json.dumps(done.schema), dialect.id


TOLD = [
    {"type": "json"},
    {"type": "DATE"},
    {"type": "url", "description": "where"},
    {"type": "string", "enum": "a, b"},
    {"type": "array", "items": "string"},
    {"type": "array", "items": ["string"]},
    {"type": "object", "additionalProperties": "str"},
    {"anyOf": ["string", "int"]},
    {"type": "object", "properties": {"u": {"type": "string"}}, "required": "u"},
    {"type": "object", "properties": {"u": {"type": "string", "required": False}},
     "required": ["u"]},
]  # fmt: skip


@table("odd", TOLD)
def test_no_precheck_skips_a_required_report(odd):
    schema = {"type": "object", "properties": {"a": odd}}
    assert upgrade(schema).losses
    for dialect in DISTINCT:
        assert not passes(dialect, schema), dialect.id


class Size(NamedTuple):
    measures: Measures


def small(schema, dialect, **options):
    return Lowered(schema, None, []).surely_fits(dialect, **options)


@few
@given(roots)
def test_a_small_tool_is_within_every_limit(schema):
    for dialect in STRICT:
        written = lower(schema, dialect).schema
        size = Size(measure(written))
        assert not small(written, dialect) or excess_of(size.measures, dialect) is None
        if small(written, dialect, alone=True):
            assert excess_of(size.measures, dialect) is None
            assert Quota(dialect).excess(size) is None
    assert count_nodes(schema) == measure(schema).nodes


DEEP = {"type": "object", "properties": {}, "additionalProperties": False}
for _ in range(11):
    DEEP = {**DEEP, "properties": {"a": DEEP}}


@pytest.mark.parametrize(
    "schema",
    [
        DEEP,
        {"type": "object", "properties": {"a": {"enum": [str(i) for i in range(1001)]}}},
        {"type": "object", "properties": {"a" * 120_001: {"type": "string"}}},
        {"type": "object", "properties": {f"p{i}": {} for i in range(5001)}},
        {"type": "object", "properties": {"a": {"enum": ["x" * 60 + str(i) for i in range(251)]}}},
    ],
)
def test_what_is_too_large_is_not_small(schema):
    dialect = find_bind_target("openai", True).choice.strict
    assert excess_of(measure(schema), dialect) is not None
    assert not small(schema, dialect)


@pytest.mark.parametrize("target", ["anthropic", "bedrock"])
@pytest.mark.parametrize(
    "members",
    [
        {f"p{i}": {"type": "string"} for i in range(25)},
        {f"p{i}": {"type": ["string", "null"]} for i in range(17)},
        {f"p{i}": {"anyOf": [{"type": "string"}, {"type": "integer"}]} for i in range(17)},
    ],
)
def test_what_is_too_much_for_a_request_is_not_small(target, members):
    dialect = find_bind_target(target, True).choice.strict
    schema = {"type": "object", "properties": members, "required": [*members][1:]}
    schema |= {} if len(members) == 17 else {"required": []}
    assert Quota(dialect).excess(Size(measure(schema))) is not None
    assert not small(schema, dialect, alone=True)


ANYTHING = [
    {"type": "object", "properties": {"a": {}}},
    {"type": "object", "properties": {"a": {"description": "d"}, "b": {"oneOf": [{}, {}]}}},
    {"type": "object", "properties": {"a": {"type": "object"}}, "required": ["a"]},
    {"type": "object", "properties": {"a": {}, "b": {"$ref": "#/$defs/any_json"}},
     "$defs": {"any_json": {"type": "string"}}},
]  # fmt: skip


@table("dialect", DISTINCT, ids=lambda dialect: dialect.id)
@table("schema", ANYTHING)
def test_anything_is_the_same_when_it_was_made_before(schema, dialect):
    engine_of.cache_clear()
    first = whole(lower_anew(schema, dialect, is_root=True))
    lower_anew({"type": "object", "properties": {"z": {}}}, dialect, is_root=True)
    again = lower_anew(copy.deepcopy(schema), dialect, is_root=True)
    assert whole(again) == first
    spoil(again.schema)
    spoil(again.document)
    assert whole(lower_anew(schema, dialect, is_root=True)) == first


def test_a_schema_is_kept_when_it_first_comes():
    memo.forget()
    definition = {"name": "once", "input_schema": {"type": "dict", "properties": {}}}
    sizes = []
    for _ in range(3):
        tc.bind(tc.read(copy.deepcopy(definition))[0], "openai")
        sizes.append(len(memo._kept[0]))
    assert sizes == [1, 1, 1]


def test_the_memo_is_bounded_by_weight(monkeypatch):
    memo.forget()
    monkeypatch.setattr(memo, "_MOST_BYTES", 20_000)
    often = {"type": "dict", "properties": {"often": {"type": "str"}}}
    made = lower(often, DISTINCT[0]).schema
    for number in range(200):
        lower({"type": "dict", "properties": {f"p{number}": {"type": "str"}}}, DISTINCT[0])
        assert lower(often, DISTINCT[0]).schema == made
        assert memo._held[0] <= 10_000
    assert sum(map(len, memo._kept)) < 50
    assert any(b"often" in key[2] for generation in memo._kept for key in generation)
    memo.forget()
