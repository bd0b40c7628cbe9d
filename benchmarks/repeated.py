"""The same definitions again: payload and losses from the second time on.

A fresh process for each contestant warms up on other definitions and then goes through the whole
benchmark set four times. Each pass counts on its own, by the same method as cold.py: a memory that
helps only the fourth time shows, and so does one that costs more the second time than the first.
The limit holds for every pass after the first. Options are those of cold.py.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Sequence
from typing import Any

import orjson
from cold import TARGETS, bind_to, convert_to
from fresh import (
    BASE,
    Found,
    Given,
    Work,
    arguments,
    chosen,
    go_through,
    header,
    in_fresh_process,
    read_given,
    selected,
    table_head,
    warmed_up,
    written,
)
from ratios import BLOCK

PASSES = ("first", "second", "third", "fourth")
LIMITS = {
    "convert to openai": 4,
    "convert to anthropic": 4,
    "convert to gemini/openapi": 6,
    "convert to openai/strict": 6,
    "bind to openai": 3,
    "bind to anthropic": 3,
    "bind to gemini/openapi": 5.5,
    "bind to openai/strict": 5.5,
}
TOOLSET = "Toolset.bind to openai/strict, 32 tools"
CONTESTANTS: dict[str, Callable[[], Work]] = {
    **{f"convert to {name}": lambda name=name: convert_to(name) for name in TARGETS},
    **{f"bind to {name}": lambda name=name: bind_to(name) for name in TARGETS},
}


def measured_here(name: str, given: Given) -> list[Found]:
    if name == TOOLSET:
        return toolsets_here(given)
    work = CONTESTANTS[name]()
    starts = warmed_up(work, given)
    texts = [orjson.dumps(each) for each in given.definitions]
    return [go_through(work.run, starts, texts) for _ in PASSES]


def toolsets_here(given: Given) -> list[Found]:
    """Toolsets of 32 tools each, which give the same binding again."""
    from toolcanon import Toolset, read  # noqa: PLC0415 - each process imports what it measures

    named: dict[str, Any] = {}
    for definition in given.definitions:
        named.setdefault(read(definition)[0].name, definition)
    unique = list(named.values())
    groups = [unique[at : at + BLOCK] for at in range(0, len(unique) - BLOCK + 1, BLOCK)]
    target, options = TARGETS["openai/strict"]

    def run(toolset: Any) -> Any:
        binding = toolset.bind(target, **options)
        return binding.payload, binding.losses

    starts = warmed_up(Work(run, Toolset), Given(groups, [[each] for each in given.others]))
    texts = [orjson.dumps(group) for group in groups]
    return [go_through(run, starts, texts, block=1) for _ in PASSES]


def report(names: Sequence[str], options: argparse.Namespace) -> None:
    given = selected(options)
    print(header(given.definitions) + "\n")
    before = [f"{each}, before" for each in PASSES] if BASE else []
    print(table_head("again", *PASSES, "limit", *before))
    with written(given) as path:
        for name in names:
            ratios: list[list[float]] = [[] for _ in PASSES]
            earlier: list[list[float]] = [[] for _ in PASSES]
            for _ in range(options.processes):
                _keep(ratios, in_fresh_process(name, path))
                if BASE:
                    _keep(earlier, in_fresh_process(name, path, BASE))
            now = [f"{statistics.median(each):.2f}" for each in ratios]
            old = [f"{statistics.median(each):.2f}" for each in earlier] if BASE else []
            print(
                "|", " | ".join(map(str, (name, *now, LIMITS.get(name, ""), *old))), "|", flush=True
            )


def _keep(kept: Sequence[list[float]], found: Sequence[Any]) -> None:
    for ratios, each in zip(kept, found, strict=True):
        ratios.extend(Found(*each).ratios)


def main() -> None:
    options = arguments("Repeated conversions, in multiples of orjson.").parse_args()
    if options.child:
        found = measured_here(options.child, read_given(options.given))
        print(orjson.dumps([[*each] for each in found]).decode())
    else:
        report(chosen([*CONTESTANTS, TOOLSET], options.only), options)


if __name__ == "__main__":
    main()
