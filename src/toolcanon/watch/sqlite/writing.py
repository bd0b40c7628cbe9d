"""Write the store; every function runs inside the caller's transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from datetime import datetime
from typing import Final, TypeAlias

from toolcanon.errors import ApprovalConflict
from toolcanon.jsonio.types import Json
from toolcanon.watch.sqlite import reading
from toolcanon.watch.sqlite.reading import (
    AlertRow,
    EventRow,
    SnapshotRow,
    address,
    instant,
    pack,
    sealed,
    split_digests,
)
from toolcanon.watch.store import Alert, EventKind, Key, Snapshot, Status

Clock: TypeAlias = Callable[[], datetime]


def _insert(table: str, columns: int) -> str:
    return f"INSERT OR REPLACE INTO {table} VALUES ({', '.join('?' * columns)})"  # noqa: S608 - constants


_ADD_SNAPSHOT: Final = _insert("snapshot", len(SnapshotRow._fields) + 2)
_SET_BASELINE: Final = _insert("baseline", 7)
_SET_ALERT: Final = _insert("alert", len(AlertRow._fields) + 1)
_SET_EVENT: Final = _insert("event", len(EventRow._fields) + 1)


def put(
    db: sqlite3.Connection, snapshots: Iterable[Snapshot], kind: EventKind, clock: Clock
) -> None:
    """Set baselines; those that exist already, exactly, are skipped."""
    at, sequence = instant(clock()), _next_event(db)
    for seen in snapshots:
        row = _snapshot_row(db, seen)
        number = reading.baseline_id(db, seen.key)
        old = None if number is None else reading.snapshot_row(db, number)
        if old != row:
            before = "" if old is None else old.known_as
            _set_baseline(db, row)
            _set_event(
                db,
                EventRow(sequence, *seen.key, kind, at, before, row.known_as, version=row.version),
            )
            sequence += 1


def register(db: sqlite3.Connection, snapshots: Iterable[Snapshot], clock: Clock) -> list[Key]:
    new: dict[Key, Snapshot] = {}
    for seen in snapshots:
        if seen.key not in new and reading.baseline_id(db, seen.key) is None:
            new[seen.key] = seen
    put(db, new.values(), "baseline", clock)
    return list(new)


def record(db: sqlite3.Connection, alerts: Iterable[Alert]) -> list[Alert]:
    return [_record(db, alert) for alert in alerts]


def _record(db: sqlite3.Connection, alert: Alert) -> Alert:
    """Store an alert; a known one keeps its sequence and snapshots and gets the new details."""
    old = reading.alert_row(db, alert.id)
    before = _add_snapshot(db, alert.before) if old is None else old.before
    after = _add_snapshot(db, alert.after) if old is None else old.after
    if old is not None and old.status == "open":
        event = reading.event_row(db, old.event)
        event = event._replace(times=event.times + alert.count)
    else:
        event = _event_of(alert, _next_event(db))
    _set_event(db, event)
    row = AlertRow(
        sequence=_next_alert(db) if old is None else old.sequence,
        id=alert.id,
        source=alert.key.source,
        tool=alert.key.tool,
        change_type=alert.change_type,
        severity=alert.severity,
        verdict=alert.verdict,
        model_visible=int(alert.model_visible),
        changes=pack(list(alert.changes)),
        before=before,
        after=after,
        first_seen=instant(alert.first_seen) if old is None else old.first_seen,
        last_seen=instant(alert.last_seen),
        times=alert.count if old is None else old.times + alert.count,
        status=alert.status if old is None else "open",
        event=event.sequence,
    )
    db.execute(_SET_ALERT, sealed(row))
    return replace(alert, sequence=row.sequence) if old is None else reading.alert(db, row)


def _next_alert(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT ifnull(max(sequence), 0) + 1 FROM alert").fetchone()[0])


def _next_event(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT ifnull(max(sequence), 0) + 1 FROM event").fetchone()[0])


def _event_of(alert: Alert, sequence: int) -> EventRow:
    return EventRow(
        sequence,
        *alert.key,
        "alert",
        instant(alert.last_seen),
        before=known_as(alert.before),
        after=known_as(alert.after),
        verdict=alert.verdict,
        version=alert.after.version,
        times=alert.count,
    )


def known_as(seen: Snapshot) -> str:
    """Return its identifier in the history."""
    return seen.digests.get("exact") or seen.schema_hash


def resolve(
    db: sqlite3.Connection, keys: Iterable[Key], only: Collection[str] | None, clock: Clock
) -> int:
    at, closed = instant(clock()), 0
    for key in keys:
        for alert in reading.open_alerts(db, key):
            if only is not None and alert.id not in only:
                continue
            _close(db, [alert], "resolved")
            before, after = (
                reading.snapshot_row(db, number) for number in (alert.after, alert.before)
            )
            event = EventRow(_next_event(db), *key, "resolved", at, version=after.version)
            _set_event(db, event._replace(before=before.known_as, after=after.known_as))
            closed += 1
    return closed


def approve(  # noqa: PLR0913 - the fields of an approval
    db: sqlite3.Connection, seen: Snapshot, *, expected: str, by: str, reason: str, clock: Clock
) -> bool:
    """Approve a snapshot; alerts about other versions stay open."""
    number = reading.baseline_id(db, seen.key)
    old = None if number is None else reading.snapshot_row(db, number)
    found = "" if old is None else old.schema_hash
    if found != expected:
        raise ApprovalConflict(seen.key.tool, expected, found)
    row = _snapshot_row(db, seen)
    agreed = [
        alert
        for alert in reading.open_alerts(db, seen.key)
        if reading.snapshot_row(db, alert.after).looks == row.looks
    ]
    if not agreed and old is not None and old.looks == row.looks:
        return False
    _close(db, agreed, "approved")
    _set_baseline(db, row)
    event = EventRow(
        _next_event(db),
        *seen.key,
        "approved",
        instant(clock()),
        before="" if old is None else old.known_as,
        after=row.known_as,
        verdict=agreed[-1].verdict if agreed else "",
        version=seen.version,
        by=by,
        reason=reason,
    )
    _set_event(db, event)
    return True


def drop(db: sqlite3.Connection, keys: Iterable[Key], by: str, reason: str, clock: Clock) -> int:
    at, dropped = instant(clock()), 0
    for key in dict.fromkeys(keys):
        number, waiting = reading.baseline_id(db, key), reading.open_alerts(db, key)
        before = "" if number is None else reading.snapshot_row(db, number).known_as
        _close(db, waiting, "approved" if by else "resolved")
        if number is not None or waiting:
            verdict = waiting[-1].verdict if waiting else ""
            event = EventRow(_next_event(db), *key, "removed", at, before, by=by, reason=reason)
            _set_event(db, event._replace(verdict=verdict))
        dropped += db.execute("DELETE FROM baseline WHERE source = ? AND tool = ?", key).rowcount
    return dropped


def _close(db: sqlite3.Connection, alerts: Iterable[AlertRow], status: Status) -> None:
    for alert in alerts:
        db.execute(_SET_ALERT, sealed(alert._replace(status=status)))


def _set_baseline(db: sqlite3.Connection, row: SnapshotRow) -> None:
    number = db.execute(_ADD_SNAPSHOT, (None, *sealed(row))).lastrowid
    known = (row.quick, row.schema_hash, row.response_pattern_hash)
    db.execute(_SET_BASELINE, sealed((row.source, row.tool, *known, number)))


def _add_snapshot(db: sqlite3.Connection, seen: Snapshot) -> int:
    return db.execute(_ADD_SNAPSHOT, (None, *sealed(_snapshot_row(db, seen)))).lastrowid or 0


def _set_event(db: sqlite3.Connection, row: EventRow) -> None:
    db.execute(_SET_EVENT, sealed(row))


def _snapshot_row(db: sqlite3.Connection, seen: Snapshot) -> SnapshotRow:
    exact, digests = split_digests(seen.digests)
    return SnapshotRow(
        seen.key.source,
        seen.key.tool,
        seen.version,
        seen.schema_hash,
        seen.response_pattern_hash,
        exact,
        digests,
        seen.quick,
        _keep(db, seen.definition),
        _keep(db, seen.shape),
        instant(seen.captured_at),
    )


def _keep(db: sqlite3.Connection, value: Json) -> int | None:
    """Return the id of content, which is written if it is new."""
    if value is None:
        return None
    packed = pack(value)
    digest = address(packed)
    added = db.execute("INSERT OR IGNORE INTO content VALUES (NULL, ?, ?)", (digest, packed))
    if added.rowcount:
        return added.lastrowid
    found = db.execute("SELECT id FROM content WHERE digest = ?", (digest,)).fetchone()
    return int(found[0])
