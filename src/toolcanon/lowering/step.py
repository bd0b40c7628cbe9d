"""What a step of lowering is: one rewrite of one schema node, and what it does to arguments.

A step looks at a node, returns it unchanged or rewritten, says what it did (``Site.lose``) and how
arguments follow (``Site.op``). It knows the dialect and nothing else of the target.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.definitions import Definitions
from toolcanon.lowering.path import Path, Place

Record: TypeAlias = tuple[str, Effect | None, Path, Json, Json]
"""A loss in the making: its code, its effect unless the code's own, where, before, after."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A value that a way back could not make sense of."""

    at: tuple[str | int, ...]
    says: str
    is_kept: bool = False
    """Whether the value stands as it came, so that it may be right all the same."""


Way: TypeAlias = Callable[[Json, JsonObject, list[Trouble]], Json]
"""One direction of an operation on a value: the value, the operation, where to complain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Op:
    """What a step does to arguments. Both ways leave alone what they do not recognise."""

    name: str
    apply: Way
    restore: Way
    needs: tuple[tuple[str, type], ...] = ()
    """What it must come with in a lens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A schema that needs the step, and an argument before and after."""

    before: JsonObject
    after: JsonObject
    args: Json = None
    wire_args: Json = None
    dialect: str = ""
    """A field of Dialect that makes the step needed, as ``field=value``; see the tests."""


class Owner(Protocol):
    """The walk a site belongs to."""

    log: list[Record]

    @property
    def definitions(self) -> Definitions: ...


class Site:
    """A node while steps look at it."""

    __slots__ = ("at", "dialect", "entered", "is_root", "log", "moved", "ops", "owner", "restart")

    ops: list[JsonObject] | None
    entered: list[Place] | None
    moved: dict[str, Path] | None

    def __init__(self, owner: Owner, dialect: Dialect, at: Path, *, is_root: bool) -> None:
        self.owner = owner
        self.dialect = dialect
        self.at = at
        self.is_root = is_root
        self.log = owner.log
        self.ops = self.entered = self.moved = None
        self.restart = False

    @property
    def run(self) -> Definitions:
        """What is known of the whole schema."""
        return self.owner.definitions

    def lose(
        self, code: str, key: str | None, before: Json, after: Json, effect: Effect | None = None
    ) -> None:
        """Say what was rewritten: the keyword, or the node itself; the code's effect by default."""
        self.log.append((code, effect, self.place(key), before, after))

    def place(self, key: str | None) -> Path:
        """Where a keyword of this node stood at first."""
        if key is None:
            return self.at
        if self.moved is not None and key in self.moved:
            return self.moved[key]
        return (self.at, key)

    def op(self, name: str, **details: Json) -> None:
        """Have arguments follow."""
        if self.ops is None:
            self.ops = []
        self.ops.append({"op": name, **details})


Rewrite: TypeAlias = Callable[[JsonObject, Site], JsonObject]
"""The node as it should be: the same object when nothing is to be done."""
Glance: TypeAlias = Callable[[JsonObject], bool]
"""Whether a node that could need a step does need it: cheap, and wrong only on the safe side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One rewrite. The module's docstring tells what and why; ``codes`` what it may report."""

    id: str
    codes: tuple[str, ...]
    needed: Callable[[Dialect], bool]
    """Whether a dialect can ever need it."""
    meets: Callable[[Dialect, frozenset[str], frozenset[str]], bool]
    """Whether a node with these types (none: untyped) and these keywords could need it."""
    rewrite: Rewrite
    glance: Callable[[Dialect], Glance] | None = None
    """Made for a dialect; without one the step looks at every node it could be needed for."""
    root_only: bool = False
    ops: tuple[Op, ...] = ()
    examples: tuple[Example, ...] = ()


def without(node: JsonObject, *keys: str) -> JsonObject:
    """The node but for some keywords."""
    return {key: value for key, value in node.items() if key not in keys}
