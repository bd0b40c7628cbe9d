"""What a store of baselines, alerts and approvals is, whichever database keeps it.

Everything that is written is durable when the call returns, and each call is one transaction: it
happened or it did not. Order is that of a sequence the store counts, never that of a clock.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, NamedTuple, Protocol, TypeAlias

from toolcanon.jsonio.types import Json, JsonObject

Status: TypeAlias = Literal["open", "resolved", "approved"]
"""Of an alert: somebody should look; the tool is as before again; somebody agreed."""
EventKind: TypeAlias = Literal["baseline", "alert", "resolved", "approved", "imported", "removed"]


class Key(NamedTuple):
    """What a tool is known by: two columns, so that no separator can make two keys one."""

    source: str
    """The server it came from; empty for tools that were handed over as files."""
    tool: str


class Known(NamedTuple):
    """As much of a baseline as telling "unchanged" takes."""

    quick: str
    schema_hash: str
    response_pattern_hash: str


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A tool as it was seen once."""

    key: Key
    version: str
    schema_hash: str
    response_pattern_hash: str
    digests: Mapping[str, str] = field(default_factory=dict)
    """exact, semantic, text, annotations; empty when nobody could read it as a tool."""
    quick: str = ""
    """Equal for equal definitions, and cheap to make; it means nothing else and may be empty."""
    definition: Json = None
    """None when only hashes came in from elsewhere."""
    shape: JsonObject | None = None
    """What its responses look like, without their values."""
    captured_at: datetime = field(default_factory=_now)


@dataclass(frozen=True, slots=True)
class Alert:
    """One drift of one tool, however often it was seen."""

    id: str
    """The same for the same drift: made of key, change type, and the hashes before and after."""
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
    """Given by the store; alerts are listed in this order, and pages begin after one."""

    @property
    def key(self) -> Key:
        return self.before.key


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in the life of a tool."""

    sequence: int
    key: Key
    kind: EventKind
    at: datetime
    before: str = ""
    """The exact digest before, or the schema hash where there is no digest."""
    after: str = ""
    verdict: str = ""
    version: str = ""
    by: str = ""
    reason: str = ""
    count: int = 1


class Store(Protocol):
    """Keeps what was seen. Raises the errors of ``toolcanon.errors.stored``."""

    def known(self, source: str) -> dict[str, Known]:
        """Every baseline of a source by the name of its tool, in one read."""

    def baseline(self, key: Key) -> Snapshot | None:
        """The baseline of a tool."""

    def baselines(
        self, source: str | None = None, *, tool: str | None = None
    ) -> Iterator[Snapshot]:
        """Baselines in the order of source and name."""

    def answering(self, source: str) -> set[str]:
        """The tools of a source whose baselines hold the shape of responses."""

    def put(self, snapshots: Iterable[Snapshot], *, kind: EventKind = "baseline") -> int:
        """Set baselines, old ones are replaced and stay in the history; how many there were.

        A baseline that is there already, with the same time, is nothing new in the history.
        """

    def register(self, snapshots: Iterable[Snapshot]) -> list[Key]:
        """Set baselines where there are none, and return for which tools that was."""

    def record(self, alerts: Iterable[Alert]) -> list[Alert]:
        """Keep alerts; one that is known is counted up and, if it was closed, open again."""

    def resolve(self, keys: Iterable[Key], *, only: Collection[str] | None = None) -> int:
        """The tools are as their baselines say: close what is open; how many alerts that was.

        ``only`` names the alerts by their ids, where not all that is open on a tool is settled.
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
        """Alerts in the order of their sequence."""

    def approve(self, seen: Snapshot, *, expected: str, by: str, reason: str) -> bool:
        """Make what was seen the baseline, and approve the alerts about exactly that.

        Alerts about something else stay open: nobody agreed to it, and it may be what is there now.
        False when it is the baseline already and nothing is open about it: nothing was done then.
        ``expected`` is the schema hash of the baseline that the approver compared with, empty when
        there was none; when the baseline is another by now, ApprovalConflict is raised.
        """

    def drop(self, keys: Iterable[Key], *, by: str = "", reason: str = "") -> int:
        """These tools are no longer expected: their baselines go, and how many that was.

        Their history stays and tells of it. What is open about them is approved when it is said
        who agreed, and resolved otherwise.
        """

    def definition(self, exact: str) -> Json | None:
        """A definition that was ever seen, by its exact digest."""

    def sources_of(self, tool: str) -> list[str]:
        """Every source that has, or ever had, a tool of this name, in order."""

    def history(self, key: Key) -> Iterator[Event]:
        """The life of a tool, from the beginning."""

    def close(self) -> None:
        """Let go of the database."""
