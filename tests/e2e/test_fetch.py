"""Live servers over real pipes and real HTTP, good ones and bad ones."""

import asyncio
import contextlib
import json
import os
import pty
import secrets
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from tests.commands import run
from tests.conftest import ROOT
from tests.tables import table
from toolcanon.cli import toolcanon
from toolcanon.errors import ServerFailed
from toolcanon.sources.mcp import fetch_command, fetch_url

pytest.importorskip("mcp", reason="the SDK of the protocol is not installed")

SERVERS = ROOT / "tests" / "servers"
PAGED = [sys.executable, str(SERVERS / "paged.py")]
PAGES = [sys.executable, str(SERVERS / "pages.py")]
"""The same without the SDK, for tests that are about something else."""
REAL = ROOT / ".venv-servers"


def bad(mode, *more):
    return [sys.executable, str(SERVERS / "bad.py"), mode, *map(str, more)]


@pytest.fixture
def call(capfdbinary, monkeypatch):
    """As ``run`` does it, without a process of its own: importing the SDK takes time."""

    def call(*args, env=None):
        words = [str(arg) for arg in args]
        with monkeypatch.context() as patched:
            patched.setattr(sys, "argv", ["toolcanon", *words])
            for name, value in (env or {}).items():
                patched.setenv(name, value)
            capfdbinary.readouterr()
            status = toolcanon(words, standalone_mode=False)
            return subprocess.CompletedProcess(words, status, *capfdbinary.readouterr())

    return call


