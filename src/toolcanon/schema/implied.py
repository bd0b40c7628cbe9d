"""Does what a schema says anyway imply a bound? Yes only where that is proved."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.demands import Span, span
from toolcanon.schema.values import types_of

_BOUNDS: Final = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})
_FEW: Final = 64  # numbers that are tried one by one


def is_implied(key: str, value: Json, rest: JsonObject) -> bool:
    """Whether every value that fits the rest of a node keeps a bound on numbers or lengths.

    >>> is_implied("maximum", 10, {"type": "integer", "exclusiveMaximum": 11})
    True
    >>> is_implied("maxLength", 63, {"type": "string", "pattern": "^[a-z]+$"})
    False
    """
    if key in {"minLength", "maxLength"}:
        pattern = rest.get("pattern")
        least, most = _widths(pattern) if pattern.__class__ is str else (0, None)
        return least >= value if key == "minLength" else most is not None and most <= value
    if key in _BOUNDS or key == "multipleOf":
        left = span([rest])
        whole = left.step is not None or types_of(rest) & {"integer", "number"} == {"integer"}
        if left.is_empty() or (whole and left.no_integer()):
            return True
        if key == "multipleOf":
            return _are_multiples(_exact(value), left, whole=whole)
        return _is_within(key, Fraction(value), left, whole=whole)
    return False


def _widths(pattern: str) -> tuple[int, int | None]:
    from toolcanon.schema.sampling.strings import widths  # noqa: PLC0415 - few schemas need it

    return widths(pattern)


def _exact(number: Json) -> Fraction | None:
    from toolcanon.schema.sampling.scalars import exact  # noqa: PLC0415 - few schemas need it

    return exact(number)


def _is_within(key: str, limit: Fraction, left: Span, *, whole: bool) -> bool:
    """Whether all that is left keeps a bound."""
    low, high = left.ends() if whole else (left.low, left.high)
    edge, is_open = (low, left.above) if key.endswith("inimum") else (high, left.below)
    if edge is None:
        return False
    if edge == limit:
        return not key.startswith("exclusive") or (is_open and not whole)
    return edge > limit if key.endswith("inimum") else edge < limit


def _are_multiples(factor: Fraction | None, left: Span, *, whole: bool) -> bool:
    if not factor or factor < 0:
        return False
    if not whole:
        return left.low is not None and left.low == left.high and _is_multiple(left.low, factor)
    step = left.step or 1
    if _is_multiple(Fraction(step), factor):
        return True
    low, high = left.ends()
    if low is None or high is None or (high - low) // step >= _FEW:
        return False
    return all(_is_multiple(Fraction(n), factor) for n in range(low, high + 1, step))


def _is_multiple(number: Fraction, factor: Fraction) -> bool:
    return (number / factor).denominator == 1
