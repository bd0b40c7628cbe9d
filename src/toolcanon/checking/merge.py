"""Merge the reports of several payloads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from toolcanon.checking.outcome import LEVELS, Cell, CheckReport
from toolcanon.checking.tools import Labels
from toolcanon.diagnostics import Finding


def merged(reports: Sequence[CheckReport]) -> CheckReport:
    """Return one report of all, findings worst first; tools of the same name get a number."""
    if len(reports) == 1:
        return reports[0]
    cells: dict[str, dict[str, Cell]] = {}
    findings: list[Finding] = []
    aside: list[Finding] = []
    free = Labels().free
    for report in reports:
        labels = {tool: free(tool) for tool in report.cells}
        cells |= {labels[tool]: row for tool, row in report.cells.items()}
        findings += [_named(finding, labels) for finding in report.findings]
        aside += [_named(finding, labels) for finding in report.suppressed]
    findings.sort(key=lambda finding: LEVELS.index(finding.level))
    return CheckReport(
        tuple(cells),
        tuple(dict.fromkeys(target for report in reports for target in report.targets)),
        cells,
        tuple(findings),
        tuple(aside),
    )


def _named(finding: Finding, labels: dict[str, str]) -> Finding:
    """Return the finding with the label that its tool has in the merged report."""
    label = labels.get(finding.subject, finding.subject)
    return finding if label == finding.subject else replace(finding, subject=label)
