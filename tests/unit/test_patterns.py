"""A pattern that is told as broken is broken for every engine that can be asked."""

import re
import warnings

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcanon.checking.patterns import flaw

BROKEN = {
    "(": "a ( is never closed",
    "a)": "a ) closes nothing",
    "[a": "a [ is never closed",
    "a\\": "it ends with a backslash",
    "*a": "there is nothing that * could repeat",
    "(+)": "there is nothing that + could repeat",
    "a|?": "there is nothing that ? could repeat",
    "a**": "there is nothing that * could repeat",
    "a*?*": "there is nothing that * could repeat",
    "a{3,1}": "{3,1} counts down",
    "[az-bc]": "z-b counts down",
    "[^z-a]": "z-a counts down",
}
FINE = [
    "", "a*?", "a++", r"\(", "[(]", "[]a]", "[^]]", "a{2}?", "a{", "a{,3}", "(?:a)", "(?=a)b",
    "(?<!a)b", "(?P<n>a)", "(?<n>a)", "(?i)a", "[a-]", "[-a]", r"[\]]", r"[\w-.]", "]", "}", "^*",
    "(?#()", r"\p{L}", "[a--b]",
]  # fmt: skip


@pytest.mark.parametrize("pattern", BROKEN)
def test_what_is_broken(pattern):
    assert flaw(pattern) == BROKEN[pattern]


@pytest.mark.parametrize("pattern", FINE)
def test_what_some_engine_may_read(pattern):
    assert flaw(pattern) is None


def reads(pattern):
    """Whether one of two engines reads it; the patterns are our own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            re.compile(pattern)
        except (re.error, OverflowError):
            pass
        else:
            return True
    try:
        jsonschema_rs.Draft202012Validator({"pattern": pattern})
    except ValueError:
        return False
    return True


@given(st.text("ab()[]{}|*+?\\^-$,12:=!<", max_size=8))
def test_it_is_never_claimed_of_one_that_can_be_read(pattern):
    assert flaw(pattern) is None or not reads(pattern)


@pytest.mark.parametrize("piece", ["(", "[", "\\", "a{", "[a-", "(?", "*", "[\\"])
def test_long_ones_take_linear_time(piece):
    flaw(piece * 200_000)
