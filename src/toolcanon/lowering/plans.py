"""What to do with a node follows from its types and keywords: worked out once for each set of them.

Plans belong to a dialect, and so does what is the same in every schema lowered to it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from toolcanon.dialect import Dialect
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.anything import Anything
from toolcanon.lowering.step import Glance, Rewrite, Step
from toolcanon.lowering.steps import STEPS
from toolcanon.schema.keywords import POSITIONS, Position

_MOST_PLANS: Final = 8192
_LONGEST_KEY: Final = 4096  # characters
SCALARS: Final = frozenset({"string", "integer", "number", "boolean", "null"})


class Plan(NamedTuple):
    """What to do with every node of the same types and keywords."""

    glances: tuple[Glance, ...]
    """Whether any step is needed, asked of the node itself; none when one is in any case."""
    steps: tuple[tuple[int, Glance, Rewrite], ...]
    """In order, each with the look that says whether a node needs it."""
    children: tuple[tuple[str, Position], ...]


IDLE: Final = Plan((), (), ())
"""Of nodes that nothing is ever done with."""


@lru_cache(maxsize=64)
def engine_of(dialect: Dialect) -> Engine:
    return Engine(dialect)


class Engine:
    """The plans of a dialect."""

    __slots__ = ("anything", "dialect", "leaf", "plans", "root_plans", "steps", "written_out")

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.anything: Anything | None = None
        """The definition of any value, once it was needed."""
        self.written_out: Anything | None = None
        """The same where it is written out in its place."""
        self.steps: tuple[tuple[int, Step, Glance], ...] = tuple(
            (order, step, _always if step.glance is None else step.glance(dialect))
            for order, step in enumerate(STEPS)
            if step.needed(dialect)
        )
        self.plans: dict[tuple[object, ...], Plan] = {}
        self.root_plans: dict[tuple[object, ...], Plan] = {}
        self.leaf = frozenset(
            key
            for key in ("type", "description", "title", "default")
            if not any(
                step.meets(dialect, SCALARS, frozenset({"type", key})) for _, step, _ in self.steps
            )
        )
        """Keywords that a scalar may have without anybody looking further."""

    def plan(self, key: tuple[object, ...], node: JsonObject, *, is_root: bool) -> Plan:
        """Work out a plan and remember it."""
        plans = self.root_plans if is_root else self.plans
        if len(plans) >= _MOST_PLANS:  # hostile input must not grow it without end
            plans.clear()
        kind = node.get("type")
        kinds, keys = _kinds(kind), frozenset(node)
        steps = [
            (order, look, step.rewrite)
            for order, step, look in self.steps
            if (is_root or not step.root_only) and step.meets(self.dialect, kinds, keys)
        ]
        looks = tuple(look for _, look, _ in steps)
        made = Plan(
            (_always,) if _always in looks else looks,
            tuple(steps),
            tuple((name, POSITIONS[name]) for name in node if name in POSITIONS),
        )
        found = made if made.steps or made.children else IDLE
        if len(repr(key)) <= _LONGEST_KEY:
            plans[key] = found
        return found


def _always(node: JsonObject) -> bool:
    del node
    return True


def _kinds(kind: Json) -> frozenset[str]:
    if kind is None:
        return frozenset()
    return frozenset(kind if isinstance(kind, list) else [kind])
