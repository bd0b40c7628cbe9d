"""Checking tools against the usual targets, in multiples of converting them to the same targets.

Each side runs in a fresh process that warmed up on other definitions, one right after the other;
the median of the pairs counts.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import orjson
from corpus import definitions, others
from fresh import (
    WARM_UP,
    Given,
    Work,
    arguments,
    chosen,
    in_fresh_process,
    read_given,
    warmed_up,
    written,
)

import toolcanon as tc
from toolcanon.checking.compatibility import usual_targets

COUNT = 1_000
CONVERTING = "converting"


def convert(tools: Sequence[Any]) -> None:
    for target in usual_targets():
        format_id, _, mode = target.partition("/")
        _ = tc.convert(tools, format_id, strict=bool(mode)).payload


CONTESTANTS: dict[str, Callable[[Sequence[Any]], object]] = {
    CONVERTING: convert,
    "compatibility alone": lambda given: tc.check(given, select=["C"]),
    "compatibility, losses, safety": tc.check,
    "everything, quality too": lambda given: tc.check(given, select=["ALL"]),
    "everything, as JSON": lambda given: json.dumps(tc.check(given, select=["ALL"]).to_dict()),
}


def named_once(found: Sequence[Any]) -> list[Any]:
    """Tools as one request could hold them: no name twice."""
    kept: dict[str, Any] = {}
    for definition in found:
        for tool in tc.read(definition):
            kept.setdefault(tool.id, definition)
    return list(kept.values())


def measured_here(name: str, given: Given) -> float:
    run = CONTESTANTS[name]
    (tools,) = warmed_up(Work(run), Given([given.definitions], [given.others]))
    begin = time.process_time()
    run(tools)
    return time.process_time() - begin


def main() -> None:
    parser = arguments("Checks, in multiples of conversions.")
    options = parser.parse_args()
    if options.child:
        print(orjson.dumps(measured_here(options.child, read_given(options.given))).decode())
        return
    tools = named_once(definitions())[: options.definitions or COUNT]
    print("| what | x converting | lowest | highest |\n| --- | ---: | ---: | ---: |")
    floor = 0.0
    with written(Given(tools, named_once(others(WARM_UP)))) as path:
        for name in chosen([name for name in CONTESTANTS if name != CONVERTING], options.only):
            found = []
            for _ in range(options.processes):
                floor = in_fresh_process(CONVERTING, path)
                found.append(in_fresh_process(name, path) / floor)
            median, lowest, highest = statistics.median(found), min(found), max(found)
            print(f"| {name} | {median:.2f} | {lowest:.2f} | {highest:.2f} |", flush=True)
    targets = len(usual_targets())
    print(f"\n{len(tools):,} tools, {targets} targets; converting takes {floor:.2f} s")


if __name__ == "__main__":
    sys.exit(main())
