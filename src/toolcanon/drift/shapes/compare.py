"""Compare two shapes: certain changes, and those that are statistically significant.

A change of (almost) all values to another type is reported at once. Everything that may be chance
(a type or null among others, a missing member, a new value, a shifted range) is tested, all tests
together, so that a hundred members do not cause a false alarm by their number. Fewer than five
responses are not tested, and a note states it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from toolcanon.diagnostics.change import DRIFT_VERDICTS, SEVERITIES, Change, DriftVerdict
from toolcanon.drift.shapes.nodes import ITEMS, JSON, Node, TypeCounts
from toolcanon.drift.shapes.position_drift import (
    compare_booleans,
    compare_lists,
    compare_numbers,
    compare_texts,
    matched,
    wary_below,
)
from toolcanon.drift.shapes.shape import Shape
from toolcanon.drift.shapes.significance import (
    ComparisonRun,
    SamplePlace,
    Trial,
    believed,
    fewer,
    sudden,
)
from toolcanon.jsonio.types import JsonObject

_LEARNED: Final = 5
"""The number of responses that tests need."""
_TYPED: Final = 3
_REST: Final = 0.1
"""The share of the former types that may remain in a change of type."""
_MIXED: Final = 0.1
"""The share of places with several types above which another type is not unusual."""
_TWICE: Final = 2
_FAILED: Final = "(failed)"


@dataclass(frozen=True, slots=True)
class ShapeComparison:
    """The changes of a comparison, and what it could not decide."""

    changes: tuple[Change, ...] = ()
    """Worst first."""
    notes: tuple[str, ...] = ()
    """What was not tested, or occurred once and is reported if it recurs."""

    @property
    def verdict(self) -> DriftVerdict:
        """The worst verdict of the changes; ``identical`` when there is none."""
        found = {change.verdict for change in self.changes}
        return next((one for one in DRIFT_VERDICTS if one in found), "identical")

    def to_dict(self) -> JsonObject:
        changes = [change.to_dict() for change in self.changes]
        return {"verdict": self.verdict, "changes": changes, "notes": list(self.notes)}


def compare_shapes(
    baseline: Shape,
    recent: Shape,
    *,
    tool: str = "",
    alpha: float = 0.01,
    previous: Shape | None = None,
) -> ShapeComparison:
    """Compare recent responses with those of a baseline.

    ``alpha`` is the accepted rate of false alarms. With ``previous``, the window before this one,
    a tested change is reported only if both windows have it.
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha is a share between 0 and 1, not {alpha!r}")
    baseline.ensure_comparable(recent)
    certain, weighed, notes = _compared(baseline, recent, tool, alpha)
    if previous is not None and weighed:
        before = {
            _same(one) for one in compare_shapes(baseline, previous, tool=tool, alpha=alpha).changes
        }
        waiting = [one for one in weighed if _same(one) not in before]
        notes += [f"{one.message} (in one window; reported if the next has it)" for one in waiting]
        weighed = [one for one in weighed if _same(one) in before]
    return ShapeComparison(tuple(sorted([*certain, *weighed], key=_order)), tuple(notes))


def _same(change: Change) -> tuple[str, str]:
    return change.name, str(change.place)


def _order(change: Change) -> tuple[int, int, str, str]:
    rank = DRIFT_VERDICTS.index(change.verdict), SEVERITIES.index(change.severity)
    return (*rank, str(change.place), change.name)


def _compared(
    old: Shape, new: Shape, tool: str, alpha: float
) -> tuple[list[Change], list[Change], list[str]]:
    """Return the certain changes, the significant ones, and the notes."""
    if not new.samples:
        return [], [], ["no responses now: they were not compared"]
    calls = ComparisonRun(tool, (old.samples, new.samples))
    _failures(calls, old, new)
    answers = ComparisonRun(tool, (old.answers, new.answers))
    _roots(answers, old.root, new.root, SamplePlace((), 1.0, 1.0))
    failures = ComparisonRun(tool, (old.failures, new.failures))
    _roots(failures, old.failed, new.failed, SamplePlace((_FAILED,), 1.0, 1.0))
    runs = (calls, answers, failures)
    trials = [one for run in runs if run.samples[0] >= _LEARNED for one in run.trials]
    found = believed(trials, alpha)
    _note_insignificant(runs, found)
    notes = [note for run in runs for note in run.notes]
    if new.answers == 0:
        notes.insert(0, "every call failed: there is no answer to compare")
    elif old.answers < _LEARNED:
        progress = f"{old.answers} of {_LEARNED} responses"
        notes.insert(0, f"learning: {progress}; statistical tests begin after that")
    if new.cut:
        notes.append(f"{new.cut:,} responses were too large and inspected in part")
    weighed = [one.change for one in found if one.change is not None]
    return [change for run in runs for change in run.changes], weighed, notes


def _note_insignificant(runs: Iterable[ComparisonRun], found: list[Trial]) -> None:
    """Note changes that are not yet significant but important."""
    significant = set(map(id, found))
    for run in runs:
        for one in run.trials:
            if one.is_noted and one.change is not None and id(one) not in significant:
                run.note(f"learning: {one.change.message}; too few samples to be sure")