def gone(pid):
    """Whether a process has ended; a zombie has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2][1] == "Z"
    except FileNotFoundError:
        return True


def pids(folder, deadline=20):
    """Of the server and of its child, once both have started."""
    paths = [folder / "parent", folder / "child"]
    until = time.monotonic() + deadline
    while not all(path.exists() and path.read_text() for path in paths):
        assert time.monotonic() < until
        time.sleep(0.05)
    return [int(path.read_text()) for path in paths]


# --- good servers


@pytest.fixture(scope="module")
def paged_tools():
    """What the SDK's own models say of the same tools."""
    code = (
        f"import sys, json; sys.path.insert(0, {str(SERVERS)!r}); import paged\n"
        "print(json.dumps([t.model_dump(mode='json', by_alias=True, exclude_none=True)"
        " for t in paged.TOOLS]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    tools = json.loads(done.stdout)
    assert len(tools) == 7
    return tools


def test_all_pages_of_a_valid_server(paged_tools):
    served = fetch_command(PAGED, timeout=30)
    assert served.tools == paged_tools
    assert served.protocol == "2026-07-28"
    assert served.server == {"name": "paged", "title": "Pages", "version": "1.2.3"}
    assert served.instructions == "Turn them."
    assert served.noise == 0
    assert "nextCursor" not in served.answer


def test_the_server_without_the_sdk_answers_the_same():
    served, expected = (fetch_command(server, timeout=30) for server in (PAGES, PAGED))
    assert replace(served, reached=expected.reached) == expected


def test_the_answer_is_a_document_that_other_commands_read(paged_tools, tmp_path):
    done = run("fetch", "--json", "--", *PAGED)
    assert done.returncode == 0
    assert json.loads(done.stdout)["tools"] == paged_tools
    about = json.loads(done.stderr)
    assert (about["protocol"], about["tools"]) == ("2026-07-28", 7)
    converted = run("convert", "-", "-t", "mcp", "--verbatim", stdin=done.stdout)
    assert json.loads(converted.stdout) == paged_tools
    written = tmp_path / "tools.json"
    done = run("fetch", "-o", written, "--", *PAGED)
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr == b"paged 1.2.3: 7 tools, protocol 2026-07-28\n"
    assert json.loads(written.read_bytes())["tools"] == paged_tools


@pytest.mark.parametrize("mode", ["", "silent", "handshake-only", "banner", "loud"])
def test_older_and_irregular_servers(mode):
    """Some never answer an unknown question, some leave; stdout and stderr may be noisy."""
    served = fetch_command(bad(mode), timeout=20)
    assert served.protocol == "2025-06-18"
    assert served.server == {"name": "bad", "version": "0", "x": 1}
    tool = {"name": "t", "inputSchema": {"type": "object"}, "x-unknown": {"kept": 2**64 + 1}}
    assert served.tools == [tool]
    assert served.noise == (2 if mode == "banner" else 0)
    assert len(served.said) <= 8192


def test_tools_are_passed_unchanged():
    served = fetch_command(bad("odd-tools"), timeout=20)
    assert served.answer["x"] == 1
    assert served.tools[1:] == [{"name": 3}, {"inputSchema": None}]


def test_a_server_without_tools(call):
    assert b"no-tools failed at tools/list" in call("fetch", "--", *bad("no-tools")).stderr


# --- bad servers

LATE = "no answer within 3 seconds"
UNREADABLE = "it sent an unreadable message"
TWICE = (
    "the key 'name' occurs twice in one object at line 1, column 56 (first at line 1, column 45)"
)
DEEP = "limit-depth: more than 256 levels of nesting (found 5,002) at line 1, column 297"
FAILURES = {
    "exits": ("initialize", "it closed the connection without an answer, with status 3"),
    "rubbish": ("initialize", f"{LATE} (3 lines on stdout are not messages, first: 'Welcome!')"),
    "half": ("initialize", f"{LATE} (its last message is not complete)"),
    "long-line": ("initialize", "it sent a line of more than 16,777,216 bytes"),
    "floods": ("initialize", "it sent more than 33,554,432 bytes"),
    "hangs-at-initialize": ("initialize", LATE),
    "refuses": ("initialize", "it answered with error -32000: not \x1b[31mtoday"),
    "old": ("initialize", "Unsupported protocol version from the server: 1999-01-01"),
    "bad-shape": (
        "initialize",
        "its answer violates the protocol: capabilities: field required",
    ),
    "hangs-at-list": ("tools/list", "no answer within 6 seconds"),
    "dies-at-list": ("tools/list", "it closed the connection without an answer, with status 5"),
    "loops": ("tools/list", "its pages repeat: a cursor came twice"),
    "crowded": ("tools/list", "it lists more than 10,000 tools"),
    "odd-cursor": ("tools/list", "the cursor of its next page is not a string"),
    "no-list": ("tools/list", "its answer has no list of tools"),
    "duplicate": ("tools/list", f"{UNREADABLE}: {TWICE}"),
    "nan": (
        "tools/list",
        f"{UNREADABLE}: the number NaN cannot be represented at line 1, column 81",
    ),
    "deep": ("tools/list", f"{UNREADABLE}: {DEEP}"),
}
# What may be slow to come on a busy machine gets time; what never comes gets little.
SECONDS = {"hangs-at-list": 6, "rubbish": 3, "half": 3, "hangs-at-initialize": 3}


def failure_of(mode):
    """Return what a server fails with, and how many seconds after its limit."""
    begun = time.monotonic()
    timeout = SECONDS.get(mode, 30)
    with pytest.raises(ServerFailed) as caught:
        fetch_command(bad(mode), timeout=timeout)
    return (caught.value.stage, caught.value.reason), time.monotonic() - begun - timeout


@table("mode", sorted(FAILURES.keys() - SECONDS.keys()))
def test_bad_servers(mode):
    failure, late = failure_of(mode)
    assert failure == FAILURES[mode]
    assert late < 6


def test_servers_that_never_answer(subtests):
    """They are waited for side by side."""
    with ThreadPoolExecutor(len(SECONDS)) as pool:
        for mode, (failure, late) in zip(SECONDS, pool.map(failure_of, SECONDS), strict=True):
            with subtests.test(mode):
                assert failure == FAILURES[mode]
                assert late < 6


def test_an_endless_list():
    with pytest.raises(ServerFailed, match="more than 1,000 pages"):
        fetch_command(bad("endless"), timeout=60)


def test_half_a_message_and_then_nothing():
    with pytest.raises(ServerFailed, match="its last message is not complete"):
        fetch_command(bad("half", "exit"), timeout=30)


@pytest.mark.parametrize(
    "command, cwd", [(["no-such-program"], None), (["true"], "/no/such/folder"), (["/"], None),
                     (["a\0b"], None)]
)  # fmt: skip
def test_what_cannot_be_started(command, cwd):
    with pytest.raises(ServerFailed) as caught:
        fetch_command(command, cwd=cwd, timeout=5)
    assert caught.value.stage == "start"


def test_a_failure_is_one_safe_line_with_its_last_words(call):
    done = call("fetch", "--timeout", "20", "--", *bad("exits"))
    assert (done.returncode, done.stdout) == (3, b"")
    assert done.stderr.startswith(b"error[E310]: ")
    assert len(done.stderr.splitlines()) == 1
    assert b"with status 3; its stderr ends with: no \\x1b[31mkey; " in done.stderr
    assert b"\x1b" not in call("fetch", "-v", "--", *bad("exits")).stderr
    assert b"\x1b" not in call("fetch", "-v", "--", *bad("refuses")).stderr


def test_memory_stays_small():
    """A hundred megabytes in one line are not kept."""
    done = run("fetch", "--timeout", "30", "--", *bad("long-line"), memory=1500 * 2**20)
    assert done.returncode == 3
    assert b"16,777,216 bytes" in done.stderr


# --- processes


@pytest.mark.parametrize("mode, status", [("forks", 0), ("forks-and-hangs", 3)])
def test_no_process_is_left(mode, status, tmp_path):
    done = run("fetch", "--timeout", "4", "--", *bad(mode, tmp_path))
    assert done.returncode == status, done.stderr
    assert [gone(pid) for pid in pids(tmp_path)] == [True, True]


@pytest.mark.parametrize(
    "number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_no_process_is_left_after_an_interrupt(number, status, tmp_path):
    command = [sys.executable, "-m", "toolcanon", "fetch", "--", *bad("forks-and-hangs", tmp_path)]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Who began us may ignore it.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # noqa: PLW1509 - no threads
    ) as ours:
        server = pids(tmp_path)
        assert not any(gone(pid) for pid in server)
        ours.send_signal(number)
        try:
            out, err = ours.communicate(timeout=20)
        finally:
            ours.kill()
    assert (ours.returncode, out) == (status, b""), err
    assert b"Traceback" not in err
    assert [gone(pid) for pid in server] == [True, True]


def test_the_environment_is_small(call, monkeypatch):
    monkeypatch.setenv("SOME_SECRET", "not for you")
    monkeypatch.setenv("PASSED", "for you")
    code = "import os, sys; sys.stderr.write(' '.join(sorted(os.environ))); sys.exit(1)"
    with pytest.raises(ServerFailed) as caught:
        fetch_command([sys.executable, "-c", code], env={"GIVEN": "x"}, timeout=20)
    names = set(caught.value.said.split())
    assert "GIVEN" in names
    assert not names & {"SOME_SECRET", "PASSED"}
    done = call("fetch", "-v", "--env", "PASSED", "--", sys.executable, "-c", code)
    assert b"PASSED" in done.stderr
    assert b"SOME_SECRET" not in done.stderr


def test_no_shell_and_no_terminal(call, tmp_path):
    canary = tmp_path / "canary"
    call("fetch", "--timeout", "9", "--", "echo", f"$(touch {canary})", f"; touch {canary}")
    assert not canary.exists()
    code = "import os, sys; sys.stderr.write(str(os.getsid(0) == os.getpid())); sys.exit(1)"
    assert b"True" in call("fetch", "--", sys.executable, "-c", code).stderr


# --- HTTP


@contextlib.contextmanager
def listening(*command, env=None):
    """The port of a server on loopback, as soon as it listens."""
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        port = chosen.getsockname()[1]
    script, *more = command
    words = [sys.executable, str(SERVERS / script), str(port), *more]
    with subprocess.Popen(
        words, env={**os.environ, **(env or {})}, stderr=subprocess.DEVNULL
    ) as up:
        try:
            until = time.monotonic() + 30
            while time.monotonic() < until:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.1)
            yield port
        finally:
            up.kill()


