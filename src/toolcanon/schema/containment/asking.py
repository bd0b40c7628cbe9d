"""What a goal may ask of the engine that runs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, TypeAlias

from toolcanon.jsonio.types import Json
from toolcanon.schema.containment.examples import Examples
from toolcanon.schema.containment.failures import Failure
from toolcanon.schema.containment.sites import Pair
from toolcanon.schema.normal.cells import Cell
from toolcanon.schema.normal.terms import Budget, Spot, Term


class Asking(Protocol):
    """The engine, as goals know it."""

    budget: Budget
    examples: Examples
    neutral: bool

    def term(self, one: Term, other: Term, pair: Pair) -> list[Failure]: ...

    def in_branch(self, cell: Cell, branch: Spot, pair: Pair) -> list[Failure]: ...

    def alike(self, one: Json, other: Json) -> bool: ...


Goal: TypeAlias = Callable[[Asking, Cell, Spot, Pair, str], Iterator[Failure]]
"""What speaks against a keyword of a node holding for all values of a cell."""
