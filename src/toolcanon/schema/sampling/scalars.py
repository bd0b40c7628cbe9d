"""Sample strings and numbers: typical ones first, then those at the bounds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

from toolcanon.jsonio.types import Json
from toolcanon.schema.sampling.facets import Facets
from toolcanon.schema.sampling.strings import LONGEST, matching
from toolcanon.schema.values import is_number

Scalar: TypeAlias = tuple[Json, tuple[str, ...]]
"""A value and the goals it reaches."""

_FORMATS: Final[dict[str, tuple[str, ...]]] = {
    "date-time": ("2024-02-29T12:30:00Z", "1999-12-31T23:59:59.5+02:00"),
    "date": ("2024-02-29", "1999-12-31"),
    "time": ("12:30:00Z", "23:59:59+02:00"),
    "duration": ("P1DT2H", "PT5M"),
    "email": ("ada@example.com", "a.b+c@sub.example.org"),
    "idn-email": ("ada@example.com",),
    "hostname": ("example.com", "localhost"),
    "idn-hostname": ("example.com",),
    "ipv4": ("192.0.2.1", "127.0.0.1"),
    "ipv6": ("2001:db8::1", "::1"),
    "uri": ("https://example.com/a?b=c#d", "urn:isbn:0451450523"),
    "url": ("https://example.com/a?b=c#d",),
    "iri": ("https://example.com/é",),
    "uri-reference": ("/a/b", "https://example.com/"),
    "uri-template": ("/a/{b}",),
    "uuid": ("123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-000000000000"),
    "json-pointer": ("/a/0", ""),
    "regex": ("^a+$",),
    "byte": ("dGV4dA==",),
    "binary": ("dGV4dA==",),
}
_PLAIN: Final = ("text", "", "Grüße 😀", "x")
_EXACT: Final = 2**53


class Window(NamedTuple):
    """The numbers that are allowed."""

    low: Fraction | None
    above: bool  # the lower bound is exclusive
    high: Fraction | None
    below: bool
    step: Fraction | None

    def holds(self, number: Fraction) -> bool:
        if self.low is not None and (number < self.low or (self.above and number == self.low)):
            return False
        if self.high is not None and (number > self.high or (self.below and number == self.high)):
            return False
        return self.step is None or (number / self.step).denominator == 1

    def least(self) -> Fraction | None:
        """The smallest number in it, or one close to the bound where there is none."""
        if self.low is None:
            return None
        if self.step is not None:
            found = math.ceil(self.low / self.step) * self.step
            return found + self.step if self.above and found == self.low else found
        return self._inside(self.low, Fraction(1)) if self.above else self.low

    def most(self) -> Fraction | None:
        if self.high is None:
            return None
        if self.step is not None:
            found = math.floor(self.high / self.step) * self.step
            return found - self.step if self.below and found == self.high else found
        return self._inside(self.high, Fraction(-1)) if self.below else self.high

    def _inside(self, edge: Fraction, way: Fraction) -> Fraction:
        if self.low is not None and self.high is not None:
            return (self.low + self.high) / 2
        return edge + way


def window(facets: Facets, *, integral: bool) -> Window:
    """Return the window of a number's bounds."""
    low, above = _tighter(facets, "minimum", "exclusiveMinimum", lower=True)
    high, below = _tighter(facets, "maximum", "exclusiveMaximum", lower=False)
    step = exact(facets.bound("multipleOf"))
    if step is not None and step <= 0:
        step = None
    if integral:
        step = Fraction(1) if step is None else Fraction(step.numerator)
    return Window(low, above, high, below, step)


def numbers(facets: Facets, *, integral: bool) -> Iterator[Scalar]:
    """Yield a typical number, those at the bounds, and a few other kinds."""
    span = window(facets, integral=integral)
    least, most = span.least(), span.most()
    step = span.step or Fraction(1, 2)
    typical = [Fraction(1), least, most, Fraction(0), step, least and least + step]
    first = next((n for n in typical if n is not None and span.holds(n)), None)
    if first is None:
        return
    yield spelled(first), ()
    if least is not None and span.holds(least):
        yield spelled(least), _goals(facets, "minimum", "exclusiveMinimum")
    if most is not None and span.holds(most):
        yield spelled(most), _goals(facets, "maximum", "exclusiveMaximum")
    others = [Fraction(0), Fraction(-1), 3 * step, Fraction(1000), -5 * step]
    multiple = _goals(facets, "multipleOf")
    for number in [first, *others]:
        if span.holds(number):
            yield spelled(number), multiple


def texts(facets: Facets) -> Iterator[Scalar]:
    """Yield typical strings, and the shortest and longest ones."""
    shortest = math.ceil(exact(facets.bound("minLength")) or 0)
    top = exact(facets.bound("maxLength"))
    longest = LONGEST + 1 if top is None or top > LONGEST else math.floor(top)
    if shortest > min(longest, LONGEST):
        return
    made = tuple(text for p, _ in facets.patterns[:1] for text in matching(p, shortest, longest))
    if not made:
        listed = [text for name in facets.formats for text in _FORMATS.get(name, ())]
        made = tuple(t for t in (*listed, *_PLAIN) if shortest <= len(t) <= longest)
        made = made or ("x" * min(max(shortest, 1), longest),)
        if not facets.patterns and not listed:
            edges = [length for length in (shortest, longest) if length <= LONGEST]
            made += tuple(("long text " * LONGEST)[:length] for length in edges)
    pattern = tuple(f"{at} matched" for _, at in facets.patterns)
    for text in made:
        goals = pattern
        if len(text) == shortest:
            goals += _goals(facets, "minLength")
        if len(text) == longest:
            goals += _goals(facets, "maxLength")
        yield text, goals


def exact(number: Json) -> Fraction | None:
    """Return a JSON number without rounding: 0.1 is a tenth."""
    if not is_number(number):
        return None
    if isinstance(number, int):
        return Fraction(number)
    return Fraction(str(number)) if math.isfinite(number) else None


def spelled(number: Fraction) -> int | float:
    """Return the nearest JSON number: an integer where that is exact or floats do not suffice."""
    if number.denominator == 1 and abs(number) <= _EXACT:
        return int(number)
    try:
        rounded = float(number)
    except OverflowError:
        return int(number)
    return rounded if Fraction(rounded) != number or number.denominator != 1 else int(number)


def _tighter(
    facets: Facets, plain: str, strict: str, *, lower: bool
) -> tuple[Fraction | None, bool]:
    one, other = exact(facets.bound(plain)), exact(facets.bound(strict))
    if other is None:
        return one, False
    if one is None:
        return other, True
    return (one, False) if (one > other if lower else one < other) else (other, True)


def _goals(facets: Facets, *words: str) -> tuple[str, ...]:
    return tuple(f"{facets.bounds[word][1]} bound" for word in words if word in facets.bounds)
