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
    toolcanon(sys.argv[1:])
print(*sorted(sys.modules))
"""


def loaded_by(*arguments):
    command = [sys.executable, "-c", LOADED, *map(str, arguments)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return set(done.stdout.splitlines()[-1].split())


MOST = 150
"""Modules of this package; each costs start-up time."""


@pytest.mark.parametrize(
    "options",
    [["-t", "openai"], ["-t", "anthropic"], ["-t", "openai", "--strict"], ["-t", "gemini"]],
    ids=" ".join,
)
@pytest.mark.parametrize("document", [TOOL, [TOOL], {"tools": [TOOL]}], ids=["one", "list", "body"])
def test_convert_of_one_file_loads_neither_the_sampler_nor_rows(tmp_path, options, document):
    given, out = tmp_path / "tools.json", tmp_path / "out.json"
    given.write_text(json.dumps(document))
    loaded = loaded_by("convert", given, "-o", out, "-q", *options)
    assert out.exists()
    assert "toolcanon.conversion" in loaded
    ours = {name for name in loaded if name.startswith("toolcanon")}
    assert len(ours) <= MOST
    rows_and_sampler = ("toolcanon.bulk", "toolcanon.cli.rows", "toolcanon.schema.sampling")
    assert not {name for name in ours if name.startswith(rows_and_sampler)}


def test_convert_of_rows_loads_them(tmp_path):
    given, out = tmp_path / "tools.jsonl", tmp_path / "out.jsonl"
    given.write_text(json.dumps(TOOL) + "\n")
    assert "toolcanon.bulk.rows" in loaded_by("convert", given, "-o", out, "-q", "-t", "anthropic")


EXTRAS = {"httpx2", "mcp", "mcp_types", "yaml"}


@pytest.mark.parametrize("command", ["check", "convert -t openai", "diff", "emit", "show"])
def test_a_command_on_files_loads_no_extra(tmp_path, command):
    given = tmp_path / "tools.json"
    given.write_text(json.dumps([TOOL]))
    words = command.split()
    loaded = loaded_by(words[0], given, *([given] if words[0] == "diff" else []), *words[1:])
    assert "toolcanon.cli.main" in loaded
    assert not loaded & EXTRAS
