"""The root of the error tree, its three branches, and helpers for messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar


class ToolcanonError(Exception):
    """Root of all exceptions that the package raises on purpose."""

    code: ClassVar[str] = "E000"
    name: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 2
    row: int | None = None  # the line of a JSON Lines file, printed with the error


class InputError(ToolcanonError, ValueError):
    """The input data cannot be used."""

    code = "E100"
    name = "unusable-input"


class UsageError(ToolcanonError):
    """The call names something unknown or is inconsistent."""

    code = "E200"
    name = "wrong-usage"


class SystemRefusal(ToolcanonError):
    """The operating system or a server failed: disk, permission, lock, network."""

    code = "E300"
    name = "system-failed"
    exit_code = 3


def place(line: int | None, column: int | None) -> str:
    """Return a position in a text as words, empty when unknown."""
    return f" at line {line}, column {column}" if line is not None else ""


def nearest(word: str, known: Sequence[str]) -> str | None:
    """Return the known word most similar to this one, ignoring case; None if none is close.

    >>> nearest("grep", ["Grep", "Read"])
    'Grep'
    """
    from difflib import get_close_matches  # noqa: PLC0415 - only errors pay for this import

    spelled = {each.lower(): each for each in reversed(known)}
    found = get_close_matches(word.lower(), spelled, n=1, cutoff=0.6)
    return spelled[found[0]] if found and spelled[found[0]] != word else None
