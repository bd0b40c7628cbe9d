"""Numbers in buckets, eight for each power of two: enough for ranks, too coarse for values.

The bucket of a number depends on the number alone, so sketches can be added exactly, in any order.
Integers up to fifteen have a bucket of their own; above, a bucket is at most an eighth of its lower
end wide.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

_SMALLEST, _LARGEST = -32, 65
"""Powers of two; larger numbers share the last bucket on their side."""
_BELOW: Final = 1 - 8 * _SMALLEST
LAST: Final = 8 * _LARGEST + _BELOW + 8


def bucket(number: float) -> int:
    """Return the bucket of a finite number; larger numbers have larger ones.

    >>> bucket(0), bucket(-3) == -bucket(3), bucket(15) < bucket(16) == bucket(17) < bucket(18)
    (0, True, True)
    """
    return _SMALL[number] if number in _SMALL else _placed(number)


def _placed(number: float) -> int:
    if number == 0:
        return 0
    try:
        mantissa, power = math.frexp(abs(number))
    except OverflowError:
        mantissa, power = 0.5, _LARGEST + 1
    if power < _SMALLEST:
        mantissa, power = 0.5, _SMALLEST
    elif power > _LARGEST:
        mantissa, power = 0.5, _LARGEST + 1
    place = 8 * power + int(mantissa * 16) - 8 + _BELOW
    return place if number > 0 else -place


_SMALL: Final[dict[float, int]] = {number: _placed(number) for number in range(256)}
"""Buckets of small integers, computed in advance: most lengths, and many numbers."""


def middle(place: int) -> float:
    """Return a representative number of a bucket."""
    if place == 0:
        return 0.0
    power, eighth = divmod(abs(place) - _BELOW, 8)
    return math.copysign(math.ldexp(8.5 + eighth, power - 4), place)


def quantile(sketch: Mapping[int, int], share: float) -> float:
    """Return approximately the number below which this share of all numbers is."""
    wanted, passed = share * sum(sketch.values()), 0
    for place in sorted(sketch):
        passed += sketch[place]
        if passed >= wanted:
            return middle(place)
    return 0.0


def superiority(one: Mapping[int, int], other: Mapping[int, int]) -> float:
    """Return the share of pairs in which the other number is larger; ties count half."""
    ones, others = sum(one.values()), sum(other.values())
    passed, wins = 0, 0.0
    for place in sorted(one.keys() | other.keys()):
        here = one.get(place, 0)
        wins += other.get(place, 0) * (passed + here / 2)
        passed += here
    return wins / (ones * others) if ones and others else 0.5
