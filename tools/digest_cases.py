"""The cases whose results are digested: a small sample, and the corpus.

A case has an id and a function that makes its record. Ids do not depend on the order of cases, and
which cases belong to the sample follows from their own ids, so that adding one changes no other.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import digest_records as records
from digest_commands import COMMANDS
from digest_samples import conversations, tools

import toolcanon as tc

ROOT = Path(__file__).parent.parent
Case = tuple[str, Callable[[], records.Record]]
TARGETS = sorted(one.value for one in tc.SourceFormat if one.value != "raw")
FAMILIES = ("anthropic", "bedrock", "gemini", "openai", "openai-responses", "vercel")
_MODES = tuple(records.MODES)
_THIRD = 3


def number_of(text: str) -> int:
    """Return a number that follows from a text and nothing else."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def sample() -> Iterator[Case]:
    """Yield the committed cases: every definition of ``tests/cases`` to a third of the targets."""
    made = list(tools(60))
    for name, definition, calls in [*_written_down(), *made]:
        for target in TARGETS:
            chosen = number_of(f"{name} > {target}")
            if chosen % _THIRD == 0:
                mode = _MODES[chosen // _THIRD % len(_MODES)]
                yield (f"convert {name} > {target} {mode}",
                       partial(records.conversion, definition, target, mode, calls))  # fmt: skip
        yield f"check {name}", partial(records.verdicts, definition)
    for (name, before, _), (_, after, _) in pairwise(made):
        yield f"diff {name}", partial(records.drift, before, after)
    for name, body in conversations(30):
        yield from _everywhere(name, body)
    yield from _commands()


def _written_down() -> Iterator[tuple[str, Any, list[Any]]]:
    for path in sorted((ROOT / "tests" / "cases" / "formats").glob("*.json")):
        for case in json.loads(path.read_text(encoding="utf-8")):
            name = hashlib.sha256(json.dumps(case["definition"]).encode()).hexdigest()[:8]
            yield f"{path.stem}/{name}", case["definition"], []


def _everywhere(name: str, body: Any) -> Iterator[Case]:
    for target in FAMILIES:
        yield f"switch {name} > {target}", partial(records.switched, body, target)
        yield f"lint {name} > {target}", partial(records.history_findings, body, target)


def _commands() -> Iterator[Case]:
    for program, arguments, files in COMMANDS:
        yield (f"$ {program} {' '.join(arguments)}",
               partial(records.command, program, arguments, files))  # fmt: skip


def corpus() -> Iterator[Case]:
    """Yield a third of the definitions, all conversations, all drift pairs, and the commands."""
    folder = Path(os.environ.get("TOOLCANON_CORPUS", ROOT.parent / "shared" / "corpus"))
    for row in _rows(folder / "definitions"):
        if number_of(row["id"]) % _THIRD:
            continue
        for target in TARGETS:
            for mode in _MODES:
                yield (f"convert {row['id']} > {target} {mode}",
                       partial(records.conversion, row["definition"], target, mode))  # fmt: skip
        yield f"check {row['id']}", partial(records.verdicts, row["definition"])
    for row in _rows(folder / "conversations"):
        body = row["body"].get("request") if isinstance(row["body"], dict) else None
        if isinstance(body, dict):
            yield from _everywhere(row["id"], body)
    for row in _rows(folder / "drift"):
        if "before" in row:
            yield f"diff {row['id']}", partial(records.drift, row["before"], row["after"])
    yield from _commands()


def _rows(folder: Path) -> Iterator[Any]:
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)
