"""The switch command as people run it, and the page about it."""

import json

import pytest

import toolcanon as tc
from tests.commands import run
from tests.conftest import ROOT
from tests.e2e.pages import blocks, commands, values
from tests.e2e.pages import run as run_line
from toolcanon.conversations.switch import switch
from toolcanon.conversations.trim import trim

PAGE = "docs/switch.md"
ASKED = {"role": "user", "content": "go"}
CALLED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "a.b", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    ],
}
ANSWERED = {"role": "tool", "tool_call_id": "a.b", "content": "ok"}
FINE = [ASKED, CALLED, ANSWERED]


def test_payload_on_stdout_messages_on_stderr():
    done = run("switch", "-", "--to", "anthropic", "-c", stdin=FINE)
    assert done.returncode == 0
    assert json.loads(done.stdout) == switch(FINE, "anthropic").payload
    kind, total = done.stderr.decode().splitlines()
    assert kind.startswith("R106 call-id-changed x1: ")
    assert total.startswith("repairs: 1 ")
    assert run("switch", "--to", "anthropic", "-q", stdin=FINE).stderr == b""
    assert run("switch", "--to", "openai", stdin=FINE).stderr == b""


def test_an_assistant_message_at_the_end_is_reported_by_default():
    ends = b'[{"role":"user","content":"Go"},{"role":"assistant","content":"Well"}]'
    assert b"hints lost 1" in run("switch", "--to", "anthropic", stdin=ends).stderr
    assert b"L331" in run("switch", "--to", "bedrock", "-v", stdin=ends).stderr
    named = run("switch", "--to", "anthropic", "--model", "claude-opus-4-6", stdin=ends)
    assert b"R141" in named.stderr
    assert json.loads(named.stdout)[-1]["role"] == "user"


def test_the_system_prompt_is_beside_the_messages():
    history = [{"role": "system", "content": "Be brief."}, ASKED]
    done = run("switch", "--to", "gemini", stdin=history)
    assert json.loads(done.stdout) == {
        "contents": [{"role": "user", "parts": [{"text": "go"}]}],
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
    }


def test_report_only(tmp_path):
    report = tmp_path / "report.json"
    done = run("switch", "--to", "anthropic", "--no-repair", "--fail-on", "repair", "--report",
               str(report), stdin=[ASKED, CALLED])  # fmt: skip
    assert done.returncode == 1
    assert b"needed, not done" in done.stderr
    told = json.loads(report.read_text())
    assert told["repaired"] is False
    assert [repair["code"] for repair in told["repairs"]] == ["R106", "R101"]
    assert (told["from"], told["to"]) == ("openai", "anthropic")
    assert told["made"] == []


def test_names_are_no_reason_to_fail(tmp_path):
    report = tmp_path / "report.json"
    call = {"id": "a", "type": "function", "function": {"name": "c.d", "arguments": "{}"}}
    history = [ASKED, {**CALLED, "tool_calls": [call]}, {**ANSWERED, "tool_call_id": "a"}]
    asked = ("switch", "--to", "anthropic", "--fail-on", "repair", "--report", str(report))
    done = run(*asked, "--no-repair", stdin=history)
    assert done.returncode == 0, done.stderr
    assert b"call-renamed" in done.stderr
    assert b"needed" not in done.stderr
    assert b"repairs:" not in done.stderr
    told = json.loads(report.read_text())
    assert (told["repairs"], [made["code"] for made in told["made"]]) == ([], ["R120"])
    assert run(*asked, stdin=history).returncode == 1


@pytest.mark.parametrize(
    ("history", "level", "status"),
    [(FINE, "lossy", 0), (FINE, "repair", 1), ([ANSWERED, ASKED], "lossy", 1)],
)
def test_exit_statuses(history, level, status):
    done = run("switch", "--to", "anthropic", "--fail-on", level, stdin=history)
    assert done.returncode == status


def test_there_and_back_by_files(tmp_path):
    tools = tmp_path / "tools.json"
    tools.write_text(json.dumps([{"name": "read", "input_schema": {"type": "object"}}]))
    keep, out = tmp_path / "back.json", tmp_path / "out.json"
    done = run("switch", "--to", "anthropic", "--tools", str(tools), "--naming", "claude-code",
               "--keep", str(keep), "-o", str(out), stdin=FINE)  # fmt: skip
    assert (done.returncode, done.stdout) == (0, b"")
    there = json.loads(out.read_text())
    assert there[1]["content"][0]["name"] == "Read"
    back = run("switch", str(out), "--to", "openai", "--undo", str(keep), "-v")
    assert json.loads(back.stdout) == FINE
    former = run("switch", str(out), "--to", "openai", "--receipt", str(keep), "-v")
    assert former.stdout == back.stdout


def test_receipts_of_files(tmp_path):
    """A receipt is never replaced by one of another kind, nor by what is made from it."""
    tools, keep, body = (tmp_path / name for name in ("tools.json", "keep.json", "out.json"))
    tools.write_text(json.dumps([{"name": "a.b", "input_schema": {"type": "object"}}]))
    given = ("--to", "anthropic", "--tools", str(tools))
    noted = run("switch", *given, "-o", str(body), stdin=FINE)
    assert b"--keep FILE" in noted.stderr
    done = run("switch", *given, "--keep", str(keep), "-o", str(body), stdin=FINE)
    assert b"--keep FILE" not in done.stderr
    receipt = keep.read_bytes()
    for words in (
        ("convert", str(tools), "--to", "mcp", "--receipt", str(keep)),
        ("convert", str(tools), "--to", "mcp", "--undo", str(keep), "--receipt", str(keep)),
        ("switch", str(body), "--to", "openai", "--undo", str(keep), "--keep", str(keep)),
    ):
        refused = run(*words)
        assert (refused.returncode, keep.read_bytes()) == (2, receipt), refused.stderr
        assert b"write to another file" in refused.stderr
    again = run("switch", *given, "--keep", str(keep), stdin=FINE)
    assert again.returncode == 0
    call = {"type": "tool_use", "id": "1", "name": "a_b", "input": {}}
    restored = run("restore", "--receipt", str(keep), stdin=call)
    assert json.loads(restored.stdout)["name"] == "a.b"
    keep.write_text("null")
    for words in (("switch", str(body), "--to", "openai"), ("convert", str(tools), "--to", "mcp")):
        refused = run(*words, "--undo", str(keep))
        assert (refused.returncode, b"E113" in refused.stderr) == (2, True)


