"""Receipts as files: read by ``--undo``, written by ``--receipt`` and ``--keep``."""

from __future__ import annotations

from pathlib import Path

import click

from toolcanon.errors import BadReceipt, ToolcanonError
from toolcanon.jsonio import Limits
from toolcanon.jsonio.types import JsonObject
from toolcanon.sources import read_document

_MARKS = "toolcanon-"


def receipt_in(path: str | None, limits: Limits) -> JsonObject | None:
    """Return the receipt in a file, or None without a file. Raises BadReceipt."""
    if path is None:
        return None
    found = read_document(path, limits).value
    if not isinstance(found, dict):
        raise BadReceipt("it is not a receipt")
    return found


def ensure_receipt_place(path: str | None, mark: str, option: str) -> None:
    """Refuse to replace a receipt of another kind: nothing else leads back from it."""
    if path is None or not Path(path).is_file():
        return
    try:
        found = read_document(path).value
    except ToolcanonError:
        return
    marks = [key for key in found if key.startswith(_MARKS)] if isinstance(found, dict) else []
    if marks and mark not in marks:
        raise click.UsageError(
            f"{option}: {path} holds a receipt of another kind ({marks[0]}); write to another file"
        )
