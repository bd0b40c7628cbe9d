"""SARIF 2.1.0, which code scanning services and editors read.

In messages braces are doubled, because single ones are arguments (section 3.11.5 of the standard),
and a bracket before a parenthesis is escaped, because the pair would be a link (3.11.6).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from toolcanon.diagnostics import Finding, Level
from toolcanon.jsonio.types import JsonObject
from toolcanon.report.document import Document, Meaning, our_version
from toolcanon.report.fingerprints import fingerprints
from toolcanon.report.look import Look
from toolcanon.text import safe_json
from toolcanon.text.shown import shown

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final[dict[Level, str]] = {"error": "error", "warning": "warning", "info": "note"}
_SORTS: Final = {"C": "compatibility", "L": "loss", "Q": "quality", "S": "security", "D": "drift"}
_LONGEST: Final = 1000
_UNRESERVED: Final = frozenset(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/!$&'()*+,;=@"
)


def sarif_report(document: Document, look: Look) -> str:
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


def _rules(document: Document) -> dict[str, Meaning]:
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
