"""Options for writing a report: terminal, detail, and the level that fails."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self, TextIO

from toolcanon.diagnostics import Level

_WIDTH: Final = 100
_NARROWEST: Final = 40
_DIGITS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """The defaults are for a pipe that takes UTF-8."""

    fail_on: Level = "error"
    verbose: bool = False
    colour: bool = False
    ascii: bool = False
    """Whether to escape non-ASCII characters."""
    width: int = _WIDTH
    """The longest line of a table."""

    @classmethod
    def of(
        cls,
        stream: TextIO,
        environ: Mapping[str, str],
        *,
        fail_on: Level = "error",
        verbose: bool = False,
    ) -> Self:
        """Return the options for a stream. ``NO_COLOR`` takes precedence over ``FORCE_COLOR``."""
        encoding = (getattr(stream, "encoding", None) or "ascii").lower().replace("_", "-")
        return cls(
            fail_on=fail_on,
            verbose=verbose,
            colour=_wants_colour(stream, environ),
            ascii=not encoding.startswith("utf"),
            width=max(_columns(stream, environ), _NARROWEST),
        )


def _columns(stream: TextIO, environ: Mapping[str, str]) -> int:
    columns = environ.get("COLUMNS", "")
    if columns.isdecimal() and len(columns) <= _DIGITS:
        return int(columns)
    try:
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):  # not a terminal, or not a number
        return _WIDTH


def _wants_colour(stream: TextIO, environ: Mapping[str, str]) -> bool:
    if environ.get("NO_COLOR"):
        return False
    if forced := environ.get("FORCE_COLOR"):
        return forced != "0"
    return stream.isatty() and environ.get("TERM") != "dumb"
