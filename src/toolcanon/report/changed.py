"""Comparisons and verified lockfiles as documents and as text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from click import style

from toolcanon.diagnostics import FilePlace, Finding
from toolcanon.diagnostics.change import CHANGES, DRIFT_VERDICTS, Change, DriftVerdict
from toolcanon.drift.lockfile import Compared
from toolcanon.drift.report import TONES, ChangeGroup, DiffReport, told, witness_words, worst
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import JsonObject
from toolcanon.report.checked import meanings
from toolcanon.report.document import Look, Matrix, ReportDocument, Square, counted
from toolcanon.text.display import shown

_LONGEST: Final = 300
_NAME: Final = 60
_MOST: Final = 12
"""How many changes of a tool are shown without -v."""
_COLOURS: Final[dict[DriftVerdict, str]] = {
    "security": "red",
    "breaking": "red",
    "unknown": "magenta",
    "compatible": "yellow",
    "cosmetic": "cyan",
    "identical": "green",
}
_HEADLINES: Final[dict[DriftVerdict, str]] = {
    "security": "what the tools may do, or claim, has changed: review before use",
    "breaking": "calls that worked before fail, or have another meaning",
    "unknown": "it could not be decided whether all calls still work",
    "compatible": "all calls that worked before still work",
    "cosmetic": "the contract is unchanged; at most, a model reads other text",
    "identical": "nothing changed",
}
_EVERYWHERE: Final = "all tools"
_ASCII: Final = str.maketrans({"…": "...", "—": "-"})


def diff_document(
    report: DiffReport,
    *,
    title: str = "toolcanon diff",
    about: str = "",
    origin: Callable[[Change], Pointer | None] | None = None,
) -> ReportDocument:
    """Return the changes as a document; ``origin`` finds the place of a change in the new file."""
    findings = tuple(_finding(change, origin) for change in report.changes)
    verdicts = report.verdicts
    squares = tuple((Square(found, TONES[found]),) for found in verdicts.values())
    matrix = Matrix(tuple(verdicts), ("verdict",), squares, TONES, column_noun="comparison")
    return ReportDocument(
        title,
        findings,
        about,
        report.tools,
        matrix if len(verdicts) > 1 else None,
        meanings(findings),
        report.to_dict(),
        len(report.suppressed),
    )


def _finding(change: Change, origin: Callable[[Change], Pointer | None] | None) -> Finding:
    proof = f"; {witness_words(change.witness)}" if change.witness is not None else ""
    reason = f" ({change.reason})" if change.reason else ""
    hint = f" ({change.hint})" if change.hint else ""
    return Finding(
        change.code,
        change.name,
        change.level,
        change.place,
        f"{change.verdict}: {change.message}{proof}{reason}{hint}",
        CHANGES[change.name].remedy if change.is_alarm else "",
        change.tool,
        change.target,
        origin=None if origin is None else origin(change),
    )


def diff_text(report: DiffReport, look: Look, *, about: str = "") -> str:
    """Return the verdict, then the changes of each tool, worst first, with their witnesses."""
    lines = [line.rstrip() for line in _Text(report, look).lines(about)]
    text = "\n".join(lines) + "\n"
    if look.ascii:
        text = text.translate(_ASCII).encode("ascii", "backslashreplace").decode()
    return text


class _Text:
    def __init__(self, report: DiffReport, look: Look) -> None:
        self._report, self._look = report, look

    def lines(self, about: str) -> Iterator[str]:
        report = self._report
        if about:
            yield self._painted(shown(about, _LONGEST), None)
        yield f"{self._word(report.verdict)}: {_HEADLINES[report.verdict]}"
        grouped = {id(change) for group in report.groups for change in group.changes}
        if self._look.verbose:
            grouped = set()
        else:
            for group in report.groups:
                yield from ("", *self._group(group))
        by_tool: dict[str, list[Change]] = {}
        for change in report.changes:
            if id(change) not in grouped:
                by_tool.setdefault(change.tool, []).append(change)
        order = sorted(by_tool, key=lambda tool: DRIFT_VERDICTS.index(by_tool[tool][0].verdict))
        for tool in order:
            yield from ("", *self._tool(tool, by_tool[tool]))
        yield from ("", self._totals())

    def _group(self, group: ChangeGroup) -> Iterator[str]:
        yield f"{self._word(group.verdict)}  {len(group.tools):,} tools: {group.name}"
        names = ", ".join(shown(name, _NAME) for name in group.tools[:3])
        more = f" and {len(group.tools) - 3:,} more; -v shows all" if len(group.tools) > 3 else ""  # noqa: PLR2004
        yield f"  {shown(CHANGES[group.name].says, _LONGEST)}: {names}{more}"

    def _tool(self, tool: str, changes: Sequence[Change]) -> Iterator[str]:
        yield self._painted(shown(tool or _EVERYWHERE, _NAME), None)
        listed = [change for change in changes if change.verdict != "cosmetic"]
        quiet = [change for change in changes if change.verdict == "cosmetic"]
        most = len(changes) if self._look.verbose else _MOST
        if self._look.verbose or not listed:
            listed, quiet = [*listed, *quiet], []
        for change in listed[:most]:
            yield from self._change(change)
        if len(listed) > most:
            yield f"  … and {len(listed) - most:,} more; -v shows all"
        if quiet:
            read = sum(change.model_visible for change in quiet)
            seen = f", {read:,} of them model-visible" if read else ""
            yield f"  and {counted(len(quiet), 'cosmetic change')}{seen}; -v shows them"

    def _change(self, change: Change) -> Iterator[str]:
        place = str(change.place)
        where = f"  {shown(place, _NAME)}" if place and self._look.verbose else ""
        head = f"{self._word(change.verdict)} {change.code} {change.name}"
        yield f"  {head}{where}"
        yield f"    {shown(change.message, _LONGEST)}"
        if change.witness is not None:
            yield f"    {shown(witness_words(change.witness), _LONGEST)}"
        for note in (change.reason, change.hint):
            if note:
                yield f"    {shown(note, _LONGEST)}"

    def _totals(self) -> str:
        report = self._report
        counts = [f"{count:,} {verdict}" for verdict, count in report.counts().items() if count]
        changed = sum(verdict != "identical" for verdict in report.verdicts.values())
        tools = f"{changed:,} of {counted(len(report.verdicts), 'tool')} changed"
        raised = "" if report.semver == "none" else f"; suggested version: {report.semver}"
        return f"{tools}: {', '.join(counts) or 'no changes'}{raised}"

    def _word(self, verdict: DriftVerdict) -> str:
        return self._painted(verdict, _COLOURS[verdict])

    def _painted(self, text: str, colour: str | None) -> str:
        return style(text, fg=colour, bold=True) if self._look.colour else text


Placed: TypeAlias = Callable[[str | None, str | None], FilePlace | None]
"""Finds the place of a server, or of its tool, in the lockfile, by the names there."""
_SCHEMA: Final = "verify.v1"
_TEXT: Final = 300
_INSTRUCTIONS: Final = "server-instructions-changed"


def verified_dict(compared: Sequence[Compared], *, lock: str) -> JsonObject:
    """Return plain JSON, as described in docs/schemas/verify.v1.json."""
    return {
        "schema": _SCHEMA,
        "lock": lock,
        "same": all(one.is_same for one in compared),
        "verdict": worst(change for one in compared for change in one.report.changes),
        "servers": [one.to_dict() for one in compared],
    }


def verified_document(
    compared: Sequence[Compared],
    *,
    lock: str,
    placed: Placed,
    require_approved: bool = False,
) -> ReportDocument:
    """Return the differences from a lockfile; findings have the places of tools in it."""
    findings: list[tuple[Finding, Change]] = []
    rows: dict[str, Square] = {}
    for one in compared:
        prefix = f"{one.name}: " if len(compared) > 1 else ""
        for finding, change in _findings(one, require_approved=require_approved):
            place = placed(one.locked.name if one.locked else None, one.block_of(change))
            subject = f"{prefix}{change.tool}" if change.tool else one.name
            findings.append((replace(finding, subject=subject, place=place), change))
        for tool, verdict in one.report.verdicts.items():
            rows[f"{prefix}{tool}"] = Square(verdict, TONES[verdict])
    order = ("error", "warning", "info")
    findings.sort(key=lambda pair: order.index(pair[0].level))
    found = tuple(finding for finding, _ in findings)
    matrix = Matrix(
        tuple(rows), ("verdict",), tuple((square,) for square in rows.values()), TONES,
        column_noun="comparison",
    )  # fmt: skip
    return ReportDocument(
        "toolwatch verify",
        found,
        lock,
        tuple(rows),
        matrix if len(rows) > 1 else None,
        meanings(found),
        verified_dict(compared, lock=lock),
    )


def verified_text(
    compared: Sequence[Compared], look: Look, *, lock: str, is_taken: bool = False
) -> str:
    """Return each server that differs, its changes and how to approve them; then the totals.

    With ``is_taken`` the differences have been written to the lockfile.
    """
    parts: list[str] = []
    for one in compared:
        if not one.is_same:
            about = f"{lock} -> {one.name}" if one.locked else f"{one.name} is not in {lock}"
            parts.append(diff_text(one.report, look, about=about))
            parts.append("".join(f"{line}\n" for line in _changed_instructions(one, look)))
            parts.append("".join(f"{line}\n" for line in _digests(one)))
    if is_taken:
        return "\n".join(part for part in parts if part)
    differing = sum(not one.is_same for one in compared)
    tools = sum(len(one.now.tools) for one in compared)
    seen = f"{counted(len(compared), 'server')}, {counted(tools, 'tool')}"
    verdict = "as locked" if not differing else f"{counted(differing, 'server')} not as locked"
    parts.append(f"{shown(lock)}: {seen}: {verdict}\n")
    return "\n".join(part for part in parts if part)


def _changed_instructions(one: Compared, look: Look) -> Iterator[str]:
    """Yield changed instructions, which every model reads, even if other changes are worse."""
    changes = [change for change in one.report.changes if change.name == _INSTRUCTIONS]
    if changes and not look.verbose:
        yield f"instructions of {shown(one.name, _NAME)}, which every model reads:"
        for word, text in (("was", changes[0].before), ("is", changes[0].after)):
            value = "nothing" if text is None else json.dumps(text, ensure_ascii=False)
            yield f"  {word} {shown(value, _TEXT)}"


def _digests(one: Compared) -> Iterator[str]:
    """Yield the digest of each tool to approve."""
    wanted = [tool for tool in one.tools if tool.after is not None]
    for tool in wanted[:_MOST]:
        exact = tool.after.exact if tool.after is not None else ""
        yield f"{shown(tool.name, _NAME)} is {exact}"
    if len(wanted) > _MOST:
        yield f"… and {len(wanted) - _MOST:,} more; --json has all"


def _findings(one: Compared, *, require_approved: bool) -> Iterator[tuple[Finding, Change]]:
    changes = list(one.report.changes)
    if require_approved:
        changes += [told("tool-unreviewed", tool=name) for name in one.unreviewed]
    yield from zip(diff_document(DiffReport(tuple(changes))).findings, changes, strict=True)
