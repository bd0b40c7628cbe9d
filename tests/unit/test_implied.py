"""A bound is implied only where that is proved, and never where a value shows otherwise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.lens_laws import violations
from tests.tables import table
from tests.unit.test_steps import dialect_of
from toolcanon.diagnostics import Effect
from toolcanon.lowering import lower
from toolcanon.schema.algebra.constraints import is_implied
from toolcanon.schema.sampling.scalars import widths
from toolcanon.schema.validate import judge

TEXT, WHOLE, NUMBER = ({"type": word} for word in ("string", "integer", "number"))

IMPLIED = [
    ("maximum", 10, {**WHOLE, "exclusiveMaximum": 11}),
    ("maximum", 10, {**NUMBER, "exclusiveMaximum": 10}),
    ("minimum", -1, {**NUMBER, "minimum": 0}),
    ("minimum", 5, {"multipleOf": 4, "exclusiveMinimum": 4}),
    ("exclusiveMinimum", 2, {**WHOLE, "minimum": 2.5}),
    ("exclusiveMaximum", 10, {**NUMBER, "exclusiveMaximum": 10}),
    ("multipleOf", 0.1, WHOLE),
    ("multipleOf", 1, {"type": ["integer", "null"]}),
    ("multipleOf", 5, {**WHOLE, "minimum": 9, "maximum": 11, "multipleOf": 10}),
    ("multipleOf", 5, {**WHOLE, "minimum": 10, "maximum": 10}),
    ("multipleOf", 0.25, {**NUMBER, "minimum": 0.5, "maximum": 0.5}),
    ("maximum", 1, {**NUMBER, "minimum": 7, "maximum": 6}),
    ("maxLength", 3, {**TEXT, "pattern": "^[a-z]{1,3}$"}),
    ("maxLength", 3, {**TEXT, "pattern": "^(?:abc|[0-9]{2})$"}),
    ("maxLength", 1, {**TEXT, "pattern": "^a$|^b$"}),
    ("minLength", 2, {**TEXT, "pattern": "[a-z]{2}"}),
]
FREE = [
    ("maxLength", 63, {**TEXT, "pattern": "^[a-z0-9-]+$"}),
    ("maxLength", 2048, {**TEXT, "pattern": "^https://"}),
    ("maxLength", 255, {**TEXT, "pattern": "^[a-z][a-z.]{0,62}(/[a-z]+)*$"}),
    ("maxLength", 1, {**TEXT, "pattern": "^a|b$"}),
    ("maxLength", 3, {**TEXT, "pattern": "^[a-z]{3}"}),
    ("minLength", 3, {**TEXT, "pattern": "^[a-z]{2,}$"}),
    ("multipleOf", 5, {**WHOLE, "minimum": 10}),
    ("multipleOf", 5, {**WHOLE, "minimum": 10, "maximum": 20}),
    ("multipleOf", 0.01, {**NUMBER, "minimum": 100}),
    ("multipleOf", 0.01, {**NUMBER, "minimum": 0, "maximum": 1}),
    ("multipleOf", 1, {"minimum": 3}),
    ("maximum", 10, {**NUMBER, "exclusiveMaximum": 11}),
    ("exclusiveMaximum", 10, {**NUMBER, "maximum": 10}),
    ("minimum", 2, {**WHOLE, "exclusiveMinimum": 0}),
]


@table("key, value, rest", IMPLIED)
def test_what_is_implied_goes_without_a_trace(key, value, rest):
    assert is_implied(key, value, rest)
    if key not in rest:
        lowered, found = dropped(key, value, rest)
        assert not lowered.effect & Effect.WIDENED
        assert "description" not in lowered.schema["properties"]["x"]
        assert found == []


@table("key, value, rest", FREE)
def test_what_is_not_implied_is_reported_and_a_value_shows_it(key, value, rest):
    assert not is_implied(key, value, rest)
    lowered, found = dropped(key, value, rest)
    assert lowered.effect & Effect.WIDENED
    assert f"({key}: {value})" in lowered.schema["properties"]["x"]["description"]
    assert found == [], "nobody found the value"


def dropped(key, value, rest):
    schema = {"type": "object", "properties": {"x": {**rest, key: value}}, "required": ["x"]}
    dialect = dialect_of(f"keywords.{key}=REJECTED")
    lowered = lower(schema, dialect)
    return lowered, violations(schema, lowered, dialect)


VALUES = [
    ({"enum": [5, 6]}, "minimum", 5, Effect.EXACT),
    ({"enum": [4, 6]}, "minimum", 5, Effect.WIDENED),
    ({"const": 6}, "minimum", 5, Effect.EXACT),
    ({"const": 4}, "minimum", 5, Effect.WIDENED),
    ({**WHOLE, "enum": [5, 1.5, "a"]}, "minimum", 5, Effect.EXACT),
    ({**WHOLE, "enum": [3, 6], "maximum": 5}, "multipleOf", 3, Effect.EXACT),
]


@pytest.mark.parametrize("rest, key, value, effect", VALUES)
def test_listed_values_are_tried_one_by_one(rest, key, value, effect):
    lowered, found = dropped(key, value, rest)
    assert lowered.effect & (Effect.WIDENED | Effect.NARROWED) == effect
    assert found == []


numbers = st.one_of(st.integers(-6, 6), st.integers(-12, 12).map(lambda n: n / 4))
bounds = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["integer", "number", ["integer", "string"]]),
        "minimum": numbers,
        "maximum": numbers,
        "exclusiveMinimum": numbers,
        "exclusiveMaximum": numbers,
        "multipleOf": st.sampled_from([1, 2, 3, 0.5]),
    },
)
keys = st.sampled_from("minimum maximum exclusiveMinimum exclusiveMaximum multipleOf".split())


@given(rest=bounds, key=keys, value=numbers)
def test_no_number_ever_refutes_a_proof(rest, key, value):
    value = abs(value) or 1 if key == "multipleOf" else value
    if is_implied(key, value, rest):
        fits, keeps = judge(rest).accepts, judge({key: value}).accepts
        assert [n / 8 for n in range(-160, 160) if fits(n / 8) and not keeps(n / 8)] == []


WIDTHS = [
    ("", (0, None)),
    ("^$", (0, 0)),
    ("^.{2,5}$", (2, 5)),
    ("^(a|bc)+$", (1, None)),
    ("^((a{2}|b{3})$)", (2, 3)),
    ("^a?$|^b{4}$", (0, 4)),
    ("^a?|b{4}$", (0, None)),
    ("(^a)?b$", (1, None)),
    ("^(?=abc)a$", (1, 1)),
    (r"^\d{4}-\d{2}$", (7, 7)),
    ("^a{,3}$", (0, None)),  # a repeat to some engines, text to others
    ("(?m)^a$", (0, None)),
    ("^(", (0, None)),
    ("^" + "(" * 300 + "a" + ")" * 300 + "$", None),
]


@table("pattern, expected", WIDTHS)
def test_widths_of_patterns(pattern, expected):
    assert widths(pattern) == expected or expected is None
