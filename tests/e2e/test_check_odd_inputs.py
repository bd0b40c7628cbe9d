"""What users do that nobody meant: each of these once passed, crashed or lost something."""

import json

import pytest

import toolcanon as tc
from tests.e2e.test_check_tools import LOOSE, PLAIN, SEARCH, put
from tests.e2e.test_command import run
from toolcanon.errors import LimitExceeded


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_tools_are_no_conversation_whatever_format_is_named(folder):
    put(folder, "tool.json", PLAIN)
    for source in ("openai", "openai-responses", "anthropic"):
        done = run("check", "tool.json", "--from", source)
        assert (done.returncode, b"E116" in done.stderr) == (2, True), source


@pytest.mark.parametrize("code", ["import sys; sys.exit(0)", "raise KeyboardInterrupt"])
def test_a_module_that_ends_everything_does_not_pass(folder, code):
    put(folder, "ends.py", code)
    assert run("check", "ends.py").returncode not in (0, 1)
    assert run("define", "ends.py", "-t", "openai").returncode != 0


def test_modules_of_one_name_are_two(folder):
    for place, name in (("a", "alpha"), ("b", "beta")):
        (folder / place).mkdir()
        code = f"from toolcanon import tool\n@tool\ndef {name}(x: int) -> int:\n    '''Do.'''\n"
        put(folder / place, "calendar.py", code)
    told = json.loads(run("check", "a/calendar.py", "b/calendar.py", "--json").stdout)
    assert [tool["name"] for tool in told["tools"]] == ["alpha", "beta"]


def test_a_missing_file_is_no_module(folder):
    put(folder, "catalog.py", "print('RAN')")
    done = run("check", "catalog.json")
    assert (done.returncode, b"E114" in done.stderr) == (2, True)
    assert b"RAN" not in done.stdout + done.stderr


def test_what_a_module_prints_is_not_the_payload(folder):
    code = (
        "from toolcanon import tool\nprint('hello')\n@tool\ndef f(x: int) -> int:\n    '''Do.'''\n"
    )
    put(folder, "loud.py", code)
    assert json.loads(run("define", "loud.py", "-t", "openai", "-q").stdout)
    assert json.loads(run("check", "loud.py", "--json").stdout)
    put(folder, "none.py", "TOOLS = []")
    assert run("check", "none.py:TOOLS").returncode == 2


def test_labels_never_meet():
    tools = [{**PLAIN, "name": name} for name in ("f", "f", "f (2)")]
    report = tc.check(tools)
    assert len(report.cells) == 3
    assert report.compatible is False


def test_findings_go_by_the_name_in_the_table(folder):
    hidden = {**PLAIN, "description": "Say\u200b hello to a server."}
    put(folder, "a.json", PLAIN)
    put(folder, "b.json", hidden)
    told = json.loads(run("check", "a.json", "b.json", "--json").stdout)
    assert [found["subject"] for found in told["findings"] if found["code"] == "S101"] == [
        "ping (2)"
    ]


@pytest.mark.parametrize("target", ["opnai", "openai/strict@1999-01", "openai:foo"])
def test_unknown_targets_are_refused_wherever_they_are_named(folder, target):
    put(folder, "tool.json", PLAIN)
    assert run("check", "tool.json", "-t", target).returncode == 2
    put(folder, "toolcanon.toml", f'[check]\ntargets = ["{target}"]\n')
    assert run("check", "tool.json").returncode == 2


def test_a_mark_at_the_beginning_of_a_file_survives_a_fix(folder):
    (folder / "tool.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(LOOSE).encode())
    assert run("check", "tool.json", "--fix").returncode == 0
    mended = (folder / "tool.json").read_bytes()
    assert mended.startswith(b"\xef\xbb\xbf{")
    assert b"dict" not in mended


def test_a_fix_never_brings_a_dead_value_to_life(folder):
    text = '{"name": "f", "description": "Does it all.", "inputSchema": {"type": "object", '
    text += '"$defs": {"OLD": {"type": "string"}}, "$defs": {"B": {"type": "number"}}}}'
    put(folder, "tool.json", text)
    done = run("check", "tool.json", "--fix", "--select", "Q113", "--duplicate-keys", "warn")
    assert done.returncode == 2
    assert (folder / "tool.json").read_text(encoding="utf-8") == text


def test_the_diff_of_a_fix_is_not_the_report(folder):
    put(folder, "tool.json", LOOSE)
    done = run("check", "tool.json", "--fix", "--json")
    assert json.loads(done.stdout)
    assert b'"object"' in done.stderr


def test_nothing_is_written_before_everything_is_known_to_be_right(folder):
    put(folder, "tool.json", LOOSE)
    put(folder, "rows.jsonl", json.dumps(LOOSE))
    before = (folder / "tool.json").read_bytes()
    assert run("check", "tool.json", "rows.jsonl", "--fix").returncode == 2
    assert run("check", "tool.json", "--fix", "--write-baseline").returncode == 2
    for options in (("-o", "tool.json"), ("--baseline", "tool.json", "--write-baseline")):
        assert run("check", "tool.json", *options).returncode == 2
    assert (folder / "tool.json").read_bytes() == before


def test_conversations_are_selected_from_as_well(folder):
    history = [
        {"role": "user", "content": "a"},
        {"role": "tool", "tool_call_id": "x", "content": "b"},
    ]
    put(folder, "history.json", history)
    assert run("check", "history.json").returncode == 1
    assert run("check", "history.json", "--ignore", "C").returncode == 0
    assert run("check", "history.json", "--select", "S").returncode == 0


def test_an_error_names_its_file(folder):
    put(folder, "good.json", PLAIN)
    put(folder, "broken.json", '{"name": ')
    done = run("check", "good.json", "broken.json")
    assert done.returncode == 2
    assert b"broken.json" in done.stderr


def test_an_object_within_itself_is_refused():
    schema = {"type": "object"}
    schema["properties"] = {"a": schema}
    with pytest.raises(LimitExceeded):
        tc.check(tc.CanonicalTool.trusted({"name": "f", "inputs": schema}), "openai/strict")


def test_one_code_may_be_a_text():
    assert tc.check(SEARCH, "openai", select="Q103").findings


def test_an_error_that_cannot_say_what_it_is():
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError

    def fail():
        """Fail."""
        raise Mute

    called = tc.Toolset([fail]).call("fail", {})
    assert not called.ok
    assert called.response.error == "Mute"
