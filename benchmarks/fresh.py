"""Work measured in processes that have met no definition of the benchmark set before.

The script starts itself once more for each contestant (``--child NAME``) with a file of what to
work on. The child warms up on other definitions, works, and prints what it found as JSON.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from corpus import ROOT, definitions, others, without_repeats
from ratios import BLOCK, floor_of, time_of

WARM_UP = 400
BASE = os.environ.get("BASE_SRC")
"""The src folder of another version to measure in turn with this one."""


class Work(NamedTuple):
    """What a contestant does with each definition, and how it is made ready for that."""

    run: Callable[[Any], Any]
    prepare: Callable[[Any], Any] = lambda definition: definition


class Given(NamedTuple):
    """What a process works on, and what it warms up on."""

    definitions: list[Any]
    others: list[Any]


class Found(NamedTuple):
    """The ratios of all blocks, and how many definitions the contestant refused."""

    ratios: list[float]
    refused: int


def warmed_up(work: Work, given: Given) -> list[Any]:
    """What the contestant starts from, after it has worked on other definitions."""
    for definition in given.others:
        _accepts(work.run, work.prepare(definition))
    starts = [work.prepare(definition) for definition in given.definitions]
    gc.collect()
    gc.freeze()
    gc.disable()
    return starts


def _accepts(run: Callable[[Any], Any], item: Any) -> bool:
    try:
        run(item)
    except Exception:  # noqa: BLE001 - peers fail in their own ways
        return False
    return True


def go_through(
    run: Callable[[Any], Any], starts: Sequence[Any], texts: Sequence[bytes], block: int = BLOCK
) -> Found:
    """Each definition once. A block in which the contestant raises does not count."""
    ratios, refused = [], 0
    for first in range(0, len(texts) - block + 1, block):
        floor = time_of(floor_of, texts[first : first + block])
        items = starts[first : first + block]
        begin = time.process_time_ns()
        try:
            for item in items:
                run(item)
        except Exception:  # noqa: BLE001
            refused += sum(not _accepts(run, item) for item in items)
            continue
        ratios.append((time.process_time_ns() - begin) / floor)
    return Found(ratios, refused)


def environment(src: str | None = None) -> dict[str, str]:
    """That of a child: bytecode is kept, and the code of this checkout is the default."""
    found = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    path = src or found.get("PYTHONPATH") or str(ROOT / "src")
    found["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, path.split(os.pathsep)))
    return found


def in_fresh_process(
    name: str, given: Path, src: str | None = None, python: str = sys.executable
) -> Any:
    """Run one contestant of this script in a process of its own, and return what it found."""
    return orjson.loads(output_of(name, given, src, python).splitlines()[-1])


def output_of(
    name: str, given: Path, src: str | None = None, python: str = sys.executable, *options: str
) -> bytes:
    """What a child prints."""
    done = subprocess.run(
        [python, sys.argv[0], "--child", name, "--given", str(given), *options],
        check=False,
        capture_output=True,
        env=environment(src),
    )
    if done.returncode:
        sys.exit(f"{name}: {done.stderr.decode()}")
    return done.stdout


@contextmanager
def written(given: Given) -> Iterator[Path]:
    """A file of what every process starts from, so that all of them start alike."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "given.json"
        path.write_bytes(orjson.dumps([*given]))
        yield path


def read_given(path: Path) -> Given:
    return Given(*orjson.loads(path.read_bytes()))


def arguments(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--only", action="append", help="contestants with this in their name")
    parser.add_argument("--processes", type=int, default=3, help="for each contestant")
    parser.add_argument("--definitions", type=int, help="only so many of the set")
    parser.add_argument(
        "--distinct", action="store_true", help="leave out definitions whose schema was met"
    )
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--given", type=Path, help=argparse.SUPPRESS)
    return parser


def selected(options: argparse.Namespace) -> Given:
    rows = definitions()[: options.definitions]
    return Given(without_repeats(rows) if options.distinct else rows, others(WARM_UP))


def chosen(names: Sequence[str], only: Sequence[str] | None) -> list[str]:
    """Those named exactly, or else those with one of the words in their name."""
    if not only:
        return list(names)
    found = [name for name in names if name in only]
    found = found or [name for name in names if any(word in name for word in only)]
    return found or sys.exit(f"no such contestant; there are: {', '.join(names)}")


def header(rows: Sequence[Any]) -> str:
    """What is measured, on what; the code goes to stderr, since tables are copied."""
    ask = "import toolcanon; print(toolcanon.__file__)"
    for src in (None, BASE) if BASE else (None,):
        done = subprocess.run(
            [sys.executable, "-c", ask], check=True, capture_output=True, env=environment(src)
        )
        print(f"measured: {Path(done.stdout.decode().strip()).parent}", file=sys.stderr)
    size = sum(len(orjson.dumps(row)) for row in rows) / len(rows)
    return (
        f"{len(rows):,} definitions of {size:.0f} bytes on average; "
        f"CPython {platform.python_version()}, orjson {orjson.__version__}"
    )


def quartiles(ratios: Sequence[float]) -> str:
    low, middle, high = statistics.quantiles(ratios, n=4)
    return f"{middle:.2f} | {low:.2f} to {high:.2f}"


def table_head(*columns: str) -> str:
    """The first column is text, the others are numbers unless they are quartiles."""
    rule = ["---", *("---" if name == "quartiles" else "---:" for name in columns[1:])]
    return f"| {' | '.join(columns)} |\n| {' | '.join(rule)} |"
