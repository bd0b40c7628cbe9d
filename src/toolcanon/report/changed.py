"""A comparison as a document for every writer, and as text for terminals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from click import style

from toolcanon.diagnostics import Finding
from toolcanon.diagnostics.change import DRIFT_VERDICTS, Change, DriftVerdict
from toolcanon.diagnostics.change_codes import CHANGES
from toolcanon.drift.report import TONES, DiffReport, Group
from toolcanon.drift.telling import witness_words
from toolcanon.jsonio import Pointer
from toolcanon.report.document import Document, Matrix, Square, counted
from toolcanon.report.look import Look
from toolcanon.report.meanings import meanings
from toolcanon.text.shown import shown

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
) -> Document:
    """Return the changes as a document; ``origin`` finds the place of a change in the new file."""
    findings = tuple(_finding(change, origin) for change in report.changes)
    verdicts = report.verdicts
    squares = tuple((Square(found, TONES[found]),) for found in verdicts.values())
    matrix = Matrix(tuple(verdicts), ("verdict",), squares, TONES, column_noun="comparison")
    return Document(
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

    def _group(self, group: Group) -> Iterator[str]:
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