@pytest.fixture(scope="module")
def web():
    with listening("bad_web.py") as port:
        yield f"http://127.0.0.1:{port}"


@pytest.mark.parametrize("form", [(), ("json",)])
def test_streamable_http(call, form, paged_tools):
    key = secrets.token_urlsafe(16)
    with listening("paged.py", *form, env={"WANTED_KEY": key}) as port:
        url = f"http://127.0.0.1:{port}/mcp"
        served = fetch_url(url, headers={"X-Key": key}, timeout=30)
        assert (served.tools, served.protocol) == (paged_tools, "2026-07-28")
        assert served.reached == url
        done = call("fetch", "--url", url, "--header", "X-Key=env:K", env={"K": key})
        assert json.loads(done.stdout)["tools"] == paged_tools
        done = call("fetch", "--url", url, "--header", f"X-Key: {key}x")
        assert done.returncode == 3
        assert b"HTTP 401: it requires authentication: pass --header" in done.stderr
        assert key.encode() not in done.stderr


def test_an_older_server_over_http(web):
    served = fetch_url(f"{web}/fine", timeout=30)
    assert served.answer == {"tools": [], "x-kept": [1.0]}
    assert isinstance(served.answer["x-kept"][0], float)
    assert served.protocol == "2025-06-18"


ENDPOINTS = {
    "html": ("initialize", "it answers with text/html, so this is not an MCP endpoint"),
    "elsewhere": (
        "initialize",
        "HTTP 307: it redirects to http://localhost:1/mcp?key=***, which is not followed",
    ),
    "broken": ("initialize", "HTTP 500: Internal Server Error"),
    "packed": ("initialize", "its answer is compressed, although the request excludes that"),
    "twice": ("tools/list", f"{UNREADABLE}: {TWICE}"),
    "endless": ("tools/list", "it sent more than 33,554,432 bytes"),
    "hangs": ("initialize", "no answer within 2 seconds"),
}
ENDPOINTS["twice-events"] = ENDPOINTS["twice"]


