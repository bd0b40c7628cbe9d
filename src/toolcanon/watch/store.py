"""The interface of a store of baselines, alerts and approvals, independent of the database.

Everything written is durable when the call returns, and each call is one transaction. Order is that
of a sequence number that the store counts, never that of a clock.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, NamedTuple, Protocol, TypeAlias

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
    """Stores snapshots and alerts. Raises the errors of ``toolcanon.errors.stored``."""

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
