"""The README's examples are run unchanged."""

import doctest
import shutil
import subprocess
import sys

import pytest

import toolcanon as tc
from tests.conftest import ROOT
from tests.e2e.pages import blocks, commands_of, run


@pytest.mark.parametrize("code", blocks("README.md", "python"))
def test_python(code):
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    """A copy of the examples, so that nothing is written into the repository."""
    folder = tmp_path_factory.mktemp("readme")
    shutil.copytree(ROOT / "examples", folder / "examples")
    return folder


@pytest.mark.parametrize("block", blocks("README.md", "console"))
def test_console(block, workplace):
    for line, expected in commands_of(block):
        assert run(line, workplace).stdout == expected


def test_demo_runs(workplace):
    done = run("bash examples/demo.sh", workplace)
    assert done.returncode == 0, done.stdout
    assert "identical to the original" in done.stdout


def test_api_reference_examples():
    """Only public names are in reach: an example that needs others cannot be followed."""
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    known = {name: getattr(tc, name) for name in tc.__all__} | {"tc": tc}
    sessions = blocks("docs/api.md", "pycon")
    examples = [
        doctest.DocTestParser().get_doctest(s, dict(known), "api.md", None, 0) for s in sessions
    ]
    assert len(sessions) == page.count("```pycon") > 10
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for example in examples:
        runner.run(example)
    assert not runner.failures
