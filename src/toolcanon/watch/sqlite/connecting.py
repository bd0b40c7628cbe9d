"""Connections: their durability, their distrust of the file, their waiting for locks."""

from __future__ import annotations

import os
import random
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal, TypeAlias, TypeVar
from urllib.parse import quote

from toolcanon.watch.sqlite.faults import is_busy

T = TypeVar("T")
Mode: TypeAlias = Literal["rw", "rwc", "ro", "immutable"]

PATIENCE: Final = 10.0
"""Seconds to wait for locks."""
_NAP: Final = 0.005
_LARGEST_LOG: Final = 16 * 1024 * 1024

_PRAGMAS: Final = (
    "PRAGMA trusted_schema = OFF",  # functions in the file's schema are not called
    "PRAGMA cell_size_check = ON",
    "PRAGMA mmap_size = 0",  # a mapped file that shrinks kills the process
    "PRAGMA synchronous = FULL",  # NORMAL may lose commits at a power failure
    "PRAGMA cache_size = -65536",  # 64 MiB, so that a catalog fits into a transaction
    f"PRAGMA journal_size_limit = {_LARGEST_LOG}",
)


def connect(path: Path, mode: Mode) -> sqlite3.Connection:
    """Return a connection without implicit transactions, which threads may share."""
    asked = "mode=ro&immutable=1" if mode == "immutable" else f"mode={mode}"
    connection = sqlite3.connect(
        f"file:{quote(os.fsencode(path))}?{asked}",
        uri=True,
        timeout=0,  # see ``patiently``
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        for pragma in _PRAGMAS:
            patiently(connection.execute, pragma)
    except BaseException:
        connection.close()
        raise
    return connection


def patiently(action: Callable[..., T], *arguments: object) -> T:
    """Retry while other processes hold the lock, at random intervals for fairness.

    SQLite's own waiting backs off, so the longest waiter would poll least often.
    """
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return action(*arguments)
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > end:
                raise
        time.sleep(random.uniform(0, _NAP))  # noqa: S311 - not a secret


def roll_back(connection: sqlite3.Connection) -> None:
    """Roll back the transaction, unless SQLite did so already."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")
