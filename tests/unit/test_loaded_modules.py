"""What a command does not need is not loaded."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

TOOL = {"name": "f", "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}}}
LOADED = """
import contextlib, sys
from toolcanon.cli import toolcanon
with contextlib.suppress(SystemExit):
    toolcanon(["convert", *sys.argv[1:], "-q"])
print(*sorted(sys.modules))
"""


def loaded_by(*arguments):
    command = [sys.executable, "-c", LOADED, *map(str, arguments)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "options", [["-t", "anthropic"], ["-t", "openai", "--strict"], ["-t", "gemini"]]
)
def test_convert_of_one_file_loads_neither_the_sampler_nor_rows(tmp_path, options):
    given, out = tmp_path / "tools.json", tmp_path / "out.json"
    given.write_text(json.dumps([TOOL]))
    loaded = loaded_by(given, "-o", out, *options)
    assert out.exists()
    assert "toolcanon.conversion" in loaded
    found = {name for name in loaded if name.startswith(("toolcanon.bulk", "toolcanon.cli.rows"))}
    assert not found
    assert not {name for name in loaded if name.startswith("toolcanon.schema.sampling")}


def test_convert_of_rows_loads_them(tmp_path):
    given, out = tmp_path / "tools.jsonl", tmp_path / "out.jsonl"
    given.write_text(json.dumps(TOOL) + "\n")
    assert "toolcanon.bulk.rows" in loaded_by(given, "-o", out, "-t", "anthropic")
