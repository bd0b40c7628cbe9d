"""What a report is before it is written: findings, and a matrix if there is one.

Whoever has something to report makes a ``Document``; every writer takes one and knows nothing of
where it came from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Final, get_args

from toolcanon.diagnostics import Finding, Level
from toolcanon.jsonio.types import JsonObject
from toolcanon.text.markup import Tone

LEVELS: Final[tuple[Level, ...]] = get_args(Level)
"""Worst first."""


@dataclass(frozen=True, slots=True)
class Square:
    """One field of a matrix."""

    word: str
    tone: Tone
    is_marked: bool = False
    """Whether the matrix's footnote applies."""
    note: str = ""
    """A little more than the word."""

    @property
    def text(self) -> str:
        return f"{self.word}*" if self.is_marked else self.word


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows and columns with a square where they meet."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    squares: tuple[tuple[Square, ...], ...]
    """Row by row, a square for each column."""
    words: Mapping[str, Tone]
    """Every word that squares can say, worst first."""
    footnote: str = ""
    """What the mark means."""
    row_noun: str = "tool"
    column_noun: str = "target"

    def count(self, column: int) -> dict[str, int]:
        """How often each word stands in a column, worst first."""
        found = Counter(row[column].word for row in self.squares)
        return {word: found[word] for word in self.words}

    def troubled(self) -> list[int]:
        """The rows with anything but good in them, worst first, then in order."""
        ranks = {word: rank for rank, word in enumerate(self.words)}
        worst = {
            number: min(ranks[square.word] for square in row)
            for number, row in enumerate(self.squares)
            if any(square.tone != "good" for square in row)
        }
        return sorted(worst, key=worst.__getitem__)

    @property
    def has_marks(self) -> bool:
        return any(square.is_marked for row in self.squares for square in row)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a code stands for, as ``explain`` has it."""

    code: str
    name: str
    says: str
    why: str = ""
    remedy: str = ""
    level: Level | None = None
    """How bad as a rule."""


@dataclass(frozen=True, slots=True)
class Document:
    """Something to report."""

    title: str
    findings: tuple[Finding, ...]
    about: str = ""
    """What was looked at: a file, a command, an address."""
    subjects: tuple[str, ...] = ()
    """Everything that was looked at one by one, in order; tools as a rule."""
    matrix: Matrix | None = None
    meanings: Mapping[str, Meaning] = field(default_factory=dict)
    """By code, for every code among the findings."""
    data: JsonObject | None = None
    """The same for programs; made from the findings when there is nothing better."""
    suppressed: int = 0
    noun: str = "tool"
    """What a subject is."""

    def counts(self) -> dict[Level, int]:
        """Findings by level, worst first."""
        found = Counter(finding.level for finding in self.findings)
        return {level: found[level] for level in LEVELS}

    def meaning(self, finding: Finding) -> Meaning:
        """What its code stands for; what it says itself when nobody knows."""
        known = self.meanings.get(finding.code)
        return known or Meaning(finding.code, finding.name, finding.name.replace("-", " "))

    def totals(self) -> str:
        """One line, without a word from the input."""
        parts = [counted(len(self.subjects), self.noun)] if self.subjects else []
        if self.matrix is not None:
            parts.append(counted(len(self.matrix.columns), self.matrix.column_noun))
        said = [counted(count, level) for level, count in self.counts().items() if count]
        parts.append(", ".join(said) or "nothing to complain of")
        if self.suppressed:
            parts.append(f"{self.suppressed:,} suppressed")
        return "; ".join(parts)

    def to_dict(self) -> JsonObject:
        """Plain JSON."""
        if self.data is not None:
            return self.data
        return {"title": self.title, "findings": [item.to_dict() for item in self.findings]}


def counted(count: int, noun: str) -> str:
    """A number with its noun; "info" has no plural."""
    return f"{count:,} {noun}{'' if count == 1 or noun == 'info' else 's'}"


def failing(findings: Sequence[Finding], fail_on: Level) -> list[Finding]:
    """Those of a level, and worse ones."""
    wanted = LEVELS[: LEVELS.index(fail_on) + 1]
    return [finding for finding in findings if finding.level in wanted]


def our_version() -> str:
    """The version of toolcanon; the package itself stands above every layer, so it is asked for."""
    return str(import_module("toolcanon").__version__)
