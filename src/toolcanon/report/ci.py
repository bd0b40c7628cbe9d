"""Reports for code hosts: GitHub, GitLab, JUnit, SARIF.

In messages braces are doubled, because single ones are arguments (section 3.11.5 of the standard),
and a bracket before a parenthesis is escaped, because the pair would be a link (3.11.6).

A command is one line, ``::error file=f,line=1,col=2,title=t::message``. Within it ``%`` escapes
line breaks, and in properties also the colon and the comma.

A case fails on findings at or above the level on which the check fails; other findings are in its
output. There are no times and no host name: the same check gives the same bytes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Final

from toolcanon.checking.outcome import key_of
from toolcanon.diagnostics import Finding, Level
from toolcanon.jsonio.types import JsonObject
from toolcanon.report.document import Look, Meaning, ReportDocument, failing, our_version
from toolcanon.report.tool_view import Gathered, gathered
from toolcanon.text import safe_json
from toolcanon.text.display import escaped, shown


def fingerprints(findings: Iterable[Finding]) -> list[str]:
    """Return digests of what identifies a finding in a baseline, without lines and sentences.

    Findings that agree in all of it get different digests by their order.
    """
    seen: Counter[str] = Counter()
    out: list[str] = []
    for finding in findings:
        key = json.dumps(key_of(finding))
        text = f"{key}#{seen[key]}" if seen[key] else key
        seen[key] += 1
        out.append(sha256(text.encode()).hexdigest())
    return out


_COMMANDS: Final[dict[Level, str]] = {"error": "error", "warning": "warning", "info": "notice"}
_DATA: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})
_LONGEST: Final = 1000


def github_report(document: ReportDocument, look: Look) -> str:
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


_SEVERITIES: Final[dict[Level, str]] = {"error": "critical", "warning": "minor", "info": "info"}
_NOWHERE: Final = "stdin"


def gitlab_report(document: ReportDocument, look: Look) -> str:
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


_EVERYWHERE: Final = "everywhere"


def junit_report(document: ReportDocument, look: Look) -> str:
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


def _suites(document: ReportDocument, look: Look) -> Iterator[tuple[int, int, list[str]]]:
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


_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final[dict[Level, str]] = {"error": "error", "warning": "warning", "info": "note"}
_SORTS: Final = {"C": "compatibility", "L": "loss", "Q": "quality", "S": "security", "D": "drift"}
_UNRESERVED: Final = frozenset(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/!$&'()*+,;=@"
)


def sarif_report(document: ReportDocument, look: Look) -> str:
    """Return one run with the rules that have findings, and a result for each finding."""
    del look
    rules = _rules(document)
    order = {code: number for number, code in enumerate(rules)}
    known = zip(document.findings, fingerprints(document.findings), strict=True)
    driver: JsonObject = {
        "name": "toolcanon",
        "version": our_version(),
        "semanticVersion": our_version(),
        "rules": [_rule(meaning) for meaning in rules.values()],
    }
    run: JsonObject = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, order[finding.code], mark) for finding, mark in known],
    }
    return safe_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}) + "\n"


def _rules(document: ReportDocument) -> dict[str, Meaning]:
    found = {finding.code: document.meaning(finding) for finding in document.findings}
    return dict(sorted(found.items()))


def _rule(meaning: Meaning) -> JsonObject:
    advice = [f"What to do: {meaning.remedy}."] if meaning.remedy else []
    explain = f"Run `toolcanon explain {meaning.code}` for more."
    help_text = _sentences([*filter(None, [meaning.why]), *advice, explain])
    out: JsonObject = {
        "id": meaning.code,
        "name": meaning.name,
        "shortDescription": {"text": _said(meaning.says)},
        "fullDescription": {"text": _sentences([_clause(meaning.says), meaning.why])},
        "help": {"text": help_text, "markdown": help_text},
        "properties": {"tags": [_SORTS.get(meaning.code[:1], "tools")]},
    }
    if meaning.level is not None:
        out["defaultConfiguration"] = {"level": _LEVELS[meaning.level]}
    return out


def _clause(says: str) -> str:
    return f"{says[:1].upper()}{says[1:]}."


def _sentences(parts: Iterable[str]) -> str:
    return _said(" ".join(filter(None, parts)))


def _result(finding: Finding, rule: int, fingerprint: str) -> JsonObject:
    target = f" (for {finding.target})" if finding.target else ""
    about = f"{finding.subject}: " if finding.subject else ""
    remedy = f"; remedy: {finding.remedy}" if finding.remedy else ""
    out: JsonObject = {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": _LEVELS[finding.level],
        "message": {"text": _said(f"{about}{finding.message}{target}{remedy}")},
        "locations": [_location(finding)],
        "partialFingerprints": {"toolcanon/v1": fingerprint},
    }
    facts = {"target": finding.target, "source": finding.source, "answer": finding.quote}
    if properties := {key: shown(value, _LONGEST) for key, value in facts.items() if value}:
        out["properties"] = properties
    return out


def _location(finding: Finding) -> JsonObject:
    path = shown(f"{finding.subject}{finding.at}", _LONGEST)
    out: JsonObject = {"logicalLocations": [{"fullyQualifiedName": path or "/", "kind": "member"}]}
    if place := finding.place:
        out["physicalLocation"] = {
            "artifactLocation": {"uri": file_uri(place.file)},
            "region": {"startLine": max(place.line, 1), "startColumn": max(place.column, 1)},
        }
    return out


def file_uri(path: str) -> str:
    """Return a file as a URI: relative paths stay relative, other bytes are percent-encoded.

    >>> file_uri("my tools/ä#1.json")
    'my%20tools/%C3%A4%231.json'
    """
    try:
        raw = path.encode("utf-8", "surrogateescape")  # Python's form of a name that is not UTF-8
    except UnicodeEncodeError:
        raw = path.encode("utf-8", "surrogatepass")
    encoded = "".join(chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in raw)
    return f"file://{encoded}" if encoded.startswith("/") else encoded


def _said(text: str) -> str:
    """Return text escaped for a message."""
    return shown(text, _LONGEST).replace("{", "{{").replace("}", "}}").replace("](", "\\](")
