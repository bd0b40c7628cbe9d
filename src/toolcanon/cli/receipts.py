"""Receipts as files: read by ``--undo``, written by ``--receipt`` and ``--keep``."""

from __future__ import annotations

from pathlib import Path

import click

from toolcanon.errors import BadReceipt, ToolcanonError
from toolcanon.jsonio import Limits
from toolcanon.jsonio.types import JsonObject
from toolcanon.sources import read_document
from toolcanon.text import safe

_MARKS = "toolcanon-"


def receipt_in(path: str | None, limits: Limits) -> JsonObject | None:
    """Return the receipt in a file, or None without a file. Raises BadReceipt."""
    if path is None:
        return None
    found = read_document(path, limits).value
    if not isinstance(found, dict):
        raise BadReceipt("it is not a receipt")
    return found


def origin_of(receipt: JsonObject | None) -> str:
    """Return the format that the tools of a receipt came from, as the target of their way back."""
    if receipt is None:
        raise click.UsageError("Missing option '-t' / '--to'.")
    tools = receipt.get("tools")
    stated = (
        [item.get("source_format") for item in tools if isinstance(item, dict)]
        if (isinstance(tools, list))
        else []
    )
    found = sorted({name for name in stated if isinstance(name, str) and name})
    if len(found) == 1:
        return found[0]
    known = f"come from {', '.join(map(safe, found))}" if found else "state no format of origin"
    raise click.UsageError(f"The tools of the receipt {known}: add --to with one format.")


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
