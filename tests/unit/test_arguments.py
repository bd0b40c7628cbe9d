"""Arguments as text: the quick reader and writer against the careful ones."""

import json

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import table
from toolcanon.conversion.sdk_objects import plain_throughout
from toolcanon.formats.wire.codec import (
    NOT_FINITE,
    NOT_JSON,
    NOT_OBJECT,
    arguments_text,
    read_arguments,
)
from toolcanon.ir.conversation import Call
from toolcanon.jsonio.canonical import dumps_exactly, loads_exactly

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.integers(10**17, 10**40) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
OBJECTS = st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3)


@given(OBJECTS, st.sampled_from([None, 1]), st.booleans())
def test_values_are_read_as_written_however_large(value, indent, plain):
    text = json.dumps(value, indent=indent, ensure_ascii=plain)
    read, problem = read_arguments(text)
    assert repr(read) == repr(json.loads(text))  # 1, 1.0 and True are equal but not the same
    assert problem is None
    assert arguments_text(Call("f", read, "c", text)) == text


@given(VALUES, st.booleans())
def test_values_are_parsed_and_written_exactly(value, plain):
    text = json.dumps(value, ensure_ascii=plain)
    for given_text in (text, text.encode()):
        assert repr(loads_exactly(given_text)) == repr(json.loads(text))
    assert repr(json.loads(dumps_exactly(value))) == repr(json.loads(text))


@pytest.mark.parametrize("text", ["", "{", "NaN", "1e999", "9" * 5000, b"\xff", "[" * 3000])
def test_what_cannot_be_parsed_exactly_is_an_error(text):
    with pytest.raises(ValueError):  # noqa: PT011 - whoever parses says why
        loads_exactly(text)


def test_lone_surrogates_are_written_as_escapes():
    assert dumps_exactly({"a": "\ud800"}) == '{"a":"\\ud800"}'


@table(
    "text, value, problem",
    [
        ('{"n":1234567890123456789012}', {"n": 1234567890123456789012}, None),
        ('{"n":-1234567890123456789012}', {"n": -1234567890123456789012}, None),
        ('{"n":18446744073709551616}', {"n": 2**64}, None),
        ("18446744073709551616", 2**64, NOT_OBJECT),
        ('{"digits":"1234567890123456789"}', {"digits": "1234567890123456789"}, None),
        ('{"digits":"٠١٢٣٤٥٦٧٨٩٠١٢٣٤٥٦٧٨٩"}', {"digits": "٠١٢٣٤٥٦٧٨٩٠١٢٣٤٥٦٧٨٩"}, None),
        ('{"n":1e999}', {"n": float("inf")}, NOT_FINITE),
        ('{"n":', None, NOT_JSON),
        ("[1]", [1], NOT_OBJECT),
        ("null", None, NOT_OBJECT),
        ("", None, NOT_JSON),
    ],
)
def test_what_is_wrong_with_a_text_is_reported(text, value, problem):
    assert read_arguments(text) == (value, problem)
    assert arguments_text(Call("f", value, "c", text, problem)) == text


@pytest.mark.parametrize(
    "text, value, written",
    [
        ('{"a":1}', {"a": 2}, '{"a":2}'),
        ('{ "a" : 1 }', {"a": 2}, '{"a":2}'),
        ('{"a":null}', {"a": float("nan")}, '{"a":null}'),
        ('{"a":1}', {"a": 2**70}, '{"a":1180591620717411303424}'),
        ('{"a":1}', None, "{}"),
    ],
)
def test_a_change_of_the_arguments_is_written(text, value, written):
    assert arguments_text(Call("f", value, "c", text)) == written


class Live:
    """As SDKs have them."""

    def __init__(self, **kept):
        self.kept = kept

    def model_dump(self, **_):
        return self.kept


def nested(depth, core):
    for _ in range(depth):
        core = {"a": [core]}
    return core


@table("depth", [0, 1, 5, 20])
@table("live", [Live(x=1), (1, 2), type("Table", (dict,), {})(x=1)])
def test_live_objects_are_found_at_any_depth(depth, live):
    dumped = {"x": 1} if not isinstance(live, tuple) else [1, 2]
    found = plain_throughout({"beside": [1, "x", None], "held": nested(depth, [live])})
    assert found == {"beside": [1, "x", None], "held": nested(depth, [dumped])}
    assert orjson.dumps(found, option=orjson.OPT_PASSTHROUGH_SUBCLASS)


@given(VALUES)
def test_what_is_plain_stays_the_same_object(value):
    assert plain_throughout(value) is value