@pytest.mark.parametrize("mode", ENDPOINTS)
def test_bad_endpoints(mode, web):
    begun = time.monotonic()
    timeout = 2 if mode == "hangs" else 30
    with pytest.raises(ServerFailed) as caught:
        fetch_url(f"{web}/{mode}", timeout=timeout)
    assert (caught.value.stage, caught.value.reason) == ENDPOINTS[mode]
    assert time.monotonic() - begun < timeout + 6


def test_no_server_at_the_address():
    for url in ("http://127.0.0.1:1/", "http://name.invalid/"):
        with pytest.raises(ServerFailed) as caught:
            fetch_url(url, timeout=20)
        assert caught.value.stage == "connect"


@pytest.mark.parametrize("url", ["ftp://h/", "h", "file:///etc/passwd", "http://", "http://[", ""])
def test_invalid_addresses(url):
    with pytest.raises(ServerFailed, match="not an http or https address"):
        fetch_url(url)


@pytest.mark.parametrize(
    "headers", [{"X": "swordfish\n"}, {"X": "sword\xe9"}, {"a b": "x"}, {"": ""}]
)
def test_headers_that_cannot_be_sent(headers):
    with pytest.raises(ServerFailed, match="cannot be sent") as caught:
        fetch_url("http://127.0.0.1:1/", headers=headers)
    assert "sword" not in str(caught.value)


