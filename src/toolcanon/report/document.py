"""A report before it is written, its options, and the writers by name.

Checks and comparisons make a ``Document``; the writers take one and know nothing of its origin.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Final, Self, TextIO, cast, get_args

from toolcanon.checking.outcome import CheckReport
from toolcanon.diagnostics import Finding, Level
from toolcanon.drift.report import DiffReport
from toolcanon.jsonio.types import JsonObject
from toolcanon.text import safe_json
from toolcanon.text.display import Tone

__all__ = ["WRITERS", "Look", "ReportWriter"]

_WIDTH: Final = 100
_NARROWEST: Final = 40
_DIGITS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """The defaults are for a pipe that takes UTF-8."""

    fail_on: Level = "error"
    verbose: bool = False
    colour: bool = False
    ascii: bool = False
    """Whether to escape non-ASCII characters."""
    width: int = _WIDTH
    """The longest line of a table."""

    @classmethod
    def of(
        cls,
        stream: TextIO,
        environ: Mapping[str, str],
        *,
        fail_on: Level = "error",
        verbose: bool = False,
    ) -> Self:
        """Return the options for a stream. ``NO_COLOR`` takes precedence over ``FORCE_COLOR``."""
        encoding = (getattr(stream, "encoding", None) or "ascii").lower().replace("_", "-")
        return cls(
            fail_on=fail_on,
            verbose=verbose,
            colour=_wants_colour(stream, environ),
            ascii=not encoding.startswith("utf"),
            width=max(_columns(stream, environ), _NARROWEST),
        )


def _columns(stream: TextIO, environ: Mapping[str, str]) -> int:
    columns = environ.get("COLUMNS", "")
    if columns.isdecimal() and len(columns) <= _DIGITS:
        return int(columns)
    try:
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):  # not a terminal, or not a number
        return _WIDTH


def _wants_colour(stream: TextIO, environ: Mapping[str, str]) -> bool:
    if environ.get("NO_COLOR"):
        return False
    if forced := environ.get("FORCE_COLOR"):
        return forced != "0"
    return stream.isatty() and environ.get("TERM") != "dumb"


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
class ReportDocument:
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


@dataclass(frozen=True, slots=True)
class ReportWriter:
    """Writes a document, or a report via its document; called as a function."""

    module: str
    function: str

    def __call__(
        self, report: ReportDocument | CheckReport | DiffReport, look: Look | None = None
    ) -> str:
        """Return the report as text, with a line break at the end."""
        document = report if isinstance(report, ReportDocument) else _document(report)
        module = import_module(f"toolcanon.report.{self.module}")
        write = cast("Callable[[ReportDocument, Look], str]", getattr(module, self.function))
        return write(document, look or Look())


def _document(report: CheckReport | DiffReport) -> ReportDocument:
    if isinstance(report, DiffReport):
        from toolcanon.report.changed import diff_document  # noqa: PLC0415 - when there is one

        return diff_document(report)
    from toolcanon.report.checked import check_document  # noqa: PLC0415 - imports every rule

    return check_document(report)


def json_report(document: ReportDocument, look: Look) -> str:
    """Return the document as JSON, as described in docs/schemas."""
    del look
    return safe_json(document.to_dict()) + "\n"


WRITERS: Final[dict[str, ReportWriter]] = {
    "text": ReportWriter("plain_text", "text_report"),
    "json": ReportWriter("document", "json_report"),
    "sarif": ReportWriter("ci", "sarif_report"),
    "junit": ReportWriter("ci", "junit_report"),
    "github": ReportWriter("ci", "github_report"),
    "gitlab": ReportWriter("ci", "gitlab_report"),
    "markdown": ReportWriter("markdown", "markdown_report"),
    "html": ReportWriter("page", "html_report"),
}
