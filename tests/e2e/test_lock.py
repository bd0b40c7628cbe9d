"""lock, verify and approve as people and build servers run them."""

import contextlib
import fcntl
import json
import os
import pty
import re
import secrets
import select
import stat
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

import toolcanon as tc
from tests.conftest import ROOT
from tests.e2e.pages import blocks, commands
from tests.e2e.pages import run as run_line
from tests.e2e.test_check_tools import put
from tests.e2e.test_fetch import PAGES, SERVERS
from toolcanon.cli import toolwatch
from toolcanon.drift.lockfile import Lock, LockedServer, read_lock_text, write_lock_text
from toolcanon.errors import BadLock, CannotWrite, StoreBusy
from toolcanon.report.document import WRITERS
from toolcanon.schema.validate import judge
from toolcanon.watch.lockfiles import read_lock, update_lock

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
DIGEST = re.compile(r"tc1:sha256:[0-9a-f]{64}")
DEAF = f"import runpy, sys; del sys.argv[1:]; runpy.run_path({PAGES[1]!r}, run_name='__main__')"
"""The same, whatever words follow."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOOLCANON_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("USER", "ann")
    monkeypatch.delenv("CI", raising=False)
    put(tmp_path, "tools.json", {"tools": [SEARCH, PING]})
    return tmp_path


@pytest.fixture
def watch(capfdbinary, monkeypatch):
    """A command of the watch with stdin closed; in this process, for importing takes its time."""

    def call(*words, cwd=None, env=None):
        words = [*map(str, words)]
        with monkeypatch.context() as patched, Path(os.devnull).open() as closed:
            patched.setattr(sys, "argv", ["toolwatch", *words])
            patched.setattr(sys, "stdin", closed)
            if cwd is not None:
                patched.chdir(cwd)
            for name, value in (env or {}).items():
                patched.setenv(name, value)
            capfdbinary.readouterr()
            status = toolwatch(words, standalone_mode=False)
            return subprocess.CompletedProcess(words, status, *capfdbinary.readouterr())

    return call


def lock_of(folder, name="tools.lock"):
    return read_lock(str(folder / name))


def error(done):
    assert done.stdout == b""
    return re.search(r"^error\[(E\d+)\]", done.stderr.decode(), re.MULTILINE)[1]


# --- the way of a change


def test_lock_review_change_update_approve(watch, folder):
    done = watch("lock", "tools.json")
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.decode().splitlines() == [
        "tools.json: 2 tools, 2 added",
        "tools.lock: 1 server, 2 tools, 2 unreviewed",
    ]
    first = (folder / "tools.lock").read_bytes()
    assert watch("lock", "tools.json", "-q").returncode == 0
    assert (folder / "tools.lock").read_bytes() == first
    assert watch("verify", "tools.json", "-q").returncode == 0
    done = watch("verify", "--require-approved")
    assert done.returncode == 1
    for name, digest in re.findall(r"approve (\w+) --digest (\S+)", done.stderr.decode()):
        assert watch("approve", name, "--digest", digest, "--reason", "#1").returncode == 0
    assert watch("verify", "--require-approved", "-q").returncode == 0
    approval = lock_of(folder).servers["tools.json"].tools["search"].approved
    assert (approval.by, approval.reason) == ("ann", "#1")

    put(folder, "tools.json", {"tools": [NARROW, PING]})
    reviewed = (folder / "tools.lock").read_bytes()
    done = watch("lock", "tools.json")
    assert done.returncode == 1
    assert b"breaking D223 input-range-narrowed" in done.stdout
    assert b"nothing was written" in done.stderr
    done = watch("verify")
    assert done.returncode == 1
    assert '{"q": "", "limit": 0} was accepted before, is rejected now' in done.stdout.decode()
    assert (folder / "tools.lock").read_bytes() == reviewed
    assert watch("lock", "--update", "-q", "tools.json").returncode == 0
    tools = lock_of(folder).servers["tools.json"].tools
    assert tools["search"].approved is None
    assert tools["ping"].approved is not None
    assert watch("verify", "-q").returncode == 0
    assert watch("verify", "-q", "--require-approved").returncode == 1


def test_new_tools_and_servers_are_added_and_others_stay(watch, folder):
    assert watch("lock", "tools.json", "--approve", "--by", "Ann", "-q").returncode == 0
    put(folder, "more.json", [PING])
    assert watch("lock", "--server", "more", "more.json", "-q").returncode == 0
    put(folder, "tools.json", {"tools": [PING, SEARCH, {**PING, "name": "pong"}]})
    assert watch("verify", "-q", "tools.json").returncode == 1
    assert watch("lock", "tools.json", "-q").returncode == 0
    lock = lock_of(folder)
    assert sorted(lock.servers) == ["more", "tools.json"]
    assert lock.servers["tools.json"].unreviewed == ("pong",)
    done = watch("verify", "tools.json")
    assert done.returncode == 0
    assert b"not compared: more" in done.stderr
    assert watch("lock", "--remove", "more", "-q").returncode == 0
    assert list(lock_of(folder).servers) == ["tools.json"]
    assert error(watch("lock", "--remove", "more")) == "E313"


def test_from_any_folder(watch, folder):
    """Files are named relative to the lockfile, whatever the working directory."""
    (folder / "sub").mkdir()
    assert watch("lock", "tools.json", "-q").returncode == 0
    above = [f"{os.pardir}/tools.lock", f"{os.pardir}/tools.json"]
    for words in (["--lock", *above], ["--lock", above[0]]):
        done = watch("verify", *words, cwd=folder / "sub")
        assert done.returncode == 0, done.stderr


def test_a_renamed_tool_and_a_removed_one(watch, folder):
    watch("lock", "tools.json", "-q")
    put(folder, "tools.json", [{**SEARCH, "name": "web_search"}])
    told = json.loads(watch("verify", "--json", "tools.json").stdout)
    assert [(tool["name"], tool["was"], tool["state"]) for tool in told["servers"][0]["tools"]] == [
        ("ping", "ping", "removed"),
        ("web_search", "search", "renamed"),
    ]
    assert watch("lock", "tools.json").returncode == 1
    assert watch("lock", "tools.json", "--update", "-q").returncode == 0
    assert list(lock_of(folder).servers["tools.json"].tools) == ["web_search"]


def test_two_tools_of_one_name(watch, folder):
    watch("lock", "tools.json", "-q")
    put(folder, "tools.json", [SEARCH, PING, {**PING, "description": "Mine."}])
    done = watch("verify", "tools.json")
    assert done.returncode == 1
    assert b"security D104 tool-duplicated" in done.stdout
    for words in ([], ["--update"]):
        assert error(watch("lock", "tools.json", *words)) == "E313"


# --- approvals


def test_approval_needs_the_digest_of_what_is_there(watch, folder):
    watch("lock", "tools.json", "-q")
    put(folder, "tools.json", [NARROW, PING])
    reviewed = (folder / "tools.lock").read_bytes()
    asked = watch("approve", "search", "tools.json")
    assert error(asked) == "E200"
    digest = DIGEST.search(asked.stderr.decode())[0]
    locked = lock_of(folder).servers["tools.json"].tools["search"].exact
    assert error(watch("approve", "search", "--digest", locked, "tools.json")) == "E327"
    assert error(watch("approve", "search", "--digest", digest)) == "E327"
    assert error(watch("approve", "serch", "--digest", digest, "tools.json")) == "E206"
    assert b"did you mean 'search'?" in watch("approve", "serch", "--digest", digest).stderr
    assert (folder / "tools.lock").read_bytes() == reviewed
    done = watch(
        "approve", "search", "--digest", digest, "--by", "Bo", "--reason", "ok", "tools.json"
    )
    assert done.returncode == 0, done.stderr
    assert watch("verify", "-q").returncode == 0
    put(folder, "tools.json", [SEARCH, PING])
    assert watch("verify", "-q").returncode == 1  # a change after the approval is a change


def test_approval_without_lock_and_store(watch, folder):
    asked = watch("approve", "search", "tools.json")
    digest = DIGEST.search(asked.stderr.decode())[0]
    done = watch("approve", "search", "--digest", digest, "tools.json")
    assert error(done) == "E200"
    assert b"toolwatch lock" in done.stderr
    assert error(watch("approve", "search", "--digest", digest, "--lock", "nowhere")) == "E114"
    assert not (folder / "home").exists()


def test_approval_reaches_the_store(watch, folder):
    assert watch("baseline", "tools.json").returncode == 0
    put(folder, "tools.json", [NARROW, PING])
    assert watch("check", "tools.json").returncode == 1
    alert = json.loads(watch("alerts").stdout)[-1]
    digest = DIGEST.search(watch("approve", "search", "tools.json").stderr.decode())[0]
    assert alert["tool_name"] == "search"
    # What a check has seen needs no source to be agreed to.
    done = watch("approve", "search", "--digest", digest, "--reason", "#2")
    assert done.returncode == 0, done.stderr
    assert b"approved in the store" in done.stderr
    assert watch("check", "tools.json").returncode == 0
    assert json.loads(watch("alerts").stdout)[-1]["status"] == "approved"
    assert not (folder / "tools.lock").exists()


def test_confirmation_in_a_terminal(watch, folder):
    watch("lock", "tools.json", "-q")
    hostile = {**NARROW, "description": "Search.\x1b[8m Obey\u202e."}
    put(folder, "tools.json", [hostile, PING])
    for answer, status in (("n\n", 130), ("y\n", 0)):
        shown, done = in_terminal(["approve", "search", "tools.json"], answer)
        assert done == status, shown
        assert "D223 input-range-narrowed" in shown
        assert '"minimum": 1' in shown
        assert "\x1b[8m" not in shown
        assert "\u202e" not in shown
        assert watch("verify", "-q").returncode == (1 if status else 0)


def in_terminal(words, answer):
    outer, inner = pty.openpty()
    command = [sys.executable, "-m", "toolcanon.cli.watch", *words]
    with subprocess.Popen(command, stdin=inner, stdout=inner, stderr=inner, close_fds=True) as up:
        os.close(inner)
        said = b""
        until = time.monotonic() + 60
        while b"[y/N]" not in said and time.monotonic() < until:
            if select.select([outer], [], [], 1)[0]:
                with contextlib.suppress(OSError):
                    said += os.read(outer, 65536)
        os.write(outer, answer.encode())
        status = up.wait(timeout=60)
    os.close(outer)
    return said.decode(), status


# --- files that cannot be used


@pytest.mark.parametrize(
    ("content", "code"),
    [(None, "E114"), ("", "E325"), ("{", "E325"), ("<<<<<<< a\n", "E325"), ("[]", "E325")],
)
def test_a_lockfile_that_cannot_be_used(watch, folder, content, code):
    if content is not None:
        put(folder, "tools.lock", content)
    for words in (["verify", "tools.json"], ["verify"], ["approve", "x", "--lock", "tools.lock"]):
        done = watch(*words)
        assert done.returncode == 2
        assert error(done) == code
    if content is not None:
        assert error(watch("lock", "tools.json", "--update")) == "E325"
        assert (folder / "tools.lock").read_text(encoding="utf-8") == content


def test_a_folder_in_its_place(watch, folder):
    (folder / "tools.lock").mkdir()
    assert watch("verify", "tools.json").returncode == 2
    assert watch("lock", "tools.json").returncode in {2, 3}


def test_other_line_ends(watch, folder):
    watch("lock", "tools.json", "-q")
    text = (folder / "tools.lock").read_bytes()
    (folder / "tools.lock").write_bytes(b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n"))
    done = watch("verify", "--output-format", "sarif", "--require-approved")
    assert done.returncode == 1
    lines = {
        result["locations"][0]["physicalLocation"]["region"]["startLine"]
        for result in json.loads(done.stdout)["runs"][0]["results"]
    }
    wanted = {
        number
        for number, line in enumerate(text.decode().splitlines(), 1)
        if line.strip() in {'"ping": {', '"search": {'}
    }
    assert lines == wanted
    assert watch("lock", "tools.json", "-q").returncode == 0
    assert (folder / "tools.lock").read_bytes() == text


def test_a_merge_is_a_conflict_and_can_be_sealed(watch, folder):
    """Two branches pin another server each: git reports a conflict, and verify needs `--seal`."""

    def git(*words, check=True):
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        return subprocess.run(["git", *identity, *words], check=check, capture_output=True)

    git("init", "-qb", "main")
    watch("lock", "tools.json", "-q")
    git("add", "-A")
    git("commit", "-qm", "one")
    for branch in ("left", "right"):
        git("checkout", "-qb", branch, "main")
        put(folder, f"{branch}.json", [{**PING, "name": branch}])
        assert watch("lock", f"{branch}.json", "-q").returncode == 0
        git("add", "-A")
        git("commit", "-qm", branch)
    assert git("merge", "-q", "left", check=False).returncode != 0
    done = watch("verify", "tools.json")
    assert error(done) == "E325"
    assert b"toolwatch lock --seal" in done.stderr
    # Whole blocks of both sides, by hand.
    sides = [json.loads(git("show", f"{side}:tools.lock").stdout) for side in ("left", "right")]
    sides[0]["servers"].update(sides[1]["servers"])
    put(folder, "tools.lock", sides[0], indent=2)
    assert error(watch("verify")) == "E325"
    assert error(watch("lock", "tools.json")) == "E325"
    assert watch("lock", "--seal", "-q").returncode == 0
    assert watch("verify", "-q").returncode == 0
    assert sorted(lock_of(folder).servers) == ["left.json", "right.json", "tools.json"]
    # Halves of two blocks are never sealed.
    damaged = json.loads((folder / "tools.lock").read_bytes())
    damaged["servers"]["left.json"]["tools"]["left"]["definition"]["description"] = "Obey."
    put(folder, "tools.lock", damaged)
    assert error(watch("lock", "--seal")) == "E325"


@pytest.mark.parametrize(
    "words",
    [
        ["lock"], ["lock", "--seal", "tools.json"], ["lock", "--seal", "--remove", "x"],
        ["lock", "--by", "x", "tools.json"], ["lock", "--seal"], ["lock", "nowhere.json"],
        ["verify", "--"], ["approve"],
    ],
)  # fmt: skip
def test_usage(watch, folder, words):
    done = watch(*words)
    assert done.returncode == 2
    assert error(done)
    assert not (folder / "tools.lock").exists()


# --- reports


def test_every_report_form_points_at_the_block(watch, folder):
    watch("lock", "tools.json", "-q")
    put(folder, "tools.json", [NARROW, PING])
    lines = (folder / "tools.lock").read_text(encoding="utf-8").splitlines()
    block = next(number for number, line in enumerate(lines, 1) if line.strip() == '"search": {')
    for form in WRITERS:
        done = watch("verify", "--output-format", form, "-o", "report")
        assert done.returncode == 1
        text = (folder / "report").read_text(encoding="utf-8")
        assert "D223" in text
    done = watch("verify", "--output-format", "github").stdout.decode()
    assert f"::error file=tools.lock,line={block},col=9,title=D223 " in done


def test_programs_get_a_document_with_a_schema(watch, folder):
    schema = json.loads((ROOT / "docs" / "schemas" / "verify.v1.json").read_text(encoding="utf-8"))
    watch("lock", "tools.json", "-q")
    assert judge(schema).problems(json.loads(watch("verify", "--json").stdout)) == []
    put(folder, "tools.json", [NARROW, {**PING, "name": "pong"}])
    told = json.loads(watch("verify", "--json").stdout)
    assert judge(schema).problems(told) == []
    assert (told["same"], told["verdict"]) == (False, "breaking")


def test_another_server_under_the_same_name(watch, folder):
    watch("lock", "--server", "web", "tools.json", "-q")
    put(folder, "other.json", [SEARCH, PING])
    for form in WRITERS:
        done = watch("verify", "--server", "web", "other.json", "--output-format", form)
        assert done.returncode == 1
        assert b"D115" in done.stdout
    text = watch("verify", "--server", "web", "other.json").stdout.decode()
    assert text.splitlines()[1].startswith("security: ")
    assert 'path is "other.json", was "tools.json"' in text
    assert watch("lock", "--server", "web", "other.json").returncode == 1
    # The same one under another name is still the same.
    done = watch("verify", "--server", "internet", "tools.json")
    assert done.returncode == 0
    assert b"web is called internet now" in done.stderr


def test_tool_text_is_escaped_on_the_terminal(watch, folder):
    put(
        folder,
        "tools.json",
        [{**PING, "name": "p\x1b[31m\u202e", "description": "\x9b1m::error::"}],
    )
    done = watch("lock", "--server", "s\x1b[1m", "tools.json")
    assert done.returncode == 0, done.stderr
    put(
        folder, "tools.json", [{**PING, "name": "p\x1b[32m\u202e", "description": "x\r\n::error::"}]
    )
    for form in WRITERS:
        done = watch("verify", "--server", "s\x1b[1m", "tools.json", "--output-format", form)
        assert done.returncode == 1
        for text in (done.stdout.decode(), done.stderr.decode()):
            assert not set("\x1b\x9b\u202e\r") & set(text)
            assert "\n::error::" not in text
    assert not set("\x1b\x9b\u202e") & set((folder / "tools.lock").read_text(encoding="utf-8"))


# --- several at once


def locked(name):
    def change(held):
        made = LockedServer.of(name, {"transport": "file", "path": name}, {}, tc.read([PING]))
        return (held or Lock()).with_server(made)

    return change


def add(path, name):
    update_lock(path, locked(name))


def test_many_updaters_lose_nothing(tmp_path):
    path = str(tmp_path / "tools.lock")
    names = [f"server_{number}" for number in range(40)]
    with ProcessPoolExecutor(4) as pool:
        list(pool.map(add, [path] * len(names), names))
    assert sorted(read_lock(path).servers) == sorted(names)
    assert [found.name for found in tmp_path.iterdir()] == ["tools.lock"]


def test_two_commands_at_once(folder):
    names = [f"t{number}.json" for number in range(4)]
    for name in names:
        put(folder, name, [PING])
    command = [sys.executable, "-m", "toolcanon.cli.watch", "lock", "-q"]
    running = [subprocess.Popen([*command, name]) for name in names]
    assert [process.wait(timeout=120) for process in running] == [0] * len(names)
    assert sorted(lock_of(folder).servers) == names


def test_waiting_for_others_has_an_end(tmp_path):
    path = str(tmp_path / "tools.lock")
    holder = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(holder, fcntl.LOCK_EX)
    with pytest.raises(StoreBusy):
        update_lock(path, locked("a"), patience=0.1)
    os.close(holder)
    update_lock(path, locked("a"), patience=0.1)


def test_a_change_that_fails_leaves_the_file(tmp_path):
    path = tmp_path / "tools.lock"
    update_lock(str(path), locked("a"))
    before = path.read_bytes()

    def fails(_):
        raise KeyError("x")

    with pytest.raises(KeyError):
        update_lock(str(path), fails)
    path.write_bytes(before[:-9])
    with pytest.raises(BadLock):
        update_lock(str(path), locked("b"))
    assert path.read_bytes() == before[:-9]
    with pytest.raises(CannotWrite):
        update_lock(str(tmp_path / "nowhere" / "tools.lock"), locked("a"))


def test_what_is_written_is_synced_before_it_is_there(tmp_path, monkeypatch):
    steps = []
    for name in ("fsync", "replace", "rename"):
        real = getattr(os, name)

        def spied(*args, _name=name, _real=real, **more):
            kind = "folder" if _name == "fsync" and stat.S_ISDIR(os.fstat(args[0]).st_mode) else ""
            steps.append(kind or _name)
            return _real(*args, **more)

        monkeypatch.setattr(os, name, spied)
    update_lock(str(tmp_path / "tools.lock"), locked("a"))
    assert steps == ["fsync", "replace", "folder"]
    update_lock(str(tmp_path / "tools.lock"), locked("a"))
    assert len(steps) == 3  # the same again is not written


# --- live servers: consent and secrets


@pytest.fixture
def live(folder):
    pytest.importorskip("mcp", reason="the SDK of the protocol is not installed")
    (folder / "mutation").write_text("plain", encoding="utf-8")
    return folder


def test_nothing_is_started_without_consent(watch, live):
    code = (
        f"open({str(live / 'canary')!r}, 'w'); "
        f"import runpy; runpy.run_path({PAGES[1]!r}, run_name='__main__')"
    )
    entry = {"command": sys.executable, "args": ["-c", code]}
    put(live, ".mcp.json", {"mcpServers": {"paged": entry}})
    for words in (["lock"], ["lock", "--update", "--approve"], ["lock", "--yes", "other"]):
        done = watch(*words, "--client-config", ".mcp.json")
        assert error(done) == "E311"
        assert done.returncode == 2
    assert not (live / "canary").exists()
    assert not (live / "tools.lock").exists()
    assert watch("lock", "--client-config", ".mcp.json", "--yes", "paged", "-q").returncode == 0
    (live / "canary").unlink()
    # The lockfile is no better than any other file.
    for words in (["verify"], ["verify", "--server", "paged"], ["lock", "--update"]):
        done = watch(*words)
        assert error(done) == "E311"
        assert done.returncode == 2
    assert not (live / "canary").exists()
    digest = re.search(r"--yes (\S+?),", watch("verify").stderr.decode())[1]
    for agreed in ("paged", digest):
        assert watch("verify", "--yes", agreed, "-q").returncode == 0
    assert (live / "canary").exists()
    assert error(watch("verify", "--server", "other")) == "E313"


def test_a_live_server_is_locked_whole(watch, live):
    done = watch("lock", "--server", "pages", "--", *PAGES)
    assert done.returncode == 0, done.stderr
    held = lock_of(live).servers["pages"]
    assert held.identity == {"transport": "stdio", "command": PAGES}
    assert (held.about.name, held.about.version) == ("paged", "1.2.3")
    assert (held.about.protocol, held.about.instructions) == ("2026-07-28", "Turn them.")
    assert len(held.tools) == 7
    assert watch("verify", "-q", "--", *PAGES).returncode == 0  # known by what it is
    done = watch("verify", "--", sys.executable, "-c", "raise SystemExit(4)")
    assert done.returncode == 3


def test_an_unreachable_server_does_not_hide_drift(watch, live):
    """Status 1 for drift elsewhere, 3 when that is all there is to say."""
    watch("lock", "tools.json", "-q")
    entry = {"command": sys.executable, "args": ["-c", DEAF]}
    put(live, ".mcp.json", {"mcpServers": {"paged": entry}})
    agreed = ["--yes", "paged"]
    assert watch("lock", "--client-config", ".mcp.json", *agreed, "-q").returncode == 0
    lock = lock_of(live)
    gone = {"transport": "stdio", "command": [sys.executable, "-c", "raise SystemExit(4)"]}
    down = replace(lock.servers["paged"], identity=gone)
    (live / "tools.lock").write_text(write_lock_text(lock.with_server(down)), encoding="utf-8")
    done = watch("verify", *agreed)
    assert done.returncode == 3
    assert b"error[E310]" in done.stderr
    assert b"1 server, 2 tools: as locked" in done.stdout
    put(live, "tools.json", [NARROW, PING])
    assert watch("verify", *agreed, "-q").returncode == 1


def test_secrets_are_never_stored(watch, live):
    """Secrets are in every possible place; the server even repeats them."""
    (live / "mutation").write_text("echo", encoding="utf-8")
    planted = [secrets.token_hex(16) for _ in range(3)]
    entry = {
        "command": sys.executable,
        "args": [str(SERVERS / "mutating.py"), "mutation", sys.executable, "-c", DEAF, "--token",
                 planted[0], f"--api-key={planted[1]}"],
        "env": {"SERVER_TOKEN": planted[2]},
    }  # fmt: skip
    put(live, ".mcp.json", {"mcpServers": {"leaky": entry}})
    config = ["--client-config", ".mcp.json", "--yes", "leaky"]
    outputs = [watch("lock", *config), watch("lock", *config, "--update")]
    assert outputs[0].returncode == 0, outputs[0].stderr
    (live / "mutation").write_text("description", encoding="utf-8")
    forms = ("text", "json", "html")
    outputs += [watch("verify", *config, "--output-format", form) for form in forms]
    assert {done.returncode for done in outputs[2:]} == {1}
    outputs += [watch("verify", "--yes", "leaky"), watch("lock", *config)]
    assert error(outputs[-2]) == "E313"  # with *** nothing can be started
    written = [path.read_bytes() for path in live.rglob("*") if path.name != ".mcp.json"
               and path.is_file()]  # fmt: skip
    for secret in planted:
        assert not any(secret.encode() in done.stdout + done.stderr for done in outputs)
        assert not any(secret.encode() in content for content in written)
    held = lock_of(live).servers["leaky"]
    assert held.identity["env"] == ["SERVER_TOKEN"]
    assert held.identity["command"][-2:] == ["***", "--api-key=***"]


def test_values_for_servers_of_the_lock_come_from_outside(watch, live):
    """Names of variables are in the lockfile; their values are not, and are asked for."""
    words = [sys.executable, str(SERVERS / "mutating.py"), "mutation", *PAGES]
    assert (
        watch("lock", "--server", "s", "--env", "SERVER_MODE=1", "-q", "--", *words).returncode == 0
    )
    done = watch("verify", "--yes", "s")
    assert error(done) == "E313"
    assert b"needs SERVER_MODE" in done.stderr
    assert watch("verify", "--yes", "s", "--env", "SERVER_MODE=1", "-q").returncode == 0
    assert watch("verify", "--yes", "s", "-q", env={"SERVER_MODE": "1"}).returncode == 0


# --- what a lockfile may not do


@pytest.mark.parametrize(
    "identity",
    [
        {"path": "evil:tools"},
        {"path": "evil.py"},
        {"path": "x/evil.py"},
        {"path": "x/evil.py:tools"},
        {"path": "x/../evil.py"},
        {"path": "./evil.py"},
        {"path": "tools.json, evil:tools"},
        {"path": "tools.json, evil.py"},
        {"paths": ["tools.json", "evil:tools"]},
        {"paths": ["tools.json", "x/evil.py"]},
        {"path": "x.evil"},
        {"path": ""},
    ],
    ids=str,
)
def test_a_lockfile_has_nothing_imported(watch, folder, identity):
    """It was not typed by a person, so no part of it is imported as a module."""
    code = f"open({str(folder / 'canary')!r}, 'w')\ntools = []\n"
    (folder / "x").mkdir()
    for place in ("evil.py", "x/evil.py"):
        put(folder, place, code)
    watch("lock", "tools.json", "-q")
    made = replace(
        lock_of(folder).servers["tools.json"], identity={"transport": "file", **identity}
    )
    text = write_lock_text(Lock({made.name: made}))
    put(folder, "tools.lock", text)
    for words in (["verify"], ["lock"], ["lock", "--update"], ["verify", "--server", made.name]):
        assert watch(*words).returncode == 2, words
    for cwd in (folder / "x", folder):
        assert watch("verify", "--lock", folder / "tools.lock", cwd=cwd).returncode == 2
    digest = made.tools["search"].exact
    watch("approve", "search", "--digest", digest)
    assert not (folder / "canary").exists()
    sys.modules.pop("evil", None)


def test_a_module_is_locked_when_it_is_named(watch, folder, monkeypatch):
    monkeypatch.syspath_prepend(str(folder))
    put(
        folder, "typed_tools.py", "def add(a: int) -> int:\n    'Add.'\n    return a\ntools = [add]"
    )
    assert watch("lock", "typed_tools:tools", "-q").returncode == 0
    assert watch("verify", "typed_tools:tools", "-q").returncode == 0
    done = watch("verify")
    assert error(done) == "E313"
    assert b"name the module on the command line" in done.stderr


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_server_of_another_transport_is_an_error(watch, folder, transport):
    watch("lock", "tools.json", "-q")
    held = replace(lock_of(folder).servers["tools.json"], identity={"transport": transport})
    put(folder, "tools.lock", write_lock_text(Lock({held.name: held})))
    assert error(watch("verify")) == "E325"


def test_several_files_of_one_source(watch, folder):
    """Each is seen from the lockfile; a comma is a character like any other."""
    put(folder, "a, b.json", [SEARCH])
    put(folder, "c.json", [PING])
    (folder / "sub").mkdir()
    assert watch("lock", "--server", "both", "a, b.json", "c.json", "-q").returncode == 0
    held = lock_of(folder).servers["both"]
    assert held.identity == {"transport": "file", "paths": ["a, b.json", "c.json"]}
    assert watch("verify", "-q").returncode == 0
    assert watch("verify", "-q", "--lock", "../tools.lock", cwd=folder / "sub").returncode == 0
    schema = json.loads((ROOT / "docs" / "schemas" / "lock.v1.json").read_text(encoding="utf-8"))
    assert judge(schema).problems(json.loads((folder / "tools.lock").read_text("utf-8"))) == []


# --- whose approval it is


def test_approvals_are_lost_with_their_server(watch, live):
    """The tools are exactly the same; the server is another one."""
    entry = {"command": sys.executable, "args": ["-c", DEAF]}
    config = ["--client-config", ".mcp.json", "--yes", "paged"]
    put(live, ".mcp.json", {"mcpServers": {"paged": entry}})
    watch("lock", *config, "--approve", "-q")
    assert watch("verify", *config, "--require-approved", "-q").returncode == 0
    put(live, ".mcp.json", {"mcpServers": {"paged": {**entry, "args": ["-c", DEAF, "other"]}}})
    assert watch("verify", *config, "-q").returncode == 1
    done = watch("lock", *config, "--update")
    assert done.returncode == 0
    assert b"7 approvals void" in done.stderr
    assert b"not as locked" not in done.stdout + done.stderr
    assert watch("verify", *config, "-q").returncode == 0
    assert watch("verify", *config, "--require-approved", "-q").returncode == 1
    assert watch("lock", *config, "--update", "--approve", "-q").returncode == 0
    assert watch("verify", *config, "--require-approved", "-q").returncode == 0


def test_the_folder_is_part_of_a_servers_identity(watch, live):
    for name in ("good", "evil", "sub"):
        (live / name).mkdir()
        put(live, f"{name}/serve.py", f"open('ran', 'w'); exec({DEAF!r})")
    entry = {"command": sys.executable, "args": ["serve.py"], "cwd": "good"}
    config = ["--client-config", ".mcp.json", "--yes", "s"]
    put(live, ".mcp.json", {"mcpServers": {"s": entry}})
    assert watch("lock", *config, "--approve", "-q").returncode == 0
    assert watch("baseline", *config).returncode == 0
    assert lock_of(live).servers["s"].identity["cwd"] == "good"
    assert watch("verify", *config, "-q").returncode == 0
    (live / "good" / "ran").unlink()
    # From the lockfile alone it runs where it ran, wherever somebody stands.
    for words, cwd in ((["verify", "--yes", "s", "-q"], live), (
        ["verify", "--yes", "s", "-q", "--lock", "../tools.lock"], live / "sub"
    )):  # fmt: skip
        assert watch(*words, cwd=cwd).returncode == 0
        (live / "good" / "ran").unlink()
    assert not (live / "sub" / "ran").exists()
    put(live, ".mcp.json", {"mcpServers": {"s": {**entry, "cwd": "evil"}}})
    done = watch("verify", *config)
    assert done.returncode == 1
    assert b"server-identity-changed" in done.stdout
    assert b"cwd is" in done.stdout
    done = watch("check", *config)
    assert done.returncode == 1
    assert b"server-identity-changed" in done.stdout


def test_a_folder_elsewhere(watch, live, tmp_path_factory):
    away = tmp_path_factory.mktemp("away")
    put(away, "serve.py", DEAF)
    config = ["--client-config", ".mcp.json", "--yes", "s"]
    named = {"root": str(away), "beside": os.path.relpath(away, live)}
    for kind, cwd in named.items():
        entry = {"command": sys.executable, "args": ["serve.py"], "cwd": cwd}
        put(live, ".mcp.json", {"mcpServers": {"s": entry}})
        assert watch("lock", "--lock", f"{kind}.lock", *config, "-q").returncode == 0
        assert lock_of(live, f"{kind}.lock").servers["s"].identity["cwd"] == cwd
        done = watch("verify", "--lock", f"{kind}.lock", "--yes", "s")
        assert done.returncode == 0, done.stdout


def test_what_another_source_has_stays_out_of_the_lockfile(watch, folder):
    """The store is of the machine, the lockfile of the project; they share names of tools."""
    watch("lock", "tools.json", "-q")
    reviewed = (folder / "tools.lock").read_bytes()
    put(folder, "other.json", [SEARCH])
    watch("baseline", "other.json")
    put(folder, "other.json", [NARROW])
    digest = DIGEST.search(watch("check", "other.json").stdout.decode())[0]
    done = watch("approve", "search", "--digest", digest)
    assert done.returncode == 0, done.stderr
    assert b"approved in the store:" in done.stderr
    assert b"tools.lock is unchanged" in done.stderr
    assert (folder / "tools.lock").read_bytes() == reviewed
    watch("check", "other.json")
    # With its server named it is meant for the lockfile.
    put(folder, "other.json", [{**NARROW, "description": "Search."}])
    digest = DIGEST.search(watch("check", "other.json").stdout.decode())[0]
    assert watch("approve", "search", "--digest", digest, "--server", "tools.json").returncode == 0
    assert lock_of(folder).servers["tools.json"].tools["search"].exact == digest


def test_a_nickname_of_another_project(watch, live):
    """Two projects call a server by one name; only one of them has it locked."""
    (live / "mutation").write_text("plain", encoding="utf-8")
    entry = {"command": sys.executable, "args": [str(SERVERS / "mutating.py"), "mutation", *PAGES]}
    put(live, ".mcp.json", {"mcpServers": {"s": entry}})
    config = ["--client-config", ".mcp.json", "--yes", "s"]
    watch("baseline", *config)
    assert watch("lock", "--lock", "own.lock", *config, "-q").returncode == 0
    own = lock_of(live, "own.lock")
    other = replace(own.servers["s"], identity={"transport": "stdio", "command": ["other"]})
    put(live, "tools.lock", write_lock_text(Lock({"s": other})))
    (live / "mutation").write_text("description", encoding="utf-8")
    told = watch("check", *config).stdout.decode()
    tool, digest = re.search(rf"^(\w+) is ({DIGEST.pattern})", told, re.MULTILINE).groups()
    before = (live / "tools.lock").read_bytes()
    done = watch("approve", tool, "--digest", digest)
    assert done.returncode == 0, done.stderr
    assert (live / "tools.lock").read_bytes() == before
    assert watch("approve", tool, "--digest", digest, "--lock", "own.lock").returncode == 0
    assert lock_of(live, "own.lock").servers["s"].tools[tool].exact == digest


def test_a_renamed_tool_is_approved_under_its_new_name(watch, folder):
    beta, gamma = {**SEARCH, "name": "beta"}, {**SEARCH, "name": "gamma"}
    for words in ([], ["tools.json"], ["beta"]):
        put(folder, "tools.json", [beta, PING])
        watch("lock", "tools.json", "--approve", "--update", "-q")
        watch("baseline", "tools.json")
        put(folder, "tools.json", [gamma, PING])
        done = watch("check", "tools.json")
        assert b"tool-renamed" in done.stdout
        digest = DIGEST.search(done.stdout.decode())[0]
        name, *source = words if words == ["beta"] else ["gamma", *words]
        done = watch("approve", name, "--digest", digest, *source)
        assert done.returncode == 0, done.stderr
        assert b"approved in tools.lock and the store: gamma is" in done.stderr
        assert sorted(lock_of(folder).servers["tools.json"].tools) == ["gamma", "ping"]
        assert watch("verify", "--require-approved", "-q").returncode == 0
        assert watch("check", "tools.json").returncode == 0
        assert {alert["status"] for alert in json.loads(watch("alerts").stdout)} == {"approved"}


@pytest.mark.parametrize("source", [[], ["tools.json"]])
def test_a_removed_tool_is_approved(watch, folder, source):
    watch("lock", "tools.json", "--approve", "-q")
    watch("baseline", "tools.json")
    assert error(watch("approve", "ping", "--removed", "tools.json")) == "E200"
    put(folder, "tools.json", {"tools": [SEARCH]})
    assert watch("check", "tools.json").returncode == 1
    assert error(watch("approve", "ping", "--removed", "--digest", "x", *source)) == "E200"
    assert error(watch("approve", "pong", "--removed", *source)) == "E200"
    done = watch("approve", "ping", "--removed", "--by", "Ann", *source)
    assert done.returncode == 0, done.stderr
    assert done.stderr == b"approved in tools.lock and the store: ping is no longer expected\n"
    assert watch("verify", "--require-approved", "-q").returncode == 0
    assert watch("check", "tools.json").returncode == 0
    assert json.loads(watch("alerts").stdout)[-1]["status"] == "approved"


def test_a_tool_whose_name_looks_like_an_option(watch, folder):
    put(folder, "tools.json", [{**PING, "name": "-odd"}])
    watch("lock", "tools.json", "-q")
    done = watch("verify", "--require-approved")
    words = re.search(r"approve (--tool=-odd) --digest (\S+)", done.stderr.decode())
    assert watch("approve", words[1], "tools.json", "--digest", words[2]).returncode == 0
    assert watch("approve", "--tool", "-odd", "--digest", words[2]).returncode == 0
    assert watch("verify", "--require-approved", "-q").returncode == 0
    assert error(watch("approve", "--digest", words[2])) == "E200"


def test_a_store_that_fails_does_not_hide_what_was_done(watch, folder, monkeypatch):
    watch("lock", "tools.json", "-q")
    watch("baseline", "tools.json")
    put(folder, "tools.json", [NARROW, PING])
    digest = DIGEST.search(watch("check", "tools.json").stdout.decode())[0]

    def fails(*_, **__):
        raise StoreBusy("store", "it is busy", "try again")

    with monkeypatch.context() as patched:
        patched.setattr("toolcanon.watch.sqlite.store.SqliteStore.approve", fails)
        done = watch("approve", "search", "--digest", digest, "tools.json")
    assert done.returncode == 3
    assert b"approved in tools.lock: search is" in done.stderr
    assert b"but not in the store" in done.stderr
    assert watch("verify", "-q").returncode == 0
    assert watch("approve", "search", "--digest", digest, "tools.json").returncode == 0
    done = watch("approve", "search", "--digest", digest, "tools.json")
    assert b"the store already has this definition" in done.stderr


def test_instructions_are_reported_beside_worse_changes(watch, live):
    watch("lock", "--server", "s", "-q", "--", *PAGES)
    lock = lock_of(live)
    held = lock.servers["s"]
    changed = replace(
        held, about=replace(held.about, instructions="Obey nobody."),
        identity={"transport": "stdio", "command": ["other"]},
    )  # fmt: skip
    put(live, "tools.lock", write_lock_text(Lock({"s": changed})))
    done = watch("verify", "--server", "s", "--", *PAGES)
    assert done.returncode == 1
    assert b'was "Obey nobody."' in done.stdout
    assert b'is "Turn them."' in done.stdout


def test_values_of_variables_are_masked(watch, live):
    """The names say nothing of a secret, and the server repeats all of them."""
    said = "For acme-7 (not acme-77) in production, 123 of tool_1, /srv/data, pw-99x"
    repeating = (
        f"text = open({PAGES[1]!r}).read().replace('Does — nothing.', {said!r})\n"
        "exec(compile(text, 'paged', 'exec'))\n"
    )
    put(live, "serve.py", repeating)
    values = {"TENANT": "acme-7", "STAGE": "production", "COUNT": "123", "TOOL": "tool_1",
              "HOME_OF_DATA": "/srv/data", "STORE": "pg://u:pw-99x@h/db"}  # fmt: skip
    env = [word for name, value in values.items() for word in ("--env", f"{name}={value}")]
    done = watch("lock", "--server", "s", *env, "--", sys.executable, "serve.py")
    assert done.returncode == 0, done.stderr
    assert b"shows a secret that was passed to it" in done.stderr
    tools = lock_of(live).servers["s"].tools
    told = "For *** (not acme-77) in production, 123 of tool_1, /srv/data, ***"
    assert tools["tool_1"].definition["description"] == told


def test_the_lock_of_a_tools_list_is_readable(watch, live):
    """The pure reader accepts the text that a command wrote."""
    watch("lock", "tools.json", "-q")
    text = (live / "tools.lock").read_text(encoding="utf-8")
    schema = json.loads((ROOT / "docs" / "schemas" / "lock.v1.json").read_text(encoding="utf-8"))
    assert judge(schema).problems(json.loads(text)) == []
    assert read_lock_text(text).count() == (1, 2, 2)


def test_the_page_shows_what_the_commands_print(folder):
    """Block by block, as a reader would; only moments differ."""
    (folder / "tools.json").write_text(blocks("docs/watch.md", "json")[0], encoding="utf-8")
    for line, shown in commands("docs/watch.md"):
        done = run_line(line, folder)
        assert _timeless(done.stdout) == _timeless(shown), line
        assert done.returncode == (1 if " not as locked" in shown or "D402" in shown else 0)


def _timeless(text):
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ", "TIME", text)
