"""One run of ``check``: check every input; report and skip what cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final, NamedTuple

from toolcanon.checking.merge import merged
from toolcanon.checking.outcome import CheckReport
from toolcanon.checking.payloads import Inspection, is_message
from toolcanon.cli.check_inputs import STDIN, Input, Rows, placed, placed_in_row
from toolcanon.cli.main import fail
from toolcanon.cli.options import accepted, talk, waiting
from toolcanon.config import Suppression
from toolcanon.diagnostics import Finding
from toolcanon.errors import NoTools, ToolcanonError
from toolcanon.jsonio import Limits, Loaded
from toolcanon.jsonio.types import Json
from toolcanon.sources import load_line
from toolcanon.text import safe

_MOST: Final = 10
"""How many rows of one input are reported one by one when they cannot be checked."""


class Judged(NamedTuple):
    """An input and its findings."""

    given: Input | Rows
    report: CheckReport
    rows: int = 0
    """How many rows were checked, each by itself."""

    @property
    def title(self) -> str:
        """Return the title above the report of this input."""
        return f"{self.given.name} ({self.rows:,} rows)" if self.rows else self.given.name


class Run:
    """The inspection, its results so far, and the exit status."""

    def __init__(
        self,
        inspection: Inspection,
        suppress: Sequence[Suppression],
        limits: Limits,
        duplicate_keys: str,
        *,
        stops: bool,
    ) -> None:
        """With ``stops``, an unreadable input ends the run, since files are to be written."""
        self.inspection, self.suppress, self.limits = inspection, suppress, limits
        self.allows_duplicates = duplicate_keys == "warn"
        self.stops = stops
        self.judged: list[Judged] = []
        self.status = 0
        """The exit status for inputs that could not be checked; 0 when all could."""

    def look(self, word: str, load: Callable[[], Input | Rows]) -> None:
        """Check one input."""
        try:
            given = load()
            self.judged.append(
                self._document(given) if isinstance(given, Input) else self._rows(given)
            )
        except ToolcanonError as error:
            if word != STDIN:
                talk(f"in {safe(word)}:")
            if self.stops:
                raise
            self._failed(error)

    def again(self, number: int, given: Input) -> None:
        """Check an input again after it was changed."""
        self.judged[number] = self._document(given)

    def _failed(self, error: ToolcanonError) -> None:
        self.status = max(self.status, fail(error))

    def _document(self, given: Input) -> Judged:
        with waiting() as show:
            report = self.inspection.report(given.payload, show, may_be_empty=given.is_live)
        return Judged(given, self._suppressed(report, placed(report.findings, given, self.limits)))

    def _rows(self, given: Rows) -> Judged:
        """Check each row by itself, unless the rows are the messages of one conversation."""
        lines = enumerate(given.lines)
        first = next(lines, None)
        if first is None:
            raise NoTools("the input is empty")
        if self._begins_history(first[1]):
            payload = [self._loaded(*line) for _, line in chain([first], lines)]
            return self._document(Input(given.name, payload, given.is_file, in_lines=True))
        return self._each(given, chain([first], lines))

    def _each(self, given: Rows, lines: Iterator[tuple[int, tuple[int, bytes]]]) -> Judged:
        reports: list[CheckReport] = []
        failures: list[ToolcanonError] = []
        with waiting() as show:
            for index, (number, line) in lines:
                show(f"{index:,} rows")
                try:
                    report = self._row(number, line)
                except ToolcanonError as error:
                    if self.stops:
                        raise
                    failures.append(error)
                    continue
                found = placed_in_row(report.findings, given.name, (index, number), line)
                reports.append(self._suppressed(report, found))
        if not reports:
            raise failures[0]
        self._report_failures(given.name, failures)
        return Judged(given, merged(reports), len(reports))

    def _suppressed(self, report: CheckReport, findings: Sequence[Finding]) -> CheckReport:
        """Return the report with these findings, without those that the project suppresses."""
        kept: list[Finding] = []
        aside: list[Finding] = []
        for finding in findings:
            is_aside = any(entry.covers(finding) for entry in self.suppress)
            (aside if is_aside else kept).append(finding)
        return replace(report, findings=tuple(kept), suppressed=tuple(aside))

    def _report_failures(self, name: str, failures: list[ToolcanonError]) -> None:
        if failures:
            talk(f"in {safe(name)}:")
        for error in failures[:_MOST]:
            self._failed(error)
        if len(failures) > _MOST:
            talk(f"… and {len(failures) - _MOST:,} more rows that could not be checked")

    def _row(self, number: int, line: bytes) -> CheckReport:
        payload = self._loaded(number, line)
        try:
            return self.inspection.report(payload)
        except ToolcanonError as error:
            error.row = number
            raise

    def _begins_history(self, line: tuple[int, bytes]) -> bool:
        try:
            return is_message(self._parsed(*line).value)
        except ToolcanonError:  # reported when that row is checked
            return False

    def _loaded(self, number: int, line: bytes) -> Json:
        loaded = self._parsed(number, line)
        try:
            return accepted(loaded, self.limits)
        except ToolcanonError as error:
            error.row = number
            raise

    def _parsed(self, number: int, line: bytes) -> Loaded:
        return load_line(number, line, self.limits, duplicates=self.allows_duplicates)
