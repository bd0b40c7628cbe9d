"""The root of the tree, its three branches, and how errors find their words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar


class ToolcanonError(Exception):
    """Root of everything raised on purpose."""

    code: ClassVar[str] = "E000"
    name: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 2
    row: int | None = None  # the line of a JSON Lines file, for whoever prints the error


class InputError(ToolcanonError, ValueError):
    """The data handed in cannot be used."""


class UsageError(ToolcanonError):
    """The call asks for something that does not exist or makes no sense."""


class SystemRefusal(ToolcanonError):
    """The machine refused: disk, permission, lock."""

    exit_code = 3


def place(line: int | None, column: int | None) -> str:
    """Words for a position in a text, empty when unknown."""
    return f" at line {line}, column {column}" if line is not None else ""


def nearest(word: str, known: Sequence[str]) -> str | None:
    """The known word most like this one in any letter case, as it is spelled, if any is close.

    >>> nearest("grep", ["Grep", "Read"])
    'Grep'
    """
    from difflib import get_close_matches  # noqa: PLC0415 - only errors pay for this import

    spelled = {each.lower(): each for each in reversed(known)}
    found = get_close_matches(word.lower(), spelled, n=1, cutoff=0.6)
    return spelled[found[0]] if found and spelled[found[0]] != word else None
