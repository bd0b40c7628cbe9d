"""Compare bounds, patterns, formats and conditions at one place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from toolcanon.drift.contract.difference import Difference, is_open
from toolcanon.drift.contract.questions import Questions
from toolcanon.drift.contract.twins import Said, Twin, Version
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.containment import Contained
from toolcanon.schema.normal.terms import alike
from toolcanon.schema.references import Place
from toolcanon.schema.values import table

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


def limits(twin: Twin, queries: Questions) -> Iterator[Difference]:
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


def _range(twin: Twin, queries: Questions, key: str) -> Iterator[Difference]:
    old, new = twin.before.first(key), twin.after.first(key)
    was = None if old is None else old.place(key)
    at = None if new is None else new.place(key)
    before, after = (None if said is None else said.value for said in (old, new))
    for said in _only_in(twin.after, twin.before, key):
        answer = queries.narrowed(twin.path, {key: said.value})
        if is_open(answer):
            yield Difference("range-narrowed", twin.words, was, said.place(key), before, said.value,
                             answer)  # fmt: skip
    for said in _only_in(twin.before, twin.after, key):
        answer = queries.widened(twin.path, {key: said.value})
        if is_open(answer):
            yield Difference("range-widened", twin.words, said.place(key), at, said.value, after,
                             None, answer)  # fmt: skip


def _only_in(own: Version, other: Version, key: str) -> list[Said]:
    """Return the values of a keyword that the other version does not have."""
    known = other.values(key)
    return [said for said in own.said.get(key, ()) if not any(alike(said.value, v) for v in known)]


def _single(twin: Twin, queries: Questions, key: str, name: str) -> Iterator[Difference]:
    """Compare a keyword that can be added, changed or removed."""
    new, old = _only_in(twin.after, twin.before, key), _only_in(twin.before, twin.after, key)
    if not new and not old:
        return
    narrowed = queries.narrowed(twin.path, {key: new[0].value}) if new else None
    widened = queries.widened(twin.path, {key: old[0].value}) if old else None
    if not is_open(narrowed) and not is_open(widened):
        return  # an equivalent pattern, or a format that is not asserted
    action = "changed" if new and old else "added" if new else "removed"
    yield Difference(
        f"{name}-{action}", twin.words,
        old[0].place(key) if old else None, new[0].place(key) if new else None,
        old[0].value if old else None, new[0].value if new else None,
        narrowed, widened, is_soft=key == "format",
    )  # fmt: skip


def _grouped(
    twin: Twin, queries: Questions, keys: tuple[str, ...], names: tuple[str, str, str]
) -> Iterator[Difference]:
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
        yield Difference(changed, twin.words, was, at, before, after, narrowed, widened)
        return
    if is_open(narrowed):
        yield Difference(added, twin.words, was, at, before, after, narrowed)
    if is_open(widened):
        yield Difference(removed, twin.words, was, at, before, after, None, widened)


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
) -> Iterator[Difference]:
    """Compare keywords whose constraints are independent of each other."""
    for name, own, other, ask in _directions(twin, queries, added, removed):
        for said in own.said.get(key, ()):
            known = other.values(key)
            if any(queries.is_same_demand({key: said.value}, {key: value}) for value in known):
                continue
            answer = ask(twin.path, {key: said.value})
            if is_open(answer):
                yield _directed(name, twin, said.place(key), said.value, answer)


def _dependencies(twin: Twin, queries: Questions) -> Iterator[Difference]:
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


def _directed(name: str, twin: Twin, place: Place, value: Json, answer: Contained) -> Difference:
    if name.endswith(("-added", "-narrowed")):
        return Difference(name, twin.words, None, place, None, value, answer)
    return Difference(name, twin.words, place, None, value, None, None, answer)