def test_headers_do_not_follow_to_another_host(web):
    """A redirect to another origin is where a token would leak."""
    import httpx2

    with socket.socket() as trap:
        trap.bind(("127.0.0.1", 0))
        trap.listen()
        trap.settimeout(1)
        url = f"{web}/elsewhere?to={trap.getsockname()[1]}"
        with pytest.raises(ServerFailed, match="which is not followed"):
            fetch_url(url, headers={"Authorization": "Bearer x"}, timeout=20)
        with pytest.raises(TimeoutError):
            trap.accept()
        with pytest.raises(httpx2.TimeoutException):  # the trap works: others fall into it
            httpx2.post(url, json={}, follow_redirects=True, timeout=1)
        trap.accept()[0].close()


# --- consent


def config(folder, **servers):
    path = folder / "mcp.json"
    path.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    return path


def entry(command, **more):
    return {"command": command[0], "args": command[1:], **more}


def test_a_file_starts_nothing_by_itself(call, tmp_path):
    canary = tmp_path / "canary"
    path = config(tmp_path, a=entry(["touch", str(canary)]))
    home = {"TOOLCANON_HOME": str(tmp_path / "home")}
    for more in ((), ("--yes", "b"), ("--yes", ""), ("--yes", "tc1:scrypt:00")):
        done = call("fetch", "--client-config", path, *more, env=home)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.startswith(b"error[E311]: 'a' needs your consent: command: touch")
        assert str(canary).encode() in done.stderr
    assert not canary.exists()
    assert not (tmp_path / "home").exists()


def test_agreeing_by_name_or_digest(call, tmp_path, paged_tools):
    path = config(tmp_path, a=entry(PAGES), b=entry(["false"], disabled=True))
    home = {"TOOLCANON_HOME": str(tmp_path / "home")}
    refused = call("fetch", "--client-config", path, env=home).stderr.decode()
    digest = refused.partition("--yes ")[2].partition(",")[0]
    for yes in ("a", digest):
        done = call("fetch", "--client-config", path, "--server", "a", "--yes", yes, env=home)
        assert json.loads(done.stdout)["tools"] == paged_tools
    path = config(tmp_path, a=entry([*PAGES, ""]))
    done = call("fetch", "--client-config", path, "--yes", digest, env=home)
    assert done.returncode == 2


@pytest.mark.parametrize("said, status", [(b"y\n", 0), (b"n\n", 2), (b"\n", 2)])
def test_asking_at_a_terminal(call, said, status, tmp_path):
    path = config(tmp_path, a=entry(bad(""), env={"KEY": "v" * 9}))
    env = {**os.environ, "TOOLCANON_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-m", "toolcanon", "fetch", "--client-config", str(path)]
    outer, inner = pty.openpty()
    with subprocess.Popen(
        command, stdin=inner, stderr=inner, stdout=subprocess.PIPE, env=env
    ) as ours:
        os.close(inner)
        os.write(outer, said)
        out, _ = ours.communicate(timeout=60)
        shown = b""
        with contextlib.suppress(OSError):
            while data := os.read(outer, 65536):
                shown += data
    os.close(outer)
    assert ours.returncode == status, shown
    assert b"Consent to exactly this? [y/N]" in shown
    assert b"environment: KEY (value hidden)" in shown
    assert b"folder: " in shown
    assert bool(out) == (status == 0)
    again = call("fetch", "--client-config", path, env={"TOOLCANON_HOME": str(tmp_path / "home")})
    assert again.returncode == status


def test_placeholders_are_the_users_to_fill(call, tmp_path):
    path = config(tmp_path, a=entry(bad("tells", "fails"), env={"KEY": "${env:HOME}"}))
    done = call("fetch", "--client-config", path, "--yes", "a")
    assert done.returncode == 2
    assert b"error[E313]" in done.stderr
    assert b"the variable KEY holds ${env:HOME}" in done.stderr
    done = call("fetch", "--client-config", path, "--yes", "a", "--env", "KEY=filled-in")
    assert done.returncode == 3


