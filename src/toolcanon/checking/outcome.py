"""The result of a check: a matrix of tools and targets, and the findings behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, get_args

from toolcanon.diagnostics import Finding, Level
from toolcanon.errors import CheckFailed
from toolcanon.jsonio.types import JsonObject
from toolcanon.text import safe
from toolcanon.text.markup import Tone, table

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
_SCHEMA: Final = "check.v1"
_SHOWN: Final = 200
_ROWS: Final = 50
"""The largest number of tools in a notebook's table."""


@dataclass(frozen=True, slots=True)
class Cell:
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
    targets: tuple[str, ...]
    cells: dict[str, dict[str, Cell]]
    """By tool, then by target."""
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
            "schema": _SCHEMA,
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
