"""The README's examples are run unchanged."""

import shutil
import subprocess
import sys

import pytest

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
