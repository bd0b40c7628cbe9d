"""Variants of the value at one place, and the goals they reach."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, Protocol

import orjson

from toolcanon.jsonio.types import Json
from toolcanon.schema.sampling.facets import Reader, Spot

MOST_VARIANTS: Final = 64
LARGEST: Final = 3_000
"""Values in one instance."""
MOST_ITEMS: Final = 300
NONE: Final[frozenset[str]] = frozenset()


class Sample(NamedTuple):
    """An instance, the goals it reaches, and how many values it contains."""

    value: Json
    goals: frozenset[str] = NONE
    size: int = 1

    def reaching(self, *goals: str) -> Sample:
        return Sample(self.value, self.goals.union(goals), self.size)


class Maker(Protocol):
    """What makers of objects and arrays need of the builder."""

    reader: Reader
    packed: bool

    def samples(
        self, spots: tuple[Spot, ...], stack: tuple[str, ...] = (), *, lean: bool = False
    ) -> list[Sample]: ...

    def want(self, *goals: str) -> None: ...


def rows(columns: list[list[Sample]], *, packed: bool) -> list[list[Sample]]:
    """Return the typical row, then the next variant at every place at once, or at one at a time."""
    if any(not column for column in columns):
        return []
    base = [column[0] for column in columns]
    if packed:
        longest = max((len(column) for column in columns), default=1)
        return [
            [column[j] if j < len(column) else column[0] for column in columns]
            for j in range(min(longest, MOST_VARIANTS))
        ]
    out = [base]
    for i, column in enumerate(columns):
        out += [[*base[:i], variant, *base[i + 1 :]] for variant in column[1:]]
    return out[: MOST_VARIANTS * 4]


def interleaved(lists: list[list[Sample]]) -> list[Sample]:
    """Return the first of each list, then the rest of each."""
    if len(lists) == 1:
        return lists[0]
    return [found[0] for found in lists if found] + [s for found in lists for s in found[1:]]


def distinct(samples: Iterable[Sample]) -> list[Sample]:
    """Return unique samples; the first of equal ones gets the goals of all."""
    out: dict[bytes | str, Sample] = {}
    for sample in samples:
        key = key_of(sample.value)
        known = out.get(key)
        out[key] = sample if known is None else known.reaching(*sample.goals)
    return list(out.values())


def key_of(value: Json) -> bytes | str:
    """Return a key that separates values quickly."""
    try:
        return orjson.dumps(value)
    except TypeError:  # integers beyond 64 bits, lone surrogates
        return repr(value)