# --- secrets

POSITIONS = {
    "environment": lambda secret: (["--env", "KEY", "--", *bad("tells")], {"KEY": secret}),
    "environment, failing": lambda secret: (
        ["--env", f"KEY={secret}", "--", *bad("tells", "fails")], {}),
    "option": lambda secret: (["--", *bad("tells", "fails", "--api-key", secret)], {}),
    "option with =": lambda secret: (["--", *bad("tells", "x", f"--token={secret}")], {}),
    "address in a command": lambda secret: (
        ["--", *bad("tells", "fails", f"https://u:{secret}@h/?k={secret}")], {}),
    "header option": lambda secret: (
        ["--", *bad("tells", "fails", "--header", f"Authorization: Bearer {secret}")], {}),
}  # fmt: skip
WEB_POSITIONS = {
    "header": lambda base, secret: (["--url", f"{base}/MODE", "--header", f"X: {secret}"], {}),
    "header from the environment": lambda base, secret: (
        ["--url", f"{base}/MODE", "--header", "Authorization=env:K"], {"K": f"Bearer {secret}"}),
    "query": lambda base, secret: (["--url", f"{base}/MODE?key={secret}"], {}),
    "user": lambda base, secret: (
        ["--url", base.replace("//", f"//u:{secret}@") + "/MODE"], {}),
}  # fmt: skip


def whole(done, home):
    files = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    return done.stdout + done.stderr + files


@pytest.mark.parametrize("place", POSITIONS)
def test_a_secret_for_a_command_is_never_shown(call, place, tmp_path):
    secret = secrets.token_urlsafe(24)
    args, env = POSITIONS[place](secret)
    done = call("fetch", "-v", "--json", "--debug", *args,
               env={**env, "TOOLCANON_HOME": str(tmp_path)})  # fmt: skip
    assert done.returncode in {0, 3}
    assert b"***" in done.stderr
    assert secret.encode() not in whole(done, tmp_path)


def test_a_secret_that_the_server_publishes_is_warned_about(call):
    """The answer is printed as it came; that it holds the key is reported."""
    done = call("fetch", "--env", "KEY=correct-horse", "--", *bad("echoes"))
    assert b"correct-horse" in done.stdout
    assert b"correct-horse" not in done.stderr
    assert (
        b"warning: the answer contains a secret value that was passed to the server" in done.stderr
    )
    assert b"warning" not in call("fetch", "--env", "KEY=correct-horse", "--", *bad("")).stderr


@pytest.mark.parametrize("place", WEB_POSITIONS)
def test_a_secret_for_an_address_is_never_shown(call, place, web, tmp_path):
    secret = secrets.token_urlsafe(24)
    for mode in ("fine", "html", "elsewhere", "twice"):
        args, env = WEB_POSITIONS[place](web, secret)
        args = [word.replace("MODE", mode) for word in args]
        done = call("fetch", "-v", "--json", "--debug", *args,
                   env={**env, "TOOLCANON_HOME": str(tmp_path)})  # fmt: skip
        assert done.returncode == (0 if mode == "fine" else 3), done.stderr
        assert secret.encode() not in whole(done, tmp_path)


