"""Export and import baselines and alerts as plain JSON.

The arrays are those of the earlier toolwatch's two files, with more fields in each entry: source,
digests, definition. An entry without a tool is about a source itself. Imported entries are
verified: a definition must have the hashes beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final, Literal, TypeAlias, get_args

from toolcanon.diagnostics.change import DRIFT_VERDICTS
from toolcanon.drift.fingerprint import schema_hash
from toolcanon.drift.shapes.shape import Shape
from toolcanon.errors import BadImport, InputError
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.watch.alerting import CHANGE_TYPES, SEVERITIES, alert_id
from toolcanon.watch.capturing import UNKNOWN, quick, readable
from toolcanon.watch.observed_source import Identity
from toolcanon.watch.store import Alert, Key, Snapshot, Status

Kind: TypeAlias = Literal["baselines", "alerts"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
_STATUSES: Final = get_args(Status)
_SHA256: Final = 64
_DIGITS: Final = frozenset("0123456789abcdef")


class _Wrong(Exception):
    """The problem of an entry."""


def baseline_json(snapshot: Snapshot) -> JsonObject:
    """Return a baseline: the five fields of a fingerprint first, then the rest."""
    out: JsonObject = {
        "tool_name": snapshot.key.tool,
        "version": snapshot.version,
        "schema_hash": snapshot.schema_hash,
        "response_pattern_hash": snapshot.response_pattern_hash,
        "captured_at": snapshot.captured_at.isoformat(),
        "source": snapshot.key.source,
        "digests": dict(snapshot.digests),
    }
    if snapshot.definition is not None:
        out["definition"] = snapshot.definition
    if snapshot.shape is not None:
        out["shape"] = snapshot.shape
    return out


def alert_json(alert: Alert, *, whole: bool = False) -> JsonObject:
    """Return an alert; ``whole`` includes the definitions before and after."""
    sides = [baseline_json(side) for side in (alert.before, alert.after)]
    if not whole:
        sides = [{k: v for k, v in side.items() if k not in _WHOLE_ONLY} for side in sides]
    return {
        "tool_name": alert.key.tool,
        "change_type": alert.change_type,
        "old_fingerprint": sides[0],
        "new_fingerprint": sides[1],
        "detected_at": alert.first_seen.isoformat(),
        "severity": alert.severity,
        "verdict": alert.verdict,
        "changes": list(alert.changes),
        "model_visible": alert.model_visible,
        "count": alert.count,
        "first_seen": alert.first_seen.isoformat(),
        "last_seen": alert.last_seen.isoformat(),
        "status": alert.status,
        "source": alert.key.source,
        "sequence": alert.sequence,
    }


_WHOLE_ONLY: Final = frozenset({"source", "definition", "shape"})


def kind_of(entries: Json) -> Kind | None:
    """Return what an array holds; None when it is empty or holds something else."""
    first = entries[0] if isinstance(entries, list) and entries else None
    if not isinstance(first, dict):
        return None
    return "alerts" if "change_type" in first else "baselines" if "schema_hash" in first else None


def read_baselines(entries: Iterable[Json]) -> list[Snapshot]:
    """Return the verified baselines of an array. Raises BadImport."""
    return [_read(number, entry, _snapshot) for number, entry in enumerate(entries, 1)]


def read_alerts(entries: Iterable[Json]) -> list[Alert]:
    """Return the alerts of an array; repeated reports of one drift are one alert with a count."""
    found: dict[str, Alert] = {}
    for number, entry in enumerate(entries, 1):
        alert = _read(number, entry, _alert)
        known = found.get(alert.id)
        if known is not None:
            alert = replace(
                known,
                count=known.count + alert.count,
                first_seen=min(known.first_seen, alert.first_seen),
                last_seen=max(known.last_seen, alert.last_seen),
            )
        found[alert.id] = alert
    return list(found.values())


def _read(number: int, entry: Json, reader: Any) -> Any:
    if not isinstance(entry, dict):
        raise BadImport(number, "it is not an object")
    try:
        return reader(entry)
    except _Wrong as wrong:
        raise BadImport(number, str(wrong)) from None


def _snapshot(entry: Mapping[str, Any], *, may_lack: bool = False) -> Snapshot:
    """Return a snapshot; ``may_lack`` allows what alerts have: whole sources, missing tools."""
    key = Key(_text(entry, "source", ""), _text(entry, "tool_name"))
    if not key.tool and not may_lack:
        _ensure_whole(key.source, entry.get("definition"))
    if not key.tool and not key.source:
        raise _Wrong("tool_name is empty")
    schema = _hash(entry, "schema_hash", may_lack=may_lack)
    answers = _hash(entry, "response_pattern_hash", may_lack=may_lack)
    at = _time(entry, "captured_at")
    version = _text(entry, "version", UNKNOWN)
    digests = entry.get("digests", {})
    if not isinstance(digests, dict) or not all(isinstance(v, str) for v in digests.values()):
        raise _Wrong("digests is not an object of strings")
    shape = _shape(entry.get("shape"))
    if "definition" not in entry:
        return Snapshot(key, version, schema, answers, digests, "", None, shape, at)
    definition = entry["definition"]
    if schema_hash(definition) != schema:
        raise _Wrong("schema_hash does not match the definition, so one was damaged or edited")
    proven = _digests(key.tool, definition) if digests else {}
    if proven != digests:
        raise _Wrong("digests do not match the definition, so one was damaged or edited")
    return Snapshot(key, version, schema, answers, proven, quick(definition), definition, shape, at)


def _ensure_whole(source: str, facts: Json) -> None:
    """Check that an entry without a tool identifies its source."""
    if not source or not isinstance(facts, dict):
        raise _Wrong("tool_name is empty")
    identity, tools = facts.get("identity"), facts.get("tools")
    if not isinstance(facts.get("about"), dict) or not isinstance(identity, dict):
        raise _Wrong("definition does not identify the source")
    if not isinstance(tools, list) or not all(isinstance(name, str) for name in tools):
        raise _Wrong("definition does not list the tools of the source")
    try:
        Identity.from_dict(identity)
    except ValueError as error:
        raise _Wrong(f"identity cannot be used: {error}") from None


def _digests(name: str, definition: Json) -> dict[str, str]:
    from toolcanon.drift.fingerprint import digests  # noqa: PLC0415 - only imports pay

    tool = readable(name, definition)
    return {} if tool is None else digests(tool)._asdict()


def _shape(document: Any) -> JsonObject | None:
    if document is None:
        return None
    try:
        return Shape.from_dict(document).to_dict()
    except InputError as error:
        raise _Wrong(f"shape cannot be used: {error}") from None


def _alert(entry: Mapping[str, Any]) -> Alert:
    kind = _one_of(entry, "change_type", list(CHANGE_TYPES.values()))
    sides = []
    for name in ("old_fingerprint", "new_fingerprint"):
        side = entry.get(name)
        if not isinstance(side, dict):
            raise _Wrong(f"{name} is not an object")
        own = {"source": _text(entry, "source", ""), **side}
        sides.append(_snapshot(own, may_lack=True))
    changes = entry.get("changes", [])
    if not isinstance(changes, list) or not all(isinstance(one, dict) for one in changes):
        raise _Wrong("changes is not a list of objects")
    detected = _time(entry, "detected_at")
    count = entry.get("count", 1)
    if not isinstance(count, int) or isinstance(count, bool) or not 0 < count < 1 << 53:
        raise _Wrong("count is not a positive integer")
    before, after = sides
    return Alert(
        alert_id(before, after, kind, changes),
        kind,
        _one_of(entry, "severity", list(SEVERITIES.values())),
        _one_of(entry, "verdict", DRIFT_VERDICTS, UNKNOWN),
        entry.get("model_visible") is True,
        tuple(changes),
        before,
        after,
        _time(entry, "first_seen", detected),
        _time(entry, "last_seen", detected),
        count,
        _one_of(entry, "status", _STATUSES, "open"),  # type: ignore[arg-type]
    )


def _text(entry: Mapping[str, Any], name: str, default: str | None = None) -> str:
    value = entry.get(name, default)
    if not isinstance(value, str):
        raise _Wrong(f"{name} is {'missing' if name not in entry else 'not a string'}")
    return value


def _one_of(
    entry: Mapping[str, Any], name: str, known: Iterable[str], default: str | None = None
) -> str:
    value = _text(entry, name, default)
    words = tuple(known)
    if value not in words:
        raise _Wrong(f"{name} is not one of {', '.join(words)}")
    return value


def _hash(entry: Mapping[str, Any], name: str, *, may_lack: bool) -> str:
    value = _text(entry, name)
    if may_lack and not value:
        return value
    if len(value) != _SHA256 or not _DIGITS.issuperset(value):
        raise _Wrong(f"{name} is not a SHA-256 in hexadecimal digits")
    return value


def _time(entry: Mapping[str, Any], name: str, default: datetime | None = None) -> datetime:
    if default is not None and name not in entry:
        return default
    try:
        found = datetime.fromisoformat(_text(entry, name))
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise _Wrong(f"{name} is not a time as in 2026-02-27T12:00:00+00:00") from None
