"""baseline, check, alerts, history, export and import as people and build servers run them."""

import json
import os
import pty
import re
import secrets
import select
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

import pytest

from tests.conftest import ROOT
from tests.e2e.test_check_tools import put
from tests.e2e.test_fetch import PAGES, SERVERS
from toolcanon.cli.watch import toolwatch
from toolcanon.report.document import WRITERS
from toolcanon.schema.validate import judge

SEARCH = {
    "name": "search",
    "description": "Search the web.",
    "inputSchema": {
        "type": "object",
        "properties": {"q": {"type": "string"}, "limit": {"type": "integer", "minimum": 0}},
        "required": ["q"],
    },
}
PING = {"name": "ping", "description": "Ping.", "inputSchema": {"type": "object"}}
NARROW = json.loads(json.dumps(SEARCH).replace('"minimum": 0', '"minimum": 1'))
CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\ufeff]")
ECHO = """
import json, os, sys
said = f"Knows {os.environ.get('API_KEY')} and {' '.join(sys.argv[1:])}."
tool = {"name": "leak", "description": said, "inputSchema": {"type": "object"}}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    answer = {"jsonrpc": "2.0", "id": asked["id"]}
    if asked["method"] == "initialize":
        answer["result"] = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                            "serverInfo": {"name": "echo", "version": "1"}, "instructions": said}
    elif asked["method"] == "tools/list":
        answer["result"] = {"tools": [tool]}
    else:
        answer["error"] = {"code": -32601, "message": "no"}
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOOLCANON_HOME", str(tmp_path / "home"))
    for name in ("CI", "TOOLWATCH_STORE"):
        monkeypatch.delenv(name, raising=False)
    put(tmp_path, "tools.json", {"tools": [SEARCH, PING]})
    put(tmp_path, "narrow.json", {"tools": [NARROW, PING]})
    return tmp_path


@pytest.fixture
def watch(folder, capfd):
    """The command without a process of its own: importing takes longer than checking."""

    def watch(*words):
        capfd.readouterr()
        status = toolwatch([str(word) for word in words], standalone_mode=False)
        return subprocess.CompletedProcess(words, status, *capfd.readouterr())

    return watch


def process(*words, **more):
    return subprocess.run(
        [sys.executable, "-m", "toolcanon.cli.watch", *map(str, words)],
        stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=120, **more,
    )  # fmt: skip


def kept(folder):
    """Every byte that is left on the disk."""
    return b"".join(path.read_bytes() for path in (folder / "home").rglob("*") if path.is_file())


# --- catalogs


def test_a_catalog_is_remembered_and_checked(watch):
    made = watch("baseline", "tools.json")
    assert (made.returncode, made.stdout) == (0, "2 tools of tools.json recorded\n")
    clean = watch("check", "tools.json")
    assert (clean.returncode, clean.stdout, clean.stderr) == (
        0, "No mutation detected in 2 tools.\n", "",
    )  # fmt: skip
    drift = watch("check", "narrow.json")
    assert drift.returncode == 1
    assert '{"q": "", "limit": 0} was accepted before, is rejected now' in drift.stdout
    assert re.search(r"^search is tc1:sha256:[0-9a-f]{64}$", drift.stdout, re.MULTILINE)
    assert "seen before" in watch("check", "narrow.json").stderr
    assert "resolved" in watch("check", "tools.json").stderr


@pytest.mark.parametrize(
    ("level", "status"), [("security", 0), ("breaking", 1), ("unknown", 1), ("any", 1)]
)
def test_what_to_fail_on(watch, level, status):
    watch("baseline", "tools.json", "-q")
    assert watch("check", "narrow.json", "--fail-on", level, "-q").returncode == status
    assert watch("check", "narrow.json", "--fail-on", level, "--exit-zero").returncode == 0


@pytest.mark.parametrize("form", [form for form in WRITERS if form != "text"])
def test_every_form_of_report(watch, folder, form):
    watch("baseline", "tools.json", "-q")
    done = watch("check", "narrow.json", "--output-format", form)
    assert done.returncode == 1
    assert "D2" in done.stdout
    assert "search" in done.stdout
    if form in {"json", "sarif", "gitlab"}:
        found = json.loads(done.stdout)
    if form == "json":
        assert (found["schema"], found["unchanged"]) == ("watch.v1", 1)
        assert found["alerts"][0]["verdict"] == found["diff"]["verdict"] == "breaking"
    if form == "sarif":
        (result,) = found["runs"][0]["results"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "narrow.json"
    if form == "junit":
        ET.fromstring(done.stdout)  # noqa: S314 - ours
    written = watch("check", "narrow.json", "--output-format", form, "-o", "report")
    assert (written.stdout, (folder / "report").stat().st_size > 0) == ("", True)


def test_programs_get_documents_with_a_schema(watch):
    text = (ROOT / "docs" / "schemas" / "watch.v1.json").read_text(encoding="utf-8")
    schema = json.loads(text)
    assert judge(schema).problems(json.loads(watch("check", "tools.json", "--json").stdout)) == []
    told = json.loads(watch("check", "narrow.json", "--json").stdout)
    assert judge(schema).problems(told) == []
    alert = {**schema, "$ref": "#/$defs/alert"} | {"properties": {}, "required": []}
    (found,) = json.loads(watch("alerts").stdout)
    assert judge(alert).problems(found) == []
    assert judge(alert).problems({**found, "count": 0}) != []


def test_added_and_removed_tools(watch, folder):
    watch("baseline", "tools.json")
    put(folder, "tools.json", {"tools": [PING]})
    gone = watch("check", "tools.json")
    assert (gone.returncode, "tool-removed" in gone.stdout) == (1, True)
    put(folder, "tools.json", {"tools": [SEARCH, PING, {**PING, "name": "pong"}]})
    new = watch("check", "tools.json", "--json")
    assert new.returncode == 1
    assert [one["tool_name"] for one in json.loads(new.stdout)["alerts"]] == ["pong"]
    put(folder, "tools.json", {"tools": [{**SEARCH, "name": "search_web"}, PING]})
    renamed = watch("check", "tools.json")
    assert "tool-renamed" in renamed.stdout


def test_one_tool_of_a_catalog(watch):
    assert watch("baseline", "tools.json", "--tool", "ping").returncode == 0
    assert watch("check", "tools.json", "--tool", "ping", "--require-baseline").returncode == 0
    missing = watch("check", "tools.json", "--tool", "pinh")
    assert (missing.returncode, "did you mean 'ping'" in missing.stderr) == (2, True)


def test_responses_by_tool(watch, folder):
    rows = [{"tool": "ping", "response": {"ms": n}} for n in range(9)]
    (folder / "seen.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    put(folder, "seen.json", {"ping": [{"ms": str(n)} for n in range(9)]})
    put(folder, "list.json", [{"ms": 1}])
    assert watch("baseline", "tools.json", "--responses", "seen.jsonl").returncode == 0
    assert watch("check", "tools.json", "--responses", "seen.jsonl").returncode == 0
    drift = watch("check", "tools.json", "--responses", "seen.json", "--json")
    assert drift.returncode == 1
    assert json.loads(drift.stdout)["alerts"][0]["change_type"] == "response_change"
    unclear = watch("check", "tools.json", "--responses", "list.json")
    assert (unclear.returncode, "The responses need tool names" in unclear.stderr) == (2, True)


def test_responses_of_one_tool(watch, folder):
    rows = [{"tool": "ping", "response": {"ms": n}} for n in range(9)]
    put(folder, "rows.json", rows)
    put(folder, "own.json", [{"tool": "hammer", "response": "x"}] * 9)
    put(folder, "text.json", '"pong"')
    put(folder, "plain.json", [row["response"] for row in rows])
    put(folder, "ping.json", PING)
    for given in (["--schema", "ping.json"], ["tools.json"]):
        one = ["--tool", "ping", *given, "--responses"]
        assert watch("baseline", *one, "plain.json").returncode == 0
        same = watch("check", *one, "rows.json")
        assert (same.returncode, same.stderr) == (0, "")
    assert watch("check", *one[:2], "--schema", "ping.json", "--responses", "own.json").returncode
    assert watch("baseline", *one, "text.json").returncode == 0
    assert watch("check", *one, "text.json").returncode == 0
    put(folder, "none.json", [])
    assert "none were given" in watch("check", *one, "none.json").stderr


def test_too_few_responses_are_no_identity(watch, folder):
    put(folder, "seen.json", {"ping": [{"a": 1}]})
    put(folder, "other.json", {"ping": [{"b": 1}]})
    watch("baseline", "tools.json", "--responses", "seen.json")
    given = ("tools.json", "--responses", "other.json")
    told = watch("check", *given)
    assert (told.returncode, "D915" in told.stdout) == (1, True)
    assert "nothing changed" not in told.stdout
    (result,) = json.loads(watch("check", *given, "--output-format", "sarif").stdout)["runs"][0][
        "results"
    ]
    assert result["ruleId"] == "D915"


def test_a_first_record_needs_consent_in_every_case(watch, folder, monkeypatch):
    put(folder, "new.json", {"tools": []})
    refused = watch("check", "new.json", "--require-baseline")
    assert (refused.returncode, "--trust-first" in refused.stderr) == (2, False)
    monkeypatch.setenv("CI", "1")
    refused = watch("check", "new.json")
    assert (refused.returncode, "--trust-first" in refused.stderr) == (2, True)
    assert watch("check", "new.json", "--trust-first").returncode == 0


def test_the_digest_to_approve_is_printed_for_one_tool_as_well(watch, folder):
    put(folder, "one.json", SEARCH)
    put(folder, "two.json", NARROW)
    watch("baseline", "--tool", "search", "--schema", "one.json")
    drift = watch("check", "--tool", "search", "--schema", "two.json")
    assert re.search(r"^search is tc1:sha256:[0-9a-f]{64}$", drift.stderr, re.MULTILINE)


def test_without_a_store_nothing_is_recorded(watch):
    told = watch("--store", "no/such/store.db", "alerts")
    assert (told.returncode, told.stdout) == (0, "No alerts recorded.\n")
    assert "no store at no/such/store.db" in told.stderr
    empty = watch("history", "nope")
    assert (empty.returncode, "bound: " in empty.stderr) == (2, False)
    assert "'nope' is unknown" in empty.stderr


def test_thousands_of_tools_in_one_command(watch, folder):
    many = [{**SEARCH, "name": f"search_{n}"} for n in range(3000)]
    (folder / "many.jsonl").write_text("\n".join(map(json.dumps, many)), encoding="utf-8")
    assert watch("baseline", "many.jsonl").stdout == "3,000 tools of many.jsonl recorded\n"
    assert watch("check", "many.jsonl").stdout == "No mutation detected in 3,000 tools.\n"


USAGE = [
    ["check"],
    ["baseline"],
    ["check", "--tool", "x"],
    ["check", "--schema", "tools.json"],
    ["check", "--tool", "a", "--tool", "b", "--schema", "tools.json"],
    ["check", "--tool", "", "--schema", "tools.json"],
    ["check", "--tool", "x", "--schema", "tools.json", "tools.json"],
    ["check", "tools.json", "--require-baseline", "--trust-first"],
    ["check", "nowhere.json"],
    ["check", "tools.json", "--env", "A=1"],
    ["check", "tools.json", "--header", "A:1"],
    ["check", "tools.json", "--yes", "x"],
    ["check", "tools.json", "--client-config", "x.json"],
    ["check", "tools.json", "--server", "a", "--server", "b"],
    ["check", "--"],
    ["check", "tools.json", "--fail-on", "everything"],
    ["history", "nobody"],
    ["export", "everything"],
    ["import", "tools.json"],
    ["import", "nowhere.json"],
    ["alerts", "--limit", "0"],
    ["--store", "postgresql://host/db", "alerts"],
    ["--store", "", "alerts"],
]


@pytest.mark.parametrize("words", USAGE, ids=" ".join)
def test_usage(watch, words):
    done = watch(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].startswith("error[E")


# --- what is kept


def test_another_file_is_never_taken_for_an_empty_store(watch, folder):
    (folder / "store.db").write_bytes(b"not a database" * 100)
    for words in (["check", "tools.json"], ["alerts"], ["baseline", "tools.json"]):
        done = watch("--store", "store.db", *words)
        assert (done.returncode, done.stdout) == (3, "")
    assert (folder / "store.db").read_bytes() == b"not a database" * 100


def test_the_life_of_a_tool(watch):
    watch("baseline", "tools.json", "--version", "1.0")
    watch("check", "narrow.json")
    watch("check", "narrow.json")
    watch("check", "tools.json")
    told = watch("history", "search")
    lines = told.stdout.splitlines()
    assert lines[0] == "search"
    words = ["recorded", "changed", "as before again"]
    assert [word in line for word, line in zip(words, lines[1:], strict=True)] == [True] * 3
    assert "version 1.0" in lines[1]
    assert "breaking, seen 2 times" in lines[2]
    found = json.loads(watch("history", "search", "--json").stdout)
    assert [event["kind"] for event in found] == ["baseline", "alert", "resolved"]


def test_the_history_of_a_forgotten_tool(watch, folder):
    watch("baseline", "tools.json")
    put(folder, "tools.json", {"tools": [PING]})
    watch("baseline", "tools.json")
    told = watch("history", "search")
    assert (told.returncode, "removed" in told.stdout.splitlines()[-1]) == (0, True)
    assert watch("check", "tools.json").stdout == "No mutation detected in 1 tool.\n"


def test_pages_of_alerts(watch, folder):
    names = [f"t{n}" for n in range(5)]
    put(folder, "old.json", [{**PING, "name": name} for name in names])
    put(folder, "new.json", [{**PING, "name": name, "description": "Else."} for name in names])
    watch("baseline", "old.json")
    watch("check", "new.json")
    first = watch("alerts", "--limit", "2")
    assert [one["tool_name"] for one in json.loads(first.stdout)] == ["t0", "t1"]
    after = re.search(r"--after (\d+)", first.stderr)[1]
    rest = watch("alerts", "--after", after, "--status", "open")
    assert [one["tool_name"] for one in json.loads(rest.stdout)] == ["t2", "t3", "t4"]
    assert len(json.loads(watch("alerts", "--tool", "t3").stdout)) == 1
    assert watch("alerts", "--status", "approved").stdout == "No alerts recorded.\n"


def test_export_and_import_are_each_others_inverse(watch, folder):
    watch("baseline", "tools.json")
    watch("check", "narrow.json")
    for kind in ("baselines", "alerts"):
        assert watch("export", kind, "-o", f"{kind}.json").returncode == 0
        text = (folder / f"{kind}.json").read_text(encoding="utf-8")
        assert text == watch("export", kind).stdout
        for _ in range(2):
            assert watch("--store", "copy.db", "import", f"{kind}.json").returncode == 0
        assert watch("--store", "copy.db", "export", kind).stdout == text
    assert watch("--store", "copy.db", "check", "tools.json", "--require-baseline").returncode == 0


def test_a_damaged_store_is_an_error(watch, folder):
    watch("baseline", "tools.json")
    text = watch("export").stdout
    edited = text.replace("Search the web.", "Search the dark web.")
    first = json.loads(text)
    damaged = [text[:-20], edited, json.dumps([*first, first[0]]), json.dumps([*first, 7]), "{}"]
    for damage in damaged:
        (folder / "damaged.json").write_text(damage, encoding="utf-8")
        done = watch("--store", "copy.db", "import", "damaged.json")
        assert (done.returncode, done.stdout) == (2, "")
        assert watch("--store", "copy.db", "export").stdout == "[]\n"


# --- hostile names


HOSTILE = [
    "x'; DROP TABLE baseline; --",
    '"); DELETE FROM alert; --',
    "../../etc/passwd",
    "a\x1b[31mred\x07",
    "b\u202etxt.exe",
    "c\nd\re",
    "tab\tbed",
    "::error::owned",
    "a:b|c,d.e",
    "NUL\x00byte",
    "%s%n{0}",
    "-rf",
    "é\u200b",
]


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_are_escaped(watch, folder, name):
    put(folder, "old.json", [{**SEARCH, "name": name}, PING])
    put(folder, "new.json", [{**NARROW, "name": name}, {**PING, "description": name}])
    runs = [watch("baseline", "old.json"), watch("check", "old.json"), watch("check", "new.json")]
    runs += [watch("check", "new.json", "--json"), watch("alerts"), watch("export")]
    runs += [watch("check", "new.json", "--output-format", form) for form in ("github", "junit")]
    assert [run.returncode for run in runs] == [0, 0, 1, 1, 0, 0, 1, 1]
    assert not any(CONTROLS.search(run.stdout + run.stderr) for run in runs)
    assert {one["tool_name"] for one in json.loads(runs[4].stdout)} == {name, "ping"}
    if not name.startswith("-") and "\x00" not in name:
        life = watch("history", name)
        assert life.returncode == 0
        assert not CONTROLS.search(life.stdout)
        single = watch("check", "--tool", name, "--schema", "old.json")
        assert not CONTROLS.search(single.stdout + single.stderr)


# --- live servers


def test_a_live_server_is_watched_under_its_name(watch, folder):
    pytest.importorskip("mcp", reason="the SDK of the protocol is not installed")
    (folder / "mutation").write_text("", encoding="utf-8")
    live = ["--server", "files", "--", sys.executable, SERVERS / "mutating.py", "mutation", *PAGES]
    first = watch("baseline", *live)
    assert (first.returncode, "of files recorded" in first.stdout) == (0, True)
    assert watch("check", *live).returncode == 0
    for mutation, word in (("required", "breaking"), ("hidden", "security"), ("renamed", "rename")):
        (folder / "mutation").write_text(mutation, encoding="utf-8")
        done = watch("check", *live)
        assert (done.returncode, word in done.stdout) == (1, True), mutation
    other = watch("check", "--server", "files", "--", *PAGES)
    assert (other.returncode, "server-identity-changed" in other.stdout) == (1, True)
    told = watch("check", "--output-format", "sarif", "--server", "files", "--", *PAGES)
    assert (told.returncode, "server-identity-changed" in told.stdout) == (1, True)


def test_an_unreachable_server_is_not_drift(watch, folder):
    pytest.importorskip("mcp", reason="the SDK of the protocol is not installed")
    gone = watch("check", "--", "no-such-command-anywhere")
    assert (gone.returncode, gone.stdout, "E310" in gone.stderr) == (3, "", True)
    told = watch("check", "--json", "--", "no-such-command-anywhere")
    found = json.loads(told.stdout)
    assert (told.returncode, found["diff"]["verdict"]) == (3, "unknown")
    assert [one["code"] for one in found["failures"]] == ["E310"]
    schema = json.loads((ROOT / "docs" / "schemas" / "watch.v1.json").read_text(encoding="utf-8"))
    assert judge(schema).problems(found) == []
    for form in ("sarif", "junit", "github", "gitlab", "markdown", "html"):
        done = watch("check", "--output-format", form, "--", "no-such-command-anywhere")
        assert (done.returncode, "no-such-command-anywhere" in done.stdout) == (3, True), form
    servers = {"good": {"command": PAGES[0], "args": PAGES[1:]}, "gone": {"command": "no-such-x"}}
    put(folder, "mcp.json", {"mcpServers": servers})
    agreed = ("--client-config", "mcp.json", "--yes", "good", "--yes", "gone")
    both = watch("check", *agreed)
    assert (both.returncode, "seen for the first time" in both.stdout) == (3, True)
    assert "E310" in both.stderr


def test_a_configuration_file_starts_no_server_without_consent(watch, folder):
    canary = {"command": sys.executable, "args": ["-c", "open('canary', 'w')"]}
    put(folder, "mcp.json", {"mcpServers": {"evil": canary}})
    for command in ("baseline", "check"):
        done = watch(command, "--client-config", "mcp.json")
        assert (done.returncode, done.stdout) == (2, "")
        assert "E311" in done.stderr
    assert not (folder / "canary").exists()


def test_no_secret_is_kept_or_shown(watch, folder):
    pytest.importorskip("mcp", reason="the SDK of the protocol is not installed")
    (folder / "echo.py").write_text(ECHO, encoding="utf-8")
    made = [secrets.token_hex(12) for _ in range(4)]
    live = ["--env", f"API_KEY={made[0]}", "--", sys.executable, folder / "echo.py"]
    live += ["--token", made[1], f"--password={made[2]}", f"https://u:{made[3]}@host/?k=v"]
    runs = [watch("baseline", *live), watch("check", *live), watch("check", *live, "--json")]
    runs += [watch("export"), watch("alerts"), watch("history", "leak")]
    assert [run.returncode for run in runs[:2]] == [0, 0]
    assert "passed to it" in runs[0].stderr
    left = kept(folder)
    for secret in made:
        assert not any(secret in run.stdout + run.stderr for run in runs)
        assert secret.encode() not in left


def test_redacted_values_are_never_kept(watch, folder):
    secret = "ghp_" + secrets.token_hex(18)
    properties = {"a": {"default": secret, "examples": [secret]}}
    schema = {"type": "object", "properties": properties}
    tool = {**PING, "description": f"Use {secret}.", "inputSchema": schema}
    put(folder, "leaky.json", [tool])
    put(folder, "seen.json", {"ping": [{"token": secret, "n": n} for n in range(9)]})
    given = ("leaky.json", "--redact", "--responses", "seen.json")
    assert watch("baseline", *given).returncode == 0
    assert watch("check", *given).returncode == 0
    put(folder, "leaky.json", [{**tool, "title": secret}])
    drift = watch("check", *given, "--json")
    assert drift.returncode == 1
    assert secret not in drift.stdout + drift.stderr
    assert secret.encode() not in kept(folder)


# --- terminals, seeds of hashes, pipes


def at_terminal(folder, *words):
    leader, follower = pty.openpty()
    env = {**os.environ, "TERM": "xterm"}
    with subprocess.Popen(
        [sys.executable, "-m", "toolcanon.cli.watch", *words], cwd=folder, env=env,
        stdin=follower, stdout=follower, stderr=follower, close_fds=True,
    ) as child:  # fmt: skip
        os.close(follower)
        said, until = b"", time.monotonic() + 60
        while time.monotonic() < until and select.select([leader], [], [], 60)[0]:
            try:
                data = os.read(leader, 65536)
            except OSError:
                break
            said += data
            if not data:
                break
        status = child.wait(30)
    os.close(leader)
    return status, said.decode()


def test_input_is_escaped_at_a_terminal(watch, folder):
    hostile = {**SEARCH, "name": "a\x1b]0;owned\x07", "description": "b\x1b[2J"}
    put(folder, "old.json", [hostile])
    put(folder, "new.json", [{**NARROW, "name": hostile["name"], "description": "c\x9b31m"}])
    watch("baseline", "old.json")
    status, said = at_terminal(folder, "check", "new.json")
    assert status == 1
    ours = re.compile(r"\x1b\[[0-9;]*[mK]|\r")
    assert "\x1b[" in said  # colours
    assert not CONTROLS.search(ours.sub("", said))


SEVERAL = """
import json, sys
from toolcanon.cli import toolwatch

