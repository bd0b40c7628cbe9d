"""Learning and comparing what tools answer, in multiples of parsing and writing the same responses.

A window is 32 responses of one tool. Made ones are of three sorts: small records, lists of records,
and long texts, which are searched for orders to the model. Real ones are what recorded
conversations hold, of many tools at once; much is JSON in a text, which the floor does not parse.
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ratios import Contestant, Result, measure, table

import toolcanon as tc
from toolcanon.drift.shapes import Shape, compare_shapes

ROOT = Path(__file__).parent.parent
CORPUS = Path(os.environ.get("TOOLCANON_CORPUS", ROOT.parent / "shared" / "corpus"))
LABELS = ("openai_chat", "openai_responses", "anthropic", "gemini", "bedrock")
WINDOW = 32
TEXT = "The station reports light winds from the north, a few clouds, and no rain until evening."


def small(rng: random.Random) -> dict[str, Any]:
    return {
        "id": rng.randrange(10**6),
        "name": f"item {rng.randrange(10**4)}",
        "state": rng.choice(["open", "closed", "merged"]),
        "price": round(rng.uniform(5, 50), 2),
        "created": f"2026-01-{rng.randrange(1, 29):02}T10:00:00Z",
        "tags": [rng.choice("xyz") for _ in range(rng.randrange(6))],
    }


def records(rng: random.Random) -> dict[str, Any]:
    return {"total": rng.randrange(999), "items": [
        {**small(rng), "owner": {"login": f"user {rng.randrange(99)}", "kind": "person"},
         "url": f"https://api.example.com/items/{rng.randrange(10**6)}", "private": False}
        for _ in range(10)]}  # fmt: skip


def prose(rng: random.Random) -> dict[str, Any]:
    words = TEXT.split()
    text = " ".join(rng.choice(words) for _ in range(150))
    return {"content": [{"type": "text", "text": text}], "isError": False}


def windows(make: Callable[[random.Random], Any]) -> list[list[Any]]:
    rng = random.Random(make.__name__)  # noqa: S311 - made-up data
    return [[make(rng) for _ in range(WINDOW)] for _ in range(96)]


def real() -> list[list[Any]]:
    """What tools answered in the corpus, as plain JSON, in windows."""
    found = []
    for label in LABELS:
        path = CORPUS / "conversations" / f"{label}.jsonl"
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            body = json.loads(line)["body"].get("request")
            try:
                read = None if body is None else tc.read_conversation(body)
            except tc.ToolcanonError:
                continue
            for message in read.messages if read else ():
                found += [[one.text if isinstance(one, tc.Text) else getattr(one, "value", None)
                           for one in part.content]
                          for part in message.parts if isinstance(part, tc.Result)]  # fmt: skip
    whole = [found[at : at + WINDOW] for at in range(0, len(found) - WINDOW, WINDOW)]
    return whole * (1 + 64 // max(1, len(whole))) if whole else []


def measured(name: str, some: list[list[Any]]) -> list[Result]:
    shapes = {id(window): Shape.learn(window) for window in some}
    first = shapes[id(some[0])]
    contestants = [
        Contestant(f"{name}: learn", Shape.learn),
        Contestant(f"{name}: merge", lambda window: first.merge(shapes[id(window)])),
        Contestant(f"{name}: compare", lambda window: compare_shapes(first, shapes[id(window)])),
    ]
    return measure(some, contestants, rounds=3)


def main() -> None:
    sets = [(make.__name__, windows(make)) for make in (small, records, prose)]
    sets += [("real", some)] if (some := real()) else []
    results = [result for name, some in sets for result in measured(name, some)]
    sys.stdout.write(f"windows of {WINDOW} responses\n\n{table(results)}\n")


if __name__ == "__main__":
    main()
