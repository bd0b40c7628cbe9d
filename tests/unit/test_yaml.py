"""YAML is read as the JSON it stands for, within the same limits."""

import builtins
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import table
from toolcanon.errors import (
    DuplicateKey,
    LimitExceeded,
    LoneSurrogate,
    MalformedJson,
    MissingPackage,
    NumberOutOfRange,
    ToolcanonError,
)
from toolcanon.jsonio import DEFAULT_LIMITS, Limits, Pointer
from toolcanon.sources.yaml import load_yaml, places_in_yaml

VALUES = {
    "a: 1\nb: [true, null, 1.5, text]": {"a": 1, "b": [True, None, 1.5, "text"]},
    "day: 2020-01-01": {"day": "2020-01-01"},
    "200: {x: y}": {"200": {"x": "y"}},
    "a: &x {b: 1}\nc: *x": {"a": {"b": 1}, "c": {"b": 1}},
    "": None,
    "text": "text",
    # the core schema of 1.2
    "[null, Null, NULL, ~, nULL]": [None, None, None, None, "nULL"],
    "a:": {"a": None},
    "[true, True, TRUE, false, False, FALSE, tRUE]": [True] * 3 + [False] * 3 + ["tRUE"],
    "[NO, SE, on, off, yes, n, Y]": ["NO", "SE", "on", "off", "yes", "n", "Y"],
    "[0, -1, +12, 0123, 0o17, 0x1F, 0b1, 1_000, 0O7]":
        [0, -1, 12, 123, 15, 31, "0b1", "1_000", "0O7"],
    "[1.5, -.5, 1., 1e3, +1.2E-2, 1.5.1, 22:30, 1:2.5]":
        [1.5, -0.5, 1.0, 1000.0, 0.012, "1.5.1", "22:30", "1:2.5"],
    "[2020-01-01T00:00:00Z, =, '12', \"true\", '']":
        ["2020-01-01T00:00:00Z", "=", "12", "true", ""],
    "[!!str 12, !!int '12', !!float 3, !!bool 'true', !!null '', !own 12]":
        ["12", 12, 3.0, True, None, "12"],
    r'"\ud83d\ude00"': "\U0001f600",
    "404: a\ntrue: b\nnull: c\n0x10: d": {"404": "a", "true": "b", "null": "c", "0x10": "d"},
    # merge keys
    "a: &a {b: 1, c: 2}\nd: {<<: *a, c: 3}": {"a": {"b": 1, "c": 2}, "d": {"b": 1, "c": 3}},
    "a: &a {x: 1}\nb: &b {x: 2, y: 2}\nc: {<<: [*a, *b]}":
        {"a": {"x": 1}, "b": {"x": 2, "y": 2}, "c": {"x": 1, "y": 2}},
    "a: &a {x: 1}\nb: &b {<<: *a, y: 2}\nc: {<<: *b}":
        {"a": {"x": 1}, "b": {"x": 1, "y": 2}, "c": {"x": 1, "y": 2}},
    "{'<<': 1}": {"<<": 1},
}  # fmt: skip


@table("text", VALUES)
def test_values(text):
    value = load_yaml(text.encode(), DEFAULT_LIMITS).value
    assert json.dumps(value) == json.dumps(VALUES[text])


def level(name, of):
    return f"{name}: &{name} [" + ", ".join([f"*{of}"] * 9) + "]\n"


LEVELS = zip("abcdefgh", "bcdefghi", strict=True)
BOMB = "a: &a [x]\n" + "".join(level(name, of) for of, name in LEVELS)


@pytest.mark.parametrize(
    "text, error",
    [
        ("a: [", MalformedJson),
        ("a: 1\na: 2", DuplicateKey),
        ("? [a, b]\n: 1", MalformedJson),
        ("!!python/object/apply:os.system ['true']", MalformedJson),
        ("a: &a [*a]", LimitExceeded),
        ("[" * 400 + "]" * 400, LimitExceeded),
        (BOMB, LimitExceeded),
        ("a: &a {<<: *a}", LimitExceeded),
        (BOMB.replace("[", "{<<: [").replace("]", "]}").replace("x", "{x: 1}"), LimitExceeded),
    ],
)
def test_refused(text, error):
    try:
        value = load_yaml(text.encode(), DEFAULT_LIMITS).value
    except error:
        return
    assert "python/object" in text
    assert value == ["true"]  # words, and nothing that was run


