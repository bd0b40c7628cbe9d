"""How likely it is that chance alone made a difference, and how many such differences to believe.

Presence is compared by Fisher's exact test. Where something came in all of n responses and in none
of m, that is one in (n+m choose m), nearly what the rule of three or a Beta posterior say as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from toolcanon.diagnostics.change import Change

_NEGLIGIBLE: Final = 1e-18
_UNLIKELY: Final = 0.1
_TWICE: Final = 2


class Trial(NamedTuple):
    """One question that was asked of the numbers."""

    p: float
    """How likely the answer is if nothing changed."""
    least: float
    """The smallest that could have come out; a question that can only be answered no is none."""
    change: Change | None = None


def fewer(known: float, before: float, now_known: float, now: float) -> tuple[float, float]:
    """Fisher's test that a share has become smaller, and the least it could have given.

    >>> round(fewer(12, 12, 0, 3)[0], 4), round(fewer(12, 12, 0, 1)[0], 2)
    (0.0022, 0.08)
    """
    all_before, all_now = max(0, round(before)), max(0, round(now))
    k, j = min(round(known), all_before), min(round(now_known), all_now)
    total, marked = all_before + all_now, k + j
    lowest = max(0, marked - all_before)

    def at(hits: int) -> float:
        ways = _choose(marked, hits) + _choose(total - marked, all_now - hits)
        return math.exp(ways - _choose(total, all_now))

    tail = 0.0
    for hits in range(j, lowest - 1, -1):
        more = at(hits)
        tail += more
        if more < _NEGLIGIBLE:
            break
    return min(1.0, tail), min(1.0, at(lowest))


def at_least(hits: int, tries: int, share: float) -> float:
    """The chance of so many hits or more, when each has this share."""
    below = sum(
        math.exp(_choose(tries, k) + k * math.log(share) + (tries - k) * math.log1p(-share))
        for k in range(hits)
    )
    return max(0.0, 1.0 - below)


def no_accident(times: float, before: float, now: float) -> bool:
    """Whether something that never came in so many comes too often now: twice at least.

    Before, its share may have been as large as one in one more than were seen.
    """
    hits = round(times)
    if hits < _TWICE:
        return False
    return at_least(hits, max(hits, round(now)), 1 / (before + 1)) < _UNLIKELY


def ranks(
    superiority: float, before: float, now: float, shares: Mapping[int, float]
) -> tuple[float, float]:
    """The test of Mann and Whitney by its normal approximation, ties taken into account.

    ``shares`` are those of equal numbers among all.
    """
    free = 1.0 - sum(share**3 for share in shares.values())
    if min(before, now) < 1 or free <= 0:
        return 1.0, 1.0
    scale = math.sqrt(12 * before * now / ((before + now + 1) * free))
    away = math.erfc(abs(superiority - 0.5) * scale / math.sqrt(2))
    return away, math.erfc(0.5 * scale / math.sqrt(2))


def believed(trials: Iterable[Trial], alpha: float) -> list[Trial]:
    """Those that hold when so many are asked at once (Benjamini and Hochberg).

    Questions that no answer could have made significant do not count (Tarone).
    """
    asked = sorted((one for one in trials if one.least <= alpha), key=lambda one: one.p)
    holds = 0
    for rank, one in enumerate(asked, 1):
        if one.p <= alpha * rank / len(asked):
            holds = rank
    return asked[:holds]


def _choose(n: int, k: int) -> float:
    """The logarithm of n over k."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
