"""Example objects: with all members, with the required ones only, with undeclared ones."""

from __future__ import annotations

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


class Members:
    """The objects of one place."""

    def __init__(self, maker: Maker, facets: Facets, stack: tuple[str, ...], *, lean: bool) -> None:
        self._maker = maker
        self._facets = facets
        self._stack = stack
        self._lean = lean
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
        """Which members to have together, and which of them to vary."""
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
        for word in ("minProperties", "maxProperties"):
            if word in facets.bounds:
                want(f"{facets.bounds[word][1]} bound")

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
        for word, limit in (("minProperties", self._least), ("maxProperties", self._most)):
            if word in facets.bounds and limit == len(names):
                goals.append(f"{facets.bounds[word][1]} bound")
        for name, others in facets.needs.items():
            if name in have:
                goals += [f"{place} followed" for place in others.values()]
        return goals

    def _extras(self) -> list[str]:
        """Names of members that nobody declared one by one."""
        facets = self._facets
        for pattern, spot in facets.by_pattern:
            keys = (key for key in matching(pattern, 1) if key not in self._columns)
            key = next(keys, None)
            if key is not None and spot.node is not False and self._column(key):
                self._patterned[key] = spot
        short = self._least > len(facets.properties)  # only then are undeclared ones called for
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
        return self._maker.samples(spots, self._stack, lean=self._lean)

    def _is_ruled_out(self, name: str) -> bool:
        return any(spot.node is False for spot in self._facets.properties[name])

    def _closure(self, names: list[str]) -> list[str]:
        """With everything that these members require besides."""
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
