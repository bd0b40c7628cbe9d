"""Compare numbers and lists: their range, precision and length."""

from __future__ import annotations

from typing import Final

from toolcanon.drift.shapes.buckets import bucket, quantile, superiority
from toolcanon.drift.shapes.chances import fewer, ranks
from toolcanon.drift.shapes.meanings import is_expected, meaning_of
from toolcanon.drift.shapes.nodes import Booleans, Lists, Numbers
from toolcanon.drift.shapes.run import Run, Site, share

_CLEAR: Final = 0.9
"""The share of pairs in which the new number must be the larger (or the smaller) one."""
_ENOUGH: Final = 4
_QUARTERS: Final = (0.25, 0.5, 0.75)
_FACTORS: Final = (60, 100, 1000, 1024, 3600, 86_400, 1_000_000, 1_000_000_000)
_NEAR, _NOT_FAR = 0.2, 0.4
_REST: Final = 0.1
"""The share of former values that may remain in a change of all."""
_SHORTEST_CAP: Final = 5
_FEWEST: Final = 3


def compare_numbers(run: Run, old: Numbers, new: Numbers, site: Site) -> None:
    weights = run.weights(site, old, new)
    _precision(run, old, new, site, weights)
    if min(weights) < _ENOUGH or not old.buckets or not new.buckets:
        return
    larger = superiority(old.buckets, new.buckets)
    total = sum(old.buckets.values()), sum(new.buckets.values())
    places = old.buckets.keys() | new.buckets.keys()
    shares = {
        place: (
            old.buckets.get(place, 0) / total[0] * weights[0]
            + new.buckets.get(place, 0) / total[1] * weights[1]
        )
        / sum(weights)
        for place in places
    }
    chance = ranks(larger, *weights, shares)
    if 1 - _CLEAR <= larger <= _CLEAR:
        run.ask(chance, None)
        return
    factor = _factor(old, new)
    way = "larger" if larger > _CLEAR else "smaller"
    is_whole = old.whole == old.count and new.whole == new.count
    least = quantile(old.buckets, _QUARTERS[0])
    if is_expected(meaning_of(site.path), way, least, is_whole=is_whole, has_factor=bool(factor)):
        run.ask(chance, None)
        run.note(
            f"{site.words}: numbers are {way} than before, as expected of identifiers and times"
        )
        return
    message = f"nearly all numbers are {way} than before{factor and f', about {factor}'}"
    run.ask(chance, run.change("response-range-shifted", site, message, after=way,
                               severity="high" if factor else "medium",
                               hint="it looks like another unit" if factor else ""))  # fmt: skip


def _factor(old: Numbers, new: Numbers) -> str:
    """Return the factor between old and new numbers, if it is a usual one between units."""
    pairs = [(quantile(old.buckets, at), quantile(new.buckets, at)) for at in _QUARTERS]
    if any(one * other <= 0 for one, other in pairs):
        return ""
    ratios = [other / one for one, other in pairs]
    turned = [ratio if ratio >= 1 else 1 / ratio for ratio in ratios]
    for factor in _FACTORS:
        aside = [abs(ratio / factor - 1) for ratio in turned]
        if aside[1] < _NEAR and max(aside) < _NOT_FAR:
            return f"{factor:,} times" if ratios[0] > 1 else f"1/{factor:,}"
    return ""


def _precision(
    run: Run, old: Numbers, new: Numbers, site: Site, weights: tuple[float, float]
) -> None:
    if old.whole == old.count:
        chance = fewer(weights[0], weights[0], share(new.whole, new, weights[1]), weights[1])
        message = f"always integers before, {new.count - new.whole:,} of {new.count:,} are not now"
        run.ask(chance, None if new.whole == new.count else run.change(
            "response-precision-changed", site, message, severity="medium"))  # fmt: skip
    if _is_floated(old, new) and weights[0] >= _FEWEST:
        message = (
            f"integers beyond 2^53 before, {new.wide - new.exact:,} of {new.wide:,} are not now"
        )
        run.tell("response-precision-changed", site, message, severity="high",
                 hint="a double holds no more than 53 bits, so digits are lost")  # fmt: skip
    elif old.wide and new.wide:
        chance = fewer(
            (old.wide - old.rounded) / old.count * weights[0], old.wide / old.count * weights[0],
            (new.wide - new.rounded) / new.count * weights[1], new.wide / new.count * weights[1],
        )  # fmt: skip
        message = "every number beyond 2^53 now fits a double, which was not so before"
        run.ask(chance, None if new.rounded < new.wide else run.change(
            "response-precision-changed", site, message, severity="high",
            hint="digits were lost in a conversion to double"))  # fmt: skip


def _is_floated(old: Numbers, new: Numbers) -> bool:
    """Return whether numbers beyond 2^53 were all integers, and almost none is one now."""
    return 0 < old.wide == old.exact and new.exact < _REST * new.wide


def compare_booleans(run: Run, old: Booleans, new: Booleans, site: Site) -> None:
    if old.true not in {0, old.count}:
        return
    weights = run.weights(site, old, new)
    same = new.true if old.true else new.count - new.true
    chance = fewer(weights[0], weights[0], share(same, new, weights[1]), weights[1])
    message = "always the same before, always the opposite now"
    run.ask(chance, None if same else run.change("response-value-unseen", site, message,
                                                 severity="medium"))  # fmt: skip


def compare_lists(run: Run, old: Lists, new: Lists, site: Site) -> None:
    weights = run.weights(site, old, new)
    rates = old.filled * site.before, new.filled * site.now
    chance = fewer(min(rates[0], weights[0]), weights[0], min(rates[1], weights[1]), weights[1])
    message = f"not empty in {old.filled:,} of {old.samples:,} before, always empty now"
    emptied = run.change("response-list-emptied", site, message,
                         severity="high" if old.filled == old.samples else "medium")  # fmt: skip
    run.ask(chance, emptied if not new.filled else None)
    if new.filled:
        _cap(run, old, new, site, weights)


def _cap(run: Run, old: Lists, new: Lists, site: Site, weights: tuple[float, float]) -> None:
    """Report lists that end at a round length that was not common before."""
    top = new.longest
    if top < _SHORTEST_CAP or old.longest <= top or not _is_round(top):
        return
    end = bucket(top)
    longer = sum(times for place, times in old.lengths.items() if place > end)
    at_end = sum(times for place, times in old.lengths.items() if place == end)
    if new.at_longest < max(_FEWEST, new.count / 2) or at_end * 2 > old.count:
        return
    chance = fewer(share(longer, old, weights[0]), weights[0], 0, weights[1])
    message = (
        f"{new.at_longest:,} of {new.count:,} end at {top:,} and none is longer; "
        f"{longer:,} of {old.count:,} were longer before"
    )
    run.ask(chance, run.change("response-list-capped", site, message, severity="medium"))


def _is_round(length: int) -> bool:
    return length % 5 == 0 or length & (length - 1) == 0
