"""What a store of baselines, alerts and approvals is, and one in memory.

Everything written is durable when the call returns, and each call is one transaction. Order is that
of a sequence number that the store counts, never that of a clock.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from operator import itemgetter
from typing import Literal, NamedTuple, Protocol, TypeAlias

from toolcanon.errors import ApprovalConflict
from toolcanon.jsonio import copy_json
from toolcanon.jsonio.types import Json, JsonObject

Status: TypeAlias = Literal["open", "resolved", "approved"]
"""The status of an alert: unreviewed; the tool is as before again; the change was approved."""
EventKind: TypeAlias = Literal["baseline", "alert", "resolved", "approved", "imported", "removed"]


class Key(NamedTuple):
    """The key of a tool, as a pair, so that no separator can make two keys equal."""

    source: str
    """The server it came from; empty for tools of files."""
    tool: str


class Known(NamedTuple):
    """The part of a baseline that is needed to detect a change."""

    quick: str
    schema_hash: str
    response_pattern_hash: str


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A tool as it was seen at one time."""

    key: Key
    version: str
    schema_hash: str
    response_pattern_hash: str
    digests: Mapping[str, str] = field(default_factory=dict)
    """exact, semantic, text, annotations; empty for a definition that is not a tool."""
    quick: str = ""
    """Equal only for equal definitions and cheap to compute; may be empty."""
    definition: Json = None
    """None when only hashes were imported."""
    shape: JsonObject | None = None
    """The shape of its responses, without their values."""
    captured_at: datetime = field(default_factory=_now)


@dataclass(frozen=True, slots=True)
class Alert:
    """One drift of one tool, with the number of times it was seen."""

    id: str
    """Equal for the same drift: made of key, change type, and the hashes before and after."""
    change_type: str
    severity: str
    verdict: str
    model_visible: bool
    changes: tuple[JsonObject, ...]
    before: Snapshot
    after: Snapshot
    first_seen: datetime = field(default_factory=_now)
    last_seen: datetime = field(default_factory=_now)
    count: int = 1
    status: Status = "open"
    sequence: int = 0
    """Set by the store; alerts are listed in this order, and pages begin after one."""

    @property
    def key(self) -> Key:
        return self.before.key


@dataclass(frozen=True, slots=True)
class Event:
    """An event in the history of a tool."""

    sequence: int
    key: Key
    kind: EventKind
    at: datetime
    before: str = ""
    """The exact digest before, or the schema hash without a digest."""
    after: str = ""
    verdict: str = ""
    version: str = ""
    by: str = ""
    reason: str = ""
    count: int = 1


class Store(Protocol):
    """Stores snapshots and alerts. Raises the errors of ``toolcanon.errors.system``."""

    def known(self, source: str) -> dict[str, Known]:
        """Return every baseline of a source by tool name, in one read."""

    def baseline(self, key: Key) -> Snapshot | None:
        """Return the baseline of a tool, None if it has none."""

    def baselines(
        self, source: str | None = None, *, tool: str | None = None
    ) -> Iterator[Snapshot]:
        """Yield baselines in the order of source and name."""

    def answering(self, source: str) -> set[str]:
        """Return the tools of a source whose baselines hold a shape of responses."""

    def put(self, snapshots: Iterable[Snapshot], *, kind: EventKind = "baseline") -> int:
        """Set baselines and return how many; replaced ones stay in the history.

        Setting an existing baseline again, with the same time, adds nothing to the history.
        """

    def register(self, snapshots: Iterable[Snapshot]) -> list[Key]:
        """Set baselines for tools without one, and return those tools."""

    def record(self, alerts: Iterable[Alert]) -> list[Alert]:
        """Store alerts; a known one is counted up and, if closed, opened again."""

    def resolve(self, keys: Iterable[Key], *, only: Collection[str] | None = None) -> int:
        """Close open alerts on tools that match their baselines, and return how many.

        ``only`` names the alerts by their ids, when not all open ones on a tool are settled.
        """

    def alerts(
        self,
        *,
        source: str | None = None,
        tool: str | None = None,
        status: Status | None = None,
        after: int = 0,
        limit: int | None = None,
    ) -> Iterator[Alert]:
        """Yield alerts in the order of their sequence."""

    def approve(self, seen: Snapshot, *, expected: str, by: str, reason: str) -> bool:
        """Make a snapshot the baseline, and approve the alerts about exactly that snapshot.

        Alerts about other versions stay open, since those were not approved and may be current.
        Return False when it already is the baseline and has no open alert; nothing is done then.
        ``expected`` is the schema hash of the baseline that the approver saw, empty for none; if
        the baseline is another by now, ApprovalConflict is raised.
        """

    def drop(self, keys: Iterable[Key], *, by: str = "", reason: str = "") -> int:
        """Remove the baselines of tools that are no longer expected, and return how many.

        Their history stays and includes the removal. Their open alerts are approved when ``by`` is
        given, and resolved otherwise.
        """

    def definition(self, exact: str) -> Json | None:
        """Return a definition that was ever stored, by its exact digest; None if unknown."""

    def sources_of(self, tool: str) -> list[str]:
        """Return every source that has or had a tool of this name, in order."""

    def history(self, key: Key) -> Iterator[Event]:
        """Yield the events of a tool, oldest first."""

    def close(self) -> None:
        """Close the database."""


