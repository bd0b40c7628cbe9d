"""Live servers checked as their authors would: published ones over pipes, one over HTTP."""

import json

import pytest

from tests.commands import run
from tests.e2e.test_fetch import PUBLISHED, REAL

pytest.importorskip("mcp", reason="the SDK of the protocol is not installed")


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_servers_are_checked(name, tmp_path):
    program, *more = PUBLISHED[name]
    if not (REAL / program).exists():
        pytest.skip("no .venv-servers with it: `make test` makes it, given the package indexes")
    command = [str(REAL / program), *(str(tmp_path) for _ in more)]
    done = run("check", "--json", "--select", "ALL", "--", *command)
    told = json.loads(done.stdout)
    assert len(told["tools"]) >= 2
    verdicts = {cell["verdict"] for tool in told["tools"] for cell in tool["targets"].values()}
    assert verdicts <= {"ok", "lossy"}
    safety = [found for found in told["findings"] if found["code"].startswith("S")]
    assert not [found for found in safety if found["level"] == "error"]
    assert done.returncode == 0
    shown = run("check", "--", *command)
    assert shown.stdout.decode().splitlines()[0].endswith(name) or name in shown.stdout.decode()


def test_a_server_that_cannot_be_started_is_an_error():
    done = run("check", "--", "no-such-server-anywhere")
    assert done.returncode == 3
    assert b"error[E310]" in done.stderr
    assert run("check", "--").returncode == 2
