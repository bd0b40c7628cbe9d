"""Make an alert of two snapshots that differ: what changed, who breaks, and the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from toolcanon.diagnostics.change import Change
from toolcanon.drift.report import FailOn, worst
from toolcanon.jsonio import digest
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.watch.store import Alert, Key, Snapshot

CHANGE_TYPES: Final = {
    (True, False): "schema_change",
    (False, True): "response_change",
    (True, True): "behavior_change",
}
"""The change type, by whether the definition and the responses changed."""
SEVERITIES: Final = {0: "low", 1: "medium", 2: "high"}
"""The severity, by how many of the two changed."""
_OF_RESPONSES: Final = "response-"
_ALARMS: Final = frozenset({"security", "breaking"})


def absent(key: Key, at: datetime) -> Snapshot:
    """Return the snapshot of a missing tool, the only one with an empty schema hash."""
    return Snapshot(key, "", "", "", captured_at=at)


def alert_of(
    before: Snapshot,
    after: Snapshot,
    changes: Sequence[Change],
    *,
    at: datetime,
    compared: bool,
) -> Alert | None:
    """Return the alert about the differences, or None without any.

    ``compared`` states that both sides have responses. ``changes`` may hold changes of responses
    that their hashes do not show.
    """
    schema = before.schema_hash != after.schema_hash
    answers = compared and (
        before.response_pattern_hash != after.response_pattern_hash
        or any(is_of_responses(change) for change in changes)
    )
    if not schema and not answers:
        return None
    kind = CHANGE_TYPES[schema, answers]
    described = tuple(change.to_dict() for change in changes)
    return Alert(
        alert_id(before, after, kind, described),
        kind,
        SEVERITIES[schema + answers],
        _verdict(changes, answers=answers),
        any(change.model_visible for change in changes),
        described,
        before,
        after,
        first_seen=at,
        last_seen=at,
    )


def is_of_responses(change: Change) -> bool:
    """Return whether a change is of responses, not of a definition."""
    return change.name.startswith(_OF_RESPONSES)


def _verdict(changes: Sequence[Change], *, answers: bool) -> str:
    """Return the worst verdict. Changed responses without shapes to compare are unknown."""
    found = worst(changes)
    if found in _ALARMS or not answers:
        return found
    return found if any(map(is_of_responses, changes)) else "unknown"


def alert_id(before: Snapshot, after: Snapshot, kind: str, changes: Sequence[JsonObject]) -> str:
    """Return an id that is equal for the same drift, independent of time and observer.

    A change that only shapes show counts by its kind and place, because frequencies differ from
    sample to sample.
    """
    described = sorted(
        {
            (str(change.get("name")), str(change.get("at", change.get("was", ""))))
            for change in changes
            if str(change.get("name")).startswith(_OF_RESPONSES)
        }
    )
    sides: list[Json] = [
        [*side.key, side.schema_hash, side.response_pattern_hash] for side in (before, after)
    ]
    return digest(["toolcanon", "alert", 1, kind, sides, [list(pair) for pair in described]])


def matters(alert: Alert, level: FailOn) -> bool:
    """Return whether an alert is at the level to fail on, or worse."""
    if level == "any":
        return True
    order = ("security", "breaking", "unknown")
    if level in order:
        return alert.verdict in order[: order.index(level) + 1]
    reads = alert.model_visible or alert.verdict in order
    return reads or (level == "compatible" and alert.verdict == "compatible")


def short_json(alert: Alert) -> JsonObject:
    """Return one drift as a check prints it."""
    return {
        "tool_name": alert.key.tool,
        "change_type": alert.change_type,
        "severity": alert.severity,
        "detected_at": alert.last_seen.isoformat(),
    }
