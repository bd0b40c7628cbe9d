"""Prove unions, negations and conditions for a cell."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

from toolcanon.jsonio.types import Json
from toolcanon.schema.containment.protocol import Asking, Failure, failure
from toolcanon.schema.containment.sites import Pair
from toolcanon.schema.keywords import ANNOTATIONS
from toolcanon.schema.normal.cells import Cell
from toolcanon.schema.normal.terms import Spot, opened
from toolcanon.schema.normal.unions import cells_among
from toolcanon.schema.sampling.scalars import exact
from toolcanon.schema.values import listed, table

_MOST_BRANCHES: Final = 200
_MOST_SPLITS: Final = 3  # nested splits
_MOST_PARTS: Final = 24
_BOUNDS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_NONE: Final = object()


def any_of(engine: Asking, cell: Cell, spot: Spot, pair: Pair, key: str) -> Iterator[Failure]:
    yield from _some(engine, cell, _branches(spot, key), pair)


def one_of(engine: Asking, cell: Cell, spot: Spot, pair: Pair, key: str) -> Iterator[Failure]:
    branches = _branches(spot, key)
    at = (*spot.at, key)
    if any(_same_choice(engine, cell, own, branches, pair) for own in cell.nodes):
        return
    missed = list(_some(engine, cell, branches, pair))
    yield from missed
    if missed:
        return
    found = [(branch, _common(engine, cell, branch)) for branch in branches]
    shared = [(branch, cells) for branch, cells in found if cells]
    # Contained in the union, and disjoint from all but one branch: then in that branch.
    if len(shared) > 1 and not _apart(engine, cell, [branch for branch, _ in shared]):
        values = (v for _, cells in shared for one in cells[:2] for v in engine.examples.of(one))
        yield failure(at, "a value may be valid for more than one branch", values)


def _same_choice(engine: Asking, cell: Cell, own: Spot, branches: list[Spot], pair: Pair) -> bool:
    """Return whether the cell has an equivalent union."""
    left = list(branches)
    ours = _branches(own, "oneOf")
    if len(ours) != len(left) or len(left) > _MOST_PARTS:
        return False
    for branch in ours:
        found = next(
            (other for other in left if _within(engine, cell, branch, other, pair)
             and _within(engine, cell, other, branch, Pair(pair.other, pair.one))),
            None,
        )  # fmt: skip
        if found is None:
            return False
        left.remove(found)
    return True


def _within(engine: Asking, cell: Cell, one: Spot, other: Spot, pair: Pair) -> bool:
    return all(not engine.in_branch(part, other, pair) for part in _common(engine, cell, one))


def _apart(engine: Asking, cell: Cell, branches: list[Spot]) -> bool:
    """Return whether no value of a cell is valid for two of the branches."""
    return all(
        not _common(engine, cell, one, other)
        for at, one in enumerate(branches)
        for other in branches[:at]
    )


def denied(engine: Asking, cell: Cell, spot: Spot, pair: Pair, key: str) -> Iterator[Failure]:
    other = spot.schema[key]
    if other.__class__ is dict and other.keys() - ANNOTATIONS == {key}:
        yield from engine.in_branch(cell, spot.below(key, key), pair)
        return
    common = _common(engine, cell, spot.below(key))
    if common:
        values = (value for one in common[:4] for value in engine.examples.of(one))
        yield failure((*spot.at, key), "excluded values may occur", values)


def conditional(engine: Asking, cell: Cell, spot: Spot, pair: Pair, key: str) -> Iterator[Failure]:
    schema = spot.schema
    if "then" in schema:
        for one in _common(engine, cell, spot.below(key)):
            yield from engine.in_branch(one, spot.below("then"), pair)
    if "else" in schema:
        negation = Spot({"not": schema[key]}, (*spot.at, key), spot.home)
        for one in _common(engine, cell, negation):
            yield from engine.in_branch(one, spot.below("else"), pair)


def _branches(spot: Spot, key: str) -> list[Spot]:
    return [spot.below(key, at) for at in range(len(listed(spot.schema, key)))][:_MOST_BRANCHES]


def _common(engine: Asking, cell: Cell, *spots: Spot) -> list[Cell]:
    """Return cells with all common values of a cell and schemas; none if they are disjoint."""
    more = opened(spots, engine.budget)
    if not more.possible:
        return []
    known = {id(spot.schema) for spot in cell.nodes}
    fresh = tuple(spot for spot in more.nodes if id(spot.schema) not in known)
    cells = cells_among((*cell.nodes, *fresh), engine.budget, taken=cell.taken)
    found = [one for one in cells if one.kind == cell.kind]
    if cell.values is None:
        return found
    # It may enumerate fewer values than its nodes do.
    left = [one.listing(*(v for v in one.values or () if v in cell.values)) for one in found]
    return [one for one in left if one.values]


def _some(
    engine: Asking, cell: Cell, branches: list[Spot], pair: Pair, splits: int = _MOST_SPLITS
) -> Iterator[Failure]:
    """Prove that a cell is in one branch, or each part of it in some branch."""
    engine.budget.spend(len(branches))
    against: list[Failure] = []
    for branch in branches:
        found = engine.in_branch(cell, branch, pair)
        if not found:
            return
        against += found
    parts = _parts(engine, cell, branches) if splits else []
    if parts:
        for part in parts:
            yield from _some(engine, part, branches, pair, splits - 1)
        return
    at = branches[0].at[:-1] if branches else ()
    against.sort(key=lambda found: -len(found.at))  # the deepest failures have the best candidates
    # The branch that fits except for one thing is the intended one.
    first = against[0] if against else None
    near = first if first and (len(branches) == 1 or len(first.at) > len(at) + 2) else None
    reason = "no branch accepts all of it" if near is None else near.reason
    place = at if near is None else near.at
    yield failure(place, reason, _gathered(engine, cell, against))


def _gathered(engine: Asking, cell: Cell, against: list[Failure]) -> Iterator[Json]:
    """Yield the candidates of all branches, alternating between branches."""
    seen: set[str] = set()
    for turn in zip_longest(*(found.values for found in against), fillvalue=_NONE):
        for value in turn:
            if value is not _NONE and repr(value) not in seen:
                seen.add(repr(value))
                yield value
    yield from engine.examples.of(cell)


def _parts(engine: Asking, cell: Cell, branches: list[Spot]) -> list[Cell]:
    """Return a cell split by its values, by the value of a member, or by its presence."""
    if cell.values is not None:
        return [cell.listing(v) for v in cell.values] if 1 < len(cell.values) <= 500 else []  # noqa: PLR2004
    if not cell.nodes:
        return []
    home = cell.nodes[0].home
    nodes = [node for branch in branches for node in opened((branch,), engine.budget).nodes]
    if cell.kind == "number":
        return _ranges(cell, nodes)
    if cell.kind != "object":
        return []
    for name in cell.names:
        term = cell.member(name)
        if not term or not any(name in table(node.schema, "properties") for node in nodes):
            continue
        values = _listed(engine, term)
        if values is not None and 1 < len(values) <= _MOST_PARTS:
            found = [cell.narrowed(Spot({"properties": {name: {"const": v}}}, (), home))
                     for v in values]  # fmt: skip
            return found if name in cell.required else [
                *(part.narrowed(Spot({"required": [name]}, (), home)) for part in found),
                cell.narrowed(Spot({"properties": {name: False}}, (), home)),
            ]  # fmt: skip
    wanted = {name: None for node in nodes for name in listed(node.schema, "required")}
    for name in wanted:
        if name.__class__ is str and name not in cell.required and cell.member(name) is not None:
            return [
                cell.narrowed(Spot({"required": [name]}, (), home)),
                cell.narrowed(Spot({"properties": {name: False}}, (), home)),
            ]
    return []


def _ranges(cell: Cell, nodes: list[Spot]) -> list[Cell]:
    """Return number cells below a bound of some branch, at it, and above it."""
    for node in nodes:
        for key in _BOUNDS:
            said = node.schema.get(key)
            limit = exact(said)
            if limit is None:
                continue
            ways = ("exclusiveMaximum", "exclusiveMinimum")
            found = [cell.narrowed(Spot({way: said}, (), node.home)) for way in ways]
            if cell.window.holds(limit):
                found.append(cell.listing(said))
            found = [part for part in found if not part.is_hollow()]
            if len(found) > 1:
                return found
    return []


def _listed(engine: Asking, term: tuple[Spot, ...]) -> list[Json] | None:
    """Return the values of a term, if all of its cells enumerate them."""
    from_nodes = opened(term, engine.budget)
    found: list[Json] = []
    for cell in cells_among(from_nodes.nodes, engine.budget):
        if cell.values is None:
            return None
        found += cell.values
    return found
