"""The check command as people run it."""

import json

import pytest

from tests.commands import run
from tests.tables import table


def call(name="f", call_id="c1", arguments="{}"):
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


ASKED = {"role": "user", "content": "hello"}
CALLED = {"role": "assistant", "content": None, "tool_calls": [call()]}
ANSWERED = {"role": "tool", "tool_call_id": "c1", "content": "done"}
FINE = [ASKED, CALLED, ANSWERED]
OPEN = [ASKED, CALLED, ASKED]
TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
RESPONSE = {
    "id": "m1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
FAMILIES = ["openai", "openai-responses", "anthropic", "gemini", "bedrock"]


@table("payload", [FINE, {"model": "m", "messages": FINE, "tools": TOOLS}])
@table("target", FAMILIES)
def test_a_valid_conversation_passes_every_target(payload, target):
    done = run("check", "-", "--target", target, "--fail-on", "info", stdin=payload)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().splitlines()[-1].endswith("no findings")


def test_a_finding_has_place_remedy_and_the_providers_message():
    done = run("check", stdin=OPEN)
    assert (done.returncode, done.stderr) == (1, b"")
    kind, place, message, remedy, quote, _, totals = done.stdout.decode().splitlines()
    assert kind == "error[C101] call-without-result"
    assert place == "  c1  /messages/1/parts/0  for openai"
    assert message == "    the call of 'f' has no result"
    assert remedy.startswith("  remedy: add a result")
    assert quote.startswith("  answer: An assistant message with 'tool_calls' must be")
    assert totals == "1 error"


def test_findings_of_one_kind_are_grouped_and_limited():
    history = []
    for number in range(14):
        history += [ASKED, {"role": "assistant", "tool_calls": [call(call_id=f"c{number}")]}]
    lines = run("check", stdin=[*history, ASKED]).stdout.decode().splitlines()
    assert lines[-1].startswith("14 errors")
    assert sum(line.lstrip().startswith("c") and "/messages" in line for line in lines) < 14
    assert any("more" in line and "-v" in line for line in lines)
    told = json.loads(run("check", "--json", stdin=[*history, ASKED]).stdout)
    assert len(told["findings"]) == 14


def test_several_targets_as_json():
    done = run("check", "-t", "anthropic", "-t", "openai/strict", "--json", stdin=OPEN)
    told = json.loads(done.stdout)
    assert done.returncode == 1
    assert told["targets"] == ["anthropic", "openai/strict"]
    for finding, target in zip(told["findings"], told["targets"], strict=True):
        assert (finding["code"], finding["level"], finding["target"]) == ("C101", "error", target)
        assert {"at", "message", "remedy", "quote"} <= set(finding)


def test_the_format_can_be_named(tmp_path):
    history = tmp_path / "history.jsonl"
    history.write_text("".join(f"{json.dumps(item)}\n" for item in OPEN), encoding="utf-8")
    assert run("check", history).returncode == 1
    told = json.loads(run("check", history, "--from", "openai", "--json").stdout)
    assert told["targets"] == ["openai"]


@pytest.mark.parametrize("level, status", [("error", 0), ("warning", 1), ("info", 1)])
def test_fail_on(level, status):
    bare = {"model": "m", "messages": FINE}  # some models of this provider ask for the tools
    shown = json.loads(run("check", "-t", "anthropic", "--json", stdin=bare).stdout)
    assert {found["level"] for found in shown["findings"]} == {"warning"}
    assert run("check", "-t", "anthropic", "--fail-on", level, stdin=bare).returncode == status


@pytest.mark.parametrize("target", FAMILIES)
def test_a_response_may_have_calls_without_results(target):
    told = json.loads(run("check", "--json", "-t", target, stdin=RESPONSE).stdout)
    names = {finding["name"] for finding in told["findings"]}
    assert not names & {"call-without-result", "tools-missing"}


def test_missing_tools_are_reported_for_a_body_and_not_for_a_list():
    body = run("check", "-t", "bedrock", stdin={"model": "m", "messages": FINE})
    assert b"error[C111] tools-missing" in body.stdout
    assert run("check", "-t", "bedrock", stdin=FINE).returncode == 0


@pytest.mark.parametrize(
    "payload, said",
    [
        ({"a": 1}, b"error[E110]: no tool found: an object of no known format (keys: a)"),
        ([], b"error[E110]"),
        (b"{", b"error[E1"),
        (3, b"error[E110]"),
    ],
)
def test_input_without_tools_and_messages_is_an_error(payload, said):
    done = run("check", stdin=payload)
    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "options, said",
    [
        (("-t", "opena"), b"did you mean 'openai'?"),
        (("-t", "cohere"), b"known: openai, anthropic"),
        (("-f", "mcp"), b"unknown format 'mcp'; known: openai, anthropic"),
        (("--fail-on", "never"), b"error[E200]"),
    ],
)
def test_wrong_usage(options, said):
    done = run("check", *options, stdin=FINE)
    assert done.returncode == 2
    assert said in done.stderr


def test_output_has_no_terminal_escapes():
    name = "f\x1b[31m\u202eg\n"
    hostile = [ASKED, {**CALLED, "tool_calls": [call(name, "c\x07" * 9)]}, ASKED]
    for options in ((), ("--json",), ("-t", "bedrock")):
        shown = run("check", *options, stdin=hostile).stdout
        assert b"\x1b" not in shown
        assert b"\x07" not in shown
        assert "\u202e".encode() not in shown
        assert b"C109" in shown


def test_help_has_examples():
    shown = run("check", "--help").stdout.decode()
    assert "toolcanon check history.json" in shown
    assert "Exit" in shown
    assert "check" in run("--help").stdout.decode()
