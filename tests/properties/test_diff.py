"""What must hold of every comparison: equal is equal, rewrites are cosmetic, tightenings hurt."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import toolcanon as tc
from tests.conftest import format_cases, rows
from tests.drift_edits import REWRITES, TIGHTENINGS, seeded
from toolcanon.diagnostics.change import CHANGES
from toolcanon.drift.diff import diff
from toolcanon.schema.validate import judge

HANDMADE = [
    {"type": "object", "properties": {"q": {"type": "string"},
     "n": {"type": "integer", "minimum": 0},
     "mode": {"type": "string", "enum": ["a", "b", "c"], "default": "a"},
     "tags": {"type": "array", "items": {"type": "string"}},
     "at": {"type": ["string", "null"], "maxLength": 20},
     "one": {"const": "x"}, "any": {"type": ["integer", "boolean"]},
     "deep": {"type": "object", "properties": {"k": {"type": "number"}, "l": {"type": "boolean"}},
              "required": ["k"]}}, "required": ["q"]},
    {"type": "object", "properties": {"tree": {"$ref": "#/$defs/t"}},
     "$defs": {"t": {"type": "object", "properties": {"v": {"type": "string"},
               "next": {"$ref": "#/$defs/t"}}, "required": ["v"]}}},
]  # fmt: skip


def schemas():
    found = list(HANDMADE)
    for _, case in format_cases():
        try:
            found += [tool.input_schema for tool in tc.read(case["definition"])]
        except tc.ToolcanonError:
            continue
    with contextlib.suppress(pytest.skip.Exception):
        found += [tool.input_schema for row in rows("mcp") for tool in tc.read(row["definition"])]
    return [schema for schema in found if schema.get("properties") and judge(schema).judged]


SCHEMAS = schemas()
places = st.integers(0, len(SCHEMAS) - 1)
often = settings(
    max_examples=200,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
)


def tool(schema, **more):
    return {"name": "f", "description": "Does it.", "inputSchema": schema, **more}


@given(places, st.sampled_from(REWRITES), st.integers(0, 2**32))
@often
def test_an_equivalent_rewrite_is_never_more_than_cosmetic(at, rewrite, seed):
    after = rewrite(SCHEMAS[at], seeded(seed))
    if after is None:
        return
    for old, new in ((SCHEMAS[at], after), (after, SCHEMAS[at])):
        report = diff(tool(old), tool(new))
        assert report.verdict in {"identical", "cosmetic"}, [c.to_dict() for c in report.changes]


@given(places, st.sampled_from(TIGHTENINGS), st.integers(0, 2**32))
@often
def test_a_tightening_is_breaking_with_a_confirmed_witness(at, tighten, seed):
    before = SCHEMAS[at]
    after = tighten(before, seeded(seed))
    if after is None or not judge(after).judged:
        return
    report = diff(tool(before), tool(after))
    assert report.verdict in {"breaking", "security"}, [c.to_dict() for c in report.changes]
    proven = [c for c in report.changes if c.verdict == "breaking"]
    assert proven
    for change in proven:
        assert change.witness is not None, change
        assert judge(before).accepts(change.witness.value) is True
        is_refused = judge(after).accepts(change.witness.value) is False
        assert is_refused or change.witness.outcome in {"ignored", "differs"}


@given(places, st.sampled_from(TIGHTENINGS), st.integers(0, 2**32))
@often
def test_a_member_that_is_required_and_not_declared_hides_no_tightening(at, tighten, seed):
    schema = SCHEMAS[at]
    if not {"additionalProperties", "propertyNames", "$ref", "maxProperties"}.isdisjoint(schema):
        return
    before = {**schema, "required": [*schema.get("required", ()), "nobody declared it"]}
    after = tighten(before, seeded(seed))
    if after is None or not judge(after).judged:
        return
    report = diff(tool(before), tool(after))
    assert report.verdict in {"breaking", "security"}, [c.to_dict() for c in report.changes]


@given(places, st.sampled_from([*REWRITES, *TIGHTENINGS]), st.integers(0, 2**32))
@often
def test_the_other_way_round_is_the_mirror_image(at, edit, seed):
    after = edit(SCHEMAS[at], seeded(seed))
    if after is None:
        return
    there, back = (
        [c.name for c in diff(tool(one), tool(other)).changes]
        for one, other in ((SCHEMAS[at], after), (after, SCHEMAS[at]))
    )
    assert all(mirrors(name) & {*back} for name in there), (there, back)
    assert all(mirrors(name) & {*there} for name in back), (there, back)


def mirrors(name):
    """What a change is called when the versions are swapped; new and required is reported once."""
    also = {
        "input-property-removed": {"input-required-added"},
        "input-required-added": {"input-property-removed"},
    }
    return {CHANGES[name].mirror, *also.get(name, ())}


@given(places, st.sampled_from(TIGHTENINGS), st.sampled_from(REWRITES), st.integers(0, 2**32))
@often
def test_a_rewrite_on_top_never_makes_it_less_bad(at, tighten, edit, seed):
    random = seeded(seed)
    after = tighten(SCHEMAS[at], random)
    both = None if after is None else edit(after, random)
    if both is None or not judge(both).judged:
        return
    assert diff(tool(SCHEMAS[at]), tool(both)).verdict in {"breaking", "security", "unknown"}


@given(places)
@often
def test_no_change_reports_nothing(at):
    assert not diff(tool(SCHEMAS[at]), tool(SCHEMAS[at])).changes


@given(st.recursive(st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
                    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
                        st.sampled_from(["type", "properties", "items", "anyOf", "enum", "$ref",
                                         "required", "not", "a", "additionalProperties", "if"]),
                        inner, max_size=4), max_leaves=12),
       st.recursive(st.none() | st.booleans() | st.text(max_size=5),
                    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
                        st.sampled_from(["type", "properties", "items", "anyOf", "oneOf", "$ref",
                                         "required", "allOf", "a", "prefixItems", "default"]),
                        inner, max_size=4), max_leaves=12))  # fmt: skip
@often
def test_odd_schemas_are_compared_without_falling_over(one, other):
    sides = [{"a": {"type": "string"}, **s} if isinstance(s, dict) else {} for s in (one, other)]
    report = diff(tool(sides[0]), tool(sides[1]))
    assert report.verdict
    assert report.to_dict()
