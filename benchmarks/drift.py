"""Comparing real versions of tools, in multiples of parsing and writing both of them.

Witnesses are part of it. Verdicts apart show where the time goes. Beside it, where it is installed
(``pip install jsonsubschema`` in .venv-peers), a checker of containment on the same schemas, with
its own floor, in its own process.
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
from ratios import Contestant, Result, measure, table

ROOT = Path(__file__).parent.parent
CORPUS = Path(os.environ.get("TOOLCANON_CORPUS", ROOT.parent / "shared" / "corpus")) / "drift"
PEERS = ROOT / ".venv-peers" / "bin" / "python"
FILES = ("github_mcp_pairs", "server_release_pairs")


def pairs() -> list[dict[str, Any]]:
    rows = []
    for name in FILES:
        for line in (CORPUS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            rows.append({"before": row["before"], "after": row["after"]})
    return rows


def ours(row: dict[str, Any]) -> object:
    from toolcanon.drift.diff import diff  # noqa: PLC0415 - peers have no toolcanon

    return diff(row["before"], row["after"])


def anew() -> None:
    """Judges are remembered by schema; no two pairs of a history should profit from it."""
    from toolcanon.schema.validate import _judge_of  # noqa: PLC0415

    _judge_of.cache_clear()


def by_verdict(rows: list[dict[str, Any]]) -> list[Result]:
    from toolcanon.drift.diff import diff  # noqa: PLC0415

    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        found[diff(row["before"], row["after"]).verdict].append(row)
    return [
        measure(some, [Contestant(f"of these, {verdict}", ours)], rounds=3)[0]
        for verdict, some in found.items()
        if len(some) >= 32
    ]


def by_pair(rows: list[dict[str, Any]], rounds: int = 5) -> Result:
    """Each pair against its own floor, both at their best; a block is led by its dearest pairs."""
    ratios = []
    gc.disable()
    for row in rows:
        text = orjson.dumps(row)
        # One after the other: a floor right behind a comparison finds cold caches, and looks dear.
        least = min(_spent(floor, text) for _ in range(rounds))
        ratios.append(min(_spent(forgetful, row) for _ in range(rounds)) / least)
    gc.enable()
    low, middle, high = statistics.quantiles(ratios, n=4)
    return Result("the same, pair by pair", middle, low, high, 0)


def floor(text: bytes) -> object:
    return orjson.dumps(orjson.loads(text))


def _spent(run: Callable[[Any], object], item: object) -> int:
    begin = time.process_time_ns()
    run(item)
    return time.process_time_ns() - begin


def forgetful(row: dict[str, Any]) -> object:
    anew()
    return ours(row)


def peer() -> None:
    """Run by the interpreter of the peers: both schemas, as they stand, contained or not."""
    from jsonsubschema import isSubschema  # type: ignore[import-not-found]  # noqa: PLC0415

    def run(row: dict[str, Any]) -> object:
        return isSubschema(row["before"]["inputSchema"], row["after"]["inputSchema"])

    results = measure(pairs()[:256], [Contestant("jsonsubschema, arguments alone", run)], rounds=1)
    sys.stdout.write(table(results).splitlines()[-1] + "\n")


def main() -> None:
    rows = pairs()
    contestants = [
        Contestant("diff, witness included", forgetful),
        Contestant("diff, judges remembered", ours),
    ]
    whole = measure(rows, contestants, rounds=5)
    results = [whole[0], by_pair(rows), *whole[1:], *by_verdict(rows)]
    sys.stdout.write(f"{len(rows):,} pairs of versions\n\n{table(results)}\n")
    sys.stdout.flush()
    if PEERS.exists():
        command = [str(PEERS), __file__, "peer"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        sys.stdout.write(done.stdout or "(jsonsubschema is not installed)\n")


if __name__ == "__main__":
    sys.exit(peer() if sys.argv[1:] == ["peer"] else main())
