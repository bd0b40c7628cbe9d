"""The second seed's manager of baselines, and its configuration.

Without a store everything is in memory and the same drift gives an alert at every check, as its
document says. With a store, baselines and alerts persist, and repeated drift is counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, Protocol

from pydantic import BaseModel, ConfigDict, Field

from toolcanon.compat.fingerprints import (
    ChangeType,
    MutationAlert,
    MutationDetector,
    ToolFingerprint,
    ToolFingerprinter,
    as_json,
)
from toolcanon.drift.fingerprint import schema_hash
from toolcanon.errors import InputError, UsageError
from toolcanon.watch.alerting import alert_id
from toolcanon.watch.capturing import quick
from toolcanon.watch.exchange import alert_json, baseline_json
from toolcanon.watch.memory import MemoryStore
from toolcanon.watch.opening import open_store
from toolcanon.watch.store import Alert, Key, Snapshot, Store

__all__ = ["WatchConfig", "WatchManager"]

_ALL: Final[tuple[ChangeType, ...]] = ("schema_change", "response_change", "behavior_change")


class WatchConfig(BaseModel):
    """Which tools are checked, how often, and which changes give an alert."""

    model_config = ConfigDict(title="WatchConfig")

    tools: list[str] = Field(default_factory=list, description="Only these; empty means all.")
    check_interval_seconds: int = Field(300, gt=0)
    alert_on: list[ChangeType] = Field(default_factory=lambda: list(_ALL))


class Stop(Protocol):
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
        """Return whether the last check of a tool is as long ago as the configuration says."""
        return self._left(tool_name) <= 0

    def run(
        self,
        capture: Callable[[str], ToolFingerprint],
        *,
        stop: Stop,
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
