"""Baselines: findings that were recorded before and are no longer reported.

A finding is identified by its code, its tool, the place in the tool and the target; not by its
line, which moves, nor by its message, which may be reworded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Final, TypeAlias

from toolcanon.checking.outcome import CheckReport
from toolcanon.diagnostics import Finding
from toolcanon.errors import BadConfig
from toolcanon.jsonio.types import Json, JsonObject

_SCHEMA: Final = "check-baseline.v1"
_FIELDS: Final = ("code", "tool", "at", "target")
Key: TypeAlias = tuple[str, ...]


def key_of(finding: Finding) -> Key:
    """Return what identifies a finding."""
    return (finding.code, finding.subject, str(finding.at), finding.target)


def baseline_of(findings: Iterable[Finding]) -> JsonObject:
    """Return the findings as a document in a stable order, each as often as it was found."""
    keys = sorted(key_of(finding) for finding in findings)
    return {"schema": _SCHEMA, "known": [dict(zip(_FIELDS, key, strict=True)) for key in keys]}


def known_before(document: Json, file: str) -> Counter[Key]:
    """Return the findings of a baseline document with their counts. Raises BadConfig."""
    entries = document.get("known") if isinstance(document, dict) else None
    if not isinstance(entries, list) or document.get("schema") != _SCHEMA:
        raise BadConfig(file, "schema", "this is not a baseline; --write-baseline creates one")
    found: Counter[Key] = Counter()
    for number, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise BadConfig(file, f"known[{number}]", "it must be an object")
        found[tuple(str(entry.get(field, "")) for field in _FIELDS)] += 1
    return found


def without(report: CheckReport, known: Counter[Key]) -> CheckReport:
    """Return the report with recorded findings moved to the ignored ones; further ones are kept."""
    left = Counter(known)
    kept: list[Finding] = []
    aside = list(report.suppressed)
    for finding in report.findings:
        key = key_of(finding)
        if left[key] > 0:
            left[key] -= 1
            aside.append(finding)
        else:
            kept.append(finding)
    return replace(report, findings=tuple(kept), suppressed=tuple(aside))
