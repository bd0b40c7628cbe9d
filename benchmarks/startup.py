"""How long it takes to start, in multiples of a bare interpreter (processor time, best of many)."""

from __future__ import annotations

import os
import resource
import subprocess
import sys

RUNS = 25


def cost(command: list[str]) -> float:
    """The least processor time of many runs; the first one may still write bytecode."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    best = float("inf")
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = min(best, spent)
    return best


if __name__ == "__main__":
    python = sys.executable
    bare = cost([python, "-c", "pass"])
    print("| command | x bare interpreter | ms |")
    print("| --- | ---: | ---: |")
    for name, command in (
        ("python -c pass", [python, "-c", "pass"]),
        ("import toolcanon", [python, "-c", "import toolcanon"]),
        ("toolcanon --help", [os.path.join(os.path.dirname(python), "toolcanon"), "--help"]),  # noqa: PTH118, PTH120
        ("toolcanon --version", [python, "-m", "toolcanon", "--version"]),
        ("import click", [python, "-c", "import click"]),
        ("toolcanon.convert ready", [python, "-c", "import toolcanon; toolcanon.convert"]),
    ):
        spent = cost(command)
        print(f"| {name} | {spent / bare:.2f} | {spent * 1000:.0f} |")
