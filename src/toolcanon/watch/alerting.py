"""Alerts: what changed between two snapshots, in definitions and in answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple

from toolcanon.diagnostics.change import Change
from toolcanon.drift.report import FailOn, told, worst
from toolcanon.drift.shapes.compare import compare_shapes
from toolcanon.drift.shapes.shape import Shape
from toolcanon.jsonio import digest
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.watch.capturing import NO_RESPONSES
from toolcanon.watch.store import Alert, Key, Known, Snapshot

NONE_REMEMBERED: Final = "responses were not compared: the baseline has none"
SOME_GIVEN: Final = "responses of {} were not compared: none were given for them"
NONE_GIVEN: Final = "responses were not compared: none were given (--responses FILE)"
_MOST: Final = 6
_HURTS: Final = frozenset({"security", "breaking", "unknown"})


class Answers(NamedTuple):
    """The result of comparing responses."""

    comparable: bool
    """Whether both sides have responses."""
    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()


def has_answers(remembered: Known | Snapshot) -> bool:
    """Return whether a baseline has responses; those without members have no hash of their own."""
    shape = remembered.shape if isinstance(remembered, Snapshot) else None
    return shape is not None or remembered.response_pattern_hash != NO_RESPONSES


def comparable_hash(before: Snapshot, after: Snapshot) -> Snapshot:
    """Return the baseline with a hash of its responses where an earlier version stored none.

    Responses that are not objects had the hash of no responses then. Shapes show if they changed.
    """
    if before.response_pattern_hash != NO_RESPONSES:
        return before
    if before.shape is None or after.shape is None or _types(Shape.from_dict(after.shape)):
        return before
    return replace(before, response_pattern_hash=after.response_pattern_hash)


def compared_answers(before: Snapshot, after: Snapshot) -> Answers:
    """Compare by shapes where both sides have one; the caller compares the hashes.

    A change that breaks no caller is reported only where the hashes differ as well, else noted.
    """
    if after.shape is None:
        return Answers(comparable=False)
    if not has_answers(before):
        return Answers(comparable=False, notes=(NONE_REMEMBERED,))
    name, new = after.key.tool, Shape.from_dict(after.shape)
    is_other = before.response_pattern_hash != after.response_pattern_hash
    if before.shape is None:
        told_only = (_pattern_changed(name, None, new),) if is_other else ()
        return Answers(comparable=True, changes=told_only)
    old = Shape.from_dict(before.shape)
    found = compare_shapes(old, new, tool=name)
    notes = [f"{name}: {note}" for note in found.notes]
    changes = list(found.changes)
    if is_other and not changes:
        changes.append(_pattern_changed(name, old, new))
    if not is_other:
        changes = [change for change in changes if change.verdict in _HURTS]
        notes += [f"{name}: {one.message}" for one in found.changes if one.verdict not in _HURTS]
    return Answers(True, tuple(changes), tuple(notes))


def _pattern_changed(name: str, old: Shape | None, new: Shape) -> Change:
    """Return the change of differing hashes, with the top-level members that explain it."""
    if old is None:
        reason = "the earlier responses are known only by their hash"
        return told("response-pattern-changed", reason=reason, tool=name)
    was, now = _types(old), _types(new)
    sides = (
        ("came", sorted(now.keys() - was.keys())),
        ("went", sorted(was.keys() - now.keys())),
        ("of other types", [key for key in sorted(was) if was[key] != now.get(key, was[key])]),
    )
    parts = [f"{how}: {_few(names)}" for how, names in sides if names]
    return told(
        "response-pattern-changed",
        f"responses have another form ({'; '.join(parts)})" if parts else "",
        before={key: list(types) for key, types in was.items() if types != now.get(key)},
        after={key: list(types) for key, types in now.items() if types != was.get(key)},
        reason=f"too few to judge: {old.samples:,} responses before, {new.samples:,} now",
        tool=name,
    )


def _types(shape: Shape) -> dict[str, tuple[str, ...]]:
    """Return the top-level members of responses, including failures, and their types."""
    found: dict[str, set[str]] = {}
    for root in (shape.root, shape.failed):
        for key, node in root.object.members.items() if root.object is not None else ():
            found.setdefault(key, set()).update(kind for kind, _ in node.tallies())
    return {key: tuple(sorted(found[key])) for key in sorted(found)}


def _few(names: list[str]) -> str:
    more = f" and {len(names) - _MOST:,} more" if len(names) > _MOST else ""
    return ", ".join(names[:_MOST]) + more


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
