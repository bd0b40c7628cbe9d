"""The result of a check: a matrix of tools and targets, findings, and a baseline of known ones.

A finding is identified by its code, its tool, the place in the tool and the target; not by its
line, which moves, nor by its message, which may be reworded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias, get_args

from toolcanon.diagnostics import Finding, Level
from toolcanon.errors import BadConfig, CheckFailed
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.text import safe
from toolcanon.text.display import Tone, table

Verdict: TypeAlias = Literal["ok", "lossy", "rejected", "unknown"]
VERDICTS: Final[tuple[Verdict, ...]] = ("rejected", "unknown", "lossy", "ok")
"""Worst first."""
TONES: Final[dict[str, Tone]] = {
    "rejected": "bad",
    "unknown": "unsure",
    "lossy": "fair",
    "ok": "good",
}
"""How reports grade verdicts, worst first."""
LEVELS: Final[tuple[Level, ...]] = get_args(Level)
"""Worst first."""
_CHECK_FORMAT: Final = "check.v1"
_SHOWN: Final = 200
_ROWS: Final = 50
"""The largest number of tools in a notebook's table."""


@dataclass(frozen=True, slots=True)
class TargetOutcome:
    """The result of one tool for one target."""

    verdict: Verdict
    is_rewritten: bool = False
    """Whether the target would reject it or change its meaning without a rewrite."""
    narrowed: int = 0
    widened: int = 0
    hints: int = 0
    """The number of hints that the target does not pass to its model."""

    @property
    def text(self) -> str:
        """Return the verdict, with an asterisk where it holds for the rewritten tool only."""
        return f"{self.verdict}*" if self.is_rewritten else self.verdict

    def to_dict(self) -> JsonObject:
        return {
            "verdict": self.verdict,
            "rewritten": self.is_rewritten,
            "narrowed": self.narrowed,
            "widened": self.widened,
            "hints": self.hints,
        }


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The result of ``check``."""

    tools: tuple[str, ...]
    """The names of the tools, in order."""
    targets: tuple[str, ...]
    """The names of the targets, in order."""
    cells: dict[str, dict[str, TargetOutcome]]
    """The outcomes by tool, then by target."""
    findings: tuple[Finding, ...]
    """Worst first, then in the order of the tools."""
    suppressed: tuple[Finding, ...] = field(default=())
    """Findings that the configuration or a baseline excludes from the report."""

    @property
    def matrix(self) -> dict[str, dict[str, Verdict]]:
        """The verdicts alone: ``matrix[tool][target]``."""
        return {
            tool: {target: cell.verdict for target, cell in row.items()}
            for tool, row in self.cells.items()
        }

    @property
    def compatible(self) -> bool | None:
        """Whether every target accepts every tool; None when that is unknown."""
        found = {cell.verdict for row in self.cells.values() for cell in row.values()}
        if "rejected" in found:
            return False
        return None if "unknown" in found else True

    def worst(self, target: str) -> Verdict:
        """Return the worst verdict for a target."""
        found = {row[target].verdict for row in self.cells.values() if target in row}
        return next((verdict for verdict in VERDICTS if verdict in found), "ok")

    def counts(self) -> dict[Level, int]:
        """The number of findings of each level, worst first."""
        found = Counter(finding.level for finding in self.findings)
        return {level: found[level] for level in LEVELS}

    def at_least(self, level: Level) -> tuple[Finding, ...]:
        """Return the findings of a level and worse ones."""
        wanted = LEVELS[: LEVELS.index(level) + 1]
        return tuple(finding for finding in self.findings if finding.level in wanted)

    def raise_if(self, level: Level | Verdict = "error") -> None:
        """Raise CheckFailed on findings of a level or worse, or on a verdict or a worse one."""
        if level in LEVELS:
            found: Iterable[Finding] = self.at_least(level)
            said = [safe(f"{item.subject}: {item.message}", _SHOWN) for item in found]
        elif level in VERDICTS:
            wanted = VERDICTS[: VERDICTS.index(level) + 1]
            said = [
                f"{safe(tool, _SHOWN)}: {cell.verdict} for {safe(target, _SHOWN)}"
                for tool, row in self.cells.items()
                for target, cell in row.items()
                if cell.verdict in wanted
            ]
        else:
            raise ValueError(f"{level!r} is not one of {', '.join((*LEVELS, *VERDICTS))}")
        if said:
            raise CheckFailed(level, tuple(said))

    def to_dict(self) -> JsonObject:
        """Return plain JSON, as docs/schemas/check.v1.json describes it."""
        return {
            "schema": _CHECK_FORMAT,
            "targets": list(self.targets),
            "tools": [
                {
                    "name": tool,
                    "targets": {
                        target: cell.to_dict() for target, cell in self.cells[tool].items()
                    },
                }
                for tool in self.cells
            ],
            "compatible": self.compatible,
            "counts": {**self.counts()},
            "findings": [finding.to_dict() for finding in self.findings],
            "suppressed": [finding.to_dict() for finding in self.suppressed],
        }

    def _repr_html_(self) -> str:
        """Return the matrix and the totals as HTML, for notebooks."""
        rows: list[list[str | tuple[str, Tone]]] = [
            [tool, *((cell.text, TONES[cell.verdict]) for cell in self.cells[tool].values())]
            for tool in self.tools[:_ROWS]
        ]
        left = len(self.tools) - _ROWS
        more = [f"… and {left:,} more tools"] if left > 0 else []
        counts = ", ".join(f"{level} {count:,}" for level, count in self.counts().items())
        return table(("tool", *self.targets), rows, (*more, f"findings: {counts}"))


_BASELINE_FORMAT: Final = "check-baseline.v1"
_FIELDS: Final = ("code", "tool", "at", "target")
Key: TypeAlias = tuple[str, ...]


def key_of(finding: Finding) -> Key:
    """Return what identifies a finding."""
    return (finding.code, finding.subject, str(finding.at), finding.target)


def baseline_of(findings: Iterable[Finding]) -> JsonObject:
    """Return the findings as a document in a stable order, each as often as it was found."""
    keys = sorted(key_of(finding) for finding in findings)
    return {
        "schema": _BASELINE_FORMAT,
        "known": [dict(zip(_FIELDS, key, strict=True)) for key in keys],
    }


def known_before(document: Json, file: str) -> Counter[Key]:
    """Return the findings of a baseline document with their counts. Raises BadConfig."""
    entries = document.get("known") if isinstance(document, dict) else None
    if not isinstance(entries, list) or document.get("schema") != _BASELINE_FORMAT:
        raise BadConfig(file, "schema", "this is not a baseline; --write-baseline creates one")
    found: Counter[Key] = Counter()
    for number, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise BadConfig(file, f"known[{number}]", "it must be an object")
        found[tuple(str(entry.get(field, "")) for field in _FIELDS)] += 1
    return found


def without(report: CheckReport, known: Counter[Key]) -> CheckReport:
    """Return the report with recorded findings moved to the ignored ones; further ones are kept."""
    left = Counter(known)
    kept: list[Finding] = []
    aside = list(report.suppressed)
    for finding in report.findings:
        key = key_of(finding)
        if left[key] > 0:
            left[key] -= 1
            aside.append(finding)
        else:
            kept.append(finding)
    return replace(report, findings=tuple(kept), suppressed=tuple(aside))
