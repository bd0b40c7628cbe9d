"""JUnit XML: a suite for each target and one for findings without a target, a case for each tool.

A case fails on findings at or above the level on which the check fails; other findings are in its
output. There are no times and no host name: the same check gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from toolcanon.diagnostics import Finding
from toolcanon.report.document import Document, failing
from toolcanon.report.look import Look
from toolcanon.text.markup import escaped

_EVERYWHERE: Final = "everywhere"
_LONGEST: Final = 1000


def junit_report(document: Document, look: Look) -> str:
    """Return one XML document."""
    suites = list(_suites(document, look))
    cases = sum(count for count, _, _ in suites)
    failures = sum(failed for _, failed, _ in suites)
    title = escaped(document.title)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="{title}" tests="{cases}" failures="{failures}" errors="0" time="0">',
        *(line for _, _, suite in suites for line in suite),
        "</testsuites>",
    ]
    return "\n".join([*lines, ""])


def _suites(document: Document, look: Look) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the number of cases, the number of failed cases, and the lines of each suite."""
    columns = document.matrix.columns if document.matrix else ()
    found: dict[tuple[str, str], list[Finding]] = {}
    for finding in document.findings:
        found.setdefault((finding.target, finding.subject), []).append(finding)
    targets = dict.fromkeys(["", *columns, *(target for target, _ in found)])
    for target in targets:
        others = [subject for held, subject in found if held == target]
        subjects = dict.fromkeys([*document.subjects, *others])
        cases = [(name, found.get((target, name), [])) for name in subjects]
        failed = sum(bool(failing(findings, look.fail_on)) for _, findings in cases)
        name = escaped(target or _EVERYWHERE, _LONGEST)
        head = f'tests="{len(cases)}" failures="{failed}" errors="0" skipped="0" time="0"'
        lines = [
            f'  <testsuite name="{name}" {head}>',
            *(line for subject, findings in cases for line in _case(name, subject, findings, look)),
            "  </testsuite>",
        ]
        yield len(cases), failed, lines


def _case(suite: str, subject: str, findings: Sequence[Finding], look: Look) -> Iterator[str]:
    place = next((finding.place for finding in findings if finding.place), None)
    where = f' file="{escaped(place.file)}" line="{place.line}"' if place else ""
    name = escaped(subject, _LONGEST) or "document"
    head = f'    <testcase classname="{suite}" name="{name}"{where} time="0"'
    if not findings:
        yield f"{head}/>"
        return
    failed = failing(findings, look.fail_on)
    worse = {finding.level for finding in failed}
    yield f"{head}>"
    if failed:
        first = failed[0]
        kind = escaped(f"{first.code} {first.name}")
        yield f'      <failure message="{escaped(first.message, _LONGEST)}" type="{kind}">'
        yield "\n".join(map(_line, failed))
        yield "      </failure>"
    if others := [finding for finding in findings if finding.level not in worse]:
        yield "      <system-out>"
        yield "\n".join(map(_line, others))
        yield "      </system-out>"
    yield "    </testcase>"


def _line(finding: Finding) -> str:
    """Return one line, escaped, so that a CDATA section is not needed."""
    where = finding.place or str(finding.at) or "/"
    remedy = f"; remedy: {finding.remedy}" if finding.remedy else ""
    line = f"{finding.level}[{finding.code}] {finding.name} at {where}: {finding.message}{remedy}"
    return escaped(line, _LONGEST)
