"""Example arrays: of every length that matters, with every kind of item."""

from __future__ import annotations

from math import ceil

from toolcanon.schema.sampling.facets import Facets, Spot
from toolcanon.schema.sampling.scalars import exact
from toolcanon.schema.sampling.variants import (
    LARGEST,
    MOST_ITEMS,
    NONE,
    Maker,
    Sample,
    distinct,
    rows,
)


class Elements:
    """The arrays of one place."""

    def __init__(self, maker: Maker, facets: Facets, stack: tuple[str, ...], *, lean: bool) -> None:
        self._maker = maker
        self._facets = facets
        self._stack = stack
        self._lean = lean

    def samples(self) -> list[Sample]:
        facets = self._facets
        wanted = exact(facets.bound("minItems")) or 0
        if wanted > MOST_ITEMS:
            self._want([])
            return []
        least, most = ceil(wanted), exact(facets.bound("maxItems"))
        prefix = [self._places(spots) for spots in facets.prefix]
        tail = self._tail()
        held = sum(count for _, count in facets.contains)
        top = MOST_ITEMS if tail else len(prefix)
        if prefix and not facets.items and not held:  # no more than is declared, unless asked for
            top = min(top, max(least, len(prefix)))
        top = top if most is None else min(top, int(most))
        typical = max(least, min(top, max(len(prefix) + held, 1)))
        lengths = dict.fromkeys([typical, 0, 1, 2, least, *range(1, len(prefix) + 1)])
        if most is not None and most <= MOST_ITEMS:
            lengths[int(most)] = None
        fewest = max(least, held)
        self._want([n for n in (0, 1, 2, *range(3, len(prefix) + 1)) if fewest <= n <= top])
        out: list[Sample] = []
        for length in lengths:
            columns = prefix[:length]
            columns = columns + self._cycled(tail, length - len(prefix))
            if not least <= length <= top or len(columns) < length:
                continue
            table = rows(columns, packed=self._maker.packed)
            table = table if length == typical else table[:1]
            out += [_array(row).reaching(*self._reached(length)) for row in table]
        return distinct(sample for sample in out if sample.size <= LARGEST)

    def _tail(self) -> list[Sample]:
        facets = self._facets
        if any(spot.node is False for spot in facets.items):
            return []
        made = self._places(facets.items) if facets.items else [Sample(1), Sample("text")]
        inside: list[Sample] = []
        for spot, least in facets.contains:
            found = self._maker.samples((spot, *facets.items), self._stack, lean=True)
            inside += found[:1] * least
        return distinct([*inside, *made]) if facets.unique else [*inside, *made]

    def _places(self, spots: tuple[Spot, ...]) -> list[Sample]:
        return self._maker.samples(spots, self._stack, lean=self._lean)

    def _cycled(self, tail: list[Sample], count: int) -> list[list[Sample]]:
        """What may stand at each further place; what must be there or may not repeat is fixed."""
        if count <= 0 or not tail:
            return []
        if self._facets.unique:
            tail = _more_distinct(tail, count)
            return [tail] if count == 1 else [[sample] for sample in tail[:count]]
        if self._facets.contains:
            return [[tail[i % len(tail)]] for i in range(count)]
        turned = [tail[i:] + tail[:i] for i in range(min(count, len(tail), 4))]
        return [turned[i % len(turned)] for i in range(count)]

    def _want(self, lengths: list[int]) -> None:
        if self._lean:
            return
        facets, want = self._facets, self._maker.want
        want(*(f"{facets.at} {length} items" for length in lengths))
        want(*(f"{spot.at} held" for spot, _ in facets.contains))
        bounds = [facets.bounds[word] for word in ("minItems", "maxItems") if word in facets.bounds]
        want(*(f"{at} bound" for _, at in bounds))

    def _reached(self, length: int) -> list[str]:
        facets = self._facets
        bounds = [facets.bounds[word] for word in ("minItems", "maxItems") if word in facets.bounds]
        goals = [f"{at} bound" for limit, at in bounds if limit == length]
        held = [f"{spot.at} held" for spot, _ in facets.contains if length]
        return [f"{facets.at} {length} items", *goals, *held]


def _array(row: list[Sample]) -> Sample:
    goals = NONE.union(*(sample.goals for sample in row))
    return Sample([sample.value for sample in row], goals, 1 + sum(s.size for s in row))


def _more_distinct(tail: list[Sample], count: int) -> list[Sample]:
    """Further values of the kind of the first, for arrays without duplicates."""
    first = tail[0].value
    if count <= len(tail):
        return tail
    if isinstance(first, str):
        tail = tail + [Sample(f"{first}{i}") for i in range(count)]
    elif isinstance(first, int) and not isinstance(first, bool):
        tail = tail + [Sample(first + i) for i in range(2, count + 2)]
    return distinct(tail)
