"""GitLab's code quality report: a JSON list of issues with a stable fingerprint each."""

from __future__ import annotations

from typing import Final

from toolcanon.diagnostics import Finding, Level
from toolcanon.jsonio.types import JsonObject
from toolcanon.report.document import Document
from toolcanon.report.fingerprints import fingerprints
from toolcanon.report.look import Look
from toolcanon.text import safe_json
from toolcanon.text.shown import shown

_SEVERITIES: Final[dict[Level, str]] = {"error": "critical", "warning": "minor", "info": "info"}
_LONGEST: Final = 1000
_NOWHERE: Final = "stdin"


def gitlab_report(document: Document, look: Look) -> str:
    """Return one issue for each finding; one without a file gets the checked input as path."""
    del look
    whole = shown(document.about, _LONGEST) or _NOWHERE
    known = zip(document.findings, fingerprints(document.findings), strict=True)
    return safe_json([_issue(finding, mark, whole) for finding, mark in known]) + "\n"


def _issue(finding: Finding, fingerprint: str, whole: str) -> JsonObject:
    place = finding.place
    target = f" (for {shown(finding.target, _LONGEST)})" if finding.target else ""
    about = f"{shown(finding.subject, _LONGEST)}: " if finding.subject else ""
    return {
        "description": f"{about}{shown(finding.message, _LONGEST)}{target}",
        "check_name": f"{finding.code} {finding.name}",
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[finding.level],
        "location": {
            "path": shown(place.file) if place else whole,
            "lines": {"begin": place.line if place else 1},
        },
    }