def test_no_file_is_written_twice(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    (tmp_path / "there.json").write_text("kept")
    (tmp_path / "link.json").symlink_to("there.json")
    for one, two in (("x.json", "./x.json"), ("there.json", "link.json")):
        for options in (("-o", "--keep"), ("--report", "-o"), ("--keep", "--report")):
            done = run("switch", "--to", "anthropic", options[0], one, options[1], two, stdin=FINE)
            assert done.returncode == 2
            assert b"E200" in done.stderr
            assert b"the same file" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.json", "there.json"]
    assert (tmp_path / "there.json").read_text() == "kept"
    nowhere = ("-o", "/dev/null", "--report", "/dev/null")
    assert run("switch", "--to", "anthropic", *nowhere, stdin=FINE).returncode == 0


def test_what_is_written_can_be_read(tmp_path):
    out = tmp_path / "out.json"
    call = {
        "id": "a",
        "type": "function",
        "function": {"name": "f", "arguments": '{"x":"\\ud800"}'},
    }
    history = [ASKED, {**CALLED, "tool_calls": [call]}, {**ANSWERED, "tool_call_id": "a"}]
    run("switch", "--to", "anthropic", "-o", str(out), stdin=history)
    assert run("switch", str(out), "--to", "gemini").returncode == 0


def test_names_of_the_project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    (tmp_path / "toolcanon.toml").write_text('[naming.house]\nnames = { read = "Lesen" }\n')
    (tmp_path / "own.toml").write_text('style = "pascal"\n')
    for naming, name in (("house", "Lesen"), ("own.toml", "Read"), ("pascal", "Read")):
        done = run("switch", "--to", "openai", "--naming", naming, stdin=FINE)
        (made,) = json.loads(done.stdout)[1]["tool_calls"]
        assert made["function"]["name"] == name
        tool = {"name": "read", "input_schema": {"type": "object"}}
        converted = run("convert", "--to", "mcp", "--naming", naming, stdin=tool)
        assert json.loads(converted.stdout)["name"] == name
    wrong = run("switch", "--to", "openai", "--naming", "hause", stdin=FINE)
    assert wrong.returncode == 2
    assert b"did you mean 'house'" in wrong.stderr
    (tmp_path / "toolcanon.toml").write_text("[naming.house]\nstile = 1\n")
    broken = run("switch", "--to", "openai", "--naming", "house", stdin=FINE)
    assert broken.returncode == 2
    assert b"naming.house.stile" in broken.stderr


def test_trimming():
    history = [ASKED, {"role": "assistant", "content": "x"}, *FINE]
    done = run("switch", "--to", "openai", "--trim", "3", stdin=history)
    assert json.loads(done.stdout) == FINE
    assert b"R130 messages-cut" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "stdin", "code"),
    [
        (["--to", "nobody"], FINE, b"E201"),
        (["--to", "ollama"], FINE, b"'ollama' has no conversations; choose one of openai"),
        (["--to", "openai"], {"a": 1}, b"E116"),
        (["--to", "openai", "--undo", "missing.json"], FINE, b"E114"),
        (["--to", "openai", "--trim", "0"], FINE, b"E200"),
        ([], FINE, b"E200"),
    ],
)
def test_errors(arguments, stdin, code):
    done = run("switch", *arguments, stdin=stdin)
    assert done.returncode == 2
    assert code in done.stderr
    assert done.stdout == b""


def test_nothing_from_the_input_reaches_the_terminal_unescaped():
    evil = "\x1b[31m"
    history = [{"role": "tool", "tool_call_id": evil, "content": evil}, ASKED]
    done = run("switch", "--to", "anthropic", "-v", stdin=history)
    assert b"\x1b" not in done.stderr
    assert b"R102" in done.stderr


@pytest.mark.parametrize("code", ["R101", "R106", "R130", "result-moved", "L405"])
def test_codes_are_explained(code):
    assert run("explain", code).returncode == 0


# --- the page


@pytest.fixture
def shown(monkeypatch):
    monkeypatch.setattr(tc, "switch", switch, raising=False)
    monkeypatch.setattr(tc, "trim", trim, raising=False)
    return values(PAGE)


def test_values_match_the_page(shown):
    _, compared = shown
    assert [(said, value) for said, value, _ in compared] == [
        (said, claimed) for said, _, claimed in compared
    ]
    assert len(compared) == 16


def test_the_command_matches_the_page(shown, tmp_path):
    (tmp_path / "history.json").write_text(json.dumps(shown[0]["history"]))
    ((line, expected),) = commands(PAGE)
    assert run_line(line, tmp_path).stdout == expected


def test_the_profile_on_the_page_is_one(tmp_path):
    from toolcanon.sources.config_files import read_config

    (table,) = blocks(PAGE, "toml")
    (tmp_path / "toolcanon.toml").write_text(table)
    house = read_config(str(tmp_path / "toolcanon.toml")).naming["house"]
    assert (house.outward("ripgrep"), house.inward("Find"), house.mentions) == (
        "Search", "ripgrep", True,
    )  # fmt: skip
