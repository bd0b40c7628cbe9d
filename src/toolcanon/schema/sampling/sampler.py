"""Instances of a schema: valid ones, ones at every bound, and ones just beyond.

A sampler of our own: deterministic, quick, and bounded for any schema. Valid instances have
declared members only; invalid ones break one keyword at one place. Both are checked by a judge.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from toolcanon.jsonio.types import Json
from toolcanon.schema.judge import Judge, Schema, judge
from toolcanon.schema.sampling.breakage import Breaker
from toolcanon.schema.sampling.build import Builder
from toolcanon.schema.sampling.facets import Reader, Spot
from toolcanon.schema.sampling.variants import Sample, key_of

_MOST_BROKEN: Final = 24  # instances that are taken apart
_MOST_CANDIDATES: Final = 4_000
_VALID: Final = " valid"  # at the root: that there is an instance at all


@dataclass(frozen=True, slots=True)
class Coverage:
    """Which goals of a schema the instances reach, each a place and what happens there."""

    hit: tuple[str, ...]
    missed: tuple[str, ...]

    @property
    def ratio(self) -> float:
        """From 0 to 1; a schema without goals is covered."""
        total = len(self.hit) + len(self.missed)
        return len(self.hit) / total if total else 1.0


@dataclass(frozen=True, slots=True)
class Samples:
    """What ``sample`` found."""

    valid: list[Json]
    invalid: list[Json]
    coverage: Coverage


def sample(schema: Schema, *, most: int = 64, broken: bool = True) -> Samples:
    """Valid instances of a schema and, if asked for, broken ones; at most that many of each.

    >>> found = sample({"type": "integer", "minimum": 1, "maximum": 3})
    >>> found.valid, found.invalid
    ([1, 3], ['~other~', 0, 4])
    """
    finder = _Finder(schema, most)
    with suppress(RecursionError):  # deeper than any schema that means well; what was found stands
        finder.find()
        if broken:
            finder.find_broken()
    hit = finder.reached
    missed = finder.wanted.keys() - hit
    return Samples(
        [found.value for found in finder.valid],
        finder.invalid,
        Coverage(tuple(sorted(hit)), tuple(sorted(missed))),
    )


class _Finder:
    """One search: packed instances, then single ones for what was missed, then broken ones."""

    def __init__(self, schema: Schema, most: int) -> None:
        self.valid: list[Sample] = []
        self.invalid: list[Json] = []
        self.reached: set[str] = set()
        self.wanted: dict[str, None] = {_VALID: None}
        self._schema = schema
        self._most = most
        self._root = (Spot(schema, ""),)
        self._reader = Reader(schema)
        self._judge: Judge = judge(schema)
        self._tried: set[bytes | str] = set()
        self._refused: set[bytes | str] = set()

    def find(self) -> None:
        for packed in (True, False):
            builder = Builder(self._schema, self._reader, packed=packed)
            found = builder.samples(self._root, ("",))
            self.wanted |= builder.wanted
            self._keep(found, fresh_only=not packed)
            if self.reached.issuperset(self.wanted):
                break

    def _keep(self, found: Iterable[Sample], *, fresh_only: bool) -> None:
        """The accepted ones; first those that reach something new, if not all have room."""
        spare: list[Sample] = []
        for one in found:
            if len(self.valid) >= self._most:
                return
            fresh = not self.reached.issuperset(one.goals) or not self.valid
            if (fresh or not fresh_only) and _is_new(one.value, self._tried):
                if not fresh:
                    spare.append(one)
                elif self._judge.accepts(one.value) is not False:
                    self.valid.append(one)
                    self.reached |= one.goals | {_VALID}
        for one in spare[: self._most - len(self.valid)]:
            if self._judge.accepts(one.value) is not False:
                self.valid.append(one)

    def find_broken(self) -> None:
        if not self._judge.judged:
            return
        breaker = Breaker(self._schema, self._reader, self.reached)
        tried = 0
        for one in self.valid[:_MOST_BROKEN]:
            for goal, value in breaker.breaks(self._root, one.value, one.goals):
                tried += 1
                full = len(self.invalid) >= self._most or tried > _MOST_CANDIDATES
                if not full and goal not in self.reached and self._judge.accepts(value) is False:
                    self.reached.add(goal)
                    if _is_new(value, self._refused):
                        self.invalid.append(value)
        self.wanted |= dict.fromkeys(breaker.wanted)


def _is_new(value: Json, known: set[bytes | str]) -> bool:
    key = key_of(value)
    if key in known:
        return False
    known.add(key)
    return True
