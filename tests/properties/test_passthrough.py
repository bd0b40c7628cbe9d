"""The pass-through check: yes only where the engine would change and report nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties.test_lens_laws import DISTINCT, few, roots
from tests.properties.test_single_work import documents
from tests.tables import table
from toolcanon.lowering.engine import lower_anew
from toolcanon.lowering.passthrough import _acts_of, passthrough

VALUES = [
    None, True, 0, 0.5, "", "a", "object", "http://json-schema.org/draft-04/schema#", {"a": 1},
    [], [1], [""], ["a"], ["string", "null"], ["array", "null"], [{"type": "string"}],
    {}, {"a": {}}, {"a": {"type": "string"}}, {"type": "array"}, {"type": "object"},
]  # fmt: skip
PLAIN = {"type": "object", "properties": {"a": {"type": "string"}}}


def passes(dialect, schema, is_root=True):
    check = passthrough(dialect, is_root)
    return check is not None and check(schema)


PASSING = [dialect for dialect in DISTINCT if passes(dialect, PLAIN)]


def test_most_dialects_let_schemas_pass():
    assert len(PASSING) > 5


def agree(schema, dialects=DISTINCT):
    for dialect in dialects:
        for is_root in (True, False):
            if passes(dialect, schema, is_root):
                full = lower_anew(schema, dialect, is_root=is_root)
                assert full.schema is schema, dialect.id
                assert not full.log, dialect.id
                assert not full.rewrites, dialect.id
                assert full.document is None, dialect.id


@few
@given(st.one_of(roots, documents))
def test_what_passes_is_left_alone_by_the_engine(schema):
    agree(schema)


@table("dialect", PASSING, ids=lambda dialect: dialect.id)
def test_every_keyword_is_weighed(dialect):
    """With each value that may mean something, at the root, in a member, in items, in a branch."""
    for key in [*_acts_of(dialect), "x-own", "nullable"]:
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


def test_nothing_passes_where_every_object_is_rewritten():
    closed = next(dialect for dialect in DISTINCT if dialect.closed)
    assert passthrough(closed) is None


def test_values_that_are_not_strings_are_reported():
    for schema in ({**PLAIN, 1: 2}, {**PLAIN, "\ud800": {}}):
        agree(schema, PASSING[:1])


@pytest.mark.parametrize("members", [None, ["x"], "x", 5])
def test_malformed_members_behind_required_names_do_not_pass(members):
    inner = {"required": ["a"], "type": "object", "properties": members}
    for schema in ({"type": "object", "properties": {"a": inner}}, inner):
        for dialect in DISTINCT:
            assert not passes(dialect, schema), dialect.id
            lower_anew(schema, dialect, is_root=True)
