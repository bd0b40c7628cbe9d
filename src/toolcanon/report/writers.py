"""The formats of reports, by name. A writer is imported when it is used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Final, cast

from toolcanon.checking.outcome import CheckReport
from toolcanon.drift.report import DiffReport
from toolcanon.report.document import Document
from toolcanon.report.look import Look
from toolcanon.text import safe_json

__all__ = ["WRITERS", "Look", "Writer"]


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes a document, or a report via its document; called as a function."""

    module: str
    function: str

    def __call__(
        self, report: Document | CheckReport | DiffReport, look: Look | None = None
    ) -> str:
        """Return the report as text, with a line break at the end."""
        document = report if isinstance(report, Document) else _document(report)
        module = import_module(f"toolcanon.report.{self.module}")
        write = cast("Callable[[Document, Look], str]", getattr(module, self.function))
        return write(document, look or Look())


def _document(report: CheckReport | DiffReport) -> Document:
    if isinstance(report, DiffReport):
        from toolcanon.report.changed import diff_document  # noqa: PLC0415 - when there is one

        return diff_document(report)
    from toolcanon.report.checked import check_document  # noqa: PLC0415 - imports every rule

    return check_document(report)


def json_report(document: Document, look: Look) -> str:
    """Return the document as JSON, as described in docs/schemas."""
    del look
    return safe_json(document.to_dict()) + "\n"


WRITERS: Final[dict[str, Writer]] = {
    "text": Writer("plain_text", "text_report"),
    "json": Writer("writers", "json_report"),
    "sarif": Writer("sarif", "sarif_report"),
    "junit": Writer("junit", "junit_report"),
    "github": Writer("github", "github_report"),
    "gitlab": Writer("gitlab", "gitlab_report"),
    "markdown": Writer("markdown", "markdown_report"),
    "html": Writer("page", "html_report"),
}
