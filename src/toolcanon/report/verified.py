"""A lockfile compared with its sources, as a document for every writer and as text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from toolcanon.diagnostics import Finding, Place
from toolcanon.diagnostics.change import Change
from toolcanon.drift.lockfile import Compared
from toolcanon.drift.report import TONES, DiffReport, worst
from toolcanon.drift.telling import told
from toolcanon.jsonio.types import JsonObject
from toolcanon.report.changed import diff_document, diff_text
from toolcanon.report.document import Document, Matrix, Square, counted
from toolcanon.report.look import Look
from toolcanon.report.meanings import meanings
from toolcanon.text.shown import shown

Placed: TypeAlias = Callable[[str | None, str | None], Place | None]
"""Finds the place of a server, or of its tool, in the lockfile, by the names there."""
_SCHEMA: Final = "verify.v1"
_NAME: Final = 60
_MOST: Final = 12
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
) -> Document:
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
    return Document(
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
    verdict = "as locked" if not differing else f"{differing:,} not as locked"
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