for words in json.loads(sys.argv[1]):
    try:
        status = toolwatch(words, standalone_mode=False)
    except SystemExit as ended:
        status = ended.code
    print("status", status or 0, flush=True)
"""


def test_output_does_not_depend_on_the_seed_of_hashes(folder):
    names = [f"tool_{n}" for n in range(12)]
    put(folder, "old.json", [{**SEARCH, "name": name} for name in names])
    put(folder, "new.json", [{**NARROW, "name": name} for name in names[:8]])
    found = []
    for seed in ("0", "1", "4242"):
        words = [["--store", f"{seed}.db", *words] for words in (
            ["baseline", "old.json", "--json"], ["check", "new.json"],
            ["check", "new.json", "--json"], ["alerts"], ["export"])]  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-c", SEVERAL, json.dumps(words)], capture_output=True, check=True,
            cwd=folder, env={**os.environ, "PYTHONHASHSEED": seed}, text=True,
        )  # fmt: skip
        assert re.findall(r"^status (.*)", done.stdout, re.MULTILINE) == [*"01100"]
        text = done.stdout + done.stderr
        found.append(re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00", "TIME", text))
    assert found[0] == found[1] == found[2]


def test_a_closed_pipe_is_not_a_failure(folder):
    put(folder, "many.json", [{**SEARCH, "name": f"s{n}"} for n in range(300)])
    assert process("baseline", "many.json", "-q").returncode == 0
    piped = f"{sys.executable} -m toolcanon.cli.watch export | head -1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {piped}"], capture_output=True,
                          check=False, cwd=folder, env={**os.environ})  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, b"[\n", b"")


def test_help_needs_nothing_heavy():
    code = (
        "import sys\nfrom toolcanon.cli.watch import toolwatch\n"
        "toolwatch(['--help'], standalone_mode=False)\n"
        "heavy = {'pydantic', 'mcp', 'sqlite3', 'jsonschema_rs'} & set(sys.modules)\n"
        "sys.exit(1 if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
