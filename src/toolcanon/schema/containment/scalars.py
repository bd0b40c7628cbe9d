"""Prove keywords of types, values, numbers and strings for a cell."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import chain
from typing import Final

from toolcanon.jsonio.types import Json
from toolcanon.schema.containment.languages import inclusion
from toolcanon.schema.containment.protocol import Asking, Failure, failure, numbers, numbers_beyond
from toolcanon.schema.containment.sites import Pair
from toolcanon.schema.normal.cells import Cell
from toolcanon.schema.normal.terms import Spot, matches
from toolcanon.schema.normal.unions import type_words
from toolcanon.schema.sampling.facets import Facets
from toolcanon.schema.sampling.scalars import Window, exact, texts
from toolcanon.schema.sampling.strings import LONGEST
from toolcanon.schema.values import has_type, identity

_SAFE: Final = 2**53 - 1
_FORMATS: Final = frozenset(
    "date date-time time duration email idn-email hostname idn-hostname ipv4 ipv6 uri "
    "uri-reference iri iri-reference uuid uri-template json-pointer relative-json-pointer "
    "regex".split()
)
_ODD_TEXTS: Final = ("", "x", "0", "a b", "~", "A", "-1", "é\n")
_MISREAD: Final = "is malformed"


def types(engine: Asking, cell: Cell, spot: Spot, _pair: Pair, key: str) -> Iterator[Failure]:
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


def values(engine: Asking, cell: Cell, spot: Spot, _pair: Pair, key: str) -> Iterator[Failure]:
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


def bound(engine: Asking, cell: Cell, spot: Spot, _pair: Pair, key: str) -> Iterator[Failure]:
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


def multiple(_engine: Asking, cell: Cell, spot: Spot, _pair: Pair, key: str) -> Iterator[Failure]:
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


def length(_engine: Asking, cell: Cell, spot: Spot, _pair: Pair, key: str) -> Iterator[Failure]:
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


def pattern(engine: Asking, cell: Cell, spot: Spot, _pair: Pair, key: str) -> Iterator[Failure]:
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


def text_format(engine: Asking, cell: Cell, spot: Spot, _pair: Pair, key: str) -> Iterator[Failure]:
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
