"""Convert values to rows and back.

Every row has a checksum, because SQLite detects damage of its pages but not of their content: a row
that differs from what was written is an error, never a baseline, alert or event.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, TypeAlias, cast
from zlib import crc32

import orjson

from toolcanon.jsonio import copy_json, exact_text
from toolcanon.jsonio.types import Json
from toolcanon.watch.sqlite.faults import Torn
from toolcanon.watch.store import Event, EventKind, Key, Known

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
