"""The definitions that are measured, and others to warm up on."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

ROOT = Path(__file__).parent.parent
CORPUS = Path(os.environ.get("TOOLCANON_CORPUS", ROOT.parent / "shared" / "corpus"))
OBJECTS = ("object", "dict")


def _rows(path: Path) -> list[Any]:
    if not path.exists():
        sys.exit(f"no definitions at {path}; set TOOLCANON_CORPUS")
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def definitions() -> list[Any]:
    """The benchmark set, in its order."""
    return [row["definition"] for row in _rows(CORPUS / "bench_2k.jsonl")]


def schemas_in(value: Any) -> Iterator[bytes]:
    """Every schema of an object inside a definition, as text with sorted keys."""
    if isinstance(value, dict):
        if "properties" in value or value.get("type") in OBJECTS:
            yield orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
        for inner in value.values():
            yield from schemas_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from schemas_in(inner)


def others(count: int) -> list[Any]:
    """Definitions of the formats in the set that share no schema of an object with the set.

    They are taken evenly from what is left of the corpus, so the choice is always the same.
    """
    measured = _rows(CORPUS / "bench_2k.jsonl")
    known = {text for row in measured for text in schemas_in(row["definition"])}
    found = [
        row["definition"]
        for name in sorted({row["format"] for row in measured})
        for row in _rows(CORPUS / "definitions" / f"{name}.jsonl")
        if known.isdisjoint(schemas_in(row["definition"]))
    ]
    step = max(1, len(found) // count)
    return found[::step][:count]


def without_repeats(rows: list[Any]) -> list[Any]:
    """Leave out every definition whose largest schema is in an earlier definition."""
    met: set[bytes] = set()
    kept = []
    for row in rows:
        found = list(schemas_in(row))
        largest = max(found, key=len, default=b"")
        if largest not in met:
            kept.append(row)
        met.update(found)
    return kept
