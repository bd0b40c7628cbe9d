"""Sample objects and arrays: with more and fewer members, of every length that matters."""

from __future__ import annotations

from math import ceil
from typing import Final

from toolcanon.jsonio.types import JsonObject
from toolcanon.schema.sampling.facets import Facets, Spot, step
from toolcanon.schema.sampling.scalars import exact
from toolcanon.schema.sampling.strings import matching
from toolcanon.schema.sampling.variants import (
    LARGEST,
    MOST_ITEMS,
    NONE,
    Maker,
    Sample,
    distinct,
    rows,
)

_KEYS: Final = ("k", "k2", "k3")
_MOST_REQUIRED: Final = 1_000
_ENTRIES: Final = (0, 1, 2)


class _Containers:
    """The objects or arrays of one place."""

    counts: tuple[str, str]

    def __init__(self, maker: Maker, facets: Facets, stack: tuple[str, ...], *, lean: bool) -> None:
        self._maker = maker
        self._facets = facets
        self._stack = stack
        self._lean = lean

    def _made(self, spots: tuple[Spot, ...]) -> list[Sample]:
        return self._maker.samples(spots, self._stack, lean=self._lean)

    def _bounds(self, size: int | None = None) -> list[str]:
        """Return the goals of the bounds on a size; with ``size`` of those that equal it."""
        bounds = self._facets.bounds
        said = [bounds[word] for word in self.counts if word in bounds]
        return [f"{at} bound" for limit, at in said if size is None or limit == size]


class Members(_Containers):
    """The objects of one place: with all members, the required ones only, undeclared ones."""

    counts = ("minProperties", "maxProperties")

    def __init__(self, maker: Maker, facets: Facets, stack: tuple[str, ...], *, lean: bool) -> None:
        super().__init__(maker, facets, stack, lean=lean)
        self._most = exact(facets.bound("maxProperties"))
        self._least = exact(facets.bound("minProperties")) or 0
        self._columns: dict[str, list[Sample]] = {}
        self._patterned: dict[str, Spot] = {}
        self._named: dict[str, frozenset[str]] = {}

    def samples(self) -> list[Sample]:
        facets = self._facets
        needed = self._closure([name for name in facets.required if name not in facets.absent])
        if self._least > MOST_ITEMS or len(needed) > _MOST_REQUIRED:
            return []
        if not all(self._column(name) for name in needed):
            return []
        if self._lean and len(needed) >= self._least:
            return _objects([[self._column(name)[0] for name in needed]], needed)
        declared = [n for n in facets.properties if n not in needed and n not in facets.absent]
        optional = [name for name in declared if self._column(name)]
        extras = self._extras()
        self._want([name for name in declared if not self._is_ruled_out(name)])
        out: list[Sample] = []
        for names, varied in self._picks(needed, optional, extras):
            enough = self._enough(names, [*optional, *extras])
            if enough is None:
                continue
            goals = self._reached(enough, extras)
            columns = [self._column(name)[: None if name in varied else 1] for name in enough]
            made = _objects(rows(columns, packed=self._maker.packed), enough)
            out += [sample.reaching(*goals) for sample in made]
        return distinct(out)

    def _picks(
        self, needed: list[str], optional: list[str], extras: list[str]
    ) -> list[tuple[list[str], set[str]]]:
        """Return which members to combine, and which of them to vary."""
        if not self._maker.packed:
            picks = [(needed, set(needed))]
            picks += [(self._closure([*needed, name]), {name}) for name in [*optional, *extras]]
            return picks
        full = self._closure([*needed, *optional])
        everything = [(full, set(full))]
        if self._most is not None and self._most < len(full):
            spare = max(0, int(self._most) - len(needed))
            starts = range(0, len(optional), max(1, spare))
            windows = [[*needed, *optional[i : i + spare]] for i in starts]
            everything = [(names, set(names)) for names in windows or [needed]]
        full, varied = everything[0]
        picks = [(full, set()), (needed, set()), *everything]
        picks += [([*full, *extras[:1]], varied | {extras[0]})] if extras else []
        picks += [([*full, *extras[:2]], set())] if extras else []
        picks += [([*full, *self._patterned], set(self._patterned))] if self._patterned else []
        return picks

    def _want(self, optional: list[str]) -> None:
        if self._lean:
            return
        facets, want = self._facets, self._maker.want
        for name in optional:
            for spot in facets.properties[name]:
                want(f"{spot.at} present", f"{spot.at} absent")
        want(*(f"{spot.at} {count} entries" for spot in facets.extra for count in _ENTRIES))
        want(*(f"{spot.at} present" for _, spot in facets.by_pattern if spot.node is not False))
        want(
            *(f"{place} followed" for others in facets.needs.values() for place in others.values())
        )
        want(*self._bounds())

    def _reached(self, names: list[str], extras: list[str]) -> list[str]:
        facets, have = self._facets, set(names)
        goals = [
            f"{spot.at} {'present' if name in have else 'absent'}"
            for name, spots in facets.properties.items()
            for spot in spots
        ]
        count = sum(name in have for name in extras)
        goals += [f"{spot.at} {count} entries" for spot in facets.extra if count in _ENTRIES]
        goals += [f"{spot.at} present" for name, spot in self._patterned.items() if name in have]
        goals += [goal for name in names for goal in self._named.get(name, ())]
        goals += self._bounds(len(names))
        for name, others in facets.needs.items():
            if name in have:
                goals += [f"{place} followed" for place in others.values()]
        return goals

    def _extras(self) -> list[str]:
        """Return names of undeclared members."""
        facets = self._facets
        for pattern, spot in facets.by_pattern:
            keys = (key for key in matching(pattern, 1) if key not in self._columns)
            key = next(keys, None)
            if key is not None and spot.node is not False and self._column(key):
                self._patterned[key] = spot
        short = self._least > len(facets.properties)  # only then are undeclared ones needed
        free = facets.extra or short or not facets.words & {"properties", "patternProperties"}
        if facets.closed or not free:
            return []
        keys_made: list[str] = list(_KEYS)
        if facets.names:
            text = Spot({"type": "string"}, f"{facets.names[0].at} text")
            made = self._maker.samples((*facets.names, text), self._stack)
            self._named = {one.value: one.goals for one in made if isinstance(one.value, str)}
            keys_made = list(self._named)
        else:
            keys_made += [f"k{i}" for i in range(4, 2 + int(self._least))]
        fresh = [k for k in keys_made if k not in self._columns and k not in facets.absent]
        return [key for key in fresh if self._column(key)]

    def _column(self, name: str) -> list[Sample]:
        found = self._columns.get(name)
        if found is None:
            found = self._columns[name] = self._member(name)
        return found

    def _member(self, name: str) -> list[Sample]:
        facets = self._facets
        spots = self._maker.reader.member(facets, name)
        if not spots:
            if facets.closed:
                return []
            if name in _KEYS:
                return [Sample(1), Sample("v")]
            spots = (Spot(True, step(f"{facets.at}/properties", name)),)
        return self._made(spots)

    def _is_ruled_out(self, name: str) -> bool:
        return any(spot.node is False for spot in self._facets.properties[name])

    def _closure(self, names: list[str]) -> list[str]:
        """Return the members with those that they require."""
        out = dict.fromkeys(names)
        queue = list(names) if self._facets.needs else []
        while queue:
            for other in self._facets.needs.get(queue.pop(), ()):
                if other not in out:
                    out[other] = None
                    queue.append(other)
        return list(out)

    def _enough(self, names: list[str], others: list[str]) -> list[str] | None:
        short = max(0, int(self._least) - len(names))
        if short:
            names = [*names, *[name for name in others if name not in names][:short]]
        return names if all(self._column(name) for name in names) else None


