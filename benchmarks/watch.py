"""A catalog remembered and checked by the command, in multiples of parsing and writing its rows.

The floor is a loop of orjson's loads and dumps over the same lines. Both are processes of their
own, measured in processor time, less what the same command takes for a catalog of one tool: that is
its start-up. Rows are made by the corpus' own generator; the best of a few runs counts.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import orjson
from rows import CORPUS, FLOOR, ROOT, run

BUDGET = 6.0
ROUNDS = 9


def catalog(count: int, path: str) -> int:
    """So many tools, one a line; how many bytes they are."""
    maker = CORPUS / "make_catalog.py"
    if not maker.exists():
        sys.exit(f"no generator at {maker}; set TOOLCANON_CORPUS")
    rows = f"{path}.rows"
    subprocess.run(
        [sys.executable, str(maker), "--n", str(count), "--out", rows, "--quiet"], check=True
    )
    text = Path(rows).read_bytes().splitlines()
    lines = [orjson.dumps(orjson.loads(row)["definition"]) for row in text]
    Path(path).write_bytes(b"\n".join(lines) + b"\n")
    return Path(path).stat().st_size


def best(*commands: list[str], rounds: int = ROUNDS) -> list[tuple[float, int]]:
    """The least processor time of a few runs of each command, and its memory.

    They take turns, so that other work of the machine falls on all of them.
    """
    found = [[run(command) for command in commands] for _ in range(rounds)]
    return [min(runs) for runs in zip(*found, strict=True)]


def main(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        many, one = f"{folder}/many.jsonl", f"{folder}/one.jsonl"
        size = catalog(count, many) / count
        with Path(many).open("rb") as stream:
            Path(one).write_bytes(stream.readline())
        subprocess.run([sys.executable, "-m", "compileall", "-q", ROOT / "src"], check=True)
        for name in ("PYTHONDONTWRITEBYTECODE", "CI"):
            os.environ.pop(name, None)
        print(f"{count:,} tools of {size:.0f} bytes\n")
        print("| what | x floor | us a tool | MiB | start-up ms |")
        print("| --- | ---: | ---: | ---: | ---: |")
        ratios = {}
        loop = [sys.executable, "-c", FLOOR]
        for what, rounds in (("baseline", 1), ("check", ROUNDS)):
            watch = [sys.executable, "-m", "toolcanon.cli.watch", "--store"]
            (whole, held), (start, _), (loops, _), (idle, _) = best(
                [*watch, f"{folder}/many.db", what, "-q", many],
                [*watch, f"{folder}/one.db", what, "-q", one],
                [*loop, many, os.devnull],
                [*loop, one, os.devnull],
                rounds=rounds,
            )
            took, floor = whole - start, loops - idle
            ratios[what] = took / floor
            print(
                f"| {what} | {took / floor:.2f} | {took / count * 1e6:.1f} | {held} "
                f"| {start * 1e3:.0f} |"
            )
        if ratios["check"] > BUDGET:
            sys.exit(f"check takes {ratios['check']:.2f} floors, more than {BUDGET}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
