"""Prove keywords of objects and arrays for a cell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import NamedTuple

from toolcanon.jsonio.types import Json
from toolcanon.schema.algebra.containment.protocol import (
    OTHERS,
    Asking,
    Failure,
    PlacePair,
    Step,
    failure,
)
from toolcanon.schema.algebra.normal.terms import Cell, Term, TermNode, matches, opened
from toolcanon.schema.algebra.normal.unions import is_empty
from toolcanon.schema.references import has_references
from toolcanon.schema.sampling.scalars import exact
from toolcanon.schema.sampling.scalars import matching as strings_matching
from toolcanon.schema.validate import judge
from toolcanon.schema.values import is_anything, listed, table

_MISREAD = "is malformed"
_FRESH = ("x", "other", "~", "x1", "X-y")
_TEXT: dict[str, Json] = {"type": "string"}
_LARGEST = 64


class _KnownMembers(NamedTuple):
    """Members that a node has a schema for."""

    names: set[str]
    patterns: dict[str, Json]


class _Nameless(NamedTuple):
    """Members of any name, or of any name that matches, with examples of names."""

    term: Term
    step: Step
    names: Iterable[str]


def declared(
    engine: Asking, cell: Cell, spot: TermNode, pair: PlacePair, key: str
) -> Iterator[Failure]:
    """Compare every declared member that may be present."""
    said = table(spot.schema, key)
    if spot.schema[key].__class__ is not dict:
        yield failure((*spot.at, key), f"{key} {_MISREAD}")
    own = [table(node.schema, key) for node in cell.nodes if key in node.schema]
    for name, schema in said.items():
        declared_as = [members[name] for members in own if members.get(name, True) is not True]
        if len(declared_as) != 1 or not engine.alike(declared_as[0], schema):  # as is usual
            yield from _member(engine, cell, name, spot.below(key, name), pair)


def matching(
    engine: Asking, cell: Cell, spot: TermNode, pair: PlacePair, key: str
) -> Iterator[Failure]:
    """Compare members with matching names; a name may match unless it certainly does not."""
    for pattern in table(spot.schema, key):
        place = spot.below(key, pattern)
        for name in cell.names:
            if matches(pattern, name) is not False:
                yield from _member(engine, cell, name, place, pair)
        names = strings_matching(pattern)
        for other, term in cell.patterns.items():
            both = _Nameless(term, (key, other), (*strings_matching(other), *names))
            yield from _others(engine, cell, both, place, pair)
        if cell.others is not None and pattern not in cell.patterns:
            rest = _Nameless(cell.others, OTHERS, names)
            yield from _others(engine, cell, rest, place, pair)


def additional(
    engine: Asking, cell: Cell, spot: TermNode, pair: PlacePair, key: str
) -> Iterator[Failure]:
    """Compare members that the node neither declares nor has a pattern for."""
    schema = spot.schema
    if not is_anything(schema[key]):
        known = _KnownMembers(set(table(schema, "properties")), table(schema, "patternProperties"))
        yield from _rest(engine, cell, spot.below(key), pair, known)


def unevaluated(
    engine: Asking, cell: Cell, spot: TermNode, pair: PlacePair, key: str
) -> Iterator[Failure]:
    """Compare members that no schema in the same place has evaluated, as far as is certain."""
    nodes = opened((spot,), engine.budget).nodes
    if is_anything(spot.schema[key]) or any("additionalProperties" in n.schema for n in nodes):
        return
    known = _KnownMembers(set(), {})
    for node in nodes:
        known.names.update(table(node.schema, "properties"))
        known.patterns.update(table(node.schema, "patternProperties"))
    yield from _rest(engine, cell, spot.below(key), pair, known)


def _rest(
    engine: Asking, cell: Cell, place: TermNode, pair: PlacePair, known: _KnownMembers
) -> Iterator[Failure]:
    for name in cell.names:
        if name not in known.names and not any(matches(p, name) for p in known.patterns):
            yield from _member(engine, cell, name, place, pair)
    for pattern, term in cell.patterns.items():
        if pattern not in known.patterns:
            some = _Nameless(term, ("patternProperties", pattern), strings_matching(pattern))
            yield from _others(engine, cell, some, place, pair)
    if cell.others is not None:
        free = [name for name in _FRESH if name not in known.names and name not in cell.names]
        yield from _others(engine, cell, _Nameless(cell.others, OTHERS, free), place, pair)


def _member(
    engine: Asking, cell: Cell, name: str, place: TermNode, pair: PlacePair
) -> Iterator[Failure]:
    term = cell.member(name)
    if term is None:
        return
    if place.schema is not False:
        found = engine.term(term, (place,), pair.step(("properties", name)))
    elif is_empty(term, engine.budget):
        return
    else:
        found = [failure(place.at, "a member is no longer declared", _made(engine, term))]
    for one in found:
        yield _member_lifted(engine, cell, one, [name])


def _others(
    engine: Asking, cell: Cell, some: _Nameless, place: TermNode, pair: PlacePair
) -> Iterator[Failure]:
    """Compare members of a name that matches some pattern, or of any other name."""
    if place.schema is not False:
        found = engine.term(some.term, (place,), pair.step(some.step))
    elif is_empty(some.term, engine.budget):
        return
    else:
        found = [failure(place.at, "other members are rejected", _made(engine, some.term))]
    for one in found:
        yield _member_lifted(engine, cell, one, list(some.names)[:3])


def _made(engine: Asking, term: Term) -> Iterator[Json]:
    yield from engine.examples.of_term(term)


def _member_lifted(engine: Asking, cell: Cell, found: Failure, names: list[str]) -> Failure:
    """Return a failure of a member as one of the object with the member."""
    values = (
        whole
        for value in found.values
        for name in names
        for whole in engine.examples.with_member(cell, name, value)
    )
    return failure(found.at, found.reason, values)


def required(
    engine: Asking, cell: Cell, spot: TermNode, _pair: PlacePair, key: str
) -> Iterator[Failure]:
    said = spot.schema[key]
    if said.__class__ is not list:
        yield failure((*spot.at, key), f"{key} {_MISREAD}")
    for at, name in enumerate(listed(spot.schema, key)):
        if name.__class__ is not str:
            yield failure((*spot.at, key, at), f"{key} {_MISREAD}")
        elif name not in cell.required:
            yield failure((*spot.at, key, at), "objects without a member are rejected",
                          _without(engine, cell, name))  # fmt: skip


def _without(engine: Asking, cell: Cell, name: str) -> Iterator[Json]:
    return (value for value in engine.examples.of(cell) if name not in value)


def member_count(
    engine: Asking, cell: Cell, spot: TermNode, _pair: PlacePair, key: str
) -> Iterator[Failure]:
    limit = exact(spot.schema[key])
    if limit is None or (cell.least < limit if key == "minProperties" else cell.most > limit):
        values = chain(engine.examples.of(cell), _large(engine, cell, limit))
        yield failure((*spot.at, key), "objects of another size are rejected", values)


def _large(engine: Asking, cell: Cell, limit: Json) -> Iterator[Json]:
    """Yield an object with more members than the limit."""
    if limit is None or limit > 64:  # noqa: PLR2004
        return
    names = [*cell.names, *(f"x{number}" for number in range(int(limit) + 1))]
    found: dict[str, Json] = {}
    for name in names:
        term = cell.member(name)
        if term is not None and len(found) <= limit:
            for value in islice(engine.examples.of_term(term), 1):
                found[name] = value
    yield found


def names(
    engine: Asking, cell: Cell, spot: TermNode, pair: PlacePair, key: str
) -> Iterator[Failure]:
    schema = spot.schema[key]
    at = (*spot.at, key)
    judged = None if has_references(schema) else judge(schema)
    for name in cell.names:
        term = cell.member(name)
        if term is None or (judged is not None and judged.accepts(name)):
            continue
        found = failure(at, "the name of a member is rejected", _made(engine, term))
        yield _member_lifted(engine, cell, found, [name])
    asked_for = [({"pattern": pattern}, strings_matching(pattern)) for pattern in cell.patterns]
    if cell.others is not None:
        asked_for.append(({}, ()))
    own = tuple(s.below(key) for s in cell.nodes if key in s.schema)
    for asked, made in asked_for:
        made_spot = TermNode({**_TEXT, **asked}, (), spot.home)
        term = (*own, made_spot)
        for one in engine.term(term, (spot.below(key),), pair.step(("propertyNames", ""))):
            texts = (v for v in chain(one.values, made) if v.__class__ is str)
            yield failure(one.at, one.reason, ({name: v} for name in texts for v in (1, "x")))


def entailed(
    engine: Asking, cell: Cell, spot: TermNode, _pair: PlacePair, key: str
) -> Iterator[Failure]:
    for name, others in table(spot.schema, key).items():
        if others.__class__ is not list or any(other.__class__ is not str for other in others):
            yield failure((*spot.at, key, name), f"{key} {_MISREAD}")
            continue
        if cell.member(name) is None:
            continue
        holding = cell.narrowed(TermNode({"required": [name]}, (), spot.home))
        for at, other in enumerate(others):
            if other not in holding.required:
                yield failure((*spot.at, key, name, at), "one member requires another",
                              _without(engine, holding, other))  # fmt: skip


def dependent(
    engine: Asking, cell: Cell, spot: TermNode, pair: PlacePair, key: str
) -> Iterator[Failure]:
    for name in table(spot.schema, key):
        if cell.member(name) is not None:
            holding = cell.narrowed(TermNode({"required": [name]}, (), spot.home))
            yield from engine.in_branch(holding, spot.below(key, name), pair)


def prefix(
    engine: Asking, cell: Cell, spot: TermNode, pair: PlacePair, key: str
) -> Iterator[Failure]:
    for at in range(len(listed(spot.schema, key))):
        if at < cell.most:
            yield from _item(engine, cell, at, spot.below(key, at), pair)


def rest(
    engine: Asking, cell: Cell, spot: TermNode, pair: PlacePair, key: str
) -> Iterator[Failure]:
    """Compare items behind the positional ones."""
    first = len(listed(spot.schema, "prefixItems"))
    for at in range(first, max(first, cell.prefix) + 1):
        if at < cell.most:
            yield from _item(engine, cell, at, spot.below(key), pair)


def _item(
    engine: Asking, cell: Cell, at: int, place: TermNode, pair: PlacePair
) -> Iterator[Failure]:
    term = cell.item(at)
    if term is None:
        return
    if place.schema is False:
        found = [] if is_empty(term, engine.budget) else [
            failure(place.at, "further items are rejected", engine.examples.of_term(term))
        ]  # fmt: skip
    else:
        found = engine.term(term, (place,), pair.step(("items", at)))
    for one in found:
        yield failure(one.at, one.reason, _item_lifted(engine, cell, at, one))


def _item_lifted(engine: Asking, cell: Cell, at: int, found: Failure) -> Iterator[Json]:
    for value in found.values:
        yield from engine.examples.with_item(cell, at, value)


def item_count(
    engine: Asking, cell: Cell, spot: TermNode, _pair: PlacePair, key: str
) -> Iterator[Failure]:
    limit = exact(spot.schema[key])
    if limit is None:
        yield failure((*spot.at, key), f"{key} {_MISREAD}")
    elif key == "minItems" and cell.least < limit:
        values = (v for v in engine.examples.of(cell) if len(v) < limit)
        yield failure((*spot.at, key), "shorter arrays are rejected", values)
    elif key == "maxItems" and cell.most > limit:
        at = int(limit)
        term = cell.item(at)
        made = () if term is None or at > _LARGEST else engine.examples.of_term(term)
        longer = (whole for v in made for whole in engine.examples.with_item(cell, at, v))
        yield failure((*spot.at, key), "longer arrays are rejected", longer)


def unique(
    engine: Asking, cell: Cell, spot: TermNode, _pair: PlacePair, key: str
) -> Iterator[Failure]:
    if spot.schema[key] is not True or cell.unique or cell.most <= 1:
        return
    term = cell.item(1)
    made = () if term is None else engine.examples.of_term(term)
    values = [[v, *whole[1:]] for v in made for whole in engine.examples.with_item(cell, 1, v)]
    yield failure((*spot.at, key), "arrays with equal items are rejected", values)


def _crowded(engine: Asking, cell: Cell, spot: TermNode, key: str) -> Iterator[Json]:
    """Yield arrays with one more matching item than allowed."""
    most, term = exact(spot.schema.get("maxContains")), cell.item(cell.prefix)
    if most is None or most >= _LARGEST or term is None:
        return
    length = max(int(most) + 1, min(cell.least, _LARGEST))
    fitting = list(engine.examples.of_term((*term, spot.below(key))))
    yield from ([value] * length for value in fitting)
    yield fitting[:length]


def contains(
    engine: Asking, cell: Cell, spot: TermNode, pair: PlacePair, key: str
) -> Iterator[Failure]:
    """Compare the number of items that match."""
    schema = spot.schema
    least = exact(schema.get("minContains", 1))
    if "maxContains" in schema or least is None:
        values = chain(_crowded(engine, cell, spot, key), engine.examples.of(cell))
        yield failure((*spot.at, key), "the number of matching items is limited", values)
        return
    if least <= 0:
        return
    inner = pair.step(("items", cell.prefix))
    for own in cell.nodes:
        enough = (exact(own.schema.get("minContains", 1)) or 0) >= least
        if (
            key in own.schema
            and enough
            and not engine.term((own.below(key),), (spot.below(key),), inner)
        ):
            return
    places = [cell.item(at) for at in range(min(cell.least, cell.prefix + 1))]
    fitting = sum(
        term is not None and not engine.term(term, (spot.below(key),), inner) for term in places
    )
    if cell.least > cell.prefix and places and places[-1] is not None:
        fitting += (cell.least - cell.prefix - 1) * (
            not engine.term(places[-1], (spot.below(key),), inner)
        )
    if fitting < least:
        yield failure((*spot.at, key), "a matching item may be missing", engine.examples.of(cell))
