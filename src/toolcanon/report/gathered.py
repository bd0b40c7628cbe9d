"""Group findings: a problem of several targets is reported once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from toolcanon.diagnostics import Finding, Level
from toolcanon.report.document import LEVELS


@dataclass(slots=True)
class Gathered:
    """A finding with all its targets; ``finding`` is the first of them."""

    finding: Finding
    targets: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    quotes: list[str] = field(default_factory=list)

    @property
    def places(self) -> list[str]:
        """Return the place in the file, if known, and the place in the tool."""
        found = self.finding
        known = [str(found.place)] if found.place else []
        return [*known, str(found.at) or "/"] if found.at or not known else known


@dataclass(frozen=True, slots=True)
class Kind:
    """Findings of one code and level."""

    code: str
    name: str
    level: Level
    items: tuple[Gathered, ...]

    @property
    def subjects(self) -> list[str]:
        return list(dict.fromkeys(item.finding.subject for item in self.items))

    def shared(self, field: str) -> list[str]:
        """Return the different values of a field of the findings, in order."""
        return list(dict.fromkeys(text for item in self.items for text in getattr(item, field)))

    @property
    def remedies(self) -> list[str]:
        texts = (item.finding.remedy for item in self.items)
        return list(dict.fromkeys(text for text in texts if text))


def gathered(findings: Iterable[Finding]) -> list[Gathered]:
    """Group findings that differ only in their target, in their first order."""
    found: dict[tuple[object, ...], Gathered] = {}
    for item in findings:
        key = (item.level, item.code, item.subject, item.at, item.message, item.place)
        entry = found.setdefault(key, Gathered(item))
        for kept, value in (
            (entry.targets, item.target),
            (entry.sources, item.source),
            (entry.quotes, item.quote),
        ):
            if value and value not in kept:
                kept.append(value)
    return list(found.values())


def kinds(findings: Iterable[Finding]) -> list[Kind]:
    """Group findings by code, worst level first, then by first occurrence."""
    by_kind: dict[tuple[Level, str], list[Gathered]] = {}
    for item in gathered(findings):
        by_kind.setdefault((item.finding.level, item.finding.code), []).append(item)
    made = [
        Kind(code, items[0].finding.name, level, tuple(items))
        for (level, code), items in by_kind.items()
    ]
    return sorted(made, key=lambda kind: LEVELS.index(kind.level))
