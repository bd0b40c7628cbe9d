"""How long it takes to start and to do one small thing, in multiples of a bare interpreter.

Processor time of whole processes, the least of many. With ``BASE_SRC=/elsewhere/src`` the same
commands of another version run in turn with ours.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import orjson
from corpus import definitions
from fresh import BASE, environment, table_head

RUNS = 25
TEN = 10


def cost(command: Sequence[str], src: str | None = None) -> float:
    """Seconds of one run, in a folder without settings."""
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        command, stdout=quiet, stderr=quiet, env=environment(src), cwd=tempfile.gettempdir()
    ) as child:
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{command} ended with {child.returncode}")
    return used.ru_utime + used.ru_stime


def least(command: Sequence[str], runs: int) -> tuple[float, float]:
    """Of this code and of the other version; the first run may still write bytecode."""
    ours, theirs = [], []
    for _ in range(runs):
        ours.append(cost(command))
        if BASE:
            theirs.append(cost(command, BASE))
    return min(ours), min(theirs, default=0.0)


def some_tools() -> list[object]:
    """Ten tools of one format, each with a name of its own, of the benchmark set."""
    named = {row["name"]: row for row in definitions() if "inputSchema" in row}
    return list(named.values())[:TEN]


def commands(folder: str) -> dict[str, list[str]]:
    python, ten, one = sys.executable, Path(folder, "ten.json"), Path(folder, "one.json")
    tools = some_tools()
    ten.write_bytes(orjson.dumps({"tools": tools}))
    one.write_bytes(orjson.dumps(tools[0]))
    return {
        "python -c pass": [python, "-c", "pass"],
        "import click": [python, "-c", "import click"],
        "import toolcanon": [python, "-c", "import toolcanon"],
        "toolcanon.convert ready": [python, "-c", "import toolcanon; toolcanon.convert"],
        "toolcanon --help": [python, "-m", "toolcanon", "--help"],
        "toolcanon --version": [python, "-m", "toolcanon", "--version"],
        "toolcanon convert FILE, one tool": [
            python, "-m", "toolcanon", "convert", str(one), "-t", "anthropic",
        ],
        "toolcanon check FILE, ten tools": [python, "-m", "toolcanon", "check", str(ten)],
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description="Starts, in multiples of a bare interpreter.")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--only", default="", help="commands with this in their name")
    options = parser.parse_args()
    bare, _ = least([sys.executable, "-c", "pass"], options.runs)
    print(table_head("command", "x bare interpreter", "ms", *(["ms before"] if BASE else ())))
    with tempfile.TemporaryDirectory() as folder:
        for name, command in commands(folder).items():
            if options.only in name:
                ours, theirs = least(command, options.runs)
                before = f" {theirs * 1000:.0f} |" if BASE else ""
                print(f"| {name} | {ours / bare:.2f} | {ours * 1000:.0f} |{before}", flush=True)


if __name__ == "__main__":
    main()
