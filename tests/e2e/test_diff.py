"""The diff command, as people, build servers and git itself run it."""

import json
import os
import re
import subprocess
import sys

import pytest

from tests.commands import run
from tests.conftest import ROOT
from toolcanon.report.document import WRITERS
from toolcanon.schema.validate import judge

OLD = {
    "name": "search",
    "description": "Search things.",
    "inputSchema": {"type": "object", "properties": {"limit": {"type": "integer", "minimum": 0}}},
}
NEW = {
    **OLD,
    "inputSchema": {"type": "object", "properties": {"limit": {"type": "integer", "minimum": 1}}},
}
WORDS = {**OLD, "description": "Search everything."}
GIT = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    put(tmp_path, "old.json", OLD)
    put(tmp_path, "new.json", NEW)
    return tmp_path


def put(folder, name, value):
    (folder / name).write_text(json.dumps(value, indent=2), encoding="utf-8")
    return name


def git(*args, env=None):
    done = subprocess.run([*GIT, *args], capture_output=True, check=True, text=True,
                          env={**os.environ, **(env or {})})  # fmt: skip
    return done.stdout


def test_the_report_for_people(folder):
    done = run("diff", "old.json", "new.json")
    assert done.stdout.decode().splitlines() == [
        "old.json -> new.json",
        "breaking: calls that worked before fail, or have another meaning",
        "",
        "search",
        "  breaking D223 input-range-narrowed",
        "    limit: minimum is 1, was 0",
        '    {"limit": 0} was accepted before, is rejected now: 0 is less than the minimum of 1',
        "",
        "1 of 1 tool changed: 1 breaking; suggested version: major",
    ]
    assert (done.returncode, done.stderr) == (1, b"")


def test_the_page_shows_what_the_command_prints(folder):
    page = (ROOT / "docs" / "diff.md").read_text(encoding="utf-8")
    shown = re.search(r"\$ toolcanon diff old\.json new\.json\n(.*?)```", page, re.DOTALL)
    assert run("diff", "old.json", "new.json").stdout.decode() == shown[1]


@pytest.mark.parametrize(
    ("after", "fail_on", "status"),
    [
        (NEW, "security", 0), (NEW, "breaking", 1), (NEW, "any", 1),
        (WORDS, "breaking", 0), (WORDS, "unknown", 0), (WORDS, "review", 1), (WORDS, "any", 1),
        (OLD, "any", 0),
    ],
)  # fmt: skip
def test_what_it_fails_on(folder, after, fail_on, status):
    put(folder, "new.json", after)
    done = run("diff", "old.json", "new.json", "--fail-on", fail_on, "-q")
    assert (done.returncode, done.stdout) == (status, b"")


def test_programs_get_a_document_with_a_schema(folder):
    document = json.loads(run("diff", "old.json", "new.json", "--json").stdout)
    schema = json.loads((ROOT / "docs" / "schemas" / "diff.v1.json").read_text(encoding="utf-8"))
    assert judge(schema).problems(document) == []
    assert document["changes"][0]["witness"]["value"] == {"limit": 0}
    assert (document["verdict"], document["semver"]) == ("breaking", "major")


@pytest.mark.parametrize("form", list(WRITERS))
def test_every_report_form_has_the_change(folder, form):
    done = run("diff", "old.json", "new.json", "--output-format", form, "-o", "report")
    assert done.returncode == 1
    text = (folder / "report").read_text(encoding="utf-8")
    assert "D223" in text
    assert "limit" in text


def test_annotations_point_into_the_new_file(folder):
    done = run("diff", "old.json", "new.json", "--output-format", "github")
    line = next(
        number
        for number, text in enumerate((folder / "new.json").read_text().splitlines(), 1)
        if '"minimum"' in text
    )
    assert f"file=new.json,line={line}," in done.stdout.decode()


