"""The check command on tools, as people and build servers run it."""

import json
import os
import subprocess
import sys

import pytest

from tests.commands import run

SEARCH = {
    "name": "search_files",
    "description": "Search files by a pattern.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "query": {"type": "string", "pattern": "^a(?=b)", "description": "What to look for."},
            "limit": {"type": "integer", "default": 10},
        },
        "required": ["query"],
    },
}
PLAIN = {"name": "ping", "description": "Say hello to a server.", "inputSchema": {"type": "object"}}
LOOSE = {
    "name": "sum",
    "description": "Add two numbers.",
    "input_schema": {"type": "dict", "properties": {"a": {"type": "float"}}},
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(folder, name, value, **layout):
    text = value if isinstance(value, str) else json.dumps(value, **layout)
    (folder / name).write_text(text, encoding="utf-8")
    return name


def test_a_matrix_and_reasons(folder):
    done = run("check", put(folder, "tools.json", {"tools": [SEARCH, PLAIN]}, indent=2))
    headline, _, *lines = done.stdout.decode().splitlines()
    assert headline == "tools.json"
    assert lines[0].split() == [
        "tool", "openai", "openai/strict", "anthropic", "gemini", "bedrock",
    ]  # fmt: skip
    assert lines[1].split() == ["search_files", "ok", "lossy*", "ok", "ok", "ok"]
    assert lines[2].split()[0] == "ping"
    assert "warning[L228] constraint-dropped" in lines
    text = (folder / "tools.json").read_text(encoding="utf-8").splitlines()
    line = next(number for number, line in enumerate(text, 1) if '"pattern"' in line)
    column = text[line - 1].index('"pattern"') + 1
    place = f"  search_files  tools.json:{line}:{column}  /inputs/properties/query/pattern"
    assert any(shown.startswith(place) for shown in lines)
    assert done.returncode == 0
    assert run("check", "tools.json", "--fail-on", "warning").returncode == 1


@pytest.mark.parametrize("name", ["api.json", "api.yaml"])
def test_a_guess_has_its_line(folder, name):
    paths = {f"/{word}": {"get": {"responses": {}}} for word in "ab"}
    text = json.dumps({"openapi": "3.1.0", "info": {}, "paths": paths}, indent=2)
    done = run("check", put(folder, name, text), "--select", "Q120", "--json", "-t", "mcp")
    places = [found["place"] for found in json.loads(done.stdout)["findings"]]
    lines = [number for number, line in enumerate(text.splitlines(), 1) if '"get"' in line]
    assert [(place["line"], place["column"]) for place in places] == [(at, 7) for at in lines]


def test_places_lead_into_rows_of_lines(folder):
    rows = "\n".join(["", json.dumps(PLAIN), "", json.dumps(SEARCH)])
    done = run("check", put(folder, "tools.jsonl", rows), "--json")
    place = json.loads(done.stdout)["findings"][0]["place"]
    assert (place["file"], place["line"]) == ("tools.jsonl", 4)
    assert json.dumps(SEARCH)[place["column"] - 1 :].startswith('"pattern"')


def test_targets_models_and_codes_are_chosen(folder):
    put(folder, "tools.json", SEARCH)
    told = json.loads(run("check", "tools.json", "-t", "mistral,cohere", "--json").stdout)
    assert told["targets"] == ["mistral", "cohere"]
    quality = json.loads(run("check", "tools.json", "--select", "Q", "--json").stdout)
    assert {found["code"][0] for found in quality["findings"]} <= {"Q"}
    less = json.loads(run("check", "tools.json", "--ignore", "constraint-dropped", "--json").stdout)
    assert not [found for found in less["findings"] if found["code"] == "L228"]
    wrong = run("check", "tools.json", "--select", "constrain-dropped")
    assert wrong.returncode == 2
    assert b"did you mean 'constraint-dropped'?" in wrong.stderr
    assert b"did you mean 'mistral'?" in run("check", "tools.json", "-t", "mistrl").stderr


def test_a_baseline_reports_only_new_findings(folder):
    put(folder, "tools.json", [SEARCH])
    kept = run("check", "tools.json", "--baseline", "known.json", "--write-baseline")
    assert kept.returncode == 0
    again = run("check", "tools.json", "--baseline", "known.json", "--fail-on", "info")
    assert again.returncode == 0
    put(folder, "tools.json", [SEARCH, {**SEARCH, "name": "search_again"}])
    new = run("check", "tools.json", "--baseline", "known.json", "--fail-on", "warning", "--json")
    assert new.returncode == 1
    assert {found["subject"] for found in json.loads(new.stdout)["findings"]} == {"search_again"}
    assert run("check", "tools.json", "--write-baseline").returncode == 2
    assert b"E121" in run("check", "tools.json", "--baseline", "tools.json").stderr
    assert run("check", "tools.json", "--baseline", "nowhere.json").returncode == 2


def test_a_project_configures_findings_with_reasons(folder):
    put(folder, "tools.json", [SEARCH])
    put(
        folder,
        "toolcanon.toml",
        '[check]\ntargets = ["openai/strict"]\nfail-on = "warning"\n'
        '[[check.suppress]]\ncode = "constraint-dropped"\ntool = "search_*"\nreason = "known"\n',
    )
    done = run("check", "tools.json", "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 0
    assert told["targets"] == ["openai/strict"]
    assert not [found for found in told["findings"] if found["code"] == "L228"]
    assert [found["code"] for found in told["suppressed"]] == ["L228"]
    put(folder, "toolcanon.toml", '[[check.suppress]]\ncode = "L228"\n')
    wrong = run("check", "tools.json")
    assert (wrong.returncode, b"check.suppress[0].reason" in wrong.stderr) == (2, True)
    put(folder, "toolcanon.toml", "[check]\ntarget = []\n")
    assert b"did you mean 'targets'?" in run("check", "tools.json").stderr


def test_fixes_are_small_and_shown(folder):
    text = '{\n  "name": "sum",\n  "description": "Add two numbers.",\n  "input_schema": {\n'
    text += '    "type": "dict",\n\n    "properties": {"a":   {"type": "float"}}\n  }\n}\n'
    put(folder, "tool.json", text)
    shown = run("check", "tool.json", "--fix").stderr.decode()
    assert '-    "type": "dict",' in shown
    assert '+    "type": "object",' in shown
    mended = (folder / "tool.json").read_text(encoding="utf-8")
    assert mended == text.replace('"dict"', '"object"').replace('"float"', '"number"')
    again = run("check", "tool.json", "--fix", "--json")
    assert not [f for f in json.loads(again.stdout)["findings"] if f["code"] == "C205"]
    assert (folder / "tool.json").read_text(encoding="utf-8") == mended


@pytest.mark.parametrize(
    "form", ["text", "json", "sarif", "junit", "github", "gitlab", "markdown", "html"]
)
def test_every_report_form_escapes_hostile_text(folder, form):
    hostile = {**SEARCH, "name": "f\x1b[31m\u202eg\u0085", "description": "\x9b2J ::error::x]]>"}
    put(folder, "tools.json", [hostile])
    done = run("check", "tools.json", "--output-format", form, "-v")
    text = done.stdout.decode()
    assert text.strip()
    assert not [c for c in text if c in "\x1b\x9b\x85\u202e"]
    run("check", "tools.json", "--output-format", form, "-o", "report")
    assert (folder / "report").read_bytes().strip()


@pytest.mark.skipif(os.name == "nt", reason="no pseudo-terminals")
def test_nothing_hostile_reaches_a_terminal(folder):
    import pty

    put(folder, "tools.json", [{**SEARCH, "name": "f\x1b]0;x\x07g", "description": "\x1b[2J"}])
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "toolcanon", "check", "tools.json", "-v"]
    with subprocess.Popen(command, stdout=follower, stderr=follower) as child:
        os.close(follower)
        seen = b""
        while True:
            try:
                chunk = os.read(leader, 65536)
            except OSError:
                break
            if not chunk:
                break
            seen += chunk
    assert child.returncode == 1  # such characters are errors
    plain = seen
    for style in (
        b"\x1b[0m",
        b"\x1b[1m",
        b"\x1b[2m",
        b"\x1b[22m",
        b"\x1b[K",  # behind a sign of life, when the machine is slow
        *(b"\x1b[%dm" % n for n in range(30, 100)),
    ):
        plain = plain.replace(style, b"")
    assert b"\x1b" in seen  # coloured, so that the test can fail
    assert b"\x1b" not in plain
    assert b"\x07" not in plain


def test_several_files_have_one_report(folder):
    put(folder, "a.json", SEARCH)
    put(folder, "b.json", [PLAIN, SEARCH])
    told = json.loads(run("check", "a.json", "b.json", "--json").stdout)
    assert [tool["name"] for tool in told["tools"]] == ["search_files", "ping", "search_files (2)"]
    assert {found["place"]["file"] for found in told["findings"]} == {"a.json", "b.json"}


def test_two_tools_of_one_name_are_rejected_everywhere(folder):
    put(folder, "tools.json", [PLAIN, PLAIN])
    done = run("check", "tools.json", "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 1
    second = told["tools"][1]
    assert {cell["verdict"] for cell in second["targets"].values()} == {"rejected"}
    assert {f["code"] for f in told["findings"] if f["level"] == "error"} == {"C110"}
