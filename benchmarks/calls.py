"""What a call costs between a model's words and its answer, in multiples of orjson on them.

The floor is loads and dumps of the arguments' text. Carrying out a call does more: the way back
through the lens, the judgement of the result by the tool's schema, pydantic's values for the
function, the call itself, and what it returned as the content of an answer. The functions do next
to nothing, so what is measured is ours. Arguments are those that a model wrote for the target.
"""

# ruff: noqa: ARG001 - the functions do nothing, so that nothing of theirs is measured

from __future__ import annotations

import sys
from typing import Any, Literal

import orjson
from pydantic import BaseModel
from ratios import BLOCK, Contestant, measure, table

from toolcanon.define.toolset import BoundToolset, Toolset


class Place(BaseModel):
    city: str
    country: str = "AT"


class Line(BaseModel):
    article: str
    pieces: int
    price: float
    note: str | None = None


class Order(BaseModel):
    lines: list[Line]
    place: Place
    labels: dict[str, str]


def read_file(path: str, start: int = 0, lines: int = 100) -> str:
    """Read a file."""
    return path


def search(query: str, limit: int = 10, tags: list[str] | None = None) -> list[str]:
    """Find pages."""
    return [query]


def write_file(path: str, text: str, mode: Literal["new", "append"] = "new") -> bool:
    """Write a file."""
    return True


def order(order: Order, speed: Literal["slow", "fast"] = "slow") -> dict[str, Any]:
    """Order something."""
    return {"lines": len(order.lines)}


TEXT = "All happy families are alike; each unhappy family is unhappy in its own way. " * 20
LINES = [{"article": f"book {n}", "pieces": n, "price": n * 9.5} for n in range(1, 21)]
ASKED: list[tuple[str, Any]] = [
    ("read_file", {"path": "src/parser/grammar.py", "start": 120, "lines": 80}),
    ("search", {"query": "how to cut a long result in two", "tags": ["manual", "faq", "news"]}),
    ("write_file", {"path": "notes/chapter-1.txt", "text": TEXT, "mode": "append"}),
    ("order", {"order": {"lines": LINES, "place": {"city": "Graz"},
                         "labels": {"colour": "red", "gift": "yes"}}, "speed": "fast"}),
]  # fmt: skip
TOOLS = Toolset([read_file, search, write_file, order])


def calls(bound: BoundToolset) -> list[Any]:
    """A block of calls as this target's model writes them."""
    wire = [bound.render(name, arguments) for name, arguments in ASKED]
    return [{"name": name, "arguments": orjson.dumps(sent).decode()} for name, sent in wire]


def main() -> None:
    print(f"{len(ASKED)} calls, Python {sys.version.split()[0]}\n")
    for target, strict in (("openai", False), ("openai", True), ("gemini", False)):
        bound = TOOLS.bind(target, strict=strict)
        for name in (None, *(name for name, _ in ASKED)):
            asked = [call for call in calls(bound) if name in {None, call["name"]}]
            report(f"{target}{' strict' * strict}: {name or 'all'}", bound, asked)


def report(title: str, bound: BoundToolset, asked: list[Any]) -> None:
    block = (asked * BLOCK)[:BLOCK]
    texts = [orjson.loads(call["arguments"]) for call in block]
    names = {orjson.dumps(sent): call["name"] for sent, call in zip(texts, block, strict=True)}

    def carry_out(text: bytes) -> Any:
        done = bound.call(names[text], text)
        assert done.ok, done.result  # noqa: S101 - a refusal would be cheap
        return done

    def restore(text: bytes) -> Any:
        return bound.restore(names[text], text)

    contestants = [
        Contestant("carried out", carry_out, from_bytes=True),
        Contestant("restored and judged alone", restore, from_bytes=True),
    ]
    print(f"{title}\n\n{table(measure(texts, contestants, rounds=60))}\n")


if __name__ == "__main__":
    main()
