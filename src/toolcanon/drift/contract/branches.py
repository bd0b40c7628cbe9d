"""Pair the branches of unions with their counterparts in the other version."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.drift.contract.questions import Questions
from toolcanon.drift.contract.twins import Twin, Version
from toolcanon.drift.contract.values import UNIONS
from toolcanon.jsonio.types import Json
from toolcanon.schema.keywords import ANNOTATIONS
from toolcanon.schema.normal.terms import Budget, Spot, Term, alike
from toolcanon.schema.references import has_references
from toolcanon.schema.values import listed

_MOST: Final = 32
_UNIONS: Final = frozenset(UNIONS)
_BESIDE: Final = ANNOTATIONS | {*UNIONS, "$ref", "allOf", "$defs", "definitions"}


def is_mixed(twin: Twin) -> bool:
    """Return whether only one version is a union here."""
    if not twin.says(_UNIONS):
        return False
    one, other = (_union(version) for version in (twin.before, twin.after))
    if (one is None) == (other is None):
        return False
    return _is_whole(twin.after if one is None else twin.before)


def _is_whole(version: Version) -> bool:
    """Return whether the union is the only constraint; otherwise a branch is only a part."""
    return all(spot.schema.keys() <= _BESIDE for spot in version.nodes)


def below_branches(twin: Twin, queries: Questions) -> Iterator[Twin]:
    """Yield pairs of branches for the same values; branches without a counterpart are left out."""
    if not twin.says(_UNIONS):
        return
    is_union = [_union(version) is not None for version in (twin.before, twin.after)]
    if is_union[0] != is_union[1] and not is_mixed(twin):
        return
    before, after = _branches(twin.before), _branches(twin.after)
    if max(len(before), len(after)) < 2 or max(len(before), len(after)) > _MOST:  # noqa: PLR2004
        return
    pairs = list(_paired(before, after, twin.budget))
    for one, other in pairs:
        left = [term for term in (*before, *after) if term is not one and term is not other]
        others = tuple(spot.schema for term in left for spot in term[:1])
        if not queries.same_references and any(map(has_references, others)):
            continue  # their references would resolve against the wrong document
        if not queries.is_same(one, other):
            yield twin.below(("anyOf", _distinct(others)), one, other)


def _union(version: Version) -> Spot | None:
    """Return the node with the union, if there is one."""
    found = [(said.spot, key) for key in UNIONS for said in version.said.get(key, ())]
    return found[0][0] if len(found) == 1 else None


def _branches(version: Version) -> list[Term]:
    spot = _union(version)
    if spot is None:
        return [version.term]
    key = next(key for key in UNIONS if key in spot.schema)
    return [(spot.below(key, at),) for at in range(len(listed(spot.schema, key)))]


def _paired(before: list[Term], after: list[Term], budget: Budget) -> Iterator[tuple[Term, Term]]:
    """Yield each branch with the most similar one, equal branches first."""
    left = list(after)
    rest: list[Term] = []
    for one in before:
        twin = next((other for other in left if alike(one[0].schema, other[0].schema)), None)
        if twin is None:
            rest.append(one)
        else:
            left.remove(twin)
            yield one, twin
    for one in rest:
        own = _Profile(one, budget)
        scores = [(own.likeness(_Profile(other, budget)), -at) for at, other in enumerate(left)]
        best, at = max(scores, default=(0.0, 0))
        if best > 0:
            yield one, left.pop(-at)


class _Profile:
    """The features that distinguish a branch from its siblings."""

    def __init__(self, term: Term, budget: Budget) -> None:
        version = Version(term, budget)
        self.kinds = version.kinds
        self.names = frozenset(version.names)
        self.tags = {
            (name, str(value))
            for name in version.names
            for value in _listed(version.member(name)[0].schema)
        }
        named = [spot.schema for spot in term if spot.schema.__class__ is dict]
        self.label = next((one.get("$ref") or one.get("title") for one in named), None)

    def likeness(self, other: _Profile) -> float:
        if self.kinds.isdisjoint(other.kinds):
            return 0.0
        if self.tags and other.tags and self.tags.isdisjoint(other.tags):
            return 0.0
        union = self.names | other.names
        shared = len(self.names & other.names) / len(union) if union else 1.0
        same = self.label is not None and self.label == other.label
        return 0.1 + shared + same + (self.kinds == other.kinds)


def _listed(schema: Json) -> list[Json]:
    if schema.__class__ is not dict:
        return []
    return [schema["const"]] if "const" in schema else listed(schema, "enum")[:1]


def _distinct(schemas: tuple[Json, ...]) -> tuple[Json, ...]:
    found: list[Json] = []
    for schema in schemas:
        if not any(alike(schema, known) for known in found):
            found.append(schema)
    return tuple(found)
