"""The first glance and the proof of a quick parse: yes only where the long way says the same."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.properties.test_lens_laws import DISTINCT, few, roots
from tests.properties.test_short_cuts import documents, junk
from toolcanon.jsonio import loads
from toolcanon.jsonio.quick import DEEPEST_WRITTEN, UNPROVEN, proven
from toolcanon.lowering import quick
from toolcanon.lowering.closing import closing
from toolcanon.lowering.engine import lower_fully
from toolcanon.lowering.quick import acts_of
from toolcanon.lowering.unchanged import unchanged

VALUES = [
    None, True, 0, 0.5, "", "a", "object", "http://json-schema.org/draft-04/schema#", {"a": 1},
    [], [1], [""], ["a"], ["string", "null"], ["array", "null"], [{"type": "string"}],
    {}, {"a": {}}, {"a": {"type": "string"}}, {"type": "array"}, {"type": "object"},
]  # fmt: skip
PLAIN = {"type": "object", "properties": {"a": {"type": "string"}}}
GLANCING = [d for d in DISTINCT if unchanged(d)(PLAIN)]
CLOSING = [d for d in DISTINCT if closing(d)(PLAIN)]


def test_most_dialects_have_a_glance():
    assert len(GLANCING) > 5


def test_some_dialects_only_close_objects():
    assert CLOSING


def agree(schema, dialects=DISTINCT):
    for dialect in dialects:
        if unchanged(dialect)(schema):
            assert quick(dialect)(schema) is schema, dialect.id
        closed = closing(dialect)(schema)
        if closed is not None:
            full = lower_fully(schema, dialect, is_root=True)
            assert json.dumps(closed.schema) == json.dumps(full.schema), dialect.id
            assert closed.losses("f", "inputs") == full.losses("f", "inputs"), dialect.id
            assert closed.document is full.document is None, dialect.id


@few
@given(st.one_of(roots, documents))
def test_what_is_unchanged_at_a_glance_is_so_at_a_look(schema):
    agree(schema)


@pytest.mark.parametrize("dialect", [*GLANCING, *CLOSING], ids=lambda dialect: dialect.id)
def test_every_keyword_is_weighed(dialect):
    """With each value that may mean something, at the root, in a member, in items, in a branch."""
    for key in [*acts_of(dialect), "x-own", "nullable"]:
        for value in VALUES:
            for kind in ({}, {"type": "string"}, {"type": "array"}, PLAIN):
                node = {**kind, key: value}
                for where in (
                    {"properties": {"a": node}},
                    {"properties": {"a": {"items": node}}},
                    {"properties": {"a": {"anyOf": [node]}}},
                    node,
                ):
                    agree({**PLAIN, **where, "type": "object"}, [dialect])


@pytest.mark.parametrize("name", ["a", "a.b", "", "ä", "a\n", "x" * 64, "x" * 65, "strict", "a b"])
def test_names_of_members_are_weighed(name):
    agree({"type": "object", "properties": {name: {"type": "string"}}})


OBJECT = {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}


@pytest.mark.parametrize("dialect", CLOSING, ids=lambda dialect: dialect.id)
@pytest.mark.parametrize(
    "inner, is_closed",
    [
        (OBJECT, True),
        ({**OBJECT, "additionalProperties": False}, True),
        ({"type": "array", "items": {**OBJECT, "properties": {"b": OBJECT}}}, True),
        ({**OBJECT, "additionalProperties": True}, False),
        ({**OBJECT, "additionalProperties": {"type": "string"}}, False),
        ({**OBJECT, "required": ["b", "c"]}, False),
        ({**OBJECT, "properties": {}}, False),
        ({"properties": {"b": {"type": "string"}}}, False),
        ({"type": "string", "minLength": 1}, False),
    ],
)
def test_objects_are_closed_at_every_depth_and_nothing_else_is_done(dialect, inner, is_closed):
    schema = {"type": "object", "properties": {"a": inner}}
    before = json.dumps(schema)
    assert (closing(dialect)(schema) is not None) == is_closed
    agree(schema, [dialect])
    assert json.dumps(schema) == before


def test_a_dialect_may_have_no_glance():
    closed = next(dialect for dialect in DISTINCT if dialect.closed)
    assert not unchanged(closed)(PLAIN)


def test_what_is_no_text_is_not_known():
    for schema in ({**PLAIN, 1: 2}, {**PLAIN, "\ud800": {}}):
        assert not unchanged(GLANCING[0])(schema)


# Texts that are nearly JSON, with all that a quick parser does not tell.
tokens = st.sampled_from([
    "{", "}", "[", "]", ",", ":", " ", "\n", '"a"', '"b c"', '"\\u00e9"', '"é"', '"\\\\u00e9"',
    '"\\\\"', '"\\""', '"\\u0022"', '"\\ud83d\\ude00"', '"\\u005c"', "1", "1.0", "1e2", "-0",
    "0.10", "12345678901234567890123", "true", "null",
])  # fmt: skip
members = st.lists(
    st.tuples(st.sampled_from(['"a"', '"\\u0061"', '"b c"', '"\\\\u00e9"', '"é"', '"\\u00e9"']),
              st.one_of(tokens, junk.map(json.dumps))), max_size=4)  # fmt: skip
objects = st.builds(
    lambda pairs, comma, colon: "{" + comma.join(f"{k}{colon}{v}" for k, v in pairs) + "}",
    members, st.sampled_from([",", ", ", " ,\n "]), st.sampled_from([":", ": ", " : "]),
)  # fmt: skip


@few
@given(st.one_of(objects, st.lists(tokens, max_size=9).map("".join)))
@example('{"\\\\u00e9":1,"\\\\u00e9":1}')
@example('{"a": 1, "a": 1}')
@example('{"a": "x y", "b": [1, 2.5]}')
def test_what_is_proven_is_what_the_standard_library_reads(text):
    value = proven(text.encode())
    if value is UNPROVEN:
        return
    exact = json.loads(text, parse_float=str, parse_int=str)
    keys = json.loads(text, object_pairs_hook=lambda found: (len(dict(found)), len(found), found))
    assert json.dumps(value) == json.dumps(json.loads(text))
    assert spelled(value) == exact
    assert all_unique(keys)


def spelled(value):
    """Numbers as they are written."""
    if isinstance(value, dict):
        return {key: spelled(item) for key, item in value.items()}
    if isinstance(value, list):
        return [spelled(item) for item in value]
    return value if value.__class__ in {str, bool, type(None)} else json.dumps(value)


def all_unique(value):
    if isinstance(value, tuple):
        kept, stood, found = value
        return kept == stood and all(all_unique(item) for _, item in found)
    return all(map(all_unique, value)) if isinstance(value, list) else True


@pytest.mark.parametrize(
    "text, is_proven",
    [
        ('{"a": 1, "b": "x y"}\n', True),
        ('{\n    "a": [\n        1\n    ]\n}', True),
        ('{"a": "\\u4e2d \\u20ac", "b": 1}', True),
        ('{"a": "é", "b": 1}', True),
        ('{"a": "\\ud83d\\ude00 \\u00e9"}', True),
        ('{"a": 1, "a": 1}', False),
        ('{"a": 1.50}', False),
        ('{"a": -0}', False),
        ("[" * DEEPEST_WRITTEN + "]" * DEEPEST_WRITTEN, True),
        ("[" * (DEEPEST_WRITTEN + 1) + "]" * (DEEPEST_WRITTEN + 1), False),
    ],
)
def test_proofs(text, is_proven):
    value = proven(text.encode())
    assert (value is not UNPROVEN) == is_proven
    assert not is_proven or value == loads(text).value
