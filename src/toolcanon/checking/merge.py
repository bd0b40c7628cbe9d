"""Several reports as one: files checked together are told together."""

from __future__ import annotations

from collections.abc import Sequence

from toolcanon.checking.outcome import LEVELS, Cell, CheckReport


def merged(reports: Sequence[CheckReport]) -> CheckReport:
    """One report of all, findings worst first; tools of the same name get a number."""
    if len(reports) == 1:
        return reports[0]
    cells: dict[str, dict[str, Cell]] = {}
    for report in reports:
        for tool, row in report.cells.items():
            cells[_free(tool, cells)] = row
    findings = [finding for report in reports for finding in report.findings]
    findings.sort(key=lambda finding: LEVELS.index(finding.level))
    return CheckReport(
        tuple(cells),
        tuple(dict.fromkeys(target for report in reports for target in report.targets)),
        cells,
        tuple(findings),
        tuple(finding for report in reports for finding in report.suppressed),
    )


def _free(name: str, taken: dict[str, dict[str, Cell]]) -> str:
    number, label = 1, name
    while label in taken:
        number += 1
        label = f"{name} ({number})"
    return label
