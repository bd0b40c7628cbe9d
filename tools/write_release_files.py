"""Write the files that a release leaves behind, as cases for every later one.

    python tools/write_release_files.py 0.2.0

Run once for each release, from the commit that is released. ``tests/releases/VERSION`` then holds a
file of every stored format: canonical tool, receipt of tools, receipt of a conversation, lens,
lockfile, store and baselines. They are never written again; ``tests/releases/test_releases.py``
reads those of every release.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
COMMANDS = (
    ("toolcanon", "canonicalize", "deploy.mcp.json", "-o", "canonical.json"),
    ("toolcanon", "convert", "deploy.mcp.json", "--to", "openai", "--strict", "-o", "payload.json",
     "--receipt", "receipt.json", "-q"),
    ("toolcanon", "switch", "history.anthropic.json", "--to", "openai", "-o", "switched.json",
     "--keep", "switch_receipt.json", "-q"),
    ("toolwatch", "lock", "orders.v1.json", "-q"),
    ("toolwatch", "--store", "store.db", "baseline", "orders.v1.json"),
    ("toolwatch", "--store", "store.db", "check", "orders.v2.json", "--exit-zero"),
    ("toolwatch", "--store", "store.db", "export", "baselines", "-o", "baselines.json"),
)  # fmt: skip
KEPT = (
    "canonical.json payload.json receipt.json lens.json switched.json switch_receipt.json "
    "tools.lock store.db baselines.json"
).split()


def main(version: str) -> None:
    place = ROOT / "tests" / "releases" / version
    if place.exists():
        sys.exit(f"{place} exists: files of a release are written once")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "work"
        shutil.copytree(ROOT / "examples", folder)
        for module, *words in COMMANDS:
            program = f"from toolcanon.cli import {module}; {module}()"
            subprocess.run(  # noqa: S603 - our own commands
                [sys.executable, "-c", program, *words],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "CI": ""},
                check=True,
                stdout=subprocess.DEVNULL,
            )
        receipt = json.loads((folder / "receipt.json").read_text("utf-8"))
        lens = json.dumps(receipt["tools"][0]["lens"], indent=2)
        (folder / "lens.json").write_text(f"{lens}\n", encoding="utf-8")
        place.mkdir(parents=True)
        for name in KEPT:
            shutil.copyfile(folder / name, place / name)
    print(f"wrote {place.relative_to(ROOT)}; commit it with the release")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
