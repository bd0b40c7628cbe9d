"""A report before it is written: findings, and a matrix if there is one.

Checks and comparisons make a ``Document``; the writers take one and know nothing of its origin.
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
"""The levels, worst first."""


@dataclass(frozen=True, slots=True)
class Square:
    """One cell of a matrix."""

    word: str
    tone: Tone
    is_marked: bool = False
    """Whether the matrix's footnote applies."""
    note: str = ""
    """Detail for the cell, for example counts."""

    @property
    def text(self) -> str:
        return f"{self.word}*" if self.is_marked else self.word


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows and columns with a square in each cell."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    squares: tuple[tuple[Square, ...], ...]
    """By row, a square for each column."""
    words: Mapping[str, Tone]
    """Every word that squares can show, worst first."""
    footnote: str = ""
    """The text of the footnote that marks refer to."""
    row_noun: str = "tool"
    column_noun: str = "target"

    def count(self, column: int) -> dict[str, int]:
        """Return how often each word occurs in a column, worst first."""
        found = Counter(row[column].word for row in self.squares)
        return {word: found[word] for word in self.words}

    def troubled(self) -> list[int]:
        """Return the rows with a square that is not good, worst first, then in order."""
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
    """The meaning of a code, as ``explain`` shows it."""

    code: str
    name: str
    says: str
    why: str = ""
    remedy: str = ""
    level: Level | None = None
    """The usual level."""


@dataclass(frozen=True, slots=True)
class Document:
    """The content of a report."""

    title: str
    findings: tuple[Finding, ...]
    about: str = ""
    """What was checked: a file, a command, an address."""
    subjects: tuple[str, ...] = ()
    """The names of everything that was checked, in order; usually tools."""
    matrix: Matrix | None = None
    meanings: Mapping[str, Meaning] = field(default_factory=dict)
    """Meanings by code, for the codes of the findings."""
    data: JsonObject | None = None
    """The report for programs; made from the findings when None."""
    suppressed: int = 0
    noun: str = "tool"
    """The noun for a subject."""

    def counts(self) -> dict[Level, int]:
        """Return the number of findings by level, worst first."""
        found = Counter(finding.level for finding in self.findings)
        return {level: found[level] for level in LEVELS}

    def meaning(self, finding: Finding) -> Meaning:
        """Return the meaning of a finding's code; for an unknown code, made from its name."""
        known = self.meanings.get(finding.code)
        return known or Meaning(finding.code, finding.name, finding.name.replace("-", " "))

    def totals(self) -> str:
        """Return one line of totals, which has no text from the input."""
        parts = [counted(len(self.subjects), self.noun)] if self.subjects else []
        if self.matrix is not None:
            parts.append(counted(len(self.matrix.columns), self.matrix.column_noun))
        counts = [counted(count, level) for level, count in self.counts().items() if count]
        parts.append(", ".join(counts) or "no findings")
        if self.suppressed:
            parts.append(f"{self.suppressed:,} suppressed")
        return "; ".join(parts)

    def to_dict(self) -> JsonObject:
        """Return plain JSON."""
        if self.data is not None:
            return self.data
        return {"title": self.title, "findings": [item.to_dict() for item in self.findings]}


def counted(count: int, noun: str) -> str:
    """Return a number with its noun; "info" has no plural."""
    return f"{count:,} {noun}{'' if count == 1 or noun == 'info' else 's'}"


def failing(findings: Sequence[Finding], fail_on: Level) -> list[Finding]:
    """Return the findings of this level and worse ones."""
    wanted = LEVELS[: LEVELS.index(fail_on) + 1]
    return [finding for finding in findings if finding.level in wanted]


def our_version() -> str:
    """Return the version of toolcanon, from its metadata: this layer cannot import the package."""
    return str(import_module("toolcanon").__version__)
