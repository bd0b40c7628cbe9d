"""What SQLite says is wrong, in our words."""

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

_KIND: Final = 0xFF  # the lower byte of a code is its kind, the rest says more about it
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT})
_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
_UNWRITABLE: Final = {
    sqlite3.SQLITE_FULL: "no room is left for it",
    sqlite3.SQLITE_READONLY: "it is read-only",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened, or a file beside it cannot be made",
    sqlite3.SQLITE_PERM: "permission is denied",
    sqlite3.SQLITE_AUTH: "permission is denied",
    sqlite3.SQLITE_IOERR: "the disk refused",
}
_UNREADABLE: Final = frozenset({sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ})

KEPT: Final = "what was kept before is still there; make room or give permission, then run it again"
REPAIR: Final = (
    "it was left as it is; restore a copy, or move it away to begin anew with `toolwatch baseline`"
)
WAIT: Final = "see which other program holds it, then run this again"


class Torn(sqlite3.DatabaseError):
    """A row that does not come back as it was written."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


@contextmanager
def faults(path: Path) -> Iterator[None]:
    """Errors of SQLite leave this block as ours."""
    try:
        yield
    except sqlite3.Error as error:
        known = _in_our_words(str(path), error)
        if known is None:
            raise
        raise known from error
    except UnicodeEncodeError:
        raise LoneSurrogate("") from None


def is_busy(error: sqlite3.Error) -> bool:
    """Whether waiting helps."""
    return _kind(error) in _BUSY


def _kind(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & _KIND


def _in_our_words(path: str, error: sqlite3.Error) -> ToolcanonError | None:
    code, kind = getattr(error, "sqlite_errorcode", 0), _kind(error)
    if kind in _DAMAGED or code in _UNREADABLE or "decode to UTF-8" in str(error):
        return StoreDamaged(path, f"it is damaged ({error})", REPAIR)
    if kind in _BUSY:
        return StoreBusy(path, "others keep it locked", WAIT)
    if kind in _UNWRITABLE:
        return StoreUnwritable(path, _UNWRITABLE[kind], KEPT)
    if isinstance(error, sqlite3.DataError):  # more than SQLite takes in one value
        return LimitExceeded("bytes", 1_000_000_000)
    return None
