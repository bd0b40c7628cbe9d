"""The examples, run unchanged with the providers' own packages against loopback."""

import json
import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.loopback import Loopback, Said
from tests.referee.bodies import sdk_faults
from tests.referee.histories import certain_faults

pytest.importorskip("openai", reason="the providers' packages are not installed")

EXAMPLES = ROOT / "examples"
# Program -> the family it talks to, how its package learns the address, what it binds with.
PROGRAMS = {
    "openai_loop.py": ("openai", {"OPENAI_BASE_URL": "{}/v1", "OPENAI_API_KEY": "k"}, True),
    "anthropic_loop.py": ("anthropic", {"ANTHROPIC_BASE_URL": "{}", "ANTHROPIC_API_KEY": "k"},
                          False),
    "gemini_loop.py": ("gemini", {"GOOGLE_GEMINI_BASE_URL": "{}", "GEMINI_API_KEY": "k"}, False),
    "bedrock_loop.py": ("bedrock", {"AWS_ENDPOINT_URL_BEDROCK_RUNTIME": "{}",
                                    "AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s",
                                    "AWS_REGION": "us-east-1",
                                    "AWS_DEFAULT_REGION": "us-east-1"}, False),
}  # fmt: skip


@pytest.fixture
def tools(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    from weather import toolset

    return toolset


def test_every_example_is_run():
    assert {path.name for path in EXAMPLES.glob("*_loop.py")} == set(PROGRAMS)


@pytest.mark.parametrize("program", PROGRAMS)
def test_program(program, tools):
    family, environment, strict = PROGRAMS[program]
    bound = tools.bind(family, strict=strict)
    towns = ("Oslo", "Cairo", "Atlantis")
    script = [
        Said("One moment. ", tuple((f"call_{town}", *bound.render("weather", {"city": town}))
                                   for town in towns)),
        Said(calls=(("call_max", *bound.render("compare", {"values": {"Oslo": 4, "Cairo": 31}})),)),
        Said("In Cairo."),
    ]  # fmt: skip
    with Loopback(family, script) as provider:
        env = {name: value.format(provider.url) for name, value in environment.items()}
        done = subprocess.run(
            [sys.executable, str(EXAMPLES / program)], env={**os.environ, **env},
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == "One moment. In Cairo.\n"
    assert len(provider.bodies) == 3
    for body in provider.bodies:
        assert sdk_faults(family, body) == []
        assert certain_faults(family, body, model="m") == []
    said = json.dumps(provider.bodies[-1])
    assert "LookupError: no weather for Atlantis" in said
    assert said.count("Cairo") > said.count("Atlantis")
