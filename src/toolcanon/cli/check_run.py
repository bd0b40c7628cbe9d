"""One run of ``check``: its inputs, the findings of each, and safe fixes of the user's file."""

from __future__ import annotations

import difflib
import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from toolcanon.checking.outcome import CheckReport
from toolcanon.checking.payloads import Inspection, is_message, merged
from toolcanon.cli.main import fail
from toolcanon.cli.options import accepted, talk, waiting
from toolcanon.config import Suppression
from toolcanon.diagnostics import FilePlace, Finding, Fix
from toolcanon.errors import NoTools, ToolcanonError
from toolcanon.jsonio import Limits, Loaded, Pointer, copy_json
from toolcanon.jsonio.text_edits import edited, spans
from toolcanon.jsonio.types import Json
from toolcanon.sources import load_line, raw_lines, read_document, read_lines, write_file
from toolcanon.sources.files import PACKED, is_yaml, parse, read_bytes, rows_in
from toolcanon.sources.yaml import places_in_yaml
from toolcanon.text import safe

STDIN: Final = "-"
_ROWS: Final = (".jsonl", ".ndjson")


class Input(NamedTuple):
    """One input of a check."""

    name: str
    """The file as it was named, ``-``, or how a server was reached."""
    payload: Json
    is_file: bool = False
    is_live: bool = False
    in_lines: bool = False
    """Whether each member of the payload is a line, whatever the file's suffix."""

    @property
    def has_rows(self) -> bool:
        return self.in_lines or has_rows(self.name)


class Rows(NamedTuple):
    """An input of one document a line, each checked by itself; lines are read on demand."""

    name: str
    lines: Iterator[tuple[int, bytes]]
    """Lines with their numbers, from 1."""
    is_file: bool = False


def has_rows(name: str) -> bool:
    """Return whether the file's name means one document a line."""
    return name.removesuffix(PACKED).endswith(_ROWS)


def from_file(path: str, limits: Limits, duplicate_keys: str) -> Input:
    """Read a document; of a file of rows, read all rows into a list."""
    is_file = path != STDIN
    if not has_rows(path):
        loaded = read_document(path, limits, duplicates=duplicate_keys == "warn")
        return Input(path, accepted(loaded, limits), is_file)
    lines = read_lines(path, limits, duplicates=duplicate_keys == "warn")
    return Input(path, [accepted(loaded, limits) for _, loaded in lines], is_file)


def opened(path: str, limits: Limits, duplicate_keys: str) -> Input | Rows:
    """Read a document or rows; where the name does not say which, the content decides."""
    is_file = path != STDIN
    if has_rows(path):
        return Rows(path, raw_lines(path, limits), is_file)
    data = read_bytes(path, limits)
    lines = None if is_yaml(path) else rows_in(data, limits)
    if lines is not None and len(data) <= limits.bytes:
        return Rows(path, lines, is_file)
    loaded = parse(path, data, limits, duplicates=duplicate_keys == "warn")
    return Input(path, accepted(loaded, limits), is_file)


def from_module(word: str) -> Input:
    """Import a Python module and return its tools."""
    from toolcanon.sources.modules import toolset_of  # noqa: PLC0415 - heavy

    return Input(word, [tool.to_dict() for tool in toolset_of(word).tools])


def placed(findings: Iterable[Finding], given: Input, limits: Limits) -> tuple[Finding, ...]:
    """Return the findings with line and column where the input has lines."""
    found = tuple(findings)
    if not given.is_file or not found:
        return found
    wanted = {finding.origin for finding in found if finding.origin is not None}
    places = _in_rows(given, wanted, limits) if given.has_rows else _in_text(given, wanted, limits)
    return _with(found, places, FilePlace(_nearby(given.name)))


def placed_in_row(
    findings: Iterable[Finding], name: str, row: tuple[int, int], line: bytes
) -> tuple[Finding, ...]:
    """Return the findings of a row that was checked by itself, with their places.

    ``row`` is its index among the rows and its line number; origins begin with the index.
    """
    found = tuple(findings)
    if not found:
        return found
    index, number = row
    file = _nearby(name)
    wanted = {finding.origin for finding in found if finding.origin is not None}
    places = _in_line(line, wanted, file, number)
    return tuple(
        replace(finding, origin=Pointer((index, *(finding.origin or ()))))
        for finding in _with(found, places, FilePlace(file, number))
    )


def _with(
    findings: Iterable[Finding], places: Mapping[Pointer, FilePlace], start: FilePlace
) -> tuple[Finding, ...]:
    return tuple(
        replace(
            finding, place=start if finding.origin is None else places.get(finding.origin, start)
        )
        for finding in findings
    )


