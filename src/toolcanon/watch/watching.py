"""Record tools and compare them with their baselines, on any store.

``baseline`` records, ``check`` compares. An unchanged tool costs one hash and no query of its own,
and a check without news writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from toolcanon.drift.report import DiffReport, amended
from toolcanon.errors import NoBaseline, UsageError
from toolcanon.watch.capturing import Responses, Watched, captured, whole_snapshot
from toolcanon.watch.comparing import Comparison, former_members
from toolcanon.watch.store import Alert, Key, Snapshot, Store

Show = Callable[[str], None]
_STEP = 100
_NOT_THERE = "missing when its source was recorded again"


@dataclass(frozen=True)
class Checked:
    """The result of a check."""

    alerts: tuple[Alert, ...] = ()
    registered: tuple[Key, ...] = ()
    """Tools without a baseline that were recorded as they are."""
    unchanged: int = 0
    resolved: int = 0
    """The number of alerts closed because their tools are as before again."""
    notes: tuple[str, ...] = ()
    report: DiffReport = field(default_factory=lambda: DiffReport(()))


def baseline(
    store: Store,
    watched: Sequence[Watched],
    *,
    responses: Responses | None = None,
    version: str | None = None,
    show: Show | None = None,
) -> list[Snapshot]:
    """Record these tools as they are, all or none; settle their open alerts.

    Tools that a whole source had before and lacks now are no longer expected.
    """
    _ensure_apart(watched)
    at = datetime.now(UTC)
    tools: list[Snapshot] = []
    wholes: list[Snapshot] = []
    dropped: list[Key] = []
    missing: set[Key] = set()
    for one in watched:
        alone, elsewhere = former_members(store, one)
        dropped += alone
        missing.update(elsewhere)
        tools += _shown(captured(one, responses=responses, version=version, at=at), show)
        if one.whole is not None:
            wholes.append(whole_snapshot(one, tuple(one.definitions), at))
    store.put([*tools, *wholes])
    settled = {snapshot.key for snapshot in (*tools, *wholes)}
    store.drop([key for key in dropped if key not in settled], reason=_NOT_THERE)
    complete = {one.source for one in watched if one.source and not one.is_part}

    def is_settled(alert: Alert) -> bool:
        if alert.key in settled or alert.key.source in complete:
            return True
        is_accepted = not alert.after.schema_hash or alert.after.key in settled
        return alert.key in missing and is_accepted

    for source in dict.fromkeys(key.source for key in (*settled, *missing)):
        _resolve(store, source, is_settled)
    return tools


def check(  # noqa: PLR0913 - one keyword for each thing that can be asked for
    store: Store,
    watched: Sequence[Watched],
    *,
    responses: Responses | None = None,
    version: str | None = None,
    distrust: str = "",
    show: Show | None = None,
) -> Checked:
    """Compare tools with their baselines, store alerts on differences, settle resolved ones.

    An unknown source is recorded, unless ``distrust`` gives a reason against it: then NoBaseline is
    raised. A new tool of a known source is a change like any other. Nothing is written before all
    sources were compared.
    """
    _ensure_apart(watched)
    at = datetime.now(UTC)
    sides = [Comparison(store, one, responses or {}, version=version, at=at) for one in watched]
    strangers = [name for side in sides for name in side.unknown]
    strangers += [
        side.watched.shown or "stdin" for side in sides if side.is_stranger and not side.unknown
    ]
    if strangers and distrust:
        raise NoBaseline(tuple(strangers), distrust)
    for side in sides:
        if show is not None:
            show(f"comparing {len(side.watched.definitions):,} tools")
        side.compare()
    registered = [key for side in sides for key in side.register(trusted=not distrust)]
    found = [alert for side in sides for alert in side.alerts]
    alerts = store.record(found) if found else []
    return Checked(
        tuple(alerts),
        tuple(registered),
        sum(len(side.unchanged) for side in sides),
        sum(_resolve(store, side.watched.source, side.is_settled) for side in sides),
        tuple(dict.fromkeys(note for side in sides for note in side.notes)),
        _report(sides),
    )


def _ensure_apart(watched: Sequence[Watched]) -> None:
    """Raise UsageError when two sources have different definitions under one key."""
    if len(watched) == 1:
        return
    found: dict[Key, tuple[str, str]] = {}
    for one in watched:
        for name, now in one.quick.items():
            known, shown = found.setdefault(one.key(name), (now, one.shown))
            if known != now:
                raise UsageError(
                    f"{name!r} differs between {shown} and {one.shown}; "
                    "give them names with --server, one command each"
                )


def _shown(snapshots: Iterator[Snapshot], show: Show | None) -> Iterator[Snapshot]:
    for number, snapshot in enumerate(snapshots, 1):
        if show is not None and not number % _STEP:
            show(f"{number:,} tools read")
        yield snapshot


def _resolve(store: Store, source: str, is_settled: Callable[[Alert], bool]) -> int:
    """Close open alerts on tools that are as before; usually there are none."""
    done = {
        alert.id: alert.key
        for alert in store.alerts(source=source, status="open")
        if is_settled(alert)
    }
    return store.resolve(done.values(), only=done.keys()) if done else 0


def _report(sides: Sequence[Comparison]) -> DiffReport:
    """Return all changes in one report; with several sources, tools have their source's name."""
    names: list[str] = []
    changes = []
    for side in sides:
        prefix = f"{side.watched.shown}: " if len(sides) > 1 else ""
        names += [prefix + name for name in (*side.watched.definitions, *side.gone)]
        changes += [
            amended(change, tool=prefix + change.tool) if prefix else change
            for change in side.changes
        ]
    return DiffReport.of(changes, names) if changes else DiffReport((), tuple(names))
