"""Targets by name: the same grammar in convert, bind and the command; contradictions are errors."""

import dataclasses
import json
import pickle

import pytest
from click.testing import CliRunner

import toolcanon as tc
from toolcanon.cli.main import toolcanon as command
from toolcanon.config import Config
from toolcanon.errors import (
    BadConfig,
    BadOption,
    NotWritable,
    UnknownDialect,
    UnknownFormat,
    UnknownProfile,
    UsageError,
)

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


VALUES = [
    (tc.Target("openai", strict=True), {"to": "openai", "strict": True}),
    (tc.Target("openai/strict"), {"to": "openai/strict"}),
    (tc.Target("openai", dialect="gemini/openapi"), {"to": "openai", "dialect": "gemini/openapi"}),
    (tc.Target("openai", model="gemini-2.5-pro", via="litellm"),
     {"to": "openai", "model": "gemini-2.5-pro", "via": "litellm"}),
    (tc.Target("anthropic", naming="pascal"), {"to": "anthropic", "naming": "pascal"}),
    (tc.Target("anthropic", naming={"f": "Find"}), {"to": "anthropic", "naming": {"f": "Find"}}),
]  # fmt: skip


@pytest.mark.parametrize("target, options", VALUES, ids=str)
def test_a_target_holds_the_options_of_a_name(target, options):
    expected = tc.convert(TOOL, **options)
    for done in (tc.convert(TOOL, target), tc.bind(tc.read(TOOL)[0], target)):
        assert (done.payload, list(done.losses)) == (expected.payload, list(expected.losses))
        assert done.receipt() == expected.receipt()
    converter = tc.Converter(target)
    for one in (converter, pickle.loads(pickle.dumps(converter))):  # noqa: S301 - ours
        assert one(TOOL) == expected.payload
    assert tc.Toolset([TOOL]).bind(target).payload == tc.bind([TOOL], **options).payload
    report = tc.check(TOOL, [target, "openai"])
    assert report.targets == tuple(dict.fromkeys([str(target), "openai"]))
    assert tc.diff(TOOL, TOOL, to=target).verdict == "identical"
    history = [{"role": "user", "content": "Hi"}]
    done = tc.switch({"model": "m", "messages": history, "tools": [TOOL]}, target)
    assert done.binding is None or done.binding.names == expected.names


def test_a_target_is_a_value():
    one, two = (tc.Target("openai", strict=True, model="gpt-5") for _ in range(2))
    assert one == two
    assert hash(one) == hash(two)
    assert str(one) == "openai (strict, model gpt-5)"
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.strict = False
    with pytest.raises(TypeError):
        tc.Target("openai", True)


@pytest.mark.parametrize(
    "make, error",
    [
        (lambda: tc.Target("claude"), UnknownFormat),
        (lambda: tc.Target("raw"), NotWritable),
        (lambda: tc.Target("openai/strct"), UnknownDialect),
        (lambda: tc.Target("openai", dialect="none"), UnknownDialect),
        (lambda: tc.Target("openai", strict="yes"), BadOption),
        (lambda: tc.Target("openai", model=5), BadOption),
        (lambda: tc.Target("openai", via=("x",)), BadOption),
        (lambda: tc.Target("openai", naming=3), BadOption),
        (lambda: tc.Target("openai", naming="none"), UnknownProfile),
        (lambda: tc.Target(None), BadOption),
        (lambda: tc.Target("openai/strict", strict="auto"), UsageError),
        (lambda: tc.Target("openai/strict", dialect="gemini"), UsageError),
    ],
)
def test_a_target_is_checked_when_it_is_made(make, error):
    with pytest.raises(error) as caught:
        make()
    assert isinstance(caught.value, UsageError)
    assert len(str(caught.value)) > 20


@pytest.mark.parametrize(
    "options", [{"strict": "auto"}, {"model": "gpt-4"}, {"dialect": "openai/strict"},
                {"naming": "claude-code"}],
)  # fmt: skip
def test_an_option_beside_a_target_may_repeat_it_and_not_contradict_it(options):
    target = tc.Target("openai", strict=True, model="gpt-5", dialect="openai", naming="pascal")
    for ask in (tc.convert, tc.bind):
        with pytest.raises(UsageError, match="contradicts"):
            ask(TOOL, target, **options)
    tc.convert(TOOL, target, strict=True, model="gpt-5", dialect="openai", naming="pascal")


@pytest.mark.parametrize("option", ["model", "via", "naming", "dialect", "lower"])
def test_a_value_of_the_wrong_type_is_a_typed_error(option):
    for ask in (tc.convert, tc.bind):
        with pytest.raises(UsageError):
            ask(TOOL, "openai", **{option: 5})
    if option in {"model", "via", "naming", "lower"}:
        with pytest.raises(BadOption, match=f"{option} must be"):
            tc.Converter("openai", **{option: 5})


def test_a_dialect_of_the_family_is_found_behind_its_own():
    done = tc.convert(TOOL, "openai-responses/llguidance")
    assert done.payload == tc.convert(TOOL, "openai-responses", dialect="openai/llguidance").payload
    own = tc.convert(TOOL, "openai-responses/strict").receipt()["tools"][0]["dialect"]
    assert own.startswith("openai-responses/strict@")
    with pytest.raises(UnknownDialect, match="openai-responses/strict"):
        tc.convert(TOOL, "openai-responses/strct")


def test_layouts_are_targets_of_conversations_and_of_checks():
    history = [{"role": "user", "content": "Hi"}]
    assert tc.switch(history, tc.Target("vercel/ui")).payload[0]["parts"]
    assert not tc.check(history, to="vercel/ui").findings
    assert tc.check(TOOL, to="vercel/model").matrix == {"f": {"vercel/model": "ok"}}
    with pytest.raises(UnknownDialect):
        tc.convert(TOOL, "vercel/ui")


def test_source_is_named():
    for ask in (tc.read, tc.read_conversation, tc.read_answer, tc.accumulate):
        with pytest.raises(TypeError):
            ask({}, "openai")


def test_check_judges_conversations_too():
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    history = [{"role": "user", "content": "Go."}, {"role": "assistant", "tool_calls": [call]}]
    report = tc.check(history)
    assert (report.targets, report.matrix) == (("openai",), {})
    assert [found.name for found in report.findings] == ["call-without-result"]
    assert tc.check(history, to=["anthropic"]).targets == ("anthropic",)
    listed = [found.name for found in tc.lint(history)]
    assert "call-without-result" in listed
    body = {"messages": history, "tools": [tc.convert(TOOL, "openai").payload]}
    whole = tc.check(body)
    assert whole.matrix == {"f": {"openai": "ok"}}
    assert [found.name for found in whole.findings] == ["call-without-result"]
    assert not tc.check(body, ignore=["call-without-result"]).findings


def test_targets_in_a_configuration():
    said = {"check": {"to": ["openai/strict", {"format": "openai", "model": "gpt-5"}]}}
    config = Config.of(said, "f")
    assert config.check.to == ("openai/strict", tc.Target("openai", model="gpt-5"))
    assert Config.of({"check": {"targets": ["mcp"]}}, "f").check.to == ("mcp",)
    for bad in (["claude"], [{"strict": True}], [{"format": "openai", "strict": "yes"}], [5], "mcp",
                [{"format": "openai", "mode": 1}]):  # fmt: skip
        with pytest.raises(BadConfig, match=r"check\.to"):
            Config.of({"check": {"to": bad}}, "f")
    with pytest.raises(BadConfig, match="an alias"):
        Config.of({"check": {"to": ["mcp"], "targets": ["mcp"]}}, "f")
