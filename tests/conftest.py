"""What every test may use: the corpus, where it is, and how much of it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parent.parent
CASES = Path(__file__).parent / "cases"

# Corpus label -> the format it reads as.
LABELS = {
    "anthropic": "anthropic",
    "bedrock": "bedrock",
    "bfcl_raw": "openai",
    "gemini": "gemini",
    "gemini_builtin": "gemini",
    "jsonschema": "json-schema",
    "langchain": "langchain",
    "mcp": "mcp",
    "openai_chat": "openai",
    "openai_functions": "openai",
    "openai_responses": "openai-responses",
}
SAMPLE = 120

# The same examples every time, however slow the machine; `--hypothesis-profile=exploring` looks
# for others.
_PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("steady", derandomize=True, **_PATIENT)
settings.register_profile("exploring", max_examples=1000, **_PATIENT)
settings.load_profile("steady")


def corpus_folder() -> Path:
    return Path(os.environ.get("TOOLCANON_CORPUS", ROOT.parent / "shared" / "corpus"))


def has_whole_corpus() -> bool:
    """Return whether this is `make corpus`, which also runs the long proofs at full length."""
    return bool(os.environ.get("TOOLCANON_CORPUS_ALL"))


def rows(label: str, part: str = "definitions") -> Iterator[dict]:
    """The rows of one label: all of them, or about a hundred at even steps."""
    path = corpus_folder() / part / f"{label}.jsonl"
    if not path.exists():
        pytest.skip(f"no corpus at {corpus_folder()}")
    lines = path.read_text(encoding="utf-8").splitlines()
    step = 1 if has_whole_corpus() else max(1, len(lines) // SAMPLE)
    for line in lines[::step]:
        yield json.loads(line)


def chosen_targets(row: object, targets: Sequence, most: int = 3) -> list:
    """The few targets that a row is tried on: by its digest, so the same on every run.

    Each target has a digest with the row, and those with the least are taken. A target that is
    added changes the choice only where it is chosen itself. All of them with the whole corpus.
    """
    if has_whole_corpus():
        return list(targets)
    text = json.dumps(row, sort_keys=True, default=str)

    def digest(target: object) -> bytes:
        return hashlib.sha256(f"{target}\0{text}".encode()).digest()

    chosen = sorted(targets, key=digest)[:most]
    return [target for target in targets if target in chosen]


def format_cases() -> list[tuple[str, dict]]:
    """(format id, case) for every written-down definition."""
    return [
        (path.stem, case)
        for path in sorted((CASES / "formats").glob("*.json"))
        for case in json.loads(path.read_text(encoding="utf-8"))
    ]
