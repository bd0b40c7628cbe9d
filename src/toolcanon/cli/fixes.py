"""Safe fixes written into the user's own file: the least change of its text, shown as a diff."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from toolcanon.cli.check_inputs import Input
from toolcanon.diagnostics import Finding, Fix
from toolcanon.jsonio import Pointer, copy_json
from toolcanon.jsonio.edits import edited
from toolcanon.jsonio.types import Json
from toolcanon.sources import write_file
from toolcanon.text import safe


def mend(given: Input, findings: Iterable[Finding]) -> list[str]:
    """Apply what is safe to a file; returns the lines of the diff, none when nothing was done."""
    fixes = [
        finding.fix
        for finding in findings
        if finding.fix is not None and finding.fix.is_safe and finding.fix.origin is not None
    ]
    if not fixes:
        return []
    if not given.is_file or given.has_rows or not given.name.endswith(".json"):
        raise click.UsageError(f"Fixes are written into JSON files only, not into {given.name}.")
    before = given.payload
    after = copy_json(before)
    for fix in sorted(fixes, key=lambda fix: len(fix.origin or ())):
        after = _applied(after, fix)
    path = Path(given.name)
    text = path.read_bytes().decode("utf-8")
    changed = edited(text, before, after)
    write_file(given.name, [changed])
    return list(_diff(text, changed, given.name))


def _applied(document: Json, fix: Fix) -> Json:
    """The document after one fix; one whose place is gone meanwhile does nothing."""
    at = fix.origin or Pointer()
    if not at:
        return copy_json(fix.after)
    try:
        owner: Any = Pointer(at[:-1]).resolve(document)
    except LookupError:
        return document
    step = at[-1]
    if isinstance(owner, dict) and fix.is_removal:
        owner.pop(step, None)
    elif isinstance(owner, dict | list):
        owner[step] = copy_json(fix.after)  # type: ignore[index]  # a list's own step is a number
    return document


def _diff(before: str, after: str, name: str) -> Iterator[str]:
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), name, name, lineterm="", n=1
    )
    return (safe(line) for line in lines)
