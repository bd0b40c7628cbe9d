"""The tables, and the migrations of older stores.

A step migrates a store from one version to the next, in one transaction. Steps are only ever added.
Rows with a number are never deleted, so the numbers that SQLite assigns only grow: they are the
sequence. ``seal`` is a checksum of its row, see ``rows``.
"""

from __future__ import annotations

import sqlite3
from typing import Final, TypeAlias

APPLICATION_ID: Final = 0x746F6F6C  # "tool"

Step: TypeAlias = tuple[str, ...]

_FIRST: Step = (
    # JSON by the digest of its text: equal definitions are stored once.
    """CREATE TABLE content (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    packed NOT NULL
)""",
    # Never changed once written, so an id always gives the same content.
    """CREATE TABLE snapshot (
    id INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    tool TEXT NOT NULL,
    version TEXT NOT NULL,
    schema_hash TEXT NOT NULL,
    response_pattern_hash TEXT NOT NULL,
    exact TEXT,
    digests TEXT NOT NULL,
    quick TEXT NOT NULL,
    definition INTEGER REFERENCES content,
    shape INTEGER REFERENCES content,
    captured_at TEXT NOT NULL,
    seal INTEGER NOT NULL
)""",
    "CREATE INDEX snapshot_exact ON snapshot (exact) WHERE definition IS NOT NULL",
    # Repeats what is needed to detect a change: one short read for a whole catalog.
    """CREATE TABLE baseline (
    source TEXT NOT NULL,
    tool TEXT NOT NULL,
    quick TEXT NOT NULL,
    schema_hash TEXT NOT NULL,
    response_pattern_hash TEXT NOT NULL,
    snapshot INTEGER NOT NULL REFERENCES snapshot,
    seal INTEGER NOT NULL,
    PRIMARY KEY (source, tool)
) WITHOUT ROWID""",
    """CREATE TABLE alert (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    source TEXT NOT NULL,
    tool TEXT NOT NULL,
    change_type TEXT NOT NULL,
    severity TEXT NOT NULL,
    verdict TEXT NOT NULL,
    model_visible INTEGER NOT NULL,
    changes NOT NULL,
    before INTEGER NOT NULL REFERENCES snapshot,
    after INTEGER NOT NULL REFERENCES snapshot,
    first_seen TEXT NOT NULL,
    last_seen TEXT NOT NULL,
    count INTEGER NOT NULL,
    status TEXT NOT NULL,
    event INTEGER NOT NULL REFERENCES event,
    seal INTEGER NOT NULL
)""",
    "CREATE INDEX alert_tool ON alert (tool, sequence)",
    "CREATE INDEX alert_open ON alert (source, tool) WHERE status = 'open'",
    """CREATE TABLE event (
    sequence INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    tool TEXT NOT NULL,
    kind TEXT NOT NULL,
    at TEXT NOT NULL,
    before TEXT NOT NULL,
    after TEXT NOT NULL,
    verdict TEXT NOT NULL,
    version TEXT NOT NULL,
    by TEXT NOT NULL,
    reason TEXT NOT NULL,
    count INTEGER NOT NULL,
    seal INTEGER NOT NULL
)""",
    "CREATE INDEX event_tool ON event (source, tool, sequence)",
)

STEPS: tuple[Step, ...] = (_FIRST,)


def newest() -> int:
    """Return the version that this program writes."""
    return len(STEPS)


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version of a store."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def take_step(connection: sqlite3.Connection, version: int) -> None:
    """Migrate from this version to the next, inside the caller's transaction."""
    for statement in STEPS[version]:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {version + 1:d}")


def build(connection: sqlite3.Connection) -> None:
    """Create all tables in an empty database, inside the caller's transaction."""
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
    for version in range(newest()):
        take_step(connection, version)


def is_ours(connection: sqlite3.Connection, version: int) -> bool:
    """Return whether the schema is exactly ours: views and triggers could give other results."""
    fresh = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for earlier in range(version):
            take_step(fresh, earlier)
        return _objects(fresh) == _objects(connection)
    finally:
        fresh.close()


def _objects(connection: sqlite3.Connection) -> list[tuple[str, ...]]:
    found = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master")
    return sorted(tuple(map(str, row)) for row in found)
