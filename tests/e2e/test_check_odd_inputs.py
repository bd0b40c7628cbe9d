"""Unusual input: each of these once passed, crashed or lost something."""

import gzip
import json
import subprocess
import sys

import pytest

import toolcanon as tc
from tests.commands import run
from tests.e2e.test_check_tools import LOOSE, PLAIN, SEARCH, put
from toolcanon.errors import LimitExceeded
from toolcanon.ir import trusted_tool


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_tools_are_not_a_conversation_in_any_format(folder):
    put(folder, "tool.json", PLAIN)
    for source in ("openai", "openai-responses", "anthropic"):
        done = run("check", "tool.json", "--from", source)
        assert (done.returncode, b"E116" in done.stderr) == (2, True), source


@pytest.mark.parametrize("code", ["import sys; sys.exit(0)", "raise KeyboardInterrupt"])
def test_a_module_that_exits_does_not_pass(folder, code):
    put(folder, "ends.py", code)
    assert run("check", "ends.py").returncode not in (0, 1)
    assert run("define", "ends.py", "-t", "openai").returncode != 0


def test_two_modules_of_one_name_are_both_loaded(folder):
    for place, name in (("a", "alpha"), ("b", "beta")):
        (folder / place).mkdir()
        code = f"from toolcanon import tool\n@tool\ndef {name}(x: int) -> int:\n    '''Do.'''\n"
        put(folder / place, "calendar.py", code)
    told = json.loads(run("check", "a/calendar.py", "b/calendar.py", "--json").stdout)
    assert [tool["name"] for tool in told["tools"]] == ["alpha", "beta"]


def test_a_missing_file_is_not_taken_for_a_module(folder):
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


def test_labels_are_unique():
    tools = [{**PLAIN, "name": name} for name in ("f", "f", "f (2)")]
    report = tc.check(tools)
    assert len(report.cells) == 3
    assert report.compatible is False


def test_findings_have_the_name_in_the_table(folder):
    hidden = {**PLAIN, "description": "Say\u200b hello to a server."}
    put(folder, "a.json", PLAIN)
    put(folder, "b.json", hidden)
    told = json.loads(run("check", "a.json", "b.json", "--json").stdout)
    assert [found["subject"] for found in told["findings"] if found["code"] == "S101"] == [
        "ping (2)"
    ]


@pytest.mark.parametrize("target", ["opnai", "openai/strict@1999-01", "openai:foo"])
def test_unknown_targets_are_errors_in_options_and_configuration(folder, target):
    put(folder, "tool.json", PLAIN)
    assert run("check", "tool.json", "-t", target).returncode == 2
    put(folder, "toolcanon.toml", f'[check]\ntargets = ["{target}"]\n')
    assert run("check", "tool.json").returncode == 2


def test_a_byte_order_mark_survives_a_fix(folder):
    (folder / "tool.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(LOOSE).encode())
    assert run("check", "tool.json", "--fix").returncode == 0
    mended = (folder / "tool.json").read_bytes()
    assert mended.startswith(b"\xef\xbb\xbf{")
    assert b"dict" not in mended


def test_a_file_with_duplicate_keys_is_not_fixed(folder):
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


def test_nothing_is_written_before_everything_is_checked(folder):
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


def test_an_object_that_contains_itself_is_an_error():
    schema = {"type": "object"}
    schema["properties"] = {"a": schema}
    with pytest.raises(LimitExceeded):
        tc.check(trusted_tool({"name": "f", "inputs": schema}), "openai/strict")


def test_one_code_may_be_a_text():
    assert tc.check(SEARCH, "openai", select="Q103").findings


def test_an_error_whose_str_fails():
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError

    def fail():
        """Fail."""
        raise Mute

    called = tc.Toolset([fail]).call("fail", {})
    assert not called.ok
    assert called.response.error == "Mute"


BROKEN = {**PLAIN, "name": "broken", "description": "Say\u200b hello to a server."}
ASKED = {"role": "user", "content": "hello"}
CALLED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
}
OPEN = {"model": "gpt-5", "messages": [ASKED, CALLED, ASKED]}


def lines_of(*rows):
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def told(*args, stdin=None, status=None):
    done = run("check", *args, "--json", stdin=stdin)
    assert status is None or done.returncode == status, done.stderr
    return json.loads(done.stdout)


