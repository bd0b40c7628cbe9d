"""The API of the second seed: fingerprints, alerts, and a manager of baselines.

Hashes, change types and severities are those of its document. Who breaks and why is added:
``verdict``, ``changes`` and ``model_visible``.

Without a store everything is in memory and the same drift gives an alert at every check, as in its
document. With a store, baselines and alerts persist, and repeated drift is counted.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeAlias

import orjson
from pydantic import BaseModel, ConfigDict, Field

from toolcanon.drift.diff import diff
from toolcanon.drift.fingerprint import (
    ToolFingerprint,
    copied,
    digests,
    response_pattern_hash,
    schema_hash,
)
from toolcanon.drift.report import DiffReport
from toolcanon.errors import InputError, ToolcanonError, UsageError
from toolcanon.jsonio import loads
from toolcanon.jsonio.snapshot import PLAIN_ONLY
from toolcanon.jsonio.types import Json
from toolcanon.watch.alerting import alert_id
from toolcanon.watch.capturing import named_definition, quick, readable
from toolcanon.watch.exchange import alert_json, baseline_json
from toolcanon.watch.sqlite.store import open_store
from toolcanon.watch.store import Alert, Key, MemoryStore, Snapshot, Store

__all__ = [
    "MutationAlert",
    "MutationDetector",
    "ToolFingerprint",
    "ToolFingerprinter",
    "WatchConfig",
    "WatchManager",
]

ChangeType: TypeAlias = Literal["schema_change", "response_change", "behavior_change"]
_SEVERITY_MAP: Final = {0: "low", 1: "medium", 2: "high"}
_TYPES: Final[dict[tuple[bool, bool], ChangeType]] = {
    (True, False): "schema_change",
    (False, True): "response_change",
    (True, True): "behavior_change",
}


class MutationAlert(BaseModel):
    """An alert about two different fingerprints of one tool."""

    model_config = ConfigDict(title="MutationAlert")

    tool_name: str
    change_type: ChangeType
    old_fingerprint: ToolFingerprint
    new_fingerprint: ToolFingerprint
    detected_at: datetime = Field(default_factory=lambda: datetime.now(UTC))
    severity: Literal["low", "medium", "high"]
    verdict: str = Field(
        "unknown", description="Who breaks; unknown when a definition or responses are missing."
    )
    changes: list[dict[str, Any]] = Field(default_factory=list)
    model_visible: bool = False


class ToolFingerprinter:
    """Makes fingerprints."""

    def fingerprint(
        self,
        tool_name: str,
        schema: dict[str, Any],
        sample_responses: Iterable[dict[str, Any]] = (),
        version: str = "unknown",
    ) -> ToolFingerprint:
        """Return the fingerprint of a schema or a whole definition, and of responses."""
        return ToolFingerprint(
            tool_name=tool_name,
            version=version,
            schema_hash=schema_hash(schema),
            response_pattern_hash=response_pattern_hash(sample_responses),
            digests=_digests(tool_name, schema),
            definition=copied(schema),
        )


class MutationDetector:
    """Compares fingerprints."""

    def detect_mutation(
        self, old_fp: ToolFingerprint, new_fp: ToolFingerprint
    ) -> MutationAlert | None:
        """Return an alert, or None when both hashes are equal."""
        changed = (
            old_fp.schema_hash != new_fp.schema_hash,
            old_fp.response_pattern_hash != new_fp.response_pattern_hash,
        )
        if not any(changed):
            return None
        report = _compared(old_fp, new_fp) if changed[0] else None
        return MutationAlert(
            tool_name=old_fp.tool_name,
            change_type=_TYPES[changed],
            old_fingerprint=old_fp,
            new_fingerprint=new_fp,
            severity=_SEVERITY_MAP[sum(changed)],
            verdict=_verdict(report, old_fp, new_fp, answers_differ=changed[1]),
            changes=[] if report is None else [change.to_dict() for change in report.changes],
            model_visible=report is not None and any(c.model_visible for c in report.changes),
        )


def _verdict(
    report: DiffReport | None, old: ToolFingerprint, new: ToolFingerprint, *, answers_differ: bool
) -> str:
    """Return the verdict. Changed responses are unknown: their effect cannot be decided."""
    if report is not None:
        is_alarm = report.verdict in {"security", "breaking"}
        return report.verdict if is_alarm or not answers_differ else "unknown"
    same = bool(old.digests) and old.digests == new.digests
    return "identical" if same and not answers_differ else "unknown"


def _compared(old: ToolFingerprint, new: ToolFingerprint) -> DiffReport | None:
    before, after = _json_or_none(old.definition), _json_or_none(new.definition)
    if before is None or after is None:
        return None
    try:
        return diff(named_definition(old.tool_name, before), named_definition(new.tool_name, after))
    except ToolcanonError:  # not a readable tool: the hashes decide
        return None


def _digests(name: str, schema: Any) -> dict[str, str]:
    tool = readable(name, _json_or_none(schema))
    try:
        return {} if tool is None else digests(tool)._asdict()
    except ToolcanonError:  # lone surrogates
        return {}


def _json_or_none(definition: Any) -> Json:
    try:
        return as_json(definition)
    except (ToolcanonError, TypeError):  # over a limit, or a key that JSON does not allow
        return None


def as_json(definition: Any) -> Json:
    """Return a definition as JSON; other objects count by their ``str``, as in the hash."""
    try:
        return orjson.loads(orjson.dumps(definition, option=PLAIN_ONLY))
    except TypeError:  # types, keys and numbers that orjson cannot write
        return loads(json.dumps(definition, default=str)).value


_ALL: Final[tuple[ChangeType, ...]] = ("schema_change", "response_change", "behavior_change")


class WatchConfig(BaseModel):
    """Which tools are checked, how often, and which changes give an alert."""

    model_config = ConfigDict(title="WatchConfig")

    tools: list[str] = Field(default_factory=list, description="Only these; empty means all.")
    check_interval_seconds: int = Field(300, gt=0)
    alert_on: list[ChangeType] = Field(default_factory=lambda: list(_ALL))


class StopSignal(Protocol):
    """Ends a run: an ``Event`` of threading or multiprocessing, or a similar object."""

    def is_set(self) -> bool: ...

    def wait(self, timeout: float | None = None) -> Any: ...


class WatchManager:
    """Holds baselines and compares tools with them."""

    def __init__(
        self,
        store: Store | str | Path | None = None,
        *,
        config: WatchConfig | None = None,
        source: str = "",
        redact: Callable[[Any], Any] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``store`` is a place or a store; None keeps everything in memory.

        ``source`` is the server of the tools. ``redact`` is applied to definitions and responses
        before ``fingerprint``. ``clock`` counts seconds and never goes backwards.
        """
        self.config = config or WatchConfig()
        self._keeps = store is not None
        self._store: Store = _opened(store)
        self._source, self._redact, self._clock = source, redact, clock
        self._detector = MutationDetector()
        self._alerts: list[MutationAlert] = []
        self._checked: dict[str, float] = {}

    def fingerprint(
        self,
        tool_name: str,
        schema: dict[str, Any],
        sample_responses: Iterable[Any] = (),
        version: str = "unknown",
    ) -> ToolFingerprint:
        """Return the fingerprint of the redacted definition and responses."""
        samples = list(sample_responses)
        if self._redact is not None:
            schema, samples = self._redact(schema), [self._redact(one) for one in samples]
        try:
            schema_hash(schema)
        except TypeError as error:  # a key that JSON does not allow, or that cannot be sorted
            raise InputError(
                f"the schema of {tool_name!r} is not JSON: {error}; use strings as names of members"
            ) from None
        return ToolFingerprinter().fingerprint(tool_name, schema, samples, version)

    def add_baseline(self, fingerprint: ToolFingerprint) -> None:
        """Set the baseline of a tool, replacing an older one."""
        snapshot = self._snapshot(fingerprint)
        self._store.put([snapshot])
        self._store.resolve([snapshot.key])

    def check(self, tool_name: str, current: ToolFingerprint) -> MutationAlert | None:
        """Compare with the baseline; a tool without one is recorded, without an alert.

        Tools that the configuration does not name are ignored, and so are kinds of changes that it
        does not name.
        """
        if self.config.tools and tool_name not in self.config.tools:
            return None
        self._checked[tool_name] = self._clock()
        current = current.model_copy(update={"definition": as_json(current.definition)})
        known = self.get_baseline(tool_name)
        if known is None:
            now = current.model_copy(update={"tool_name": tool_name})
            self._store.register([self._snapshot(now)])
            return None
        alert = self._detector.detect_mutation(known, current)
        if alert is None:
            self._store.resolve([self._key(tool_name)])
            return None
        if alert.change_type not in self.config.alert_on:
            return None
        if self._keeps:
            self._store.record([self._kept(alert)])
        else:
            self._alerts.append(alert)
        return alert

    def get_alerts(self) -> list[MutationAlert]:
        """Return the alerts in the order of their detection; with a store, once for each drift."""
        if not self._keeps:
            return list(self._alerts)
        found = self._store.alerts(source=self._source)
        return [MutationAlert.model_validate(alert_json(one, whole=True)) for one in found]

    def get_baseline(self, tool_name: str) -> ToolFingerprint | None:
        """Return the baseline of a tool, if it has one."""
        found = self._store.baseline(self._key(tool_name)) if tool_name else None
        return None if found is None else ToolFingerprint.model_validate(baseline_json(found))

    def get_all_baselines(self) -> list[ToolFingerprint]:
        """Return every baseline."""
        found = self._store.baselines(self._source)
        return [ToolFingerprint.model_validate(baseline_json(one)) for one in found if one.key.tool]

    def due(self, tool_name: str) -> bool:
        """Return whether the last check of a tool is at least the configured interval ago."""
        return self._left(tool_name) <= 0

    def run(
        self,
        capture: Callable[[str], ToolFingerprint],
        *,
        stop: StopSignal,
        on_alert: Callable[[MutationAlert], None] | None = None,
    ) -> None:
        """Check every tool of the configuration when it is due, until ``stop`` is set.

        ``capture`` makes a fingerprint of a tool as it is now; its exceptions end the run. Time is
        measured between checks, so missed checks are not made up for.
        """
        names = self.config.tools or [one.tool_name for one in self.get_all_baselines()]
        if not names:
            raise UsageError(
                "there are no tools to watch; name some in the configuration, or add a baseline"
            )
        while not stop.is_set():
            for name in names:
                if stop.is_set() or not self.due(name):
                    continue
                alert = self.check(name, capture(name))
                if alert is not None and on_alert is not None:
                    on_alert(alert)
            stop.wait(max(0.0, min(map(self._left, names))))

    def close(self) -> None:
        """Close the store."""
        self._store.close()

    def _left(self, tool_name: str) -> float:
        """Return the seconds until a tool is due."""
        last = self._checked.get(tool_name)
        if last is None:
            return 0.0
        return last + self.config.check_interval_seconds - self._clock()

    def _key(self, tool_name: str) -> Key:
        if not tool_name:  # the key of a source itself
            raise UsageError("a tool without a name cannot be watched; name it")
        return Key(self._source, tool_name)

    def _snapshot(self, fingerprint: ToolFingerprint) -> Snapshot:
        definition = as_json(fingerprint.definition)
        return Snapshot(
            self._key(fingerprint.tool_name),
            fingerprint.version,
            fingerprint.schema_hash,
            fingerprint.response_pattern_hash,
            dict(fingerprint.digests),
            "" if definition is None else quick(definition),
            definition,
            captured_at=fingerprint.captured_at,
        )

    def _kept(self, alert: MutationAlert) -> Alert:
        before, after = map(self._snapshot, (alert.old_fingerprint, alert.new_fingerprint))
        return Alert(
            alert_id(before, after, alert.change_type, alert.changes),
            alert.change_type,
            alert.severity,
            alert.verdict,
            alert.model_visible,
            tuple(alert.changes),
            before,
            after,
            first_seen=alert.detected_at,
            last_seen=alert.detected_at,
        )


def _opened(store: Store | str | Path | None) -> Store:
    if store is None:
        return MemoryStore()
    return open_store(str(store)) if isinstance(store, str | Path) else store
