"""A comparison in progress: certain changes, tests, and notes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from toolcanon.diagnostics.change import Change, DriftVerdict, Severity
from toolcanon.diagnostics.shape_codes import SHAPE_CODES
from toolcanon.drift.shapes.chances import Trial
from toolcanon.drift.shapes.nodes import Node, Tally
from toolcanon.jsonio import Pointer
from toolcanon.text import safe

CODES: Final = {entry.name: entry for entry in SHAPE_CODES}
_SEVERITIES: Final[dict[DriftVerdict, Severity]] = {
    "security": "high",
    "breaking": "high",
    "compatible": "info",
}
_LONGEST: Final = 120
_MOST_NOTES: Final = 20
_MOST_CHANGES: Final = 500


class Site(NamedTuple):
    """A place, and the weight of a sample there on either side."""

    path: tuple[str, ...]
    before: float
    """Below a map, the values of one response count little more than one of them."""
    now: float

    def under(self, step: str) -> Site:
        return Site((*self.path, step), self.before, self.now)

    @property
    def words(self) -> str:
        return safe(".".join(self.path), _LONGEST) or "the response"


@dataclass
class Run:
    """The results of a comparison."""

    tool: str
    samples: tuple[int, int]
    """The number of responses on either side."""
    is_mixed: bool = False
    """Whether many places of the baseline have several types: another one is weak evidence."""
    changes: list[Change] = field(default_factory=list)
    trials: list[Trial] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def weights(self, site: Site, old: Tally | Node, new: Tally | Node) -> tuple[float, float]:
        """Return the largest numbers of independent samples on either side."""
        return (
            min(old.samples * site.before, self.samples[0]),
            min(new.samples * site.now, self.samples[1]),
        )

    def tell(self, name: str, site: Site, message: str, **more: Any) -> None:
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
        site: Site,
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


def share(part: int, tally: Tally | Node, weight: float) -> float:
    """Return the number of independent samples that a part of the values represents."""
    return part / tally.count * weight if tally.count else 0.0
