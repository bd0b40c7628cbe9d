"""Plant known faults in a copy of the source, one at a time: the tests named for each must fail.

    python tools/mutants.py                 every fault of tests/mutants/mutants.toml
    python tools/mutants.py -k "one alias"  those whose names hold this text

It fails when a fault goes unnoticed, when the text it replaces is no longer there exactly once, and
when the tests fail without it. The checkout itself is never changed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "tests" / "mutants" / "mutants.toml"
FEWEST = 20
PASSED, FAILED = 0, 1  # the statuses of pytest; any other is a test that could not be run


def run_tests(source: Path, tests: list[str]) -> tuple[int, list[str]]:
    """The status of these tests with that source, and the lines about those that failed."""
    command = [sys.executable, "-m", "pytest", "-q", "-rf", "-p", "no:cacheprovider", *tests]
    path = os.pathsep.join((str(source), str(ROOT)))
    done = subprocess.run(  # noqa: S603 - our own tests
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    return done.returncode, [x for x in done.stdout.splitlines() if x.startswith("FAILED ")]


def imported_from(source: Path) -> bool:
    """Whether a test would import that copy, and not the installed package."""
    command = [sys.executable, "-c", "import toolcanon; print(toolcanon.__file__)"]
    done = subprocess.run(  # noqa: S603 - our own package
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(source)}, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    return Path(done.stdout.strip()).is_relative_to(source)


def judged(mutant: dict[str, Any], source: Path) -> str:
    """What is wrong with one fault; empty when its tests notice it."""
    path = source / "toolcanon" / mutant["file"]
    if not path.is_file():
        return f"there is no {mutant['file']}: the fault must follow the code"
    text = path.read_text(encoding="utf-8")
    if text.count(mutant["old"]) != 1:
        return f"its text is {text.count(mutant['old'])} times in {mutant['file']}, not once"
    path.write_text(text.replace(mutant["old"], mutant["new"]), encoding="utf-8")
    try:
        compile(path.read_text(encoding="utf-8"), str(path), "exec")
        status, failed = run_tests(source, mutant["tests"])
    finally:
        path.write_text(text, encoding="utf-8")
    if status not in {PASSED, FAILED}:
        return f"its tests cannot be run: pytest ended with {status}"
    survived = [test for test in mutant["tests"] if not any(test in line for line in failed)]
    return f"it survives {', '.join(survived)}" if survived else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("-k", default="", help="only faults whose names hold this text")
    chosen = parser.parse_args().k
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))["mutant"]
    if len(table) < FEWEST:
        print(f"at least {FEWEST} faults, not {len(table)}")
        return 1
    mutants = [one for one in table if chosen in one["name"]]
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "src"
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "src", source, ignore=ignored)
        if not imported_from(source):
            print("the copy is not what tests import")
            return 1
        tests = sorted({test for one in mutants for test in one["tests"]})
        status, failed = run_tests(source, tests)
        if status != PASSED:
            print("the tests fail without any fault", *failed, sep="\n")
            return 1
        for one in mutants:
            start = time.monotonic()
            wrong = judged(one, source)
            bad += bool(wrong)
            spent = time.monotonic() - start
            state = "FAULTY" if wrong else "noticed"
            print(f"{state:8}{spent:6.1f} s  {one['name']}{wrong and ': ' + wrong}", flush=True)
    print(f"{len(mutants) - bad} of {len(mutants)} faults are noticed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
