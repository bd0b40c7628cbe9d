"""A file of many rows through the command: processor time a row, and memory.

The floor is a loop of orjson's loads and dumps over the same lines, in a process of its own; both
are measured whole, start-up included, one right after the other, and the median of a few such pairs
counts. Rows are made by the corpus' own generator.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
CORPUS = Path(os.environ.get("TOOLCANON_CORPUS", ROOT.parent / "shared" / "corpus"))
FLOOR = """
import sys, orjson
with open(sys.argv[1], "rb") as rows, open(sys.argv[2], "wb") as out:
    for line in rows:
        out.write(orjson.dumps(orjson.loads(line)) + b"\\n")
"""
# As if nothing had been compiled.
PYTHON = """
import sys
sys.modules["toolcanon.bulk._templates"] = None
from toolcanon.cli import toolcanon
toolcanon()
"""
PAIRS = 5


def run(command: list[str]) -> tuple[float, int]:
    """Seconds of processor time and the most memory held, in MiB."""
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as child:
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = status
    if status:
        sys.exit(f"{command} ended with {status}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss // 1024


def main(count: int) -> None:
    maker = CORPUS / "make_catalog.py"
    if not maker.exists():
        sys.exit(f"no generator at {maker}; set TOOLCANON_CORPUS")
    with tempfile.TemporaryDirectory() as folder:
        rows, out = f"{folder}/rows.jsonl", f"{folder}/out.jsonl"
        subprocess.run(
            [sys.executable, str(maker), "--n", str(count), "--out", rows, "--quiet"], check=True
        )
        size = Path(rows).stat().st_size / count
        # Nobody's first start is meant.
        subprocess.run([sys.executable, "-m", "compileall", "-q", ROOT / "src"], check=True)
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        loop = [sys.executable, "-c", FLOOR, rows, out]
        print(f"{count:,} rows of {size:.0f} bytes\n")
        print("| what | x floor | of | us a row | floor | MiB |")
        print("| --- | ---: | --- | ---: | ---: | ---: |")
        for said, how in (
            ("anthropic -q", ["-m", "toolcanon"]),
            ("anthropic", ["-m", "toolcanon"]),
            ("openai", ["-m", "toolcanon"]),
            ("anthropic -q, in Python alone", ["-c", PYTHON]),
            ("gemini --dialect gemini/openapi", ["-m", "toolcanon"]),
            ("openai --strict", ["-m", "toolcanon"]),
        ):
            target, *options = said.split(",")[0].split()
            tool = [sys.executable, *how, "convert", rows, "-o", out, "-t", target]
            pairs = []
            for _ in range(PAIRS):
                floor, _ = run(loop)
                took, held = run([*tool, "--tools-field", "definition", *options])
                pairs.append((took / floor, took, floor, held))
            ratio, took, floor, held = sorted(pairs)[len(pairs) // 2]
            worst = f"{min(pairs)[0]:.2f} to {max(pairs)[0]:.2f}"
            each = f"{took / count * 1e6:.1f} | {floor / count * 1e6:.1f}"
            print(f"| {said} | {ratio:.2f} | {worst} | {each} | {held} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000)
