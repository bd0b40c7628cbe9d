"""The method of every figure here: ratios of processor time within one run.

Blocks of 32 definitions; each contestant runs a block right after the floor did; the median of the
block ratios counts. The floor is orjson's loads and dumps of the same definitions, results
discarded. Machines differ and get busy; ratios of neighbours in time hardly do. A contestant goes
through all definitions before the next one does, as programs do, or it would run in the disorder
that others leave in the processor's caches.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import orjson

BLOCK = 32


class Contestant(NamedTuple):
    name: str
    run: Callable[[Any], Any]
    from_bytes: bool = False


class Result(NamedTuple):
    name: str
    ratio: float
    low: float
    high: float
    failures: int


def measure(
    definitions: Sequence[Any], contestants: Sequence[Contestant], rounds: int = 9
) -> list[Result]:
    texts = [orjson.dumps(definition) for definition in definitions]
    ratios: dict[str, list[float]] = {contestant.name: [] for contestant in contestants}
    usable = {c.name: _usable(c, definitions, texts) for c in contestants}
    gc.collect()
    gc.freeze()
    gc.disable()
    for _ in range(rounds):
        for contestant in contestants:
            source = _source(contestant, definitions, texts)
            for start in range(0, len(texts) - BLOCK + 1, BLOCK):
                chosen = [i for i in range(start, start + BLOCK) if usable[contestant.name][i]]
                if not chosen:
                    continue
                floor = time_of(floor_of, [texts[i] for i in chosen])
                ours = time_of(contestant.run, [source[i] for i in chosen])
                ratios[contestant.name].append(ours / floor)
    gc.enable()
    out = []
    for contestant in contestants:
        values = ratios[contestant.name]
        low, middle, high = statistics.quantiles(values, n=4)
        failures = usable[contestant.name].count(False)
        out.append(Result(contestant.name, middle, low, high, failures))
    return out


def floor_of(text: bytes) -> None:
    orjson.dumps(orjson.loads(text))


def _source(
    contestant: Contestant, definitions: Sequence[Any], texts: Sequence[bytes]
) -> Sequence[Any]:
    return texts if contestant.from_bytes else definitions


def _usable(
    contestant: Contestant, definitions: Sequence[Any], texts: Sequence[bytes]
) -> list[bool]:
    """Which definitions a contestant takes at all; warms it up as well."""
    out = []
    for given in _source(contestant, definitions, texts):
        try:
            contestant.run(given)
        except Exception:  # noqa: BLE001 - peers fail in their own ways
            out.append(False)
        else:
            out.append(True)
    return out


def time_of(run: Callable[[Any], Any], items: Sequence[Any]) -> float:
    begin = time.process_time_ns()
    for item in items:
        run(item)
    return time.process_time_ns() - begin


def table(results: Sequence[Result]) -> str:
    lines = ["| what | x floor | quartiles | refused |", "| --- | ---: | --- | ---: |"]
    lines += [
        f"| {r.name} | {r.ratio:.2f} | {r.low:.2f} to {r.high:.2f} | {r.failures} |"
        for r in results
    ]
    return "\n".join(lines)
