"""Safe fixes of a user's file: the smallest change of its text, shown as a diff."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from toolcanon.cli.check_inputs import Input, Rows
from toolcanon.diagnostics import Finding, Fix
from toolcanon.jsonio import Pointer, copy_json
from toolcanon.jsonio.edits import edited
from toolcanon.jsonio.types import Json
from toolcanon.sources import write_file
from toolcanon.text import safe

_BOM = "\ufeff"


def apply_fixes(given: Input, findings: Iterable[Finding]) -> list[str]:
    """Apply the safe fixes to a file; return the lines of the diff, none without a change."""
    fixes = [
        finding.fix
        for finding in findings
        if finding.fix is not None and finding.fix.is_safe and finding.fix.origin is not None
    ]
    if not fixes:
        return []
    if not given.is_file:
        return []
    before = given.payload
    after = copy_json(before)
    for fix in sorted(fixes, key=lambda fix: len(fix.origin or ())):
        after = _applied(after, fix)
    text = Path(given.name).read_bytes().decode("utf-8")
    mark = text[: len(text) - len(text.removeprefix(_BOM))]
    changed = mark + edited(text.removeprefix(_BOM), before, after)
    if json.loads(changed.removeprefix(_BOM)) != after:  # for example, a key occurs twice
        raise click.UsageError(f"{given.name} cannot be edited safely; edit it by hand.")
    write_file(given.name, [changed])
    return list(_diff(text, changed, given.name))


def unsafe_fixes(findings: Iterable[Finding]) -> list[str]:
    """Return the codes of findings whose fixes are not safe to apply."""
    fixes = [(one.code, one.fix) for one in findings if one.fix is not None]
    return sorted({code for code, fix in fixes if not fix.is_safe})


def ensure_fixable(given: Input | Rows) -> None:
    """Raise a usage error for an input that fixes cannot be written to."""
    has_rows = isinstance(given, Rows) or given.has_rows
    if given.is_file and (has_rows or not given.name.lower().endswith(".json")):
        raise click.UsageError(f"--fix can only edit JSON files, not {given.name}.")


def _applied(document: Json, fix: Fix) -> Json:
    """Return the document after one fix; unchanged when its place is gone."""
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