TWIN = {**PLAIN, "name": "twin"}
ROWS = lines_of(PLAIN, PLAIN, [TWIN, TWIN], {"tools": [BROKEN]}, OPEN)


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.json", "-"])
def test_each_row_is_checked_separately(folder, name):
    put(folder, "rows.jsonl", ROWS)
    put(folder, "rows.json", ROWS)
    found = told(name, "-t", "openai", stdin=ROWS.encode() if name == "-" else None, status=1)
    assert [tool["name"] for tool in found["tools"]] == [
        "ping", "ping (2)", "twin", "twin (2)", "broken",
    ]  # fmt: skip
    by_code = {item["code"]: item for item in found["findings"] if item["code"][0] in "CS"}
    lines = {code: item["place"]["line"] for code, item in by_code.items()}
    assert lines == {"C110": 3, "S101": 4, "C101": 5}
    assert {item["place"]["file"] for item in found["findings"]} == {name}
    call = by_code["C101"]
    assert json.dumps(OPEN)[call["place"]["column"] - 1 :].startswith('{"id": "c1"')
    assert call["origin"] == "/4/messages/1/tool_calls/0"


def test_rows_of_messages_are_one_conversation(folder):
    put(folder, "history.jsonl", lines_of(*OPEN["messages"]))
    found = told("history.jsonl", status=1)
    assert [(item["code"], item["place"]["line"]) for item in found["findings"]] == [("C101", 2)]


def test_thousands_of_rows_of_one_name_stay_readable(folder):
    put(folder, "rows.jsonl", lines_of(*[SEARCH] * 3000))
    shown = run("check", "rows.jsonl").stdout.decode().splitlines()
    assert shown[0] == "rows.jsonl (3,000 rows)"
    assert shown[-1].startswith("3,000 tools; 5 targets; 3,000 warnings")
    assert len(shown) < 60


def test_rows_after_a_bad_row_are_checked(folder):
    rows = lines_of(PLAIN) + "{broken\n" + lines_of({"a": 1}, BROKEN)
    put(folder, "rows.jsonl", rows)
    done = run("check", "rows.jsonl", "--json")
    assert done.returncode == 2
    assert {item["place"]["line"] for item in json.loads(done.stdout)["findings"]} == {4}
    for said in (b"in rows.jsonl:", b"line 2", b"E110", b"line 3"):
        assert said in done.stderr
    put(folder, "rows.jsonl", "{broken\n" * 40 + lines_of(PLAIN))
    said = run("check", "rows.jsonl").stderr.decode().splitlines()
    assert len(said) == 12
    assert said[-1].endswith("30 more rows that could not be checked")
    put(folder, "rows.jsonl", "{broken\n{broken\n")
    assert run("check", "rows.jsonl").stdout == b""


def test_findings_in_a_conversation_have_a_place(folder):
    put(folder, "history.json", OPEN, indent=1)
    text = (folder / "history.json").read_text(encoding="utf-8").splitlines()
    line = next(number for number, line in enumerate(text, 1) if '"id": "c1"' in line) - 1
    found = told("history.json", "-t", "openai,anthropic,gemini", status=1)["findings"]
    assert {item["target"] for item in found} >= {"openai", "anthropic"}
    calls = [item for item in found if item["code"] == "C101"]
    assert {item["place"]["line"] for item in calls} == {line}


def test_findings_in_yaml_have_a_place(folder):
    text = "tools:\n  - name: f\n    description: Do it.\n    inputSchema:\n      type: object\n"
    text += "      properties:\n        a:\n          type: string\n          pattern: '('\n"
    put(folder, "tools.yaml", text)
    found = told("tools.yaml", "-t", "anthropic", status=1)["findings"]
    places = [(item["code"], item["place"]["line"], item["place"]["column"]) for item in found]
    assert places == [("C206", 9, 11), ("L233", 9, 11)]


@pytest.mark.parametrize(
    "options, said",
    [
        (("--header", "A:b"), b"--header needs --url"),
        (("--env", "A=b"), b"--env needs a command"),
        (("--url", "http://localhost:1/mcp", "--env", "A=b"), b"--env needs a command"),
    ],
)
def test_options_of_an_unknown_server_are_errors(folder, options, said):
    put(folder, "tool.json", PLAIN)
    done = run("check", "tool.json", *options)
    assert (done.returncode, said in done.stderr) == (2, True)


