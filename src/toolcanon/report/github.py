"""Workflow commands of GitHub Actions: an annotation for each finding.

A command is one line, ``::error file=f,line=1,col=2,title=t::message``. Within it ``%`` escapes
line breaks, and in properties also the colon and the comma.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.diagnostics import Level
from toolcanon.report.document import Document
from toolcanon.report.gathered import Gathered, gathered
from toolcanon.report.look import Look
from toolcanon.text.shown import shown

_COMMANDS: Final[dict[Level, str]] = {"error": "error", "warning": "warning", "info": "notice"}
_DATA: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})
_LONGEST: Final = 1000


def github_report(document: Document, look: Look) -> str:
    """Return a line for each finding, worst first, and the totals, which the log shows as text."""
    del look
    lines = [_command(item) for item in gathered(document.findings)]
    return "\n".join([*lines, f"{document.title}: {document.totals()}", ""])


def _command(item: Gathered) -> str:
    found = item.finding
    properties = {"title": f"{found.code} {found.name}"}
    if place := found.place:
        located = {"file": place.file, "line": str(place.line), "col": str(place.column)}
        properties = located | properties
    options = ",".join(
        f"{name}={shown(value, _LONGEST).translate(_PROPERTY)}"
        for name, value in properties.items()
    )
    message = "\n".join(_message(item)).translate(_DATA)
    return f"::{_COMMANDS[found.level]} {options}::{message}"


def _message(item: Gathered) -> Iterator[str]:
    found = item.finding
    place = f" at {shown(str(found.at), _LONGEST)}" if found.at else ""
    targets = f" (for {', '.join(map(shown, item.targets))})" if item.targets else ""
    yield f"{shown(found.subject, _LONGEST)}{place}: {shown(found.message, _LONGEST)}{targets}"
    if found.remedy:
        yield f"remedy: {shown(found.remedy, _LONGEST)}"
