"""Meanings of codes, from where they are defined: losses, findings, rules, changes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from toolcanon.checking.rules import rules
from toolcanon.diagnostics import CODES, FINDINGS, Finding
from toolcanon.diagnostics.change_codes import CHANGES
from toolcanon.report.document import Meaning

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