@pytest.mark.parametrize(
    "model, said",
    [
        ("cluade-5", b"did you mean 'claude-'?"),
        ("zzz", b"models begin with"),
        ("vendor/claude-5", b""),
    ],
)
def test_an_unknown_model_is_reported(folder, model, said):
    put(folder, "tool.json", PLAIN)
    done = run("check", "tool.json", "--model", model)
    assert done.returncode == 0
    assert (said in done.stderr) if said else (done.stderr == b"")
    assert run("check", "tool.json", "--model", model, "-q").stderr == b""


@pytest.mark.parametrize("code", ["S", "s1", "S101", "invisible-characters", "ALL"])
def test_beginnings_of_codes_are_suppressed(folder, code):
    put(folder, "tool.json", BROKEN)
    assert run("check", "tool.json", "-q").returncode == 1
    put(folder, "toolcanon.toml", f'[[check.suppress]]\ncode = "{code}"\nreason = "known"\n')
    assert run("check", "tool.json", "-q").returncode == 0


def test_a_misspelled_suppression_is_an_error(folder):
    put(folder, "tool.json", PLAIN)
    put(folder, "toolcanon.toml", '[[check.suppress]]\ncode = "Q9"\nreason = "known"\n')
    done = run("check", "tool.json")
    assert (done.returncode, b"check.suppress[0].code" in done.stderr) == (2, True)


def test_files_after_an_unreadable_file_are_checked(folder):
    put(folder, "good.json", BROKEN)
    put(folder, "bad.json", '{"name": ')
    done = run("check", "bad.json", "nowhere.json", "good.json", "--json")
    assert done.returncode == 2
    assert {item["code"] for item in json.loads(done.stdout)["findings"]} == {"S101"}
    for name in (b"bad.json", b"nowhere.json"):
        assert b"in " + name in done.stderr
    assert run("check", "bad.json", "nowhere.json").stdout == b""
    put(folder, "loose.json", LOOSE)
    before = (folder / "loose.json").read_bytes()
    assert run("check", "bad.json", "loose.json", "--fix").returncode == 2
    assert (folder / "loose.json").read_bytes() == before


def test_packed_files_are_read_within_limits(folder):
    text = json.dumps([PLAIN, BROKEN], indent=1)
    (folder / "tools.json.gz").write_bytes(gzip.compress(text.encode()))
    (folder / "bomb.json.gz").write_bytes(gzip.compress(b"[" + b" " * 2**26 + b"]"))
    (folder / "cut.json.gz").write_bytes(gzip.compress(text.encode())[:-20])
    found = told("tools.json.gz", status=1)["findings"]
    line = next(n for n, line in enumerate(text.splitlines(), 1) if "u200b" in line)
    assert {(item["place"]["file"], item["place"]["line"]) for item in found} == {
        ("tools.json.gz", line)
    }
    assert b"bytes" in run("check", "bomb.json.gz").stderr
    assert b"E114" in run("check", "cut.json.gz").stderr
    assert run("check", "tools.json.gz", "--fix").returncode == 2


def test_show_takes_modules(folder):
    code = "from toolcanon import tool\n"
    for name in ("alpha", "beta"):
        code += f"@tool\ndef {name}(x: int) -> int:\n    '''Do {name}.'''\n"
    put(folder, "shop.py", code)
    shown = run("show", "shop.py", "beta", "-t", "anthropic")
    assert (shown.returncode, b"Do beta." in shown.stdout) == (0, True)
    assert b"Do alpha." in run("show", "shop:alpha", "-t", "gemini").stdout
    assert run("show", "shop.py", "-t", "gemini").returncode == 2


def test_a_pipe_is_read_once(folder):
    """The shell's ``<(command)`` is a pipe: nothing is left to find the places of findings in."""
    broken = {"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}}
    put(folder, "tool.json", {"name": "f", "description": "Do it.", "inputSchema": broken})
    command = f"{sys.executable} -m toolcanon check <(cat tool.json) -t anthropic --json"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    found = json.loads(done.stdout)["findings"]
    assert (done.returncode, [item["code"] for item in found]) == (1, ["C206", "L233"])
