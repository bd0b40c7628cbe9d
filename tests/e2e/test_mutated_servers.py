"""Published servers that change after a review: every edit is detected, with its verdict."""

import contextlib
import json
import sys

import pytest

from tests.commands import run
from tests.e2e.test_fetch import PUBLISHED, REAL, SERVERS

pytest.importorskip("mcp", reason="the SDK of the protocol is not installed")

CHOSEN = ("everything", "filesystem", "git")
"""Two from npm, one from PyPI."""
PLAIN = "plain"
# What each edit has to be called, and how bad it is at least.
MUTATIONS = {
    "description": ("cosmetic", "description-changed"),
    "required": ("breaking", "input-required-added"),
    "annotation": ("security", None),
    "hidden": ("security", "text-invisible-characters"),
    "renamed": ("breaking", "tool-renamed"),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A client's file with three servers, locked, approved, and remembered in a store."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "mutation").write_text(PLAIN, encoding="utf-8")
    wrapper = [str(SERVERS / "mutating.py"), str(folder / "mutation")]
    servers = {}
    for name in CHOSEN:
        program, *more = PUBLISHED[name]
        if not (REAL / program).exists():
            pytest.skip("no .venv-servers with it: `make test` makes it, given the package indexes")
        command = [str(REAL / program), *(str(folder) for _ in more)]
        servers[name] = {"command": sys.executable, "args": [*wrapper, *command]}
    (folder / ".mcp.json").write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    locked = watch(folder, "lock", "--approve", "--by", "Ann", "--reason", "first review")
    assert locked.returncode == 0, locked.stderr
    remembered = watch(folder, "baseline")
    assert remembered.returncode == 0, remembered.stderr
    return folder


def watch(folder, command, *options):
    agreed = [word for name in CHOSEN for word in ("--yes", name)]
    with contextlib.chdir(folder):
        return run(
            command, *options, "--client-config", ".mcp.json", *agreed,
            env={"TOOLCANON_HOME": str(folder / "home"), "CI": ""}, timeout=240,
            module="toolcanon.cli.watch",
        )  # fmt: skip


def test_as_long_as_nothing_changes(project):
    (project / "mutation").write_text(PLAIN, encoding="utf-8")
    before = (project / "tools.lock").read_bytes()
    done = watch(project, "verify", "--require-approved")
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().endswith("as locked\n")
    assert (project / "tools.lock").read_bytes() == before
    lock = json.loads(before)
    assert sorted(lock["servers"]) == sorted(CHOSEN)
    for server in lock["servers"].values():
        assert server["server"]["name"]
        assert server["protocol"]
        assert all(tool["approved"]["by"] == "Ann" for tool in server["tools"].values())


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_every_edit_is_caught(project, mutation):
    verdict, name = MUTATIONS[mutation]
    (project / "mutation.answers").mkdir(exist_ok=True)
    (project / "mutation").write_text(mutation, encoding="utf-8")
    done = watch(project, "verify", "--json")
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert [server["name"] for server in told["servers"]] == list(CHOSEN)
    for server in told["servers"]:
        assert not server["same"]
        assert len(server["tools"]) == 1
        tool = server["tools"][0]
        assert tool["state"] == ("renamed" if mutation == "renamed" else "changed")
        assert tool["before"]["exact"] != tool["after"]["exact"]
        assert server["verdict"] == verdict, server["report"]["changes"]
        if name is not None:
            assert name in {change["name"] for change in server["report"]["changes"]}
    remembered = watch(project, "check", "--json")
    assert remembered.returncode == 1, remembered.stderr
    assert json.loads(remembered.stdout)["diff"]["verdict"] == verdict
