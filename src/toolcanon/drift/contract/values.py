"""Differences at one place: types, values, unions, bounds, patterns, formats."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from toolcanon.drift.contract.containment_queries import (
    Divergence,
    Path,
    Questions,
    StatedKeyword,
    Twin,
    Version,
    is_open,
    local,
)
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.algebra.containment import Contained
from toolcanon.schema.algebra.normal.terms import NormalFormBudget, Term, TermNode, alike
from toolcanon.schema.keywords import ANNOTATIONS
from toolcanon.schema.references import Place, has_references
from toolcanon.schema.values import identity, listed, strings_in, table, type_of

UNIONS: Final = ("anyOf", "oneOf")
_TYPES: Final = ("type", *UNIONS)
VALUES: Final = frozenset({*_TYPES, "enum", "const"})


def values(twin: Twin, queries: Questions) -> Iterator[Divergence]:
    """Yield the differences of types, and of the values where they are listed."""
    lost = list(_open(twin, queries, new=True))
    gained = list(_open(twin, queries, new=False))
    listed = _Listed(twin, queries)
    if (lost or is_open(listed.narrowed)) and _is_other(twin):
        widened = gained[0][2] if gained else listed.widened
        narrowed = lost[0][2] if lost else listed.narrowed
        yield Divergence("type-changed", twin.words, _place(twin.before), _place(twin.after),
                         _type(twin.before), _type(twin.after), narrowed, widened)  # fmt: skip
        return
    is_union = any(key in UNIONS for key, _, _ in (*lost, *gained))
    for name, found, new in (("type-narrowed", lost, True), ("type-widened", gained, False)):
        if found:
            key, said, answer = found[0]
            version = twin.before if new else twin.after
            other = _place(version, key)
            was, at = (other, said.place(key)) if new else (said.place(key), other)
            yield Divergence(name, twin.words, was, at, _type(twin.before), _type(twin.after),
                             answer if new else None, None if new else answer,
                             is_union=is_union)  # fmt: skip
    yield from listed.differences(has_lost=bool(lost), has_gained=bool(gained))


def _is_other(twin: Twin) -> bool:
    """Return whether the types are disjoint; two empty sets are not."""
    old, new = twin.before.kinds, twin.after.kinds
    return bool(old) and bool(new) and old.isdisjoint(new)


def _open(
    twin: Twin, queries: Questions, *, new: bool
) -> Iterator[tuple[str, StatedKeyword, Contained]]:
    """Yield the type constraints of one version that the other does not imply."""
    own, other = (twin.after, twin.before) if new else (twin.before, twin.after)
    ask = queries.narrowed if new else queries.widened
    if not own.opened.possible and other.opened.possible and own.term:
        answer = ask(twin.path, False)
        if answer.answer != "yes":
            yield "type", StatedKeyword(False, own.term[0]), answer
        return
    for key in _TYPES:
        for said in own.said.get(key, ()):
            if any(_same(key, said.value, value, queries) for value in other.values(key)):
                continue
            answer = ask(twin.path, {key: said.value})
            if answer.answer != "yes":
                yield key, said, answer


def _same(key: str, one: Json, other: Json, queries: Questions) -> bool:
    """Return whether a constraint equals one of the other version, or obviously follows from it."""
    if key == "type":
        words = _words(one)
        return _words(other) - {"integer" if "number" in words else ""} <= words
    return queries.is_same_demand({key: one}, {key: other})


def _words(value: Json) -> frozenset[str]:
    return frozenset([value] if value.__class__ is str else strings_in(value))


def _place(version: Version, key: str = "type") -> Place:
    said = version.first(key)
    return version.place if said is None else said.place(key)


def _type(version: Version) -> Json:
    """Return the types as declared, or else the union or the values."""
    for key in _TYPES:
        if (said := version.first(key)) is not None:
            return said.value
    if (values := _listing(version)) is not None:
        return {"enum": values}
    return None if version.opened.possible else False


class _Listed:
    """The enumerated values of both versions, and whether they differ."""

    def __init__(self, twin: Twin, queries: Questions) -> None:
        self._twin, self._queries = twin, queries
        self.before, self.after = _listing(twin.before), _listing(twin.after)
        self.narrowed: Contained | None = None
        self.widened: Contained | None = None
        old, new = _identities(self.before), _identities(self.after)
        if old == new:
            return
        if new is not None and (old is None or old - new):
            self.narrowed = queries.narrowed(twin.path, {"enum": self.after})
        if old is not None and (new is None or new - old):
            self.widened = queries.widened(twin.path, {"enum": self.before})

    def differences(self, *, has_lost: bool, has_gained: bool) -> Iterator[Divergence]:
        twin = self._twin
        narrowed, widened = self.narrowed, self.widened
        if has_lost and is_open(narrowed):
            proof = self._queries.narrowed(twin.path, {"enum": self.after}, proves=True)
            narrowed = None if _is_implied(proof, twin.after, twin.path) else narrowed
        if has_gained and is_open(widened):
            proof = self._queries.widened(twin.path, {"enum": self.before}, proves=True)
            widened = None if _is_implied(proof, twin.before, twin.path) else widened
        was, at = _enum_place(twin.before), _enum_place(twin.after)
        if self.before is None or self.after is None:
            name = "enum-added" if self.before is None else "enum-removed"
            if is_open(narrowed) or is_open(widened):
                yield Divergence(name, twin.words, was, at, self.before, self.after, narrowed,
                                 widened)  # fmt: skip
            return
        removed, new = _without(self.before, self.after), _without(self.after, self.before)
        if len(self.before) == len(self.after) == 1 and is_open(narrowed):
            yield Divergence("const-changed", twin.words, was, at, self.before[0], self.after[0],
                             narrowed, widened)  # fmt: skip
            return
        if is_open(narrowed):
            yield Divergence("enum-value-removed", twin.words, was, at, removed, None, narrowed)
        if is_open(widened):
            yield Divergence("enum-value-added", twin.words, was, at, None, new, None, widened)


def _is_implied(answer: Contained, version: Version, path: Path) -> bool:
    """Return whether a list rejects only other types than its own, which is reported already."""
    if answer.answer != "no":
        return False
    try:
        refused = local(answer.witness, path)
    except LookupError:
        return False
    kind = type_of(refused)
    return ("number" if kind == "integer" else kind) not in version.kinds


def _listing(version: Version) -> list[Json] | None:
    """Return the enumerated values: those of all lists, where there are several."""
    lists = [value if value.__class__ is list else [] for value in version.values("enum")]
    lists += [[value] for value in version.values("const")]
    if not lists:
        return None
    first, *others = lists
    known = [_identities(other) or set() for other in others]
    return [value for value in first if all(identity(value) in one for one in known)]


def _identities(values: list[Json] | None) -> set[object] | None:
    return None if values is None else {identity(value) for value in values}


def _without(values: list[Json], others: list[Json]) -> list[Json]:
    known = _identities(others) or set()
    return [value for value in values if identity(value) not in known]


def _enum_place(version: Version) -> Place:
    key = "enum" if version.first("enum") is not None else "const"
    return _place(version, key)


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


def _union(version: Version) -> TermNode | None:
    """Return the node with the union, if there is one."""
    found = [(said.spot, key) for key in UNIONS for said in version.said.get(key, ())]
    return found[0][0] if len(found) == 1 else None


def _branches(version: Version) -> list[Term]:
    spot = _union(version)
    if spot is None:
        return [version.term]
    key = next(key for key in UNIONS if key in spot.schema)
    return [(spot.below(key, at),) for at in range(len(listed(spot.schema, key)))]


def _paired(
    before: list[Term], after: list[Term], budget: NormalFormBudget
) -> Iterator[tuple[Term, Term]]:
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

    def __init__(self, term: Term, budget: NormalFormBudget) -> None:
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


_RANGES: Final = (
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength",
    "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
)  # fmt: skip
_COUNTED: Final = ("contains", "minContains", "maxContains")
_CONDITION: Final = ("if", "then", "else")
_SINGLE: Final = {"pattern": "pattern", "format": "format"}
_DEMANDS: Final = {
    "not": ("not-added", "not-removed"),
    "propertyNames": ("property-names-narrowed", "property-names-widened"),
}
LIMITS: Final = frozenset(
    {*_RANGES, *_COUNTED, *_CONDITION, *_SINGLE, *_DEMANDS, "dependentRequired", "dependentSchemas"}
)


def limits(twin: Twin, queries: Questions) -> Iterator[Divergence]:
    """Yield the differences other than types, values, members and items."""
    if not twin.says(LIMITS):
        return
    for key in _RANGES:
        if key in twin.before.said or key in twin.after.said:
            yield from _range(twin, queries, key)
    yield from _grouped(twin, queries, _COUNTED, ("range-narrowed", "range-widened", ""))
    for key, name in _SINGLE.items():
        yield from _single(twin, queries, key, name)
    names = ("conditional-added", "conditional-removed", "conditional-changed")
    yield from _grouped(twin, queries, _CONDITION, names)
    for key, (added, removed) in _DEMANDS.items():
        yield from _each(twin, queries, key, added, removed)
    yield from _dependencies(twin, queries)


def _range(twin: Twin, queries: Questions, key: str) -> Iterator[Divergence]:
    old, new = twin.before.first(key), twin.after.first(key)
    was = None if old is None else old.place(key)
    at = None if new is None else new.place(key)
    before, after = (None if said is None else said.value for said in (old, new))
    for said in _only_in(twin.after, twin.before, key):
        answer = queries.narrowed(twin.path, {key: said.value})
        if is_open(answer):
            yield Divergence("range-narrowed", twin.words, was, said.place(key), before, said.value,
                             answer)  # fmt: skip
    for said in _only_in(twin.before, twin.after, key):
        answer = queries.widened(twin.path, {key: said.value})
        if is_open(answer):
            yield Divergence("range-widened", twin.words, said.place(key), at, said.value, after,
                             None, answer)  # fmt: skip


def _only_in(own: Version, other: Version, key: str) -> list[StatedKeyword]:
    """Return the values of a keyword that the other version does not have."""
    known = other.values(key)
    return [said for said in own.said.get(key, ()) if not any(alike(said.value, v) for v in known)]


def _single(twin: Twin, queries: Questions, key: str, name: str) -> Iterator[Divergence]:
    """Compare a keyword that can be added, changed or removed."""
    new, old = _only_in(twin.after, twin.before, key), _only_in(twin.before, twin.after, key)
    if not new and not old:
        return
    narrowed = queries.narrowed(twin.path, {key: new[0].value}) if new else None
    widened = queries.widened(twin.path, {key: old[0].value}) if old else None
    if not is_open(narrowed) and not is_open(widened):
        return  # an equivalent pattern, or a format that is not asserted
    action = "changed" if new and old else "added" if new else "removed"
    yield Divergence(
        f"{name}-{action}", twin.words,
        old[0].place(key) if old else None, new[0].place(key) if new else None,
        old[0].value if old else None, new[0].value if new else None,
        narrowed, widened, is_soft=key == "format",
    )  # fmt: skip


def _grouped(
    twin: Twin, queries: Questions, keys: tuple[str, ...], names: tuple[str, str, str]
) -> Iterator[Divergence]:
    """Compare keywords that depend on each other."""
    old, new = _groups(twin.before, keys), _groups(twin.after, keys)
    added_groups = [one for one in new if not _is_among(one, old, queries)]
    removed_groups = [one for one in old if not _is_among(one, new, queries)]
    added, removed, changed = names
    narrowed = queries.narrowed(twin.path, added_groups[0][0]) if added_groups else None
    widened = queries.widened(twin.path, removed_groups[0][0]) if removed_groups else None
    was, before = (removed_groups[0][1], removed_groups[0][0]) if removed_groups else (None, None)
    at, after = (added_groups[0][1], added_groups[0][0]) if added_groups else (None, None)
    if added_groups and removed_groups and changed and (is_open(narrowed) or is_open(widened)):
        yield Divergence(changed, twin.words, was, at, before, after, narrowed, widened)
        return
    if is_open(narrowed):
        yield Divergence(added, twin.words, was, at, before, after, narrowed)
    if is_open(widened):
        yield Divergence(removed, twin.words, was, at, before, after, None, widened)


def _groups(version: Version, keys: tuple[str, ...]) -> list[tuple[JsonObject, Place]]:
    first = keys[0]
    return [
        ({key: said.spot.schema[key] for key in keys if key in said.spot.schema}, said.place(first))
        for said in version.said.get(first, ())
    ]


def _is_among(
    one: tuple[JsonObject, Place], others: list[tuple[JsonObject, Place]], queries: Questions
) -> bool:
    return any(queries.is_same_demand(one[0], other[0]) for other in others)


def _each(
    twin: Twin, queries: Questions, key: str, added: str, removed: str
) -> Iterator[Divergence]:
    """Compare keywords whose constraints are independent of each other."""
    for name, own, other, ask in _directions(twin, queries, added, removed):
        for said in own.said.get(key, ()):
            known = other.values(key)
            if any(queries.is_same_demand({key: said.value}, {key: value}) for value in known):
                continue
            answer = ask(twin.path, {key: said.value})
            if is_open(answer):
                yield _directed(name, twin, said.place(key), said.value, answer)


def _dependencies(twin: Twin, queries: Questions) -> Iterator[Divergence]:
    directions = _directions(twin, queries, "dependency-added", "dependency-removed")
    for name, own, other, ask in directions:
        known = [fragment for fragment, _ in _entailed(other)]
        for fragment, place in _entailed(own):
            if any(queries.is_same_demand(fragment, one) for one in known):
                continue
            answer = ask(twin.path, fragment)
            if is_open(answer):
                yield _directed(name, twin, place, fragment, answer)


def _entailed(version: Version) -> Iterator[tuple[JsonObject, Place]]:
    """Yield every single constraint that the presence of a member implies."""
    for spot in version.nodes:
        for name, others in table(spot.schema, "dependentRequired").items():
            for other in others if others.__class__ is list else ():
                yield {"dependentRequired": {name: [other]}}, (*spot.at, "dependentRequired", name)
        for name, schema in table(spot.schema, "dependentSchemas").items():
            yield {"dependentSchemas": {name: schema}}, (*spot.at, "dependentSchemas", name)


def _directions(
    twin: Twin, queries: Questions, added: str, removed: str
) -> Iterator[tuple[str, Version, Version, Callable[..., Contained]]]:
    yield added, twin.after, twin.before, queries.narrowed
    yield removed, twin.before, twin.after, queries.widened


def _directed(name: str, twin: Twin, place: Place, value: Json, answer: Contained) -> Divergence:
    if name.endswith(("-added", "-narrowed")):
        return Divergence(name, twin.words, None, place, None, value, answer)
    return Divergence(name, twin.words, place, None, value, None, None, answer)