def _nearby(name: str) -> str:
    """Return the path relative to the working folder, as annotations need it, if it is inside."""
    path = Path(name).absolute()
    return path.relative_to(Path.cwd()).as_posix() if path.is_relative_to(Path.cwd()) else name


def _in_text(given: Input, wanted: set[Pointer], limits: Limits) -> dict[Pointer, FilePlace]:
    if not Path(given.name).is_file():  # a pipe cannot be read twice
        return {}
    file, data = _nearby(given.name), read_bytes(given.name, limits)
    if is_yaml(given.name):
        marks = places_in_yaml(data, limits, wanted)
        return {pointer: FilePlace(file, *mark) for pointer, mark in marks.items()}
    text = data.decode("utf-8-sig", "surrogateescape")
    starts = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))
    out: dict[Pointer, FilePlace] = {}
    for pointer, span in spans(text, wanted).items():
        line = bisect_right(starts, span.start)
        out[pointer] = FilePlace(file, line, span.start - starts[line - 1] + 1)
    return out


def _in_rows(given: Input, wanted: set[Pointer], limits: Limits) -> dict[Pointer, FilePlace]:
    by_row: dict[int, list[Pointer]] = {}
    for pointer in wanted:
        if pointer:
            by_row.setdefault(int(pointer[0]), []).append(pointer)
    out: dict[Pointer, FilePlace] = {}
    file = _nearby(given.name)
    for row, (number, line) in enumerate(raw_lines(given.name, limits)):
        inner = {Pointer(pointer[1:]): pointer for pointer in by_row.get(row, ())}
        places = _in_line(line, inner, file, number) if inner else {}
        out |= {inner[short]: place for short, place in places.items()}
    return out


def _in_line(
    line: bytes, wanted: Iterable[Pointer], file: str, number: int
) -> dict[Pointer, FilePlace]:
    text = line.decode("utf-8-sig", "surrogateescape")
    found = spans(text, wanted).items()
    return {pointer: FilePlace(file, number, span.start + 1) for pointer, span in found}


_BOM = "\ufeff"


def apply_fixes(given: Input, findings: Iterable[Finding]) -> list[str]:
    """Apply the safe fixes to a file; return the lines of the diff, none without a change."""
    fixes = [
        finding.fix
        for finding in findings
        if finding.fix is not None and finding.fix.is_safe and finding.fix.origin is not None
    ]
    if not fixes:
        return []
    if not given.is_file:
        return []
    before = given.payload
    after = copy_json(before)
    for fix in sorted(fixes, key=lambda fix: len(fix.origin or ())):
        after = _applied(after, fix)
    text = Path(given.name).read_bytes().decode("utf-8")
    mark = text[: len(text) - len(text.removeprefix(_BOM))]
    changed = mark + edited(text.removeprefix(_BOM), before, after)
    if json.loads(changed.removeprefix(_BOM)) != after:  # for example, a key occurs twice
        raise click.UsageError(f"{given.name} cannot be edited safely; edit it by hand.")
    write_file(given.name, [changed])
    return list(_diff(text, changed, given.name))


def unsafe_fixes(findings: Iterable[Finding]) -> list[str]:
    """Return the codes of findings whose fixes are not safe to apply."""
    fixes = [(one.code, one.fix) for one in findings if one.fix is not None]
    return sorted({code for code, fix in fixes if not fix.is_safe})


def ensure_fixable(given: Input | Rows) -> None:
    """Raise a usage error for an input that fixes cannot be written to."""
    has_rows = isinstance(given, Rows) or given.has_rows
    if given.is_file and (has_rows or not given.name.lower().endswith(".json")):
        raise click.UsageError(f"--fix can only edit JSON files, not {given.name}.")


def _applied(document: Json, fix: Fix) -> Json:
    """Return the document after one fix; unchanged when its place is gone."""
    at = fix.origin or Pointer()
    if not at:
        return copy_json(fix.after)
    try:
        owner: Any = Pointer(at[:-1]).resolve(document)
    except LookupError:
        return document
    step = at[-1]
    if isinstance(owner, dict) and fix.is_removal:
        owner.pop(step, None)
    elif isinstance(owner, dict | list):
        owner[step] = copy_json(fix.after)  # type: ignore[index]  # a list's own step is a number
    return document


def _diff(before: str, after: str, name: str) -> Iterator[str]:
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), name, name, lineterm="", n=1
    )
    return (safe(line) for line in lines)


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


class CheckRun:
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