class MemoryStore:
    """A ``Store`` without a file."""

    def __init__(self, *, clock: Callable[[], datetime] = _now) -> None:
        self._clock = clock
        self._baselines: dict[Key, Snapshot] = {}
        self._alerts: dict[str, Alert] = {}
        self._events: list[Event] = []
        self._newest_event: dict[str, int] = {}  # the newest event of each alert
        self._definitions: dict[str, Json] = {}

    def known(self, source: str) -> dict[str, Known]:
        return {
            key.tool: Known(seen.quick, seen.schema_hash, seen.response_pattern_hash)
            for key, seen in sorted(self._baselines.items(), key=itemgetter(0))
            if key.source == source
        }

    def baseline(self, key: Key) -> Snapshot | None:
        found = self._baselines.get(key)
        return None if found is None else _copy(found)

    def baselines(
        self, source: str | None = None, *, tool: str | None = None
    ) -> Iterator[Snapshot]:
        found = [
            self._baselines[key]
            for key in sorted(self._baselines)
            if source in {None, key.source} and tool in {None, key.tool}
        ]
        yield from map(_copy, found)

    def answering(self, source: str) -> set[str]:
        found = self._baselines.items()
        return {key.tool for key, seen in found if key.source == source and seen.shape is not None}

    def put(self, snapshots: Iterable[Snapshot], *, kind: EventKind = "baseline") -> int:
        new, at = [_copy(seen) for seen in snapshots], self._clock()
        for seen in new:
            old = self._baselines.get(seen.key)
            if old is None or not _is_same(old, seen):
                self._add_event(seen.key, kind, at, _known_as(old), seen)
                self._keep(seen)
                self._baselines[seen.key] = seen
        return len(new)

    def register(self, snapshots: Iterable[Snapshot]) -> list[Key]:
        new: dict[Key, Snapshot] = {}
        for seen in snapshots:
            if seen.key not in self._baselines:
                new.setdefault(seen.key, seen)
        self.put(new.values())
        return list(new)

    def record(self, alerts: Iterable[Alert]) -> list[Alert]:
        return [self._record(alert) for alert in alerts]

    def _record(self, alert: Alert) -> Alert:
        old = self._alerts.get(alert.id)
        if old is None:
            before, after = _copy(alert.before), _copy(alert.after)
            sequence = len(self._alerts) + 1
            kept = replace(alert, before=before, after=after, sequence=sequence)
            self._keep(before)
            self._keep(after)
        else:
            kept = replace(
                alert,
                before=old.before,
                after=old.after,
                first_seen=old.first_seen,
                count=old.count + alert.count,
                status="open",
                sequence=old.sequence,
            )
        if old is not None and old.status == "open":
            at = self._newest_event[alert.id]
            event = self._events[at]
            self._events[at] = replace(event, count=event.count + alert.count)
        else:
            self._newest_event[alert.id] = len(self._events)
            self._add_event(
                alert.key,
                "alert",
                alert.last_seen,
                _known_as(alert.before),
                alert.after,
                verdict=alert.verdict,
                count=alert.count,
            )
        self._alerts[alert.id] = _copy_alert(kept)
        return _copy_alert(kept)

    def resolve(self, keys: Iterable[Key], *, only: Collection[str] | None = None) -> int:
        at, asked, closed = self._clock(), set(keys), 0
        for key in sorted(asked):
            for alert in self._open(key):
                if only is not None and alert.id not in only:
                    continue
                self._close([alert], "resolved")
                self._add_event(key, "resolved", at, _known_as(alert.after), alert.before)
                closed += 1
        return closed

    def alerts(
        self,
        *,
        source: str | None = None,
        tool: str | None = None,
        status: Status | None = None,
        after: int = 0,
        limit: int | None = None,
    ) -> Iterator[Alert]:
        found = [
            alert
            for alert in self._alerts.values()
            if source in {None, alert.key.source}
            and tool in {None, alert.key.tool}
            and status in {None, alert.status}
            and alert.sequence > after
        ]
        yield from map(_copy_alert, found if limit is None else found[: max(limit, 0)])

    def approve(self, seen: Snapshot, *, expected: str, by: str, reason: str) -> bool:
        old = self._baselines.get(seen.key)
        found = "" if old is None else old.schema_hash
        if found != expected:
            raise ApprovalConflict(seen.key.tool, expected, found)
        agreed = [alert for alert in self._open(seen.key) if _looks_same(alert.after, seen)]
        if not agreed and old is not None and _looks_same(old, seen):
            return False
        self._close(agreed, "approved")
        kept = _copy(seen)
        self._keep(kept)
        self._baselines[seen.key] = kept
        self._add_event(
            seen.key,
            "approved",
            self._clock(),
            _known_as(old),
            kept,
            verdict=agreed[-1].verdict if agreed else "",
            by=by,
            reason=reason,
        )
        return True

    def drop(self, keys: Iterable[Key], *, by: str = "", reason: str = "") -> int:
        at, dropped = self._clock(), 0
        for key in dict.fromkeys(keys):
            old, waiting = self._baselines.pop(key, None), self._open(key)
            self._close(waiting, "approved" if by else "resolved")
            if old is not None or waiting:
                verdict = waiting[-1].verdict if waiting else ""
                gone = Snapshot(key, "", "", "")
                was = _known_as(old)
                self._add_event(
                    key, "removed", at, was, gone, verdict=verdict, by=by, reason=reason
                )
            dropped += old is not None
        return dropped

    def definition(self, exact: str) -> Json | None:
        return copy_json(self._definitions.get(exact))

    def sources_of(self, tool: str) -> list[str]:
        return sorted({event.key.source for event in self._events if event.key.tool == tool})

    def history(self, key: Key) -> Iterator[Event]:
        yield from [event for event in self._events if event.key == key]

    def close(self) -> None:
        """Do nothing."""

    def _open(self, key: Key) -> list[Alert]:
        return [a for a in self._alerts.values() if a.key == key and a.status == "open"]

    def _close(self, alerts: Iterable[Alert], status: Status) -> None:
        for alert in alerts:
            self._alerts[alert.id] = replace(alert, status=status)

    def _keep(self, seen: Snapshot) -> None:
        if seen.definition is not None and "exact" in seen.digests:
            self._definitions[seen.digests["exact"]] = seen.definition

    def _add_event(  # noqa: PLR0913 - the fields of an event
        self,
        key: Key,
        kind: EventKind,
        at: datetime,
        before: str,
        after: Snapshot,
        *,
        verdict: str = "",
        by: str = "",
        reason: str = "",
        count: int = 1,
    ) -> None:
        sequence = len(self._events) + 1
        known, version = _known_as(after), after.version
        event = Event(sequence, key, kind, at, before, known, verdict, version, by, reason, count)
        self._events.append(event)


def _known_as(seen: Snapshot | None) -> str:
    return "" if seen is None else seen.digests.get("exact") or seen.schema_hash


def _looks_same(one: Snapshot, other: Snapshot) -> bool:
    """Return whether definition and responses are equal."""
    ways = [
        (seen.schema_hash, seen.response_pattern_hash, repr(seen.shape)) for seen in (one, other)
    ]
    return ways[0] == ways[1]


def _is_same(one: Snapshot, other: Snapshot) -> bool:
    """Return whether two snapshots are the same as JSON text, where 1 and 1.0 differ."""
    written = [repr((seen.definition, seen.shape)) for seen in (one, other)]
    return one == other and written[0] == written[1]


def _copy(seen: Snapshot) -> Snapshot:
    """Return a copy, so that changes of the original or of a result do not reach the store."""
    return replace(
        seen,
        digests=dict(seen.digests),
        definition=copy_json(seen.definition),
        shape=copy_json(seen.shape),
    )


def _copy_alert(alert: Alert) -> Alert:
    return replace(
        alert,
        before=_copy(alert.before),
        after=_copy(alert.after),
        changes=tuple(copy_json(list(alert.changes))),
    )
