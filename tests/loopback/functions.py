"""Ten functions with everything that makes tools hard, and calls of them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

from pydantic import BaseModel, Field

from toolcanon.define import Context, tool
from toolcanon.define.toolset import Toolset

LOG: list[Any] = []
"""What the functions were really called with."""
PNG = b"\x89PNG\r\n\x1a\n\x00\xff\xfe\xfb"


def seen(name: str, /, **arguments: Any) -> None:
    LOG.append((name, arguments))


class Point(BaseModel):
    x: float
    y: float = 0.0


class Route(BaseModel):
    """A way."""

    start: Point
    stops: list[Point] = Field(default_factory=list)


@tool
def plan(route: Route, name: str) -> dict[str, Any]:
    """Nested models."""
    seen("plan", route=route, name=name)
    return {"stops": len(route.stops), "from": [route.start.x, route.start.y]}


class Card(BaseModel):
    kind: Literal["card"]
    number: str


class Cash(BaseModel):
    kind: Literal["cash"]
    coins: list[int]


@tool
def pay(by: Card | Cash, amount: int | str) -> str:
    """Unions."""
    seen("pay", by=by, amount=amount)
    return f"paid {amount} by {by.kind}"


@tool
def find(query: str, limit: int | None = None, lang: str = "en", exact: bool | None = None) -> list:
    """Optionals."""
    seen("find", query=query, limit=limit, lang=lang, exact=exact)
    return [query, limit, lang, exact]


@tool
def count(words: dict[str, int], more: dict[str, dict[str, float]] | None = None) -> int:
    """Maps."""
    seen("count", words=words, more=more)
    return sum(words.values())


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Level(Enum):
    LOW = 1
    HIGH = 2


@dataclass
class Painted:
    colour: Colour
    level: Level


@tool
def paint(colour: Colour, level: Level = Level.LOW) -> Painted:
    """Enums."""
    seen("paint", colour=colour, level=level)
    return Painted(colour, level)


class Tree(BaseModel):
    """A tree."""

    name: str
    below: list[Tree] = Field(default_factory=list)


def depth(tree: Tree) -> int:
    return 1 + max(map(depth, tree.below), default=0)


@tool
def climb(tree: Tree) -> int:
    """Recursion."""
    seen("climb", tree=tree)
    return depth(tree)


@tool
def ping() -> None:
    """No parameters."""
    seen("ping")


@tool
def draw(size: int = 1) -> list:
    """An image in the result."""
    seen("draw", size=size)
    return ["Here it is.", PNG]


@tool
def fail(why: str) -> str:
    """An error."""
    seen("fail", why=why)
    raise LookupError(f"nothing there: {why}, password=hunter2hunter2")


@tool(timeout=0.2)
def sleep(seconds: float, context: Context[str]) -> str:
    """Slow."""
    seen("sleep", seconds=seconds)
    time.sleep(seconds)
    return f"{context.state} slept"


TEN = (plan, pay, find, count, paint, climb, ping, draw, fail, sleep)
ASKED = (
    ("plan", {"route": {"start": {"x": 1.5}, "stops": [{"x": 1, "y": 2}]}, "name": "a"}),
    ("pay", {"by": {"kind": "cash", "coins": [1, 2]}, "amount": "3"}),
    ("pay", {"by": {"kind": "card", "number": "4"}, "amount": 5}),
    ("find", {"query": "tea"}),
    ("find", {"query": "tea", "limit": 3, "exact": False}),
    ("count", {"words": {"a b": 1, "": 2}, "more": {"x": {"y": 0.5}}}),
    ("count", {"words": {}}),
    ("paint", {"colour": "blue", "level": 2}),
    ("climb", {"tree": {"name": "a", "below": [{"name": "b", "below": [{"name": "ä😀"}]}]}}),
    ("ping", {}),
    ("draw", {}),
    ("fail", {"why": "é"}),
    ("sleep", {"seconds": 0}),
    ("sleep", {"seconds": 0.4}),
)


def toolset() -> Toolset:
    return Toolset(TEN)
