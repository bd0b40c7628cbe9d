"""Read the store; every function takes an open connection."""

from __future__ import annotations

import sqlite3
from typing import Final, cast

from toolcanon.jsonio.types import Json
from toolcanon.watch.sqlite.faults import Torn
from toolcanon.watch.sqlite.rows import (
    AlertRow,
    EventRow,
    SnapshotRow,
    address,
    join_digests,
    moment,
    opened,
    opened_known,
    unpack,
)
from toolcanon.watch.store import Alert, Event, Key, Known, Snapshot, Status

_BASELINES: Final = (
    "SELECT source, tool, quick, schema_hash, response_pattern_hash, snapshot, seal FROM baseline"
)
_SNAPSHOT: Final = (
    "SELECT source, tool, version, schema_hash, response_pattern_hash, exact, digests, quick,"
    " definition, shape, captured_at, seal FROM snapshot WHERE id = ?"
)
_ALERT: Final = (
    "SELECT sequence, id, source, tool, change_type, severity, verdict, model_visible, changes,"
    " before, after, first_seen, last_seen, count, status, event, seal FROM alert"
)
_EVENT: Final = (
    "SELECT sequence, source, tool, kind, at, before, after, verdict, version, by, reason, count,"
    " seal FROM event"
)


def known(db: sqlite3.Connection, source: str) -> dict[str, Known]:
    """Return the baselines of a source. All rows are read: a damaged name would hide a baseline."""
    found = {}
    for row in db.execute(_BASELINES):
        baseline = opened_known(row)
        if row[0] == source:
            found[row[1]] = baseline
    return found


def baseline_id(db: sqlite3.Connection, key: Key) -> int | None:
    """Return the id of the snapshot that is the baseline of a tool."""
    row = db.execute(f"{_BASELINES} WHERE source = ? AND tool = ?", key).fetchone()
    return None if row is None else cast("int", opened(row)[-1])


def baseline_ids(db: sqlite3.Connection, source: str | None, tool: str | None) -> list[int]:
    asked = [
        (text, value)
        for text, value in (("source = ?", source), ("tool = ?", tool))
        if value is not None
    ]
    where = " AND ".join(["true", *(text for text, _ in asked)])
    values = [value for _, value in asked]
    rows = db.execute(f"{_BASELINES} WHERE {where} ORDER BY source, tool", values)
    return [opened(row)[-1] for row in rows]


def answering(db: sqlite3.Connection, source: str) -> set[str]:
    rows = db.execute(
        "SELECT baseline.tool FROM baseline JOIN snapshot ON snapshot.id = baseline.snapshot"
        " WHERE baseline.source = ? AND snapshot.shape IS NOT NULL",
        (source,),
    )
    return {row[0] for row in rows}


def snapshot_row(db: sqlite3.Connection, number: int) -> SnapshotRow:
    row = db.execute(_SNAPSHOT, (number,)).fetchone()
    if row is None:
        raise Torn("a snapshot is missing")
    return SnapshotRow(*opened(row))


def snapshot(db: sqlite3.Connection, number: int) -> Snapshot:
    row = snapshot_row(db, number)
    return Snapshot(
        key=Key(row.source, row.tool),
        version=row.version,
        schema_hash=row.schema_hash,
        response_pattern_hash=row.response_pattern_hash,
        digests=join_digests(row.exact, row.digests),
        quick=row.quick,
        definition=_content(db, row.definition),
        shape=_content(db, row.shape),
        captured_at=moment(row.captured_at),
    )


def _content(db: sqlite3.Connection, number: int | None) -> Json:
    if number is None:
        return None
    row = db.execute("SELECT digest, packed FROM content WHERE id = ?", (number,)).fetchone()
    if row is None or address(row[1]) != row[0]:
        raise Torn("a definition differs from what was written")
    return unpack(row[1])


def definition(db: sqlite3.Connection, exact: str) -> Json | None:
    row = db.execute(
        "SELECT definition FROM snapshot WHERE exact = ? AND definition IS NOT NULL"
        " ORDER BY id DESC LIMIT 1",
        (exact,),
    ).fetchone()
    return None if row is None else _content(db, row[0])


def alert_row(db: sqlite3.Connection, id: str) -> AlertRow | None:
    row = db.execute(f"{_ALERT} WHERE id = ?", (id,)).fetchone()
    return None if row is None else AlertRow(*opened(row))


def open_alerts(db: sqlite3.Connection, key: Key) -> list[AlertRow]:
    """Return the open alerts about a tool, oldest first."""
    rows = db.execute(
        f"{_ALERT} WHERE source = ? AND tool = ? AND status = 'open' ORDER BY sequence", key
    )
    return [AlertRow(*opened(row)) for row in rows]


def keys_with_open_alerts(db: sqlite3.Connection) -> set[Key]:
    rows = db.execute("SELECT DISTINCT source, tool FROM alert WHERE status = 'open'")
    return {Key(*row) for row in rows}


def alerts_page(
    db: sqlite3.Connection,
    filters: tuple[str | None, str | None, str | None],
    after: int,
    limit: int,
) -> list[Alert]:
    """Return alerts after one, filtered by source, tool and status."""
    asked = [
        (text, value)
        for text, value in zip(("source = ?", "tool = ?", "status = ?"), filters, strict=True)
        if value is not None
    ]
    where = " AND ".join(["sequence > ?", *(text for text, _ in asked)])
    rows = db.execute(
        f"{_ALERT} WHERE {where} ORDER BY sequence LIMIT ?",
        (after, *(value for _, value in asked), limit),
    ).fetchall()
    return [alert(db, AlertRow(*opened(row))) for row in rows]


def alert(db: sqlite3.Connection, row: AlertRow) -> Alert:
    return Alert(
        id=row.id,
        change_type=row.change_type,
        severity=row.severity,
        verdict=row.verdict,
        model_visible=bool(row.model_visible),
        changes=tuple(unpack(row.changes)),
        before=snapshot(db, row.before),
        after=snapshot(db, row.after),
        first_seen=moment(row.first_seen),
        last_seen=moment(row.last_seen),
        count=row.times,
        status=cast("Status", row.status),
        sequence=row.sequence,
    )


def sources_of(db: sqlite3.Connection, tool: str) -> list[str]:
    rows = db.execute("SELECT DISTINCT source FROM event WHERE tool = ? ORDER BY source", (tool,))
    return [row[0] for row in rows]


def events_page(db: sqlite3.Connection, key: Key, after: int, limit: int) -> list[Event]:
    rows = db.execute(
        f"{_EVENT} WHERE source = ? AND tool = ? AND sequence > ? ORDER BY sequence LIMIT ?",
        (*key, after, limit),
    ).fetchall()
    return [EventRow(*opened(row)).event() for row in rows]


def event_row(db: sqlite3.Connection, sequence: int) -> EventRow:
    row = db.execute(f"{_EVENT} WHERE sequence = ?", (sequence,)).fetchone()
    if row is None:
        raise Torn("an event is missing")
    return EventRow(*opened(row))
