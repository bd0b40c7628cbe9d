"""Instances that should fit a schema, with many goals packed into few of them.

Every place is varied: the first instance has the typical value at every place, the next ones take
the next variant at every place at once. That is not a cross product, and few instances cover much;
where packing fails, one place at a time is varied around the smallest instance.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from toolcanon.jsonio.types import Json
from toolcanon.schema.judge import Judge, judge
from toolcanon.schema.sampling.containers import Elements, Members
from toolcanon.schema.sampling.facets import Facets, Reader, Spot
from toolcanon.schema.sampling.scalars import numbers, texts
from toolcanon.schema.sampling.variants import MOST_VARIANTS, Sample, distinct, interleaved
from toolcanon.schema.values import has_type, size_of

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

    def __init__(self, document: Json, reader: Reader, *, packed: bool) -> None:
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
        self, spots: tuple[Spot, ...], stack: tuple[str, ...] = (), *, lean: bool = False
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

    def part(self, spots: Iterable[Spot]) -> Judge:
        """Return the validator of a part, as far as it is self-contained."""
        return judge({**self._shared, "allOf": [spot.node for spot in spots]})

    def read(self, facets: Facets) -> list[Sample]:
        """Return instances of facets that were merged elsewhere."""
        return self._read(facets, (), (), lean=False)

    def _read(
        self, facets: Facets, spots: tuple[Spot, ...], stack: tuple[str, ...], *, lean: bool
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
        self, made: list[Sample], spots: tuple[Spot, ...], facets: Facets, reading: Facets
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
