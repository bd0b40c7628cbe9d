"""Findings as text: the problem, its place, the remedy, and the provider's message."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, get_args

from toolcanon.diagnostics import Finding
from toolcanon.diagnostics.finding import Level
from toolcanon.text import safe

LEVELS: Final[tuple[Level, ...]] = get_args(Level)
"""The levels, worst first."""
_MOST: Final = 10
_SHOWN: Final = 200


def finding_lines(target: str, findings: Sequence[Finding]) -> Iterator[str]:
    """Yield a headline for a target, then its findings by kind, worst first."""
    counts = Counter(finding.level for finding in findings)
    totals = [_count(counts[level], level) for level in LEVELS if counts[level]]
    yield f"{safe(target, _SHOWN)}: {', '.join(totals) or 'no findings'}"
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in sorted(findings, key=lambda found: LEVELS.index(found.level)):
        groups.setdefault((finding.level, finding.code, finding.quote), []).append(finding)
    for group in groups.values():
        yield from _group(group)


def _count(count: int, level: str) -> str:
    return f"{count:,} {level}{'s' if count != 1 and level != 'info' else ''}"


def _group(group: list[Finding]) -> Iterator[str]:
    first = group[0]
    yield f"  {first.level}[{first.code}] {first.name}"
    for finding in group[:_MOST]:
        about = finding.subject if finding.subject not in finding.message else ""
        subject = f" ({safe(about, 60)})" if about else ""
        place = safe(str(finding.at) or "/", _SHOWN)
        yield f"    {place}: {safe(finding.message, _SHOWN)}{subject}"
    if len(group) > _MOST:
        yield f"    … and {len(group) - _MOST:,} more places; --json lists all"
    if first.remedy:
        yield f"    remedy: {safe(first.remedy)}"
    if first.quote:
        yield f'        provider answers: "{safe(first.quote)}"'