def _roots(run: ComparisonRun, old: Node, new: Node, site: SamplePlace) -> None:
    if run.samples[0] and run.samples[1]:
        run.is_mixed = _is_mixed(old)
        _nodes(run, old, new, site)
        return
    for at, words in wary_below(new, site):
        run.tell("response-instruction-injected", at, f"a text {words}")


def _failures(run: ComparisonRun, old: Shape, new: Shape) -> None:
    """Test whether more calls fail: fewer answers than chance explains."""
    is_more = new.failures * old.samples > _TWICE * old.failures * new.samples
    chance = fewer(old.answers, old.samples, new.answers, new.samples)
    now = f"{new.failures:,} of {new.samples:,} calls fail"
    message = f"{now}, {old.failures:,} of {old.samples:,} did"
    site = SamplePlace((), 1.0, 1.0)
    change = run.change("response-error-rate-raised", site, message, severity="medium")
    run.ask(chance, change if is_more else None)


def _nodes(run: ComparisonRun, old: Node, new: Node, site: SamplePlace) -> None:
    _types(run, old, new, site)
    if old.number is not None and new.number is not None:
        compare_numbers(run, old.number, new.number, site)
    if old.boolean is not None and new.boolean is not None:
        compare_booleans(run, old.boolean, new.boolean, site)
    if old.string is not None and new.string is not None:
        compare_texts(run, old.string, new.string, site)
    if old.array is not None and new.array is not None:
        compare_lists(run, old.array, new.array, site)
    for one, other, place in _below(run, old, new, site):
        _nodes(run, one, other, place)


def _below(
    run: ComparisonRun, old: Node, new: Node, site: SamplePlace
) -> Iterator[tuple[Node, Node, SamplePlace]]:
    pairs = (
        (JSON, old.string and old.string.json, new.string and new.string.json),
        (ITEMS, old.array and old.array.items, new.array and new.array.items),
    )
    for step, one, other in pairs:
        if one and other:
            yield one, other, site.under(step)
        elif other:
            for at, words in wary_below(other, site.under(step)):
                run.tell("response-instruction-injected", at, f"a new text {words}")
    if old.object is not None and new.object is not None:
        yield from matched(run, old.object, new.object, site)


def _is_mixed(root: Node) -> bool:
    """Return whether many places have values of several types."""
    typed = mixed = 0
    pending = [root]
    while pending:
        node = pending.pop()
        kinds = len(_kinds(node))
        typed += kinds > 0 and node.samples > 1
        mixed += kinds > 1
        pending += [below for _, below in node.below()]
    return mixed > _MIXED * typed


def _kinds(node: Node) -> dict[str, TypeCounts]:
    """Return the types of a place except null, which may replace any."""
    return {kind: tally for kind, tally in node.tallies() if kind not in {"null", "again"}}


def _types(run: ComparisonRun, old: Node, new: Node, site: SamplePlace) -> None:
    if old.again is not None:
        return
    _null(run, old, new, site)
    known, recent = _kinds(old), _kinds(new)
    if not known or len(known | recent) == 1:
        return
    fresh = {kind: tally for kind, tally in recent.items() if kind not in known}
    for kind, tally in fresh.items():
        _suspicious(run, kind, tally, site)
    chance = _sudden(run, max((one.samples for one in fresh.values()), default=0), old, new, site)
    if not fresh:
        run.ask(chance, None)
        return
    was, names = " or ".join(sorted(known)), " or ".join(fresh)
    times = sum(tally.count for tally in fresh.values())
    values = sum(tally.count for tally in recent.values())
    message = f"{was} before, {names} in {times:,} of {new.count:,} now"
    change = run.change("response-type-changed", site, message, before=was, after=names,
                        severity="high" if times == values else "medium")  # fmt: skip
    is_switch = values - times <= _REST * values and not run.is_mixed
    if is_switch and run.weights(site, old, new)[0] >= _TYPED:
        run.tell_change(change)
    else:
        run.ask(chance, change, is_noted=True)


def _sudden(
    run: ComparisonRun, samples: int, old: Node, new: Node, site: SamplePlace
) -> tuple[float, float]:
    """Return the probability that something in none of the old responses is in so many new ones.

    A response with more values has more chances of it, so fewer of the old ones count then.
    """
    before, now = run.weights(site, old, new)
    room = (old.count * new.samples) / max(1, new.count * old.samples)
    return sudden(samples * site.now, before * min(1.0, room), now)


def _suspicious(run: ComparisonRun, kind: str, tally: TypeCounts, site: SamplePlace) -> None:
    """Report suspicious texts where there were none."""
    holder = Node()
    setattr(holder, kind, tally)
    for at, words in wary_below(holder, site):
        run.tell("response-instruction-injected", at, f"a new text {words}")


def _null(run: ComparisonRun, old: Node, new: Node, site: SamplePlace) -> None:
    nulls = new.null
    if old.null is not None or nulls is None:
        if old.null is not None:
            run.ask(_sudden(run, 0, old, new, site), None)
        return
    message = f"null in {nulls.count:,} of {new.count:,}, never before"
    change = run.change("response-null-appeared", site, message,
                        severity="high" if nulls.count == new.count else "medium")  # fmt: skip
    run.ask(_sudden(run, nulls.samples, old, new, site), change, is_noted=True)
