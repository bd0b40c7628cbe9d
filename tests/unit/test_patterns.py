"""A pattern that is reported as broken is broken for every engine that can be asked."""

import re
import warnings

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolcanon as tc
from tests.tables import table
from toolcanon.conversion.target import all_dialects
from toolcanon.diagnostics import Effect
from toolcanon.lowering import lower
from toolcanon.schema.malformed import flaw

TARGETS = ("openai", "anthropic", "gemini", "bedrock", "mcp")

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


@table("pattern", BROKEN)
def test_what_is_broken(pattern):
    assert flaw(pattern) == BROKEN[pattern]


@table("pattern", FINE)
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


@pytest.mark.parametrize(
    "member",
    [
        {"type": "string", "pattern": "("},
        {"type": "object", "patternProperties": {"[z-a]": {"type": "string"}}},
        {"type": "array", "items": {"type": "string", "pattern": "*a"}},
    ],
)
def test_conversion_leaves_out_broken_patterns_and_reports_them(member):
    schema = {"type": "object", "properties": {"a": member}}
    tool = tc.CanonicalTool(name="f", description="Finds words.", inputs=schema)
    report = tc.check(tool, TARGETS)
    assert {cell.verdict for cell in report.cells["f"].values()} == {"lossy"}
    codes = {finding.code for finding in report.findings}
    assert {"C206", "L233"} <= codes
    assert "C209" not in codes
    for target in TARGETS:
        binding = tc.bind(tool, target)
        (loss,) = [loss for loss in binding.losses if loss.code == "L233"]
        assert loss.effect == Effect.WIDENED, target


@pytest.mark.parametrize("target", ["anthropic/strict", "openai/strict", "groq/strict"])
def test_an_enum_without_values_that_gives_way_is_widened(target):
    schema = {"type": "object", "properties": {"a": {"enum": []}}, "required": ["a"]}
    assert lower(schema, all_dialects()[target]).effect & Effect.WIDENED
