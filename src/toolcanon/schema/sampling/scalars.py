"""Example strings and numbers: typical ones first, then those at the bounds.

The pattern is only parsed here, never run. Constructs that cannot be built from left to right
(look-around, back-references) are not supported.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any, Final, NamedTuple, TypeAlias

from toolcanon.jsonio.types import Json
from toolcanon.schema.sampling.facets import Facets
from toolcanon.schema.values import is_number

_LONGEST_PATTERN: Final = 4_000
_MOST_STEPS: Final = 20_000
LONGEST: Final = 20_000
"""Longer samples are not made."""

# ECMAScript syntax that Python's parser reads differently or not at all.
_NAMED_GROUP = re.compile(r"\(\?<(?=[A-Za-z_])")
_PROPERTY = re.compile(r"\\([pP])\{(\^?)([A-Za-z_=]+)\}")
_OF_PROPERTY = (("Lu", "A"), ("Upper", "A"), ("N", "1"), ("P", "."), ("Z", " "), ("S", "+"))

# Syntax that engines read differently: a repeat without a minimum, flags for a part.
_MISREAD: Final = re.compile(r"\{,|\(\?[a-zA-Z-]")

_PROBES: Final = "a0Z_-. é~/@#\n"
_OF_CATEGORY: Final[dict[Any, str]] = {
    sre.CATEGORY_DIGIT: "071",
    sre.CATEGORY_NOT_DIGIT: "aZ-",
    sre.CATEGORY_SPACE: " \t",
    sre.CATEGORY_NOT_SPACE: "a0-",
    sre.CATEGORY_WORD: "aZ0_",
    sre.CATEGORY_NOT_WORD: "- .",
}
_TRANSPARENT: Final = frozenset({sre.AT})


class _NoSuchText(Exception):
    pass


def matching(pattern: str, shortest: int = 0, longest: int = LONGEST) -> tuple[str, ...]:
    """Return a few different strings that should match, within the lengths; none if unsupported.

    >>> matching("^[a-c]{2}-(x|yy)$")
    ('aa-x', 'cc-yy', 'bb-x')
    """
    longest = min(longest, LONGEST)
    if shortest > longest:
        return ()
    tree = parsed(pattern)
    if tree is None:
        return ()
    found: dict[str, None] = {}
    least = _written(tree, 0, 0)
    if least is None:
        return ()
    tries = [(0, 0), (2, 1), (1, 2), (0, 1)]
    tries += [(edge - len(least), 0) for edge in (shortest, longest) if edge < LONGEST]
    tries += [(extra, 0) for extra in (3, 4, 6, 8, 12, 16, 24, 32, 64)]
    for extra, pick in tries:
        text = _written(tree, extra, pick) if extra >= 0 else None
        if text is not None and shortest <= len(text) <= longest:
            found[text] = None
        if len(found) == 4:  # noqa: PLR2004 - a few are enough
            break
    return tuple(found)


def widths(pattern: str) -> tuple[int, int | None]:
    """Return the minimum and maximum length of a matching string; None if it is unbounded.

    >>> widths("^[a-c]{2}(x|yy)?$"), widths("^a"), widths("a{3}")
    ((2, 4), (1, None), (3, None))
    """
    tree = None if _MISREAD.search(pattern) else parsed(pattern)
    if tree is None or tree.state.flags & (re.MULTILINE | re.VERBOSE):
        return 0, None
    try:
        least, most = tree.getwidth()
        whole = (
            most < sre.MAXREPEAT and _is_bound(tree, first=True) and _is_bound(tree, first=False)
        )
    except RecursionError:
        return 0, None
    return least, most if whole else None


def _is_bound(tree: Any, *, first: bool) -> bool:
    """Return whether every match begins, or ends, where the string does."""
    if not len(tree):
        return False
    word, argument = tree[0 if first else -1]
    if word is sre.AT:
        return argument is (sre.AT_BEGINNING if first else sre.AT_END)
    if word is sre.SUBPATTERN:
        return not argument[1] and _is_bound(argument[3], first=first)
    if word is sre.BRANCH:
        return all(_is_bound(branch, first=first) for branch in argument[1])
    return False


@lru_cache(maxsize=256)
def parsed(pattern: str) -> Any | None:
    if len(pattern) > _LONGEST_PATTERN:
        return None
    spelled = _PROPERTY.sub(_representative, _NAMED_GROUP.sub("(?P<", pattern))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _parser.parse(spelled)
    except (re.error, OverflowError, RecursionError, ValueError):
        return None


def _representative(found: re.Match[str]) -> str:
    if (found[1] == "P") != (found[2] == "^"):
        return "\\-"
    name = found[3].rpartition("=")[2]
    return next(
        (f"\\{c}" if c in ".+" else c for key, c in _OF_PROPERTY if name.startswith(key)), "a"
    )


def _written(tree: Any, extra: int, pick: int) -> str | None:
    try:
        return _StringWriter(extra, pick).text(tree)
    except (_NoSuchText, RecursionError):
        return None


class _StringWriter:
    """One string: ``extra`` repeats beyond the minimum, the ``pick``-th choice everywhere."""

    def __init__(self, extra: int, pick: int) -> None:
        self._extra = extra
        self._pick = pick
        self._steps = 0
        self._length = 0

    def text(self, tree: Iterable[tuple[Any, Any]]) -> str:
        return "".join([self._one(word, argument) for word, argument in tree])

    def _one(self, word: Any, argument: Any) -> str:
        self._steps += 1
        if self._steps > _MOST_STEPS or self._length > LONGEST:
            raise _NoSuchText
        if word in _TRANSPARENT:
            return ""
        if word is sre.SUBPATTERN:
            return self.text(argument[3])
        if word is sre.BRANCH:
            return self.text(argument[1][self._pick % len(argument[1])])
        if word in _REPEATS:
            return self._repeated(*argument)
        if word is sre.ATOMIC_GROUP:
            return self.text(argument)
        self._length += 1
        return self._character(word, argument)

    def _repeated(self, least: int, most: int, tree: Any) -> str:
        count = min(int(most), int(least) + self._extra)
        if count > LONGEST:
            raise _NoSuchText
        return "".join([self.text(tree) for _ in range(count)])

    def _character(self, word: Any, argument: Any) -> str:
        if word is sre.LITERAL:
            return chr(argument)
        if word is sre.ANY:
            return "a0Z"[self._pick % 3]
        if word is sre.NOT_LITERAL:
            return next(c for c in _PROBES if ord(c) != argument)
        if word is sre.IN:
            choices = _choices(argument)
            if choices:
                return choices[self._pick % len(choices)]
        raise _NoSuchText


_REPEATS: Final = frozenset({sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT})


def _choices(members: list[tuple[Any, Any]]) -> str:
    if members[0][0] is sre.NEGATE:
        return "".join(c for c in _PROBES if not any(_holds(*m, ord(c)) for m in members[1:]))
    found: dict[str, None] = {}
    for word, argument in members:
        if word is sre.LITERAL:
            found[chr(argument)] = None
        elif word is sre.RANGE:
            low, high = argument
            found |= dict.fromkeys((chr(low), chr(high), chr((low + high) // 2)))
        elif word is sre.CATEGORY:
            found |= dict.fromkeys(_OF_CATEGORY[argument])
    return "".join(c for c in found if not "\ud800" <= c <= "\udfff")


def _holds(word: Any, argument: Any, point: int) -> bool:
    if word is sre.LITERAL:
        return bool(point == argument)
    if word is sre.RANGE:
        return bool(argument[0] <= point <= argument[1])
    c = chr(point)
    kinds = {
        sre.CATEGORY_DIGIT: c.isdecimal(),
        sre.CATEGORY_SPACE: c.isspace(),
        sre.CATEGORY_WORD: c.isalnum() or c == "_",
        sre.CATEGORY_NOT_DIGIT: not c.isdecimal(),
        sre.CATEGORY_NOT_SPACE: not c.isspace(),
        sre.CATEGORY_NOT_WORD: not (c.isalnum() or c == "_"),
    }
    return bool(kinds.get(argument, True))


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
        """Return the smallest number in it, or one close to the bound where there is none."""
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
