"""Whether a difference of samples may be chance.

Presence is compared by Fisher's exact test. Where something was in all of n responses and is in
none of m, that is one in (n+m choose m), close to the rule of three or a Beta posterior. For what
never occurred before and occurs now, the share that explains both best is used, since none is
known.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from toolcanon.diagnostics.change import SHAPE_CODES, Change, DriftVerdict, Severity
from toolcanon.drift.shapes.nodes import Node, TypeCounts
from toolcanon.jsonio import Pointer
from toolcanon.text import safe

_NEGLIGIBLE: Final = 1e-18
_NEAR_NOTHING: Final = 1e-12
_UNLIKELY: Final = 0.1
_TWICE: Final = 2
_STEPS: Final = 24


class Trial(NamedTuple):
    """One test."""

    p: float
    """The probability of the result if nothing changed."""
    least: float
    """The smallest possible probability; a test that can never be significant is not counted."""
    change: Change | None = None
    is_noted: bool = False
    """Whether it is noted even if it is not significant."""


def fewer(known: float, before: float, now_known: float, now: float) -> tuple[float, float]:
    """Return Fisher's p-value that a share became smaller, and the smallest possible one.

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
    """Return the probability of so many hits or more, when each has this share."""
    return math.exp(_log_at_least(hits, tries, share)) if hits > 0 else 1.0


def _log_at_least(hits: int, tries: int, share: float) -> float:
    """Sum from the largest term on, away from the middle, so that few terms are needed."""
    odds = share / (1 - share)
    first = _choose(tries, hits) + hits * math.log(share) + (tries - hits) * math.log1p(-share)
    term, k = 1.0, hits
    if hits >= tries * share:
        total = term
        while k < tries and term > total * _NEGLIGIBLE:
            term *= (tries - k) / (k + 1) * odds
            total += term
            k += 1
        return first + math.log(total)
    total = 0.0
    while k > 0 and term > total * _NEGLIGIBLE:
        term *= k / ((tries - k + 1) * odds)
        total += term
        k -= 1
    return math.log1p(-min(total * math.exp(first), 1 - _NEAR_NOTHING))


def sudden(times: float, before: float, now: float) -> tuple[float, float]:
    """Return an upper bound of the probability that something new occurs so often.

    Its share is unknown: a large one would have shown before, a small one would not show so often
    now. The largest probability of both is returned, with the smallest possible one. One occurrence
    is never significant.

    >>> [round(sudden(hits, 10, 10)[0], 3) for hits in (1, 2, 5, 10)]
    [1.0, 0.095, 0.004, 0.0]
    """
    n, m = max(0, round(before)), max(0, round(now))
    hits = min(round(times), m)
    if not n or not m:
        return 1.0, 1.0
    least = math.exp(n * math.log(n / (n + m)) + m * math.log(m / (n + m)))
    if hits < _TWICE:
        return 1.0, least

    def both(share: float) -> float:
        return n * math.log1p(-share) + _log_at_least(hits, m, share)

    low, high = 0.0, 1.0
    for _ in range(_STEPS):  # there is only one peak: both logarithms are concave
        third = (high - low) / 3
        if both(low + third) < both(high - third):
            low += third
        else:
            high -= third
    return math.exp(both((low + high) / 2)), least


def no_accident(times: float, before: float, now: float) -> bool:
    """Return whether something that never occurred before occurs too often now: at least twice.

    Its share before may have been as large as one in one more than the samples.
    """
    hits = round(times)
    if hits < _TWICE:
        return False
    return at_least(hits, max(hits, round(now)), 1 / (before + 1)) < _UNLIKELY


def ranks(
    superiority: float, before: float, now: float, shares: Mapping[int, float]
) -> tuple[float, float]:
    """Return the p-values of the Mann-Whitney test by its normal approximation with ties.

    ``shares`` are those of equal numbers among all.
    """
    free = 1.0 - sum(share**3 for share in shares.values())
    if min(before, now) < 1 or free <= 0:
        return 1.0, 1.0
    scale = math.sqrt(12 * before * now / ((before + now + 1) * free))
    away = math.erfc(abs(superiority - 0.5) * scale / math.sqrt(2))
    return away, math.erfc(0.5 * scale / math.sqrt(2))


