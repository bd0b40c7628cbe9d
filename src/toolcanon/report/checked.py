"""A check as a document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from toolcanon.checking.outcome import TONES, CheckReport, TargetOutcome
from toolcanon.checking.rules import rules
from toolcanon.diagnostics import CODES, FINDINGS, Finding
from toolcanon.diagnostics.change import CHANGES
from toolcanon.report.document import Matrix, Meaning, ReportDocument, Square

_RULES: Final = ("Q", "S")
_DRIFT: Final = {entry.code: entry for entry in CHANGES.values()}


def meanings(findings: Iterable[Finding]) -> dict[str, Meaning]:
    """Return meanings by code, in the order of codes, without undefined codes."""
    codes = sorted({finding.code for finding in findings})
    found = ((code, meaning(code)) for code in codes)
    return {code: known for code, known in found if known is not None}


def meaning(code: str) -> Meaning | None:
    """Return the meaning of a code; None when it is undefined."""
    if loss := CODES.get(code):
        return Meaning(code, loss.name, loss.says, loss.why)
    if found := FINDINGS.get(code):
        return Meaning(code, found.name, found.says, found.why, found.remedy)
    if change := _DRIFT.get(code):
        return Meaning(code, change.name, change.says, change.why, change.remedy)
    rule = rules().get(code) if code.startswith(_RULES) else None
    if rule is None:
        return None
    return Meaning(code, rule.name, rule.says, rule.why, rule.remedy, rule.level)


_FOOTNOTE: Final = "rewritten by toolcanon; unchanged, it would be rejected or read differently"
_NOT_ASKED: Final = TargetOutcome("unknown")
_NOTES: Final = ("narrowed", "widened", "hints")


def check_document(report: CheckReport, *, about: str = "") -> ReportDocument:
    """Return a check's findings as a document; ``about`` names what was checked."""
    squares = tuple(
        tuple(_square(report.cells[tool].get(target, _NOT_ASKED)) for target in report.targets)
        for tool in report.tools
    )
    matrix = Matrix(report.tools, report.targets, squares, TONES, _FOOTNOTE)
    return ReportDocument(
        "toolcanon check",
        report.findings,
        about,
        report.tools,
        matrix if report.tools and report.targets else None,
        meanings(report.findings),
        report.to_dict(),
        len(report.suppressed),
        "tool" if report.tools else "subject",  # findings of conversations are about calls, too
    )


def _square(cell: TargetOutcome) -> Square:
    counts = ((name, getattr(cell, name)) for name in _NOTES)
    note = ", ".join(f"{name} {count:,}" for name, count in counts if count)
    return Square(cell.verdict, TONES[cell.verdict], cell.is_rewritten, note)
