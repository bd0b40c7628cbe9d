"""The store read: rows as values.

Every row has a checksum, because SQLite detects damage of its pages but not of their content: a row
that differs from what was written is an error, never a baseline, alert or event.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, TypeAlias, cast
from zlib import crc32

import orjson

from toolcanon.jsonio import copy_json, exact_text
from toolcanon.jsonio.types import Json
from toolcanon.watch.sqlite.connection import Torn
from toolcanon.watch.store import Alert, Event, EventKind, Key, Known, Snapshot, Status

Row: TypeAlias = tuple[Any, ...]
EXACT: Final = "exact"


class SnapshotRow(NamedTuple):
    """A snapshot without its id; JSON is referenced by the ids of its content."""

    source: str
    tool: str
    version: str
    schema_hash: str
    response_pattern_hash: str
    exact: str | None
    digests: str
    quick: str
    definition: int | None
    shape: int | None
    captured_at: str

    @property
    def looks(self) -> tuple[str, str, int | None]:
        """Return what is watched: the definition and the responses."""
        return (self.schema_hash, self.response_pattern_hash, self.shape)

    @property
    def known_as(self) -> str:
        """Return its identifier in the history."""
        return self.exact or self.schema_hash


class AlertRow(NamedTuple):
    """An alert; snapshots and the newest event are referenced by id."""

    sequence: int
    id: str
    source: str
    tool: str
    change_type: str
    severity: str
    verdict: str
    model_visible: int
    changes: bytes | str
    before: int
    after: int
    first_seen: str
    last_seen: str
    times: int
    status: str
    event: int


class EventRow(NamedTuple):
    """An event."""

    sequence: int
    source: str
    tool: str
    kind: str
    at: str
    before: str = ""
    after: str = ""
    verdict: str = ""
    version: str = ""
    by: str = ""
    reason: str = ""
    times: int = 1

    def event(self) -> Event:
        return Event(
            sequence=self.sequence,
            key=Key(self.source, self.tool),
            kind=cast("EventKind", self.kind),
            at=moment(self.at),
            before=self.before,
            after=self.after,
            verdict=self.verdict,
            version=self.version,
            by=self.by,
            reason=self.reason,
            count=self.times,
        )


def sealed(row: Sequence[Any]) -> Row:
    """Return the row with its checksum appended."""
    return (*row, _checksum(row))


def opened(row: Row) -> Row:
    """Return the row without its checksum, which must match."""
    *values, seal = row
    if _checksum(values) != seal:
        raise Torn("a row differs from what was written")
    return tuple(values)


def _checksum(values: Sequence[Any]) -> int:
    return crc32("\0".join(map(str, values)).encode("utf-8", "surrogatepass"))


def opened_known(row: Row) -> Known:
    """Return a row of baselines as ``Known``, after checking its checksum."""
    source, tool, quick, schema_hash, response_pattern_hash, snapshot, seal = row
    text = f"{source}\0{tool}\0{quick}\0{schema_hash}\0{response_pattern_hash}\0{snapshot}"
    if crc32(text.encode()) != seal:
        raise Torn("a baseline differs from what was written")
    return Known(quick, schema_hash, response_pattern_hash)


def pack(value: Json) -> bytes | str:
    """Return JSON to store: bytes by orjson, or text by the standard library if orjson cannot."""
    text = exact_text(value)
    return json.dumps(copy_json(value), separators=(",", ":")) if text is None else text


def unpack(packed: bytes | str) -> Json:
    return orjson.loads(packed) if isinstance(packed, bytes) else json.loads(packed)


def address(packed: bytes | str) -> bytes:
    """Return the digest of content."""
    return hashlib.sha256(packed if isinstance(packed, bytes) else packed.encode()).digest()


def split_digests(digests: Mapping[str, str]) -> tuple[str | None, str]:
    """Return the exact digest, by which definitions are found, and the others as text."""
    others = {name: digests[name] for name in sorted(digests) if name != EXACT}
    return digests.get(EXACT), json.dumps(others)


def join_digests(exact: str | None, others: str) -> dict[str, str]:
    kept: dict[str, str] = json.loads(others)
    return kept if exact is None else {EXACT: exact, **kept}


def instant(moment: datetime) -> str:
    """Return a time as text, in UTC."""
    return moment.astimezone(UTC).isoformat()


def moment(instant: str) -> datetime:
    return datetime.fromisoformat(instant)


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