def believed(trials: Iterable[Trial], alpha: float) -> list[Trial]:
    """Return the significant ones of many tests (Benjamini and Hochberg).

    Tests that can never be significant do not count (Tarone).
    """
    asked = sorted((one for one in trials if one.least <= alpha), key=lambda one: one.p)
    holds = 0
    for rank, one in enumerate(asked, 1):
        if one.p <= alpha * rank / len(asked):
            holds = rank
    return asked[:holds]


def _choose(n: int, k: int) -> float:
    """Return the logarithm of n over k."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


CODES: Final = {entry.name: entry for entry in SHAPE_CODES}
_SEVERITIES: Final[dict[DriftVerdict, Severity]] = {
    "security": "high",
    "breaking": "high",
    "compatible": "info",
}
_LONGEST: Final = 120
_MOST_NOTES: Final = 20
_MOST_CHANGES: Final = 500


class SamplePlace(NamedTuple):
    """A place, and the weight of a sample there on either side."""

    path: tuple[str, ...]
    before: float
    """Below a map, the values of one response count little more than one of them."""
    now: float

    def under(self, step: str) -> SamplePlace:
        return SamplePlace((*self.path, step), self.before, self.now)

    @property
    def words(self) -> str:
        return safe(".".join(self.path), _LONGEST) or "the response"


@dataclass
class ComparisonRun:
    """The results of a comparison."""

    tool: str
    samples: tuple[int, int]
    """The number of responses on either side."""
    is_mixed: bool = False
    """Whether many places of the baseline have several types: another one is weak evidence."""
    changes: list[Change] = field(default_factory=list)
    trials: list[Trial] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def weights(
        self, site: SamplePlace, old: TypeCounts | Node, new: TypeCounts | Node
    ) -> tuple[float, float]:
        """Return the largest numbers of independent samples on either side."""
        return (
            min(old.samples * site.before, self.samples[0]),
            min(new.samples * site.now, self.samples[1]),
        )

    def tell(self, name: str, site: SamplePlace, message: str, **more: Any) -> None:
        """Report a change that needs no test."""
        self.tell_change(self.change(name, site, message, **more))

    def tell_change(self, change: Change) -> None:
        if len(self.changes) < _MOST_CHANGES:
            self.changes.append(change)
        else:
            self.note(f"more than {_MOST_CHANGES} changes; the others are not listed")

    def ask(
        self, chance: tuple[float, float], change: Change | None, *, is_noted: bool = False
    ) -> None:
        """Report a change only if it is significant; None for no change."""
        p, least = chance
        self.trials.append(Trial(p if change is not None else 1.0, least, change, is_noted))

    def note(self, words: str) -> None:
        if len(self.notes) < _MOST_NOTES and words not in self.notes:
            self.notes.append(words)

    def change(  # noqa: PLR0913 - one keyword for each field
        self,
        name: str,
        site: SamplePlace,
        message: str,
        *,
        verdict: DriftVerdict | None = None,
        severity: Severity | None = None,
        before: str | None = None,
        after: str | None = None,
        hint: str = "",
    ) -> Change:
        entry = CODES[name]
        verdict = verdict or entry.verdict
        place = Pointer(site.path)
        gone, fresh = name.endswith("-vanished"), name.endswith("-added")
        return Change(
            entry.code, name, verdict, severity or _SEVERITIES[verdict],
            f"{site.words}: {message}", self.tool, None if gone else place,
            None if fresh else place, before, after, hint=hint,
            reason="found in responses, which are not kept" if verdict == "breaking" else "",
            model_visible=True,
        )  # fmt: skip


def share(part: int, tally: TypeCounts | Node, weight: float) -> float:
    """Return the number of independent samples that a part of the values represents."""
    return part / tally.count * weight if tally.count else 0.0
