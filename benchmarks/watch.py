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
ROUNDS = 5


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


def best(command: list[str], rounds: int = ROUNDS) -> tuple[float, int]:
    """The least processor time of a few runs, and the memory of the last."""
    found = [run(command) for _ in range(rounds)]
    return min(took for took, _ in found), found[-1][1]


def main(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        many, one = f"{folder}/many.jsonl", f"{folder}/one.jsonl"
        size = catalog(count, many) / count
        with Path(many).open("rb") as stream:
            Path(one).write_bytes(stream.readline())
        subprocess.run([sys.executable, "-m", "compileall", "-q", ROOT / "src"], check=True)
        for name in ("PYTHONDONTWRITEBYTECODE", "CI"):
            os.environ.pop(name, None)
        loop = [sys.executable, "-c", FLOOR]
        floor = best([*loop, many, os.devnull])[0] - best([*loop, one, os.devnull])[0]
        print(f"{count:,} tools of {size:.0f} bytes; floor {floor / count * 1e6:.1f} us a tool\n")
        print("| what | x floor | us a tool | MiB | start-up ms |")
        print("| --- | ---: | ---: | ---: | ---: |")
        ratios = {}
        for what, rounds in (("baseline", 1), ("check", ROUNDS)):
            watch = [sys.executable, "-m", "toolcanon", "watch", "--store"]
            small = best([*watch, f"{folder}/one.db", what, "-q", one])[0]
            took, held = best([*watch, f"{folder}/many.db", what, "-q", many], rounds)
            net = took - small
            ratios[what] = net / floor
            print(
                f"| {what} | {net / floor:.2f} | {net / count * 1e6:.1f} | {held} "
                f"| {small * 1e3:.0f} |"
            )
        if ratios["check"] > BUDGET:
            sys.exit(f"check takes {ratios['check']:.2f} floors, more than {BUDGET}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
