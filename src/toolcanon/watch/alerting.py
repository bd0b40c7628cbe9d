"""From two snapshots that differ to an alert: what changed, whom it hurts, and how it is known."""

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
"""By whether the definition and the responses are others."""
SEVERITIES: Final = {0: "low", 1: "medium", 2: "high"}
"""By how many of the two are others."""
_OF_RESPONSES: Final = "response-"
_ALARMS: Final = frozenset({"security", "breaking"})


def absent(key: Key, at: datetime) -> Snapshot:
    """What stands for a tool that is not there: no hash is ever empty otherwise."""
    return Snapshot(key, "", "", "", captured_at=at)


def alert_of(
    before: Snapshot,
    after: Snapshot,
    changes: Sequence[Change],
    *,
    at: datetime,
    compared: bool,
) -> Alert | None:
    """The alert on what differs, or nothing when nothing does.

    ``compared`` says that there are responses on both sides. ``changes`` may hold changes of
    responses that their hashes do not show.
    """
    schema = before.schema_hash != after.schema_hash
    answers = compared and (
        before.response_pattern_hash != after.response_pattern_hash
        or any(is_of_responses(change) for change in changes)
    )
    if not schema and not answers:
        return None
    kind = CHANGE_TYPES[schema, answers]
    told = tuple(change.to_dict() for change in changes)
    return Alert(
        alert_id(before, after, kind, told),
        kind,
        SEVERITIES[schema + answers],
        _verdict(changes, answers=answers),
        any(change.model_visible for change in changes),
        told,
        before,
        after,
        first_seen=at,
        last_seen=at,
    )


def is_of_responses(change: Change) -> bool:
    """Whether it was seen in responses and not in a definition."""
    return change.name.startswith(_OF_RESPONSES)


def _verdict(changes: Sequence[Change], *, answers: bool) -> str:
    """Who is hurt. Of responses that look otherwise nobody knows, unless their shapes tell."""
    found = worst(changes)
    if found in _ALARMS or not answers:
        return found
    return found if any(map(is_of_responses, changes)) else "unknown"


def alert_id(before: Snapshot, after: Snapshot, kind: str, changes: Sequence[JsonObject]) -> str:
    """The same for the same drift, whoever sees it and when.

    What only shapes tell is known by the kind of the change and its place: how often something was
    seen differs from sample to sample.
    """
    told = sorted(
        {
            (str(change.get("name")), str(change.get("at", change.get("was", ""))))
            for change in changes
            if str(change.get("name")).startswith(_OF_RESPONSES)
        }
    )
    sides: list[Json] = [
        [*side.key, side.schema_hash, side.response_pattern_hash] for side in (before, after)
    ]
    return digest(["toolcanon", "alert", 1, kind, sides, [list(pair) for pair in told]])


def matters(alert: Alert, level: FailOn) -> bool:
    """Whether an alert is at a level to fail on, or worse."""
    if level == "any":
        return True
    order = ("security", "breaking", "unknown")
    if level in order:
        return alert.verdict in order[: order.index(level) + 1]
    reads = alert.model_visible or alert.verdict in order
    return reads or (level == "compatible" and alert.verdict == "compatible")


def short_json(alert: Alert) -> JsonObject:
    """What a check prints of one drift."""
    return {
        "tool_name": alert.key.tool,
        "change_type": alert.change_type,
        "severity": alert.severity,
        "detected_at": alert.last_seen.isoformat(),
    }
