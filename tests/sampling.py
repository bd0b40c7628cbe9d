"""Instances for tests: valid ones, invalid ones, and how much of a schema they reach.

An invalid instance is a valid one with one keyword broken at one place.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Final, TypeAlias

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.sampling import InstanceSearch, is_new
from toolcanon.schema.sampling.build import Builder
from toolcanon.schema.sampling.facets import Branch, FacetReader, Facets, SampledNode
from toolcanon.schema.sampling.scalars import LONGEST, Window, exact, matching, spelled, window
from toolcanon.schema.validate import Schema
from toolcanon.schema.values import has_type, identity, is_number

Broken: TypeAlias = tuple[str, Json]
"""The goal and the instance."""

_OTHERS: Final[tuple[Json, ...]] = ("~other~", 1, 1.5, True, None, [], {})
_ODD: Final[tuple[Json, ...]] = (*_OTHERS, -7.25, "", [[]], {"~other~": 1}, [{}], ["~other~", 1.5])
_UNDECLARED: Final = "undeclared~"
_MOST_TRIES: Final = 24  # per goal, over all instances
_MOST_PAIRS: Final = 6
_MOST_ITEMS: Final = 300
_MOST_ELEMENTS: Final = 3
_PARTS: Final = (Fraction(1), Fraction(1, 2), Fraction(1, 3))
_MOST_BROKEN: Final = 24  # instances that are taken apart
_MOST_CANDIDATES: Final = 4_000


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


def sample(schema: Schema, *, most: int = 64) -> Samples:
    """Return valid and invalid instances of a schema, at most that many of each."""
    finder = InstanceSearch(schema, most)
    invalid: list[Json] = []
    with suppress(RecursionError):  # deeper than any schema that means well; what was found stays
        finder.find()
        if finder.judge.judged:
            _break(finder, schema, invalid)
    missed = finder.wanted.keys() - finder.reached
    coverage = Coverage(tuple(sorted(finder.reached)), tuple(sorted(missed)))
    return Samples([found.value for found in finder.valid], invalid, coverage)


def _break(finder: InstanceSearch, schema: Schema, invalid: list[Json]) -> None:
    """Add the broken instances that the judge refuses, each goal once."""
    refused: set[bytes | str] = set()
    breaker = Breaker(schema, finder.reader, finder.reached)
    tried = 0
    for one in finder.valid[:_MOST_BROKEN]:
        for goal, value in breaker.breaks(finder.root, one.value, one.goals):
            tried += 1
            full = len(invalid) >= finder.most or tried > _MOST_CANDIDATES
            if not full and goal not in finder.reached and finder.judge.accepts(value) is False:
                finder.reached.add(goal)
                if is_new(value, refused):
                    invalid.append(value)
    finder.wanted |= dict.fromkeys(breaker.wanted)


class Breaker:
    """Breaks instances, each goal once; ``reached`` has those that need no further try."""

    def __init__(self, document: Json, reader: FacetReader, reached: set[str]) -> None:
        self.wanted: dict[str, int] = {}
        self._document = document
        self._reader = reader
        self._reached = reached

    def breaks(
        self, spots: tuple[SampledNode, ...], value: Json, goals: frozenset[str]
    ) -> Iterator[Broken]:
        """Every way to break what these schemas ask of the value, whose goals tell its branches."""
        whole = self._reader.facets(spots)
        facets = self._taken(whole, goals)
        yield from self._choices(whole, facets)
        if facets.impossible:
            return
        if facets.values is not None:
            yield from self._each(f"{facets.values_at} violated", _unlisted(facets))
        else:
            yield from self._each(f"{facets.type_at} violated", _of_wrong_type(facets))
        if isinstance(value, dict):
            yield from self._members(facets, value, goals)
        elif isinstance(value, list):
            yield from self._elements(facets, value, goals)
        elif facets.values is None and value is not None and not isinstance(value, bool):
            yield from self._scalars(facets, value)
        for spot in facets.nots:
            yield from self._each(f"{spot.at} violated", self._joined(facets, spot))

    def _each(self, goal: str, values: Iterable[Json]) -> Iterator[Broken]:
        """Candidates for a goal, as long as it is open."""
        if goal.startswith(" "):
            return  # the keyword is not there
        tries = self.wanted.setdefault(goal, 0)
        if goal in self._reached or tries >= _MOST_TRIES:
            return
        for value in values:
            if goal in self._reached or self.wanted[goal] >= _MOST_TRIES:
                return
            self.wanted[goal] += 1
            yield goal, value

    def _taken(self, facets: Facets, goals: frozenset[str]) -> Facets:
        """The facets with the branches that the instance has taken."""
        for _ in range(8):
            if not facets.groups:
                break
            taken: list[Branch] = []
            for group in facets.groups:
                found = next((b for b in group.branches if b.goal in goals), None)
                if found is not None:  # the condition of then is no demand
                    spots = found.spots[1:] if group.word == "if" else found.spots
                    taken.append(found._replace(spots=spots or found.spots))
            facets = self._reader.read(facets, taken)
        return facets

    def _choices(self, whole: Facets, facets: Facets) -> Iterator[Broken]:
        for group in whole.groups:
            if group.word not in {"anyOf", "oneOf"}:
                continue
            yield from self._each(f"{group.at} violated", _ODD)
            pairs = ((a, b) for i, a in enumerate(group.branches) for b in group.branches[:i])
            # Most branches exclude each other, so only success is worth a goal.
            goal = f"{group.at} more than one"
            for one, other in islice(pairs, _MOST_PAIRS) if group.word == "oneOf" else ():
                if goal in self._reached:
                    break
                for value in self._joined(facets, *one.spots, *other.spots):
                    yield goal, value

    def _joined(self, facets: Facets, *spots: SampledNode) -> list[Json]:
        builder = Builder(self._document, self._reader, packed=True)
        joined = facets
        for spot in spots:
            joined = self._reader.joined(joined, spot)
        return [sample.value for sample in builder.read(joined)[:4]]

    def _scalars(self, facets: Facets, value: Json) -> Iterator[Broken]:
        if isinstance(value, str):
            for word, values in (
                ("minLength", _shortened(facets, value)),
                ("maxLength", _lengthened(facets, value)),
            ):
                if word in facets.bounds:
                    yield from self._each(f"{facets.bounds[word][1]} violated", values)
            for _, at in facets.patterns:
                texts = (
                    f"~{value}",
                    f"{value}~",
                    "",
                    "~",
                    " ",
                    "a",
                    "0",
                    "é\n",
                    "A-",
                    "~" * len(value),
                )
                yield from self._each(f"{at} violated", texts)
            return
        for word in ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"):
            if word in facets.bounds:
                values = _beyond(facets, word, integral=facets.types == ("integer",))
                yield from self._each(f"{facets.bounds[word][1]} violated", values)

    def _members(
        self, facets: Facets, value: JsonObject, goals: frozenset[str]
    ) -> Iterator[Broken]:
        for name, at in facets.required.items():
            if at and name in value:
                yield from self._each(f"{at} violated", [_without(value, name)])
        for name, others in facets.needs.items():
            for other, at in others.items():
                if name in value and other in value:
                    yield from self._each(f"{at} violated", [_without(value, other)])
        if facets.closed:
            yield from self._each(f"{facets.closed} violated", [{**value, _UNDECLARED: 1}])
        yield from self._member_counts(facets, value)
        for spot in facets.names:
            names = [name for name in ("~", "", _UNDECLARED, "A b", "0") if name not in value]
            longest = {**value, "~" * 300: 1}
            tries = [*({**value, name: 1} for name in names), longest]
            yield from self._each(f"{spot.at} violated", tries)
        for name, inner in value.items():
            for goal, broken in self.breaks(self._reader.member(facets, name), inner, goals):
                yield goal, {**value, name: broken}

    def _member_counts(self, facets: Facets, value: JsonObject) -> Iterator[Broken]:
        if "minProperties" in facets.bounds:
            least, at = facets.bounds["minProperties"]
            names = sorted(value, key=lambda name: name not in facets.required)
            if 0 < least <= _MOST_ITEMS:
                fewer = {name: value[name] for name in names[: math.ceil(least) - 1]}
                yield from self._each(f"{at} violated", [fewer])
        if "maxProperties" in facets.bounds:
            most, at = facets.bounds["maxProperties"]
            if most < _MOST_ITEMS:
                filler = next(iter(value.values()), 1)
                more = {f"k{i}": filler for i in range(math.floor(most) + 1 - len(value))}
                yield from self._each(f"{at} violated", [{**value, **more}] if more else [])

    def _elements(
        self, facets: Facets, value: list[Json], goals: frozenset[str]
    ) -> Iterator[Broken]:
        last = value[-1] if value else 1
        if "minItems" in facets.bounds:
            least, at = facets.bounds["minItems"]
            fewer = [value[: math.ceil(least) - 1]] if 0 < least <= len(value) else []
            yield from self._each(f"{at} violated", fewer)
        if "maxItems" in facets.bounds:
            most, at = facets.bounds["maxItems"]
            if most < _MOST_ITEMS:
                more = [last] * (math.floor(most) + 1 - len(value))
                apart = [f"~{i}" if isinstance(last, str) else i for i in range(len(more))]
                yield from self._each(f"{at} violated", [value + more, value + apart])
        if facets.unique and value:
            yield from self._each(
                f"{facets.unique} violated", [[*value, last], [last] * len(value)]
            )
        for spot, least in facets.contains:
            apart_from_goals = Breaker(self._document, self._reader, set())
            inside = apart_from_goals.breaks((spot,), last, goals) if least else iter(())
            broken = [[item] * max(1, len(value)) for _, item in inside]
            yield from self._each(f"{spot.at} violated", [[], *broken, *([odd] for odd in _ODD)])
        for spot in facets.items:
            if spot.node is False:
                yield from self._each(f"{spot.at} violated", [[*value, last]])
        for i, item in enumerate(value[: len(facets.prefix) + _MOST_ELEMENTS]):
            spots = facets.prefix[i] if i < len(facets.prefix) else facets.items
            for goal, broken_item in self.breaks(spots, item, goals):
                yield goal, [*value[:i], broken_item, *value[i + 1 :]]


def _of_wrong_type(facets: Facets) -> Iterator[Json]:
    kinds = facets.types
    if kinds is None:
        return
    for value in _OTHERS:
        if not has_type(value, kinds):
            yield value


def _unlisted(facets: Facets) -> Iterator[Json]:
    """Values that are not in the list, of the kind of those that are first."""
    listed = [value for value, _ in facets.values or []]
    first = listed[0] if listed else None
    tries: list[Json] = [f"{first}~" if isinstance(first, str) else "~other~"]
    if is_number(first):
        numbers = [value for value in listed if is_number(value)]
        tries.insert(0, spelled((exact(max(numbers)) or Fraction(0)) + 1))
    known = set(map(identity, listed))
    for value in (*tries, not first, *_OTHERS):
        if identity(value) not in known:
            yield value


def _shortened(facets: Facets, text: str) -> Iterator[str]:
    least = exact(facets.bound("minLength")) or 0
    if 0 < least <= LONGEST:
        yield from _matching(facets, 0, math.ceil(least) - 1)
        cut = (text or "x").ljust(math.ceil(least), text[-1:] or "x")
        yield cut[: math.ceil(least) - 1]
        yield cut[len(cut) - math.ceil(least) + 1 :]


def _lengthened(facets: Facets, text: str) -> Iterator[str]:
    most = exact(facets.bound("maxLength"))
    if most is not None and 0 <= most <= LONGEST:
        yield from _matching(facets, math.floor(most) + 1, LONGEST)
        yield text.ljust(math.floor(most) + 1, text[-1:] or "x")


def _matching(facets: Facets, shortest: int, longest: int) -> tuple[str, ...]:
    """Strings of other lengths that still match."""
    return matching(facets.patterns[0][0], shortest, longest) if facets.patterns else ()


def _beyond(facets: Facets, word: str, *, integral: bool) -> Iterator[Json]:
    """Numbers that break a bound; first those that keep the others."""
    bound = exact(facets.bound(word))
    if bound is None:
        return
    others = Facets(bounds={key: said for key, said in facets.bounds.items() if key != word})
    rest = window(others, integral=integral)
    if word == "multipleOf":
        tries = _between(bound, window(facets, integral=integral))
    else:
        tries = _outside(bound, word, rest)
    yield from (spelled(number) for number in sorted(tries, key=lambda n: not rest.holds(n)))


def _between(factor: Fraction, span: Window) -> list[Fraction]:
    """Numbers close to multiples."""
    good = span.least() or span.most() or Fraction(0)
    parts = [part * unit for part in _PARTS for unit in (Fraction(1), factor)]
    return [good + way * part for part in parts for way in (1, -1)]


def _outside(bound: Fraction, word: str, rest: Window) -> list[Fraction]:
    """Numbers on the other side of a bound, or on it."""
    way = -1 if word in {"minimum", "exclusiveMinimum"} else 1
    tries = [bound] if word.startswith("exclusive") else []
    step = rest.step or Fraction(1)
    edge = math.floor(bound / step) * step if way < 0 else math.ceil(bound / step) * step
    tries.append(edge + way * step if edge == bound else edge)
    limit = rest.low if way < 0 else rest.high
    if limit is not None:
        tries.append((bound + limit) / 2)
    tries.append(bound * (1 + way * Fraction(1, 2**20) * (1 if bound > 0 else -1)))
    return tries


def _without(value: JsonObject, name: str) -> JsonObject:
    return {key: item for key, item in value.items() if key != name}
