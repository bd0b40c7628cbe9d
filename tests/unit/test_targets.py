"""Targets by name: the same grammar in convert, bind and the command; contradictions are errors."""

import json

import pytest
from click.testing import CliRunner

import toolcanon as tc
from toolcanon.cli.main import toolcanon as command
from toolcanon.errors import BadOption, NotWritable, UnknownDialect, UnknownFormat, UsageError

TOOL = {
    "name": "f",
    "description": "d",
    "input_schema": {"type": "object", "properties": {"a": {"type": "string"}}},
}
SAME = [
    ("openai/strict", {"to": "openai", "strict": True}),
    ("openai/strict@2026-11", {"to": "openai", "dialect": "openai/strict@2026-11"}),
    ("openai@2026-11", {"to": "openai"}),
    ("openai-responses/strict", {"to": "openai-responses", "strict": True}),
    ("gemini/openapi", {"to": "gemini", "dialect": "gemini/openapi"}),
    ("mcp/cursor:server", {"to": "mcp", "dialect": "mcp/cursor:server"}),
    ("json-schema/draft-07", {"to": "json-schema", "dialect": "json-schema/draft-07"}),
]


@pytest.mark.parametrize("name, options", SAME)
def test_a_target_may_name_a_dialect(name, options):
    expected = tc.convert(TOOL, **options)
    done = tc.convert(TOOL, name)
    assert (done.payload, list(done.losses)) == (expected.payload, list(expected.losses))
    assert done.receipt()["tools"][0]["dialect"] == expected.receipt()["tools"][0]["dialect"]
    assert tc.bind(tc.read(TOOL), name).payload == tc.bind(tc.read(TOOL), **options).payload
    assert tc.Converter(to=name)(TOOL) == expected.payload
    ran = CliRunner().invoke(command, ["convert", "-t", name, "-q"], input=json.dumps(TOOL))
    assert json.loads(ran.stdout) == expected.payload


@pytest.mark.parametrize(
    "name, meant",
    [
        ("claude", "anthropic"), ("Claude", "anthropic"), ("google", "gemini"), ("gpt", "openai"),
        ("vertex", "gemini"), ("claude/strict", "anthropic/strict"),
        ("gpt/strict", "openai/strict"), ("claude/unheard-of", "anthropic"),
    ],
)  # fmt: skip
def test_a_common_name_gets_a_suggestion(name, meant):
    for asked in (tc.convert, tc.bind):
        with pytest.raises(UnknownFormat) as caught:
            asked(TOOL, name)
        assert caught.value.near == meant
        assert f"did you mean {meant!r}?" in str(caught.value)
    with pytest.raises(UnknownFormat, match=f"did you mean '{meant}'"):
        tc.switch([{"role": "user", "content": "x"}], name)
    for line in (["convert", "-t", name], ["show", "-", "--to", name], ["switch", "--to", name]):
        ran = CliRunner().invoke(command, line, input=json.dumps(TOOL))
        assert ran.exit_code == 2
        assert f"did you mean {meant!r}?" in ran.stderr, line


@pytest.mark.parametrize(
    "name, error",
    [("openai/strct", UnknownDialect), ("openai/strict@1999", UnknownDialect),
     ("openai/", UnknownDialect), ("raw/x", NotWritable), ("morse/x", UnknownFormat)],
)  # fmt: skip
def test_what_does_not_exist_is_refused(name, error):
    with pytest.raises(error):
        tc.convert(TOOL, name)


@pytest.mark.parametrize(
    "options",
    [
        {"dialect": "gemini/openapi"}, {"dialect": "openai/strict@2026-11"}, {"strict": "auto"},
        {"lower": False}, {"model": "claude-opus-4-6"},
    ],
)  # fmt: skip
def test_an_option_that_contradicts_the_target_is_refused(options):
    with pytest.raises(UsageError):
        tc.convert(TOOL, "openai/strict", **options)
    with pytest.raises(UsageError):
        tc.bind(TOOL, "openai/strict", **options)


@pytest.mark.parametrize(
    "options", [{"strict": True}, {"dialect": "openai/strict"}, {"model": "gpt-5"}]
)
def test_an_option_that_agrees_with_the_target_is_taken(options):
    assert tc.convert(TOOL, "openai/strict", **options).payload["function"]["strict"] is True


@pytest.mark.parametrize("value", ["yes", "true", "", None, 2, ["auto"]])
def test_a_value_that_strict_does_not_take_is_refused(value):
    with pytest.raises(BadOption) as caught:
        tc.convert(TOOL, "openai", strict=value)
    assert (caught.value.option, caught.value.value) == ("strict", value)
    assert isinstance(caught.value, UsageError)


ASKERS = {
    "convert": lambda name: tc.convert(TOOL, name),
    "dialect": lambda name: tc.convert(TOOL, "openai", dialect=name),
    "bind": lambda name: tc.bind(tc.read(TOOL), name),
    "rows": lambda name: tc.Converter(to=name),
    "switch": lambda name: tc.switch([{"role": "user", "content": "hi"}], name),
    "lint": lambda name: tc.lint([{"role": "user", "content": "hi"}], name),
    "write": lambda name: tc.write_conversation(tc.read_conversation([{"role": "user"}]), name),
}


@pytest.mark.parametrize("asker", ASKERS)
def test_a_name_of_another_sort_is_an_error_with_advice(asker):
    for name, near in (("claude", "anthropic"), ("google", "gemini"), ("gpt", "openai")):
        with pytest.raises(UsageError, match=f"did you mean '{near}'"):
            ASKERS[asker](name)
    for value in (5, b"x", ["anthropic"], {"anthropic": 1}):
        with pytest.raises(UsageError):
            ASKERS[asker](value)
    if asker not in {"dialect", "lint"}:  # where no name is an answer
        with pytest.raises(UsageError):
            ASKERS[asker](None)


def test_check_suggests_the_target_that_was_meant():
    for name, near in (("claude", "anthropic"), ("anthropc", "anthropic"), ("aws", "bedrock")):
        (found,) = [one for one in tc.check(TOOL, name).findings if one.code == "C204"]
        assert found.remedy == f"did you mean {near!r}?"
    for value in (5, [None], b"x", [["anthropic"]]):
        assert "C204" in [one.code for one in tc.check(TOOL, value).findings]
