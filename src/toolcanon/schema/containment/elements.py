"""Arrays: what speaks against a keyword holding for a cell."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from toolcanon.jsonio.types import Json
from toolcanon.schema.containment.asking import Asking
from toolcanon.schema.containment.failures import Failure, failure
from toolcanon.schema.containment.sites import Pair
from toolcanon.schema.normal.cells import Cell
from toolcanon.schema.normal.terms import Spot
from toolcanon.schema.normal.unions import is_empty
from toolcanon.schema.sampling.scalars import exact
from toolcanon.schema.values import listed

_LARGEST = 64


def prefix(asking: Asking, cell: Cell, spot: Spot, pair: Pair, key: str) -> Iterator[Failure]:
    for at in range(len(listed(spot.schema, key))):
        if at < cell.most:
            yield from _item(asking, cell, at, spot.below(key, at), pair)


def rest(asking: Asking, cell: Cell, spot: Spot, pair: Pair, key: str) -> Iterator[Failure]:
    """Items behind those that have a place of their own."""
    first = len(listed(spot.schema, "prefixItems"))
    for at in range(first, max(first, cell.prefix) + 1):
        if at < cell.most:
            yield from _item(asking, cell, at, spot.below(key), pair)


def _item(asking: Asking, cell: Cell, at: int, place: Spot, pair: Pair) -> Iterator[Failure]:
    term = cell.item(at)
    if term is None:
        return
    if place.schema is False:
        found = [] if is_empty(term, asking.budget) else [
            failure(place.at, "further items are refused", asking.examples.of_term(term))
        ]  # fmt: skip
    else:
        found = asking.term(term, (place,), pair.step(("items", at)))
    for one in found:
        yield failure(one.at, one.reason, _lifted(asking, cell, at, one))


def _lifted(asking: Asking, cell: Cell, at: int, found: Failure) -> Iterator[Json]:
    for value in found.values:
        yield from asking.examples.with_item(cell, at, value)


def count(asking: Asking, cell: Cell, spot: Spot, _pair: Pair, key: str) -> Iterator[Failure]:
    limit = exact(spot.schema[key])
    if limit is None:
        yield failure((*spot.at, key), f"{key} is not written as it should be")
    elif key == "minItems" and cell.least < limit:
        values = (v for v in asking.examples.of(cell) if len(v) < limit)
        yield failure((*spot.at, key), "shorter arrays are refused", values)
    elif key == "maxItems" and cell.most > limit:
        at = int(limit)
        term = cell.item(at)
        made = () if term is None or at > _LARGEST else asking.examples.of_term(term)
        longer = (whole for v in made for whole in asking.examples.with_item(cell, at, v))
        yield failure((*spot.at, key), "longer arrays are refused", longer)


def unique(asking: Asking, cell: Cell, spot: Spot, _pair: Pair, key: str) -> Iterator[Failure]:
    if spot.schema[key] is not True or cell.unique or cell.most <= 1:
        return
    term = cell.item(1)
    made = () if term is None else asking.examples.of_term(term)
    values = [[v, *whole[1:]] for v in made for whole in asking.examples.with_item(cell, 1, v)]
    yield failure((*spot.at, key), "arrays with an item twice are refused", values)


def _crowded(asking: Asking, cell: Cell, spot: Spot, key: str) -> Iterator[Json]:
    """Arrays with one more item that fits than there may be."""
    most, term = exact(spot.schema.get("maxContains")), cell.item(cell.prefix)
    if most is None or most >= _LARGEST or term is None:
        return
    length = max(int(most) + 1, min(cell.least, _LARGEST))
    fitting = list(asking.examples.of_term((*term, spot.below(key))))
    yield from ([value] * length for value in fitting)
    yield fitting[:length]


def contains(asking: Asking, cell: Cell, spot: Spot, pair: Pair, key: str) -> Iterator[Failure]:
    """So many items have to fit, and no more than so many."""
    schema = spot.schema
    least = exact(schema.get("minContains", 1))
    if "maxContains" in schema or least is None:
        values = chain(_crowded(asking, cell, spot, key), asking.examples.of(cell))
        yield failure((*spot.at, key), "items that fit are counted", values)
        return
    if least <= 0:
        return
    inner = pair.step(("items", cell.prefix))
    for own in cell.nodes:
        enough = (exact(own.schema.get("minContains", 1)) or 0) >= least
        if (
            key in own.schema
            and enough
            and not asking.term((own.below(key),), (spot.below(key),), inner)
        ):
            return
    places = [cell.item(at) for at in range(min(cell.least, cell.prefix + 1))]
    fitting = sum(
        term is not None and not asking.term(term, (spot.below(key),), inner) for term in places
    )
    if cell.least > cell.prefix and places and places[-1] is not None:
        fitting += (cell.least - cell.prefix - 1) * (
            not asking.term(places[-1], (spot.below(key),), inner)
        )
    if fitting < least:
        yield failure((*spot.at, key), "an item that fits may be missing", asking.examples.of(cell))
