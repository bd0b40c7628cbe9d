"""The definitions that are measured, and others to warm up on."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import orjson

import toolcanon as tc
from toolcanon.errors import InputError

ROOT = Path(__file__).parent.parent
CORPUS = Path(os.environ.get("TOOLCANON_CORPUS", ROOT.parent / "shared" / "corpus"))


def _rows(path: Path) -> list[Any]:
    if not path.exists():
        sys.exit(f"no definitions at {path}; set TOOLCANON_CORPUS")
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def definitions() -> list[Any]:
    """The benchmark set, in its order."""
    return [row["definition"] for row in _rows(CORPUS / "bench_2k.jsonl")]


def schema_text(definition: Any) -> bytes:
    """The input schema of a definition as toolcanon reads it, with sorted keys."""
    return orjson.dumps(tc.read(definition)[0].input_schema, option=orjson.OPT_SORT_KEYS)


def _is_other(row: Any, ids: set[str], schemas: set[bytes]) -> bool:
    try:
        return row["id"] not in ids and schema_text(row["definition"]) not in schemas
    except InputError:  # some rows of the corpus are no tools
        return False


def others(count: int) -> list[Any]:
    """About so many definitions outside the set, with none of its input schemas.

    The formats have the shares that they have in the set, as far as the corpus has enough of them,
    and each is taken evenly from what is left, so the choice is always the same.
    """
    measured = _rows(CORPUS / "bench_2k.jsonl")
    ids = {row["id"] for row in measured}
    known = {schema_text(row["definition"]) for row in measured}
    found = []
    for name, share in sorted(Counter(row["format"] for row in measured).items()):
        left = [
            row["definition"]
            for row in _rows(CORPUS / "definitions" / f"{name}.jsonl")
            if _is_other(row, ids, known)
        ]
        wanted = count * share // len(measured)
        found += left[:: max(1, len(left) // wanted)][:wanted]
    return found


def without_repeats(rows: list[Any]) -> list[Any]:
    """Leave out every definition whose input schema is that of an earlier one."""
    return list({schema_text(row): row for row in reversed(rows)}.values())[::-1]
