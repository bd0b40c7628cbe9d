"""Provers for types, numbers, strings, unions, negations and conditions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import chain, zip_longest
from typing import Final

from toolcanon.jsonio.types import Json
from toolcanon.schema.algebra.containment.protocol import (
    Asking,
    Failure,
    PlacePair,
    failure,
    numbers,
    numbers_beyond,
)
from toolcanon.schema.algebra.containment.regex_inclusion import inclusion
from toolcanon.schema.algebra.normal.terms import Cell, TermNode, matches, opened
from toolcanon.schema.algebra.normal.unions import cells_among, type_words
from toolcanon.schema.keywords import ANNOTATIONS
from toolcanon.schema.sampling.facets import Facets
from toolcanon.schema.sampling.scalars import LONGEST, Window, exact, texts
from toolcanon.schema.values import has_type, identity, listed, table

_SAFE: Final = 2**53 - 1
_FORMATS: Final = frozenset(
    "date date-time time duration email idn-email hostname idn-hostname ipv4 ipv6 uri "
    "uri-reference iri iri-reference uuid uri-template json-pointer relative-json-pointer "
    "regex".split()
)
_ODD_TEXTS: Final = ("", "x", "0", "a b", "~", "A", "-1", "é\n")
_MISREAD: Final = "is malformed"


def types(
    engine: Asking, cell: Cell, spot: TermNode, _pair: PlacePair, key: str
) -> Iterator[Failure]:
    at = (*spot.at, key)
    words = type_words(spot.schema[key])
    if words is None:
        yield failure(at, f"{key} {_MISREAD}", engine.examples.of(cell))
        return
    if cell.kind in words:
        return
    if cell.kind == "number" and "integer" in words:
        if cell.values is not None:
            broken = [value for value in cell.values if not has_type(value, words)]
        elif cell.integral:
            return
        else:
            broken = [n for n in _fractions(cell.window) if not has_type(n, words)]
            broken = broken or numbers(cell.window)
        if broken:
            yield failure(at, "numbers that are not integers are rejected", broken)
        return
    yield failure(at, f"{cell.kind} is not one of the types", engine.examples.of(cell))


def _fractions(window: Window) -> list[Json]:
    low, high = window.low, window.high
    middles = [Fraction(1, 2), Fraction(3, 2), Fraction(-1, 2)]
    if low is not None:
        middles += [low + Fraction(1, 2), (low + (high if high is not None else low + 1)) / 2]
    if high is not None:
        middles.append(high - Fraction(1, 2))
    if window.step is not None:
        middles += [window.step, (window.least() or 0) + window.step]
    return [float(n) for n in dict.fromkeys(middles) if window.holds(n) and n.denominator != 1]


def values(
    engine: Asking, cell: Cell, spot: TermNode, _pair: PlacePair, key: str
) -> Iterator[Failure]:
    said = [spot.schema["const"]] if key == "const" else spot.schema["enum"]
    if said.__class__ is not list:
        yield failure((*spot.at, key), f"{key} {_MISREAD}", engine.examples.of(cell))
        return
    allowed = set(map(identity, said))
    own = cell.values if cell.values is not None else _few(cell)
    bad: Iterable[Json]
    if own is not None:
        bad = [value for value in own if identity(value) not in allowed]
        if not bad:
            return
    else:
        tries = chain(engine.examples.of(cell), ("x",) if cell.kind == "string" else ())
        bad = (value for value in tries if identity(value) not in allowed)
    yield failure((*spot.at, key), "a value is not in the list", bad)


def _few(cell: Cell) -> list[Json] | None:
    """Return all numbers of a short window; None for a longer one."""
    if cell.kind == "number":
        low, _, high, _, step = cell.window
        if low is not None and high is not None and step and (high - low) / step <= 64:  # noqa: PLR2004
            count = int((high - low) / step) + 1
            return [int(n) if n.denominator == 1 else float(n)
                    for n in (low + i * step for i in range(count))]  # fmt: skip
    return None


def bound(
    engine: Asking, cell: Cell, spot: TermNode, _pair: PlacePair, key: str
) -> Iterator[Failure]:
    """Prove a minimum or a maximum, inclusive or exclusive."""
    limit = exact(spot.schema[key])
    at = (*spot.at, key)
    if limit is None:
        yield failure(at, f"{key} {_MISREAD}")
        return
    is_low, strict = key.endswith("inimum"), key.startswith("exclusive")
    if cell.values is not None:
        exacts = [(value, exact(value)) for value in cell.values]
        bad = [value for value, n in exacts if n is None or (n < limit if is_low else n > limit)
               or (strict and n == limit)]  # fmt: skip
    else:
        window = cell.window
        edge, is_open = (window.low, window.above) if is_low else (window.high, window.below)
        if edge is None and engine.neutral and cell.integral and _is_beyond(limit, below=is_low):
            return  # the range of safe integers, which generators state or omit at will
        if edge is not None:
            inside = edge > limit if is_low else edge < limit
            if inside or (edge == limit and (is_open or not strict)):
                return
        bad = numbers_beyond(window, limit, below=is_low, itself=strict)
    if bad or cell.values is None:
        side = "below" if is_low else "above"
        yield failure(at, f"numbers {side} the bound are rejected", bad)


def _is_beyond(limit: Fraction, *, below: bool) -> bool:
    """Return whether a bound allows all integers that a double represents exactly."""
    return limit <= -_SAFE if below else limit >= _SAFE


def multiple(
    _engine: Asking, cell: Cell, spot: TermNode, _pair: PlacePair, key: str
) -> Iterator[Failure]:
    factor = exact(spot.schema[key])
    if factor is None or factor <= 0:
        yield failure((*spot.at, key), f"{key} {_MISREAD}")
        return
    if cell.values is not None:
        exacts = [(value, exact(value)) for value in cell.values]
        bad = [value for value, n in exacts if n is None or (n / factor).denominator != 1]
        if not bad:
            return
    else:
        step = cell.window.step
        if step is not None and (step / factor).denominator == 1:
            return
        if _few(cell) is not None:
            odd = [n for n in _few(cell) or () if (Fraction(str(n)) / factor).denominator != 1]
            if not odd:
                return
        tries = [*numbers(cell.window), *_fractions(cell.window),
                 *numbers_beyond(cell.window, factor, below=False, itself=False)]  # fmt: skip
        bad = [n for n in tries if ((exact(n) or Fraction(0)) / factor).denominator != 1]
    yield failure((*spot.at, key), "numbers that are not multiples are rejected", bad)


def length(
    _engine: Asking, cell: Cell, spot: TermNode, _pair: PlacePair, key: str
) -> Iterator[Failure]:
    limit = exact(spot.schema[key])
    at = (*spot.at, key)
    if limit is None:
        yield failure(at, f"{key} {_MISREAD}")
        return
    is_low = key == "minLength"
    if cell.values is not None:
        bad = [v for v in cell.values if (len(v) < limit if is_low else len(v) > limit)]
    elif cell.least >= limit if is_low else cell.most <= limit:
        return
    elif is_low:
        bad = [*_texts(cell, None, math.ceil(limit) - 1), ""]
    else:
        bad = _texts(cell, math.floor(limit) + 1, None)
    if bad or cell.values is None:
        yield failure(at, f"{'shorter' if is_low else 'longer'} strings are rejected", bad)


def _texts(cell: Cell, least: int | None, most: int | None) -> list[Json]:
    """Return strings of a cell with other lengths."""
    if least is not None and least > LONGEST:
        return []
    facets = Facets(patterns=cell.facets.patterns, formats=cell.facets.formats)
    facets.bounds["minLength"] = (max(cell.least, least or 0), "")
    top = min(cell.most, math.inf if most is None else most)
    if top < math.inf:
        facets.bounds["maxLength"] = (top, "")
    return sorted((text for text, _ in texts(facets)), key=len)


def pattern(
    engine: Asking, cell: Cell, spot: TermNode, _pair: PlacePair, key: str
) -> Iterator[Failure]:
    said = spot.schema[key]
    at = (*spot.at, key)
    if said.__class__ is not str:
        yield failure(at, f"{key} {_MISREAD}")
        return
    if cell.values is not None:
        bad = [value for value in cell.values if matches(said, value) is not True]
        if bad:
            yield failure(at, "a string does not match", bad)
        return
    own = [text for text, _ in cell.facets.patterns] or [""]
    answers = [inclusion(text, said, engine.budget) for text in own]
    if any(answer.holds for answer in answers):
        return
    found = chain((text for answer in answers for text in answer.apart), engine.examples.of(cell),
                  _ODD_TEXTS)  # fmt: skip
    unlike = (text for text in found if matches(said, text) is False)
    known = all(answer.holds is not None for answer in answers)
    yield failure(at, "strings that do not match are rejected" if known else
                  "it is unknown whether all strings match", unlike)  # fmt: skip


def text_format(
    engine: Asking, cell: Cell, spot: TermNode, _pair: PlacePair, key: str
) -> Iterator[Failure]:
    """Prove a format; one that no validator asserts is an annotation."""
    said = spot.schema[key]
    if said.__class__ is not str:
        yield failure((*spot.at, key), f"{key} {_MISREAD}")
    elif cell.kind == "string" and said in _FORMATS and said not in cell.facets.formats:
        bad: Iterable[Json] = cell.values or ()
        if cell.values is None:  # strings of its own format may be rejected by another one
            own = (text for text, _ in texts(cell.facets)) if cell.facets.formats else ()
            bad = chain(own, engine.examples.of(cell), _ODD_TEXTS)
        yield failure((*spot.at, key), "strings of another format may be rejected", bad)


_MOST_BRANCHES: Final = 200
_MOST_SPLITS: Final = 3  # nested splits
_MOST_PARTS: Final = 24
_BOUNDS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_NONE: Final = object()


def any_of(
    engine: Asking, cell: Cell, spot: TermNode, pair: PlacePair, key: str
) -> Iterator[Failure]:
    yield from _some(engine, cell, _branches(spot, key), pair)


def one_of(
    engine: Asking, cell: Cell, spot: TermNode, pair: PlacePair, key: str
) -> Iterator[Failure]:
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


def _same_choice(
    engine: Asking, cell: Cell, own: TermNode, branches: list[TermNode], pair: PlacePair
) -> bool:
    """Return whether the cell has an equivalent union."""
    left = list(branches)
    ours = _branches(own, "oneOf")
    if len(ours) != len(left) or len(left) > _MOST_PARTS:
        return False
    for branch in ours:
        found = next(
            (other for other in left if _within(engine, cell, branch, other, pair)
             and _within(engine, cell, other, branch, PlacePair(pair.other, pair.one))),
            None,
        )  # fmt: skip
        if found is None:
            return False
        left.remove(found)
    return True


def _within(engine: Asking, cell: Cell, one: TermNode, other: TermNode, pair: PlacePair) -> bool:
    return all(not engine.in_branch(part, other, pair) for part in _common(engine, cell, one))


def _apart(engine: Asking, cell: Cell, branches: list[TermNode]) -> bool:
    """Return whether no value of a cell is valid for two of the branches."""
    return all(
        not _common(engine, cell, one, other)
        for at, one in enumerate(branches)
        for other in branches[:at]
    )


def denied(
    engine: Asking, cell: Cell, spot: TermNode, pair: PlacePair, key: str
) -> Iterator[Failure]:
    other = spot.schema[key]
    if other.__class__ is dict and other.keys() - ANNOTATIONS == {key}:
        yield from engine.in_branch(cell, spot.below(key, key), pair)
        return
    common = _common(engine, cell, spot.below(key))
    if common:
        values = (value for one in common[:4] for value in engine.examples.of(one))
        yield failure((*spot.at, key), "excluded values may occur", values)


def conditional(
    engine: Asking, cell: Cell, spot: TermNode, pair: PlacePair, key: str
) -> Iterator[Failure]:
    schema = spot.schema
    if "then" in schema:
        for one in _common(engine, cell, spot.below(key)):
            yield from engine.in_branch(one, spot.below("then"), pair)
    if "else" in schema:
        negation = TermNode({"not": schema[key]}, (*spot.at, key), spot.home)
        for one in _common(engine, cell, negation):
            yield from engine.in_branch(one, spot.below("else"), pair)


def _branches(spot: TermNode, key: str) -> list[TermNode]:
    return [spot.below(key, at) for at in range(len(listed(spot.schema, key)))][:_MOST_BRANCHES]


def _common(engine: Asking, cell: Cell, *spots: TermNode) -> list[Cell]:
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
    engine: Asking,
    cell: Cell,
    branches: list[TermNode],
    pair: PlacePair,
    splits: int = _MOST_SPLITS,
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


def _parts(engine: Asking, cell: Cell, branches: list[TermNode]) -> list[Cell]:
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
            found = [cell.narrowed(TermNode({"properties": {name: {"const": v}}}, (), home))
                     for v in values]  # fmt: skip
            return found if name in cell.required else [
                *(part.narrowed(TermNode({"required": [name]}, (), home)) for part in found),
                cell.narrowed(TermNode({"properties": {name: False}}, (), home)),
            ]  # fmt: skip
    wanted = {name: None for node in nodes for name in listed(node.schema, "required")}
    for name in wanted:
        if name.__class__ is str and name not in cell.required and cell.member(name) is not None:
            return [
                cell.narrowed(TermNode({"required": [name]}, (), home)),
                cell.narrowed(TermNode({"properties": {name: False}}, (), home)),
            ]
    return []


def _ranges(cell: Cell, nodes: list[TermNode]) -> list[Cell]:
    """Return number cells below a bound of some branch, at it, and above it."""
    for node in nodes:
        for key in _BOUNDS:
            said = node.schema.get(key)
            limit = exact(said)
            if limit is None:
                continue
            ways = ("exclusiveMaximum", "exclusiveMinimum")
            found = [cell.narrowed(TermNode({way: said}, (), node.home)) for way in ways]
            if cell.window.holds(limit):
                found.append(cell.listing(said))
            found = [part for part in found if not part.is_hollow()]
            if len(found) > 1:
                return found
    return []


def _listed(engine: Asking, term: tuple[TermNode, ...]) -> list[Json] | None:
    """Return the values of a term, if all of its cells enumerate them."""
    from_nodes = opened(term, engine.budget)
    found: list[Json] = []
    for cell in cells_among(from_nodes.nodes, engine.budget):
        if cell.values is None:
            return None
        found += cell.values
    return found
