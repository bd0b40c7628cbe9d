"""What to do with a node follows from its types and keywords: worked out once for each set of them.

Plans belong to a dialect, and so does what is the same in every schema lowered to it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, TypeAlias

from toolcanon.dialect import Dialect
from toolcanon.jsonio.types import JsonObject
from toolcanon.lowering.anything import Anything
from toolcanon.lowering.step import Glance, Rewrite
from toolcanon.lowering.steps import STEPS
from toolcanon.schema.keywords import POSITIONS, Position

_MOST_PLANS: Final = 8192
_LONGEST_KEY: Final = 4096  # characters
SCALARS: Final = frozenset({"string", "integer", "number", "boolean", "null"})


Planned: TypeAlias = tuple[int, Glance | None, Rewrite]
"""The number of a step, the look that says whether a node needs it unless all do, its rewrite."""


class Plan:
    """What to do with every node of the same types and keywords."""

    __slots__ = ("children", "later", "steps")

    def __init__(
        self, steps: tuple[Planned, ...], children: tuple[tuple[str, Position], ...]
    ) -> None:
        self.steps = steps
        """In order."""
        self.children = children
        self.later: dict[int, tuple[Planned, ...]] = {}
        """By the number of a step that has run, those behind it, as far as somebody asked."""

    def after(self, number: int) -> tuple[Planned, ...]:
        """The steps behind one that has run."""
        found = self.later[number] = tuple(step for step in self.steps if step[0] > number)
        return found


IDLE: Final = Plan((), ())
"""Of nodes that nothing is ever done with."""


@lru_cache(maxsize=64)
def engine_of(dialect: Dialect) -> Engine:
    return Engine(dialect)


class Engine:
    """The plans of a dialect."""

    __slots__ = (
        "_steps",
        "anything",
        "dialect",
        "is_leaf",
        "is_leaf_of_several",
        "plans",
        "root_plans",
        "steps",
        "written_out",
    )

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.anything: Anything | None = None
        """The definition of any value, once it was needed."""
        self.written_out: Anything | None = None
        """The same where it is written out in its place."""
        self.steps = [(order, step) for order, step in enumerate(STEPS) if step.needed(dialect)]
        self.plans: dict[tuple[object, ...], Plan] = {}
        self.root_plans: dict[tuple[object, ...], Plan] = {}
        self._steps: dict[tuple[object, frozenset[str], bool], tuple[Planned, ...]] = {}
        self.is_leaf = self._idle([frozenset({kind}) for kind in SCALARS]).issuperset
        """Whether a scalar has only keywords that need no step."""
        self.is_leaf_of_several = self._idle([SCALARS]).issuperset
        """The same of what may be scalars of several types."""

    def _idle(self, types: list[frozenset[str]]) -> frozenset[str]:
        """The usual keywords that need no step beside any of these types."""
        return frozenset(
            key
            for key in ("type", "description", "title", "default")
            if not any(
                step.meets(self.dialect, kinds, frozenset({"type", key}))
                for _, step in self.steps
                for kinds in types
                if not step.root_only
            )
        )

    def _steps_for(
        self, kind: object, keys: frozenset[str], *, is_root: bool
    ) -> tuple[Planned, ...]:
        """The steps for these types and keywords, in whatever order the keywords come."""
        known = (kind, keys, is_root)
        found = self._steps.get(known)
        if found is None:
            if len(self._steps) >= _MOST_PLANS:
                self._steps.clear()
            kinds = frozenset(kind if isinstance(kind, tuple) else () if kind is None else (kind,))
            steps: list[Planned] = []
            for number, step in self.steps:
                if (is_root or not step.root_only) and step.meets(self.dialect, kinds, keys):
                    look = step.glance is None or step.glance(self.dialect, keys)
                    if look is not False:
                        steps.append((number, None if look is True else look, step.rewrite))
            found = self._steps[known] = tuple(steps)
        return found

    def plan(self, key: tuple[object, ...], node: JsonObject, *, is_root: bool) -> Plan:
        """Work out a plan and remember it."""
        plans = self.root_plans if is_root else self.plans
        if len(plans) >= _MOST_PLANS:  # hostile input must not grow it without end
            plans.clear()
        steps = self._steps_for(key[0], frozenset(node), is_root=is_root)
        children = tuple((name, POSITIONS[name]) for name in node if name in POSITIONS)
        found = Plan(steps, children) if steps or children else IDLE
        if len(repr(key)) <= _LONGEST_KEY:
            plans[key] = found
        return found
