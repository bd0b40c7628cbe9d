"""Connections: how durable, how wary of the file, how patient with others."""

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
"""Seconds to wait for others."""
_NAP: Final = 0.005
_LARGEST_LOG: Final = 16 * 1024 * 1024

_PRAGMAS: Final = (
    "PRAGMA trusted_schema = OFF",  # what the file says is data and never called
    "PRAGMA cell_size_check = ON",
    "PRAGMA mmap_size = 0",  # a file that shrinks under a map kills the process
    "PRAGMA synchronous = FULL",  # NORMAL may lose what was committed when the power fails
    "PRAGMA cache_size = -65536",  # 64 MiB, so that a catalog fits into a transaction
    f"PRAGMA journal_size_limit = {_LARGEST_LOG}",
)


def connect(path: Path, mode: Mode) -> sqlite3.Connection:
    """A connection without implicit transactions. It may be handed between threads."""
    asked = "mode=ro&immutable=1" if mode == "immutable" else f"mode={mode}"
    connection = sqlite3.connect(
        f"file:{quote(os.fsencode(path))}?{asked}",
        uri=True,
        timeout=0,  # we wait ourselves, see below
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
    """Try again while others hold the lock, at random moments so that nobody is always last.

    SQLite itself waits longer each time, and who has waited longest is then the slowest to look.
    """
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return action(*arguments)
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > end:
                raise
        time.sleep(random.uniform(0, _NAP))  # noqa: S311 - chance, no secret


def roll_back(connection: sqlite3.Connection) -> None:
    """Undo what was begun, unless SQLite did so already."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")