PLACED = [
    ("a: 1\nb: .inf", NumberOutOfRange, (2, 4)),
    ("a: [-.Inf]", NumberOutOfRange, (1, 5)),
    ("a: .NaN", NumberOutOfRange, (1, 4)),
    ("a: 1e400", NumberOutOfRange, (1, 4)),
    ("a: 1e-400", NumberOutOfRange, (1, 4)),
    ('a: !!int "abc"', MalformedJson, (1, 4)),
    ('a: !!float "abc"', MalformedJson, (1, 4)),
    ("a: !!int", MalformedJson, (1, 4)),
    ("a: !!bool yes", MalformedJson, (1, 4)),
    ("a: !!null 1", MalformedJson, (1, 4)),
    ("a:\n  <<: 1", MalformedJson, (2, 3)),
    ("a:\n  <<: [1]", MalformedJson, (2, 3)),
    ("<<: {? [b] : 1}", MalformedJson, (1, 8)),
    (r'a: "\UFFFFFFFF"', MalformedJson, (1, 7)),
    (r'a: "\U00110000"', MalformedJson, (1, 7)),
]


@table("text, error, place", PLACED)
def test_errors_have_a_place(text, error, place):
    with pytest.raises(error) as caught:
        load_yaml(text.encode(), DEFAULT_LIMITS)
    assert (caught.value.line, caught.value.column) == place


@pytest.mark.parametrize(
    "text, error, where",
    [
        ("a: " + "1" * 5000, LimitExceeded, "line 1, column 4"),
        ("a: 1." + "1" * 5000, LimitExceeded, "line 1, column 4"),
        (r'a: ["\ud800"]', LoneSurrogate, "line 1, column 5"),
        (r'"\ude00\ud83d": 1', LoneSurrogate, "line 1, column 1"),
        ('200: 1\n"200": 2', DuplicateKey, "line 2"),
    ],
)
def test_what_json_would_refuse_is_refused(text, error, where):
    with pytest.raises(error, match=where):
        load_yaml(text.encode(), DEFAULT_LIMITS)


def test_a_digit_too_many_whatever_the_limits():
    with pytest.raises(LimitExceeded, match="digits"):
        load_yaml(b"1" * 50_000, Limits(digits=10**6))


@given(st.text(st.sampled_from("ab<&*!?:-.,01x~'\"\\ue[]{}|>%@#\t\n "), max_size=40))
def test_any_text_is_a_value_or_a_typed_error(text):
    try:
        value = load_yaml(text.encode(), DEFAULT_LIMITS).value
    except ToolcanonError:
        return
    json.dumps(value, allow_nan=False).encode()


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.sampled_from("ab1<~")), inner),
))  # fmt: skip
def test_json_is_yaml(value):
    assert load_yaml(json.dumps(value).encode(), DEFAULT_LIMITS).value == value


def test_limits():
    with pytest.raises(LimitExceeded):
        load_yaml(b"a: 1", Limits(bytes=2))


def test_without_the_extra(monkeypatch):
    real = builtins.__import__

    def missing(name, *rest):
        if name == "yaml":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(MissingPackage, match=r"toolcanon\[yaml\]"):
        load_yaml(b"a: 1", DEFAULT_LIMITS)


def test_places_are_those_of_keys_and_items():
    text = b"a:\n  - b: 1\n    c: {d: 2}\n  - &x [y]\ne: *x\n"
    wanted = [(), ("a",), ("a", 0), ("a", 0, "c", "d"), ("a", 1, 0), ("e", 0), ("f",), ("a", 9)]
    found = places_in_yaml(text, DEFAULT_LIMITS, map(Pointer, wanted))
    assert {tuple(at): place for at, place in found.items()} == {
        (): (1, 1),
        ("a",): (1, 1),
        ("a", 0): (2, 5),
        ("a", 0, "c", "d"): (3, 9),
        ("a", 1, 0): (4, 9),
        ("e", 0): (4, 9),
    }


def test_places_of_what_is_merged_are_where_it_was_written():
    text = b"a: &a\n  x: 1\n  y: 2\nb:\n  <<: *a\n  y: 3\n"
    wanted = [("b", "x"), ("b", "y")]
    found = places_in_yaml(text, DEFAULT_LIMITS, map(Pointer, wanted))
    assert [found[Pointer(at)] for at in wanted] == [(2, 3), (6, 3)]
    assert places_in_yaml(b"", DEFAULT_LIMITS, [Pointer()]) == {}
