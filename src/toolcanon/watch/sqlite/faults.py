"""Convert errors of SQLite into those of this package."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from toolcanon.errors import (
    LimitExceeded,
    LoneSurrogate,
    StoreBusy,
    StoreDamaged,
    StoreUnwritable,
    ToolcanonError,
)

_KIND: Final = 0xFF  # the lower byte of an extended result code is the primary code
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT})
_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
_UNWRITABLE: Final = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_READONLY: "it is read-only",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened, or a file beside it cannot be created",
    sqlite3.SQLITE_PERM: "permission is denied",
    sqlite3.SQLITE_AUTH: "permission is denied",
    sqlite3.SQLITE_IOERR: "the disk reported an error",
}
_UNREADABLE: Final = frozenset({sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ})

KEPT: Final = "earlier records are intact; free space or give permission, then run it again"
REPAIR: Final = (
    "it was not changed; restore a copy, or move it away and record again with `toolwatch baseline`"
)
WAIT: Final = "check which other program holds it, then run this again"


class Torn(sqlite3.DatabaseError):
    """A row differs from what was written."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


@contextmanager
def faults(path: Path) -> Iterator[None]:
    """Convert errors of SQLite in this block."""
    try:
        yield
    except sqlite3.Error as error:
        known = _converted(str(path), error)
        if known is None:
            raise
        raise known from error
    except UnicodeEncodeError:
        raise LoneSurrogate("") from None


def is_busy(error: sqlite3.Error) -> bool:
    """Return whether waiting helps."""
    return _kind(error) in _BUSY


def _kind(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & _KIND


def _converted(path: str, error: sqlite3.Error) -> ToolcanonError | None:
    code, kind = getattr(error, "sqlite_errorcode", 0), _kind(error)
    if kind in _DAMAGED or code in _UNREADABLE or "decode to UTF-8" in str(error):
        return StoreDamaged(path, f"it is damaged ({error})", REPAIR)
    if kind in _BUSY:
        return StoreBusy(path, "other processes keep it locked", WAIT)
    if kind in _UNWRITABLE:
        return StoreUnwritable(path, _UNWRITABLE[kind], KEPT)
    if isinstance(error, sqlite3.DataError):  # a value too large for SQLite
        return LimitExceeded("bytes", 1_000_000_000)
    return None