@pytest.mark.parametrize("yes", [(), ("--yes", "a")])
def test_a_secret_in_a_file_is_never_shown(call, yes, tmp_path):
    secret = secrets.token_urlsafe(24)
    command = bad("tells", "fails", "--token", secret, f"https://h/?k={secret}")
    path = config(tmp_path, a=entry(command, env={"A": secret}))
    home = tmp_path / "home"
    done = call(
        "fetch", "-v", "--debug", "--client-config", path, *yes, env={"TOOLCANON_HOME": str(home)}
    )
    assert done.returncode == (3 if yes else 2)
    assert secret.encode() not in whole(done, home)
    path = config(tmp_path, a={"url": f"http://127.0.0.1:1/?k={secret}", "headers": {"X": secret}})
    done = call(
        "fetch", "-v", "--debug", "--client-config", path, *yes, env={"TOOLCANON_HOME": str(home)}
    )
    assert done.returncode == (3 if yes else 2)
    assert secret.encode() not in whole(done, home)


# --- usage


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("--url", "http://h", "--", "x"),
        ("--url", "http://h", "--client-config", "f"),
        ("--url", "http://h", "--env", "A=1"),
        ("--header", "A:b", "--", "x"),
        ("--server", "a", "--", "x"),
        ("--yes", "a", "--", "x"),
        ("--url", "http://h", "--header", "swordfish"),
        ("--url", "http://h", "--header", "A: swordfish\nB: c"),
        ("--url", "http://h", "--header", "A: swordfish\xe9"),
        ("--url", "http://h", "--header", "A=env:NOT_SET_ANYWHERE"),
        ("--env", "NOT_SET_ANYWHERE", "--", "x"),
        ("--env", "1=swordfish", "--", "x"),
        ("--timeout", "0", "--", "x"),
        ("-o", "/no/such/folder/f", "--", "x"),
        ("--client-config", "no-such-file"),
    ],
    ids=str,
)
def test_wrong_usage(call, args):
    done = call("fetch", *args)
    assert done.returncode in {2, 3}
    assert done.stdout == b""
    assert len(done.stderr.splitlines()) == 1
    assert b"error[E999]" not in done.stderr
    assert b"swordfish" not in done.stderr


def test_without_the_sdk(call):
    code = (
        "import sys; sys.modules['mcp'] = None\n"
        "from toolcanon.cli import toolcanon\ntoolcanon(['fetch', '--', 'true'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(b"error[E207]")
    assert b"pip install 'toolcanon[mcp]'" in done.stderr


def test_help_loads_no_sdk(call):
    code = (
        "import sys\nfrom toolcanon.cli import toolcanon\n"
        "toolcanon(['fetch', '--help'], standalone_mode=False)\n"
        "assert not {'mcp', 'anyio', 'httpx2', 'pydantic'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert b"toolcanon fetch -- npx -y @scope/server" in done.stdout


# --- published servers

PUBLISHED = {
    "everything": ["node_modules/.bin/mcp-server-everything"],
    "filesystem": ["node_modules/.bin/mcp-server-filesystem", "FOLDER"],
    "time": ["bin/mcp-server-time"],
    "git": ["bin/mcp-server-git"],
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_servers(name, tmp_path):
    """The same tools as the SDK's own client lists, with whatever its models know nothing of."""
    program, *more = PUBLISHED[name]
    if not (REAL / program).exists():
        pytest.skip("no .venv-servers with it: `make test` makes it, given the package indexes")
    command = [str(REAL / program), *(str(tmp_path) for _ in more)]
    served = fetch_command(command, timeout=60)
    assert len(served.tools) >= 2
    from mcp_types import Tool

    def modelled(tools):
        return [Tool.model_validate(tool).model_dump(mode="json", by_alias=True) for tool in tools]

    listed = asyncio.run(sdk_list(command))
    assert modelled(served.tools) == listed
    read = run("convert", "-", "-t", "openai", "--strict", "-q", stdin=served.answer)
    assert len(json.loads(read.stdout)) == len(listed)


async def sdk_list(command):
    from mcp import Client, StdioServerParameters

    parameters = StdioServerParameters(command=command[0], args=command[1:])
    async with Client(parameters) as client:
        result = await client.list_tools()
        assert result.next_cursor is None
        return [tool.model_dump(mode="json", by_alias=True) for tool in result.tools]
