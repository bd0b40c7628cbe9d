"""A check as a document."""

from __future__ import annotations

from typing import Final

from toolcanon.checking.outcome import TONES, Cell, CheckReport
from toolcanon.report.document import Document, Matrix, Square
from toolcanon.report.meanings import meanings

_FOOTNOTE: Final = "rewritten by toolcanon; unchanged, it would be rejected or read differently"
_NOT_ASKED: Final = Cell("unknown")
_NOTES: Final = ("narrowed", "widened", "hints")


def check_document(
    report: CheckReport, *, title: str = "toolcanon check", about: str = ""
) -> Document:
    """Return a check's findings as a document; ``about`` names what was checked."""
    squares = tuple(
        tuple(_square(report.cells[tool].get(target, _NOT_ASKED)) for target in report.targets)
        for tool in report.tools
    )
    matrix = Matrix(report.tools, report.targets, squares, TONES, _FOOTNOTE)
    return Document(
        title,
        report.findings,
        about,
        report.tools,
        matrix if report.tools and report.targets else None,
        meanings(report.findings),
        report.to_dict(),
        len(report.suppressed),
        "tool" if report.tools else "subject",  # findings of conversations are about calls, too
    )


def _square(cell: Cell) -> Square:
    counts = ((name, getattr(cell, name)) for name in _NOTES)
    note = ", ".join(f"{name} {count:,}" for name, count in counts if count)
    return Square(cell.verdict, TONES[cell.verdict], cell.is_rewritten, note)
