"""Checking tools against the usual targets, in multiples of converting them to the same targets.

Nothing is remembered from block to block, on either side; both are measured right after each other.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from convert import definitions

import toolcanon as tc
from toolcanon.checking.targets import usual_targets
from toolcanon.checking.tools import check
from toolcanon.conversion.remembered import forget
from toolcanon.lowering import cache

COUNT = 1_000
ROUNDS = 7
TARGETS = usual_targets()


def anew() -> None:
    """As a process that has seen nothing yet, imports apart."""
    forget()
    cache._kept.clear()  # noqa: SLF001 - nobody else has a reason to


def timed(run: Callable[[Sequence[Any]], object], tools: Sequence[Any]) -> float:
    anew()
    start = time.process_time()
    run(tools)
    return time.process_time() - start


def convert(tools: Sequence[Any]) -> None:
    for target in TARGETS:
        format_id, _, mode = target.partition("/")
        tc.convert(tools, format_id, strict=bool(mode))


def named_once(found: Sequence[Any]) -> list[Any]:
    """Tools as one request could hold them: in one format, no name twice."""
    kept: dict[str, Any] = {}
    for definition in found:
        for tool in tc.read(definition):
            kept.setdefault(tool.id, definition)
    return list(kept.values())


def main() -> None:
    tools = named_once(definitions())[:COUNT]
    contestants: dict[str, Callable[[Sequence[Any]], object]] = {
        "compatibility alone": lambda given: check(given, select=["C"]),
        "compatibility, losses, safety": check,
        "everything, quality too": lambda given: check(given, select=["ALL"]),
        "everything, as JSON": lambda given: json.dumps(check(given, select=["ALL"]).to_dict()),
    }
    for run in (convert, *contestants.values()):
        run(tools)
    gc.collect()
    gc.freeze()
    gc.disable()
    ratios: dict[str, list[float]] = {name: [] for name in contestants}
    floor = 0.0
    for _ in range(ROUNDS):
        for name, run in contestants.items():
            floor = timed(convert, tools)
            ratios[name].append(timed(run, tools) / floor)
    print(f"{len(tools):,} tools, {len(TARGETS)} targets; converting takes {floor:.2f} s\n")
    print("| what | x converting | lowest | highest |\n| --- | ---: | ---: | ---: |")
    for name, found in ratios.items():
        print(f"| {name} | {statistics.median(found):.2f} | {min(found):.2f} | {max(found):.2f} |")


if __name__ == "__main__":
    sys.exit(main())