def test_revisions_of_a_repository(folder):
    git("init", "-q", ".")
    put(folder, "tools.json", OLD)
    git("add", "tools.json")
    git("commit", "-qm", "one")
    put(folder, "tools.json", NEW)
    assert run("diff", "tools.json", "--against", "git:HEAD").returncode == 1
    assert run("diff", "tools.json", "--against", "git:HEAD:tools.json").returncode == 1
    git("commit", "-qam", "two")
    assert run("diff", "git:HEAD~1:tools.json", "git:HEAD:tools.json").returncode == 1
    assert run("diff", "tools.json", "--against", "git:HEAD").returncode == 0


@pytest.mark.parametrize(
    "spec",
    ["git:--output=stolen:old.json", "git:HEAD:nothing.json", "git:nowhere:old.json", "git:HEAD:",
     "git::old.json", "git:HEAD\n--output=stolen:old.json"],
)  # fmt: skip
def test_unknown_revisions(folder, spec):
    git("init", "-q", ".")
    done = run("diff", spec, "old.json")
    assert done.returncode == 2
    assert done.stderr.startswith(b"error[E114]")
    assert not (folder / "stolen").exists()


def test_the_recipe_for_git(folder):
    """As docs/diff.md has it, except for the place of the command."""
    page = (ROOT / "docs" / "diff.md").read_text(encoding="utf-8")
    driver = re.search(r'diff\.toolcanon\.command "(.*)"\n', page)[1].replace("\\", "")
    git("init", "-q", ".")
    put(folder, "tools.json", OLD)
    git("add", "tools.json")
    git("commit", "-qm", "one")
    (folder / ".gitattributes").write_text("tools.json diff=toolcanon\n")
    git("config", "diff.toolcanon.command",
        driver.replace("toolcanon diff", f"{sys.executable} -m toolcanon diff"))  # fmt: skip
    put(folder, "tools.json", NEW)
    shown = git("diff")
    assert '{"limit": 0} was accepted before, is rejected now' in shown
    (folder / "tools.json").unlink()
    assert "tool-removed" in git("diff")


def test_a_file_and_a_live_server(folder):
    server = ROOT / "tests" / "servers" / "pages.py"
    command = ["--", sys.executable, str(server)]
    listed = json.loads(run("fetch", *command).stdout)
    put(folder, "approved.json", listed)
    assert run("diff", "approved.json", *command).returncode == 0
    tools = listed["tools"] if isinstance(listed, dict) else listed
    put(folder, "approved.json", [*tools, OLD])
    done = run("diff", "approved.json", *command)
    assert done.returncode == 1
    assert b"tool-removed" in done.stdout
    assert run("diff", "approved.json", "--", "/nowhere/at/all").returncode == 3


def test_providers_are_compared_on_request(folder):
    members = {"limit": {"type": "integer", "minimum": 0},
               "q": {"type": "string", "pattern": "^(?=a)"}}  # fmt: skip
    lossy = {**OLD, "inputSchema": {"type": "object", "properties": members}}
    put(folder, "new.json", lossy)
    done = run("diff", "old.json", "new.json", "-t", "openai/strict", "--json")
    names = {change["name"] for change in json.loads(done.stdout)["changes"]}
    assert "target-newly-loses" in names
    assert run("diff", "old.json", "new.json", "-t", "nobody").returncode == 2


@pytest.mark.parametrize(
    "args",
    [(), ("old.json",), ("old.json", "new.json", "old.json"), ("-", "-"),
     ("old.json", "new.json", "--against", "git:HEAD"), ("old.json", "--"),
     ("old.json", "missing.json")],
)  # fmt: skip
def test_wrong_usage_is_an_error(folder, args):
    done = run("diff", *args)
    assert done.returncode == 2
    assert done.stderr.startswith(b"error[E")


def test_nothing_from_input_reaches_the_terminal(folder):
    hostile = "a\x1b[31m\u202eb\x9b::error::x]]>"
    put(folder, "new.json", {**NEW, "name": hostile, "description": hostile})
    for form in WRITERS:
        done = run("diff", "old.json", "new.json", "-v", "--output-format", form)
        text = done.stdout.decode()
        assert not {"\x1b", "\u202e", "\x9b"} & set(text), form
        assert not any(line.startswith("::error::x") for line in text.splitlines())


def test_codes_are_explained():
    for word in ("D223", "input-range-narrowed"):
        assert b"A limit is tighter" in run("explain", word).stdout