def _objects(table: list[list[Sample]], names: list[str]) -> list[Sample]:
    out: list[Sample] = []
    for row in table:
        size = 1 + sum(sample.size for sample in row)
        if size <= LARGEST:
            value: JsonObject = dict(zip(names, (sample.value for sample in row), strict=True))
            out.append(Sample(value, NONE.union(*(sample.goals for sample in row)), size))
    return out


class Elements(_Containers):
    """The arrays of one place: of every length that matters, with every kind of item."""

    counts = ("minItems", "maxItems")

    def samples(self) -> list[Sample]:
        facets = self._facets
        wanted = exact(facets.bound("minItems")) or 0
        if wanted > MOST_ITEMS:
            self._want([])
            return []
        least, most = ceil(wanted), exact(facets.bound("maxItems"))
        prefix = [self._made(spots) for spots in facets.prefix]
        tail = self._tail()
        held = sum(count for _, count in facets.contains)
        top = MOST_ITEMS if tail else len(prefix)
        if prefix and not facets.items and not held:  # unless more are required
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
        made = self._made(facets.items) if facets.items else [Sample(1), Sample("text")]
        inside: list[Sample] = []
        for spot, least in facets.contains:
            found = self._maker.samples((spot, *facets.items), self._stack, lean=True)
            inside += found[:1] * least
        return distinct([*inside, *made]) if facets.unique else [*inside, *made]

    def _cycled(self, tail: list[Sample], count: int) -> list[list[Sample]]:
        """Return the variants for each further position; required or unique items are fixed."""
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
        want(*self._bounds())

    def _reached(self, length: int) -> list[str]:
        facets = self._facets
        held = [f"{spot.at} held" for spot, _ in facets.contains if length]
        return [f"{facets.at} {length} items", *self._bounds(length), *held]


def _array(row: list[Sample]) -> Sample:
    goals = NONE.union(*(sample.goals for sample in row))
    return Sample([sample.value for sample in row], goals, 1 + sum(s.size for s in row))


def _more_distinct(tail: list[Sample], count: int) -> list[Sample]:
    """Return further values like the first, for arrays of unique items."""
    first = tail[0].value
    if count <= len(tail):
        return tail
    if isinstance(first, str):
        tail = tail + [Sample(f"{first}{i}") for i in range(count)]
    elif isinstance(first, int) and not isinstance(first, bool):
        tail = tail + [Sample(first + i) for i in range(2, count + 2)]
    return distinct(tail)
