"""Instances that should fit a schema, many goals packed into few of them.

Every place is varied: the first instance has the typical value at every place, the next ones take
the next variant at every place at once. That is not a cross product, and few instances cover much;
where packing fails, one place at a time is varied around the smallest instance.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from typing import Final, NamedTuple, Protocol

import orjson

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.sampling.facets import FacetReader, Facets, SampledNode, step
from toolcanon.schema.sampling.scalars import exact, matching, numbers, texts
from toolcanon.schema.validate import Judge, judge
from toolcanon.schema.values import has_type, size_of

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
    """The parts of the builder that makers of objects and arrays need."""

    reader: FacetReader
    packed: bool

    def samples(
        self, spots: tuple[SampledNode, ...], stack: tuple[str, ...] = (), *, lean: bool = False
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

    def _made(self, spots: tuple[SampledNode, ...]) -> list[Sample]:
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
        self._patterned: dict[str, SampledNode] = {}
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
            text = SampledNode({"type": "string"}, f"{facets.names[0].at} text")
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
            spots = (SampledNode(True, step(f"{facets.at}/properties", name)),)
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


_DEEPEST: Final = 3  # levels of a recursive definition
_MOST_LEVELS: Final = 40  # nested places
_MOST_VISITS: Final = 4_000
_MOST_VALUES: Final = 32  # of an enum
_KINDS: Final = ("string", "object", "array", "number", "boolean", "null")
_HINTS: Final[tuple[tuple[str, frozenset[str]], ...]] = (
    ("object", frozenset("properties required additionalProperties patternProperties "
                         "propertyNames minProperties maxProperties dependentRequired".split())),
    ("array", frozenset("items prefixItems minItems maxItems contains uniqueItems".split())),
    ("string", frozenset("pattern minLength maxLength format".split())),
    ("number", frozenset("minimum maximum exclusiveMinimum exclusiveMaximum multipleOf".split())),
)  # fmt: skip

# Where greedy merging may err, so that a part is validated separately.
_RISKY: Final = frozenset(
    "not oneOf if dependentSchemas unevaluatedProperties unevaluatedItems propertyNames pattern "
    "contains patternProperties allOf".split()
)
_STRING_BOUNDS: Final = ("minLength", "maxLength")
_NUMBER_BOUNDS: Final = (
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
)  # fmt: skip


class Builder:
    """One pass over a document; with ``packed`` places are varied together."""

    def __init__(self, document: Json, reader: FacetReader, *, packed: bool) -> None:
        self.wanted: dict[str, None] = {}
        self.reader = reader
        self.packed = packed
        self._visits = 0
        self._level = 0
        self._varied: set[str] = set()
        self._lean: dict[tuple[tuple[str, ...], tuple[str, ...]], list[Sample]] = {}
        table = document if isinstance(document, dict) else {}
        self._shared = {word: table[word] for word in ("$defs", "definitions") if word in table}

    def samples(
        self, spots: tuple[SampledNode, ...], stack: tuple[str, ...] = (), *, lean: bool = False
    ) -> list[Sample]:
        """Return instances of the conjunction; only the first of them when ``lean``."""
        key = (tuple(spot.at for spot in spots), stack)
        found = self._lean.get(key) if lean else None
        self._visits += 1
        if found is not None or self._visits > _MOST_VISITS or self._level > _MOST_LEVELS:
            return found or []
        self._level += 1
        found = self._read(self.reader.facets(spots), spots, stack, lean=lean)
        self._level -= 1
        if lean:
            self._lean[key] = found
        return found

    def want(self, *goals: str) -> None:
        """Note that these goals exist, whether or not they can be reached."""
        self.wanted |= dict.fromkeys(goals)

    def part(self, spots: Iterable[SampledNode]) -> Judge:
        """Return the validator of a part, as far as it is self-contained."""
        return judge({**self._shared, "allOf": [spot.node for spot in spots]})

    def read(self, facets: Facets) -> list[Sample]:
        """Return instances of facets that were merged elsewhere."""
        return self._read(facets, (), (), lean=False)

    def _read(
        self, facets: Facets, spots: tuple[SampledNode, ...], stack: tuple[str, ...], *, lean: bool
    ) -> list[Sample]:
        out: list[list[Sample]] = []
        for reading in self.reader.readings(facets):
            if any(stack.count(target) >= _DEEPEST for target in reading.targets):
                continue
            again = lean or any(target in self._varied for target in reading.targets)
            if not again:
                self._varied.update(reading.targets)
            if not lean:
                self.want(*reading.chosen)
            made = self._of(reading, stack + reading.targets, lean=again)
            made = self._sifted(made, spots, facets, reading)
            out.append([s.reaching(*reading.chosen) for s in made] if reading.chosen else made)
            if lean and made:
                break
        return interleaved(out)[: 1 if lean else MOST_VARIANTS * (1 if self.packed else 4)]

    def _sifted(
        self, made: list[Sample], spots: tuple[SampledNode, ...], facets: Facets, reading: Facets
    ) -> list[Sample]:
        """Return the samples without those that the part alone rejects."""
        for group in facets.groups:
            if group.word == "if" and f"{group.at}/else" in reading.chosen:
                condition = self.part(group.branches[1].spots[:1])
                made = [sample for sample in made if condition.accepts(sample.value) is not True]
        if not _RISKY & reading.words or not spots or not spots[0].at:
            return made  # merging cannot fail, or this is the whole, which is validated anyway
        own = self.part(spots)
        return [sample for sample in made if own.accepts(sample.value) is not False]

    def _of(self, facets: Facets, stack: tuple[str, ...], *, lean: bool) -> list[Sample]:
        if facets.impossible:
            return []
        if facets.values is not None:
            return self._listed(facets, lean=lean)
        kinds, hinted = facets.types, facets.types or ()
        if kinds is None:
            hinted = tuple(kind for kind, words in _HINTS if words & facets.words)
            kinds = (*hinted, *(kind for kind in _KINDS if kind not in hinted))
        out: list[list[Sample]] = []
        for kind in kinds:
            made = self._of_kind(kind, facets, stack, lean=lean or kind not in hinted)
            if len(kinds) > 1 or kind == "null":
                goal = f"{facets.at} {kind}"
                if not lean:
                    self.want(goal)
                made = [sample.reaching(goal) for sample in made]
            out.append(made if kind in hinted else made[:1])
            if lean and made:
                break
        return interleaved(out)

    def _of_kind(
        self, kind: str, facets: Facets, stack: tuple[str, ...], *, lean: bool
    ) -> list[Sample]:
        if kind == "object":
            return Members(self, facets, stack, lean=lean).samples()
        if kind == "array":
            return Elements(self, facets, stack, lean=lean).samples()
        if kind == "boolean":
            return [Sample(True), Sample(False)]
        if kind == "null":
            return [Sample(None)]
        words = _STRING_BOUNDS if kind == "string" else _NUMBER_BOUNDS
        if not lean:
            self.want(*(f"{facets.bounds[w][1]} bound" for w in words if w in facets.bounds))
            if kind == "string":
                self.want(*(f"{at} matched" for _, at in facets.patterns))
        pairs = texts(facets) if kind == "string" else numbers(facets, integral=kind == "integer")
        return distinct(Sample(value, frozenset(goals)) for value, goals in pairs)

    def _listed(self, facets: Facets, *, lean: bool) -> list[Sample]:
        values = (facets.values or [])[:_MOST_VALUES]
        if not lean:
            self.want(*(goal for _, goal in values))
        sizes = [(value, goal, size_of(value)) for value, goal in values]
        return [
            Sample(value, frozenset((goal,)), size)
            for value, goal, size in sizes
            if facets.types is None or has_type(value, facets.types)
        ]
