"""YAML is read as the JSON it stands for, within the same limits."""

import builtins

import pytest

from toolcanon.errors import DuplicateKey, LimitExceeded, MalformedJson, MissingPackage
from toolcanon.jsonio import DEFAULT_LIMITS, Limits, Pointer
from toolcanon.sources.yaml import load_yaml, places_in_yaml

VALUES = {
    "a: 1\nb: [true, null, 1.5, text]": {"a": 1, "b": [True, None, 1.5, "text"]},
    "day: 2020-01-01": {"day": "2020-01-01"},
    "200: {x: y}": {"200": {"x": "y"}},
    "a: &x {b: 1}\nc: *x": {"a": {"b": 1}, "c": {"b": 1}},
    "": None,
    "text": "text",
}


@pytest.mark.parametrize("text", VALUES)
def test_values(text):
    assert load_yaml(text.encode(), DEFAULT_LIMITS).value == VALUES[text]


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
        ("a: &a {b: 1}\nc: {<<: *a}", MalformedJson),
        ("!!python/object/apply:os.system ['true']", MalformedJson),
        ("a: &a [*a]", LimitExceeded),
        ("[" * 400 + "]" * 400, LimitExceeded),
        (BOMB, LimitExceeded),
    ],
)
def test_refused(text, error):
    try:
        value = load_yaml(text.encode(), DEFAULT_LIMITS).value
    except error:
        return
    assert "python/object" in text
    assert value == ["true"]  # words, and nothing that was run


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
