"""Record tools and compare them with their baselines, on any store.

``baseline`` records, ``check`` compares. An unchanged tool costs one hash and no query of its own,
and a check without news writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Final

from toolcanon.diagnostics.change import Change
from toolcanon.drift.diff import diff
from toolcanon.drift.fingerprint import schema_hash
from toolcanon.drift.report import DiffReport, amended, told
from toolcanon.errors import NoBaseline, UsageError
from toolcanon.ir import CanonicalTool, trusted_tool
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.watch.alerting import (
    NONE_GIVEN,
    SOME_GIVEN,
    absent,
    alert_of,
    comparable_hash,
    compared_answers,
)
from toolcanon.watch.capturing import (
    NO_RESPONSES,
    WHOLE,
    Responses,
    Watched,
    captured,
    readable,
    whole_snapshot,
)
from toolcanon.watch.store import Alert, Key, Snapshot, Store

_PLACE: Final = "tc1:"
"""The prefix of the names under which unnamed files are stored."""


def facts_of(whole: Snapshot) -> JsonObject:
    """Return the identity of a source, and what it reports about itself."""
    return whole.definition if isinstance(whole.definition, dict) else {}


def tools_in(whole: Snapshot) -> list[str]:
    """Return the names of the tools that belong to a source."""
    return facts_of(whole).get("tools") or []


def file_wholes(store: Store) -> list[Snapshot]:
    """Return the records of unnamed files, which share one source; the newest first."""
    found = [whole for whole in store.baselines(tool=WHOLE) if _is_file(whole)]
    return sorted(found, key=lambda whole: whole.captured_at, reverse=True)


def _is_file(whole: Snapshot) -> bool:
    identity = facts_of(whole).get("identity") or {}
    return identity.get("transport") == "file" and whole.key.source.startswith(_PLACE)


def former_members(store: Store, now: Watched) -> tuple[list[Key], list[Key]]:
    """Return a source's removed tools: those of no other file, and those of other files."""
    if now.whole is None or now.is_part:
        return [], []
    known = store.known(now.source)
    if now.source:
        gone = [name for name in known if name and name not in now.definitions]
        return [now.key(name) for name in gone], []
    whole = store.baseline(now.whole)
    listed = [] if whole is None else tools_in(whole)
    gone = [name for name in listed if name in known and name not in now.definitions]
    wholes = [one for one in file_wholes(store) if one.key != now.whole] if gone else []
    others = {name for one in wholes for name in tools_in(one)}
    alone = [now.key(name) for name in gone if name not in others]
    return alone, [now.key(name) for name in gone if name in others]


_MANY: Final = 200
"""From this number of baselines on, all are read at once instead of one by one."""
_UNDECIDED: Final = "input-undecided"
_ONLY_HASHES: Final = "the earlier version is known only by its hashes"
_NOT_MISSED: Final = (
    "{}: removed tools were not searched for, because most of these tools are in no recorded "
    "file; run `toolwatch baseline` on it"
)
_NOT_KNOWN: Final = (
    "{}: only its tools were recorded, so its identity and instructions were not compared"
)
_NOT_READ: Final = "the definition cannot be read as a tool"
_WHO: Final = ("transport", "command", "url", "package", "cwd")


class Comparison:
    """Sorts the tools of a source by name, then compares those that differ."""

    def __init__(
        self,
        store: Store,
        watched: Watched,
        responses: Responses,
        *,
        version: str | None,
        at: datetime,
    ) -> None:
        self._store, self.watched, self._responses = store, watched, responses
        self._version, self._at = version, at
        self.known = store.known(watched.source)
        self._whole = None if watched.whole is None else store.baseline(watched.whole)
        self.alerts: list[Alert] = []
        self.changes: list[Change] = []
        self.notes: list[str] = []
        self._compared: set[str] = set()
        self._sort()

    def _sort(self) -> None:
        """Sort the tools into unchanged, changed, new and removed."""
        known, quick = self.known, self.watched.quick
        self.unchanged: list[str] = []
        self.differing: list[str] = []
        new: list[str] = []
        for name, now in quick.items():
            was = known.get(name)
            if was is None:
                new.append(name)
            elif was.quick == now or was.schema_hash == self._hash(name):
                self.unchanged.append(name)
            else:
                self.differing.append(name)
        is_empty = bool(self.watched.source) and not quick and bool(known)
        is_known = self._whole is not None or len(new) < len(quick) or is_empty
        self.is_stranger = not self.watched.is_part and not is_known
        is_known = is_known and not self.watched.is_part
        self.added, self.unknown = (new, []) if is_known else ([], new)
        members = self._members if is_known else ()
        self.gone = [name for name in members if name not in quick]
        self._answered = [name for name in self.unchanged if self._responses.get(name)]

    def _hash(self, name: str) -> str:
        return schema_hash(self.watched.definitions[name])

    @cached_property
    def _members(self) -> list[str]:
        """Return the names of the tools that belonged to the source.

        Files seen for the first time may hold a newer version of a recorded file, or of one
        from another folder: they do when they have most of its tools.
        """
        known, quick = self.known, self.watched.quick
        if self._whole is not None:
            return [name for name in tools_in(self._whole) if name in known]
        if self.watched.source:
            return list(known)
        wholes = [[name for name in tools_in(one) if name in known]
                  for one in file_wholes(self._store)]  # fmt: skip
        listed = {name for tools in wholes for name in tools}
        alone = [name for name in known if name not in listed]
        best = max((*wholes, alone), key=lambda tools: sum(name in quick for name in tools))
        both = sum(name in quick for name in best)
        if both and both * 2 >= len(best):
            return best
        self.notes.append(_NOT_MISSED.format(self.watched.shown or "stdin"))
        return []

    @cached_property
    def _troubled(self) -> frozenset[str]:
        """Return the tools that are not as before; valid after ``compare``."""
        return frozenset((*self.differing, *(alert.key.tool for alert in self.alerts)))

    def is_settled(self, alert: Alert) -> bool:
        """Return whether a tool matches its baseline, or was never accepted and is gone again.

        Responses are only settled when they were compared.
        """
        name, now = alert.key.tool, self.watched.quick
        if alert.key == self.watched.whole:
            return self._whole is not None and name not in self._troubled
        if name in now:
            is_compared = alert.change_type == "schema_change" or name in self._compared
            return is_compared and name in self.known and name not in self._troubled
        is_all = bool(self.watched.source) and not self.watched.is_part
        return is_all and bool(name) and name not in self.known  # an empty name is a whole source

    def compare(self) -> None:
        """Compare what differs."""
        self._note_silent()
        before = dict(self._baselines([*self.differing, *self.gone, *self._answered]))
        wanted = [*self.differing, *self.added, *self._answered]
        after = {
            snapshot.key.tool: snapshot
            for snapshot in captured(
                self.watched, wanted, responses=self._responses, version=self._version, at=self._at
            )
        }
        changes = self._by_tool(before)
        renamed = {
            str(change.after): str(change.before)
            for name in self.added
            for change in changes.get(name, ())
            if change.name == "tool-renamed"
        }
        for name in (*self.differing, *self._answered):
            self._alert(before[name], after[name], changes.get(name, []))
        for name in self.added:
            old = renamed.get(name)
            was = absent(self.watched.key(name), self._at) if old is None else before[old]
            self._alert(was, after[name], changes.get(name, []))
        for name in self.gone:
            if name not in renamed.values():
                now = absent(self.watched.key(name), self._at)
                self._alert(before[name], now, changes.get(name, []))
        self._compare_wholes()

    def _note_silent(self) -> None:
        """Add a note about tools with recorded responses of which none were given."""
        known = self.known
        silent = {
            name
            for name in (*self.unchanged, *self.differing)
            if known[name].response_pattern_hash != NO_RESPONSES and not self._responses.get(name)
        }
        if not silent or self._responses:  # responses without members have no hash of their own
            shaped = self._store.answering(self.watched.source)
            now = self.watched.quick
            silent |= {name for name in shaped if name in now and not self._responses.get(name)}
        if silent:
            some = any(self._responses.values())
            tools = f"{len(silent):,} tool{'s' * (len(silent) > 1)}"
            self.notes.append(SOME_GIVEN.format(tools) if some else NONE_GIVEN)

    def _alert(self, before: Snapshot, after: Snapshot, changes: list[Change]) -> None:
        before = comparable_hash(before, after)
        answers = compared_answers(before, after)
        self.notes += answers.notes
        if answers.comparable:
            self._compared.add(after.key.tool)
        if not answers.comparable and before.schema_hash:
            after = replace(
                after,
                response_pattern_hash=before.response_pattern_hash,
                shape=before.shape,
            )
        found = [*changes, *answers.changes]
        if not changes and before.schema_hash != after.schema_hash:
            found.append(told("definition-changed", tool=after.key.tool))
        alert = alert_of(before, after, found, at=self._at, compared=answers.comparable)
        if alert is not None:
            self.alerts.append(alert)
            self.changes += found

    def _baselines(self, names: list[str]) -> Iterator[tuple[str, Snapshot]]:
        source = self.watched.source
        wanted = set(names)
        if len(wanted) > _MANY:
            for snapshot in self._store.baselines(source):
                if snapshot.key.tool in wanted:
                    yield snapshot.key.tool, snapshot
            return
        for name in names:
            found = self._store.baseline(Key(source, name))
            if found is not None:
                yield name, found

    def _by_tool(self, before: dict[str, Snapshot]) -> dict[str, list[Change]]:
        """Return the changes of each tool; renamed definitions are compared separately."""
        if not (self.differing or self.added or self.gone):
            return {}
        was = {name: _tool_of(name, before[name]) for name in (*self.differing, *self.gone)}
        apart = {name for name in (*self.watched.tools, *self.gone) if self._is_apart(name, was)}
        changed = (*self.differing, *self.added, *self.gone)
        found = {
            name: self._changes_apart(name, before.get(name), was.get(name))
            for name in changed
            if name in apart
        }
        added, changed_names = set(self.added), set(changed)
        now = [
            (name, tool if name in changed_names else _stand_in(tool))
            for name, tool in self.watched.tools.items()
            if tool is not None and name not in apart
        ]
        old = [was.get(name, tool) for name, tool in now if name not in added]
        old += [was[name] for name in self.gone if name not in apart]
        for change in diff(old, [tool for _, tool in now]).changes:
            found.setdefault(change.tool, []).append(change)
        return found

    def _is_apart(self, name: str, was: dict[str, CanonicalTool | None]) -> bool:
        versions = [tools[name] for tools in (self.watched.tools, was) if name in tools]
        return self.watched.is_part or any(tool is None or tool.id != name for tool in versions)

    def _changes_apart(
        self, name: str, before: Snapshot | None, old: CanonicalTool | None
    ) -> list[Change]:
        new = self.watched.tools.get(name)
        if name not in self.watched.tools:
            return [told("tool-removed", f"{name} was removed", before=name, tool=name)]
        if before is None:
            says = f"more than one tool is called {name if new is None else new.id}"
            return [told("tool-duplicated", says, after=name, tool=name)]
        return _changes_of(name, before, old, new)

    def _compare_wholes(self) -> None:
        """Compare the identity of the source and its texts for models."""
        if not self.watched.source or self.watched.whole is None:
            return
        if self._whole is None:
            if not self.is_stranger:
                self.notes.append(_NOT_KNOWN.format(self.watched.shown))
            return
        before, now = facts_of(self._whole), self.watched.facts
        changes = list(self._about(before.get("about") or {}, now.get("about") or {}))
        one, other = ((facts.get("identity") or {}) for facts in (before, now))
        if any(one.get(key) != other.get(key) for key in _WHO):
            changes.append(_another(self.watched.shown, one, other))
        if changes:
            after = whole_snapshot(self.watched, tuple(before.get("tools") or ()), self._at)
            self._alert(self._whole, after, changes)

    def _about(self, before: JsonObject, now: JsonObject) -> Iterator[Change]:
        one, other = ({**about, "tools": []} for about in (before, now))
        for change in diff(one, other).changes:
            if change.model_visible:
                yield change
            else:  # it explains other changes but is not a change itself
                self.notes.append(f"{self.watched.shown}: {change.message}")

    @cached_property
    def newcomers(self) -> list[str]:
        """Return the recorded tools that are not listed as belonging to the source."""
        if self._whole is None:
            return []
        listed = set(tools_in(self._whole))
        return [name for name in self.watched.quick if name in self.known and name not in listed]

    def register(self, *, trusted: bool = True) -> list[Key]:
        """Record what was unknown, and which tools belong to the source.

        The identity of a server that is not ``trusted`` is not taken from its own description.
        """
        registered: list[Key] = []
        if self.unknown:
            fresh = captured(
                self.watched,
                self.unknown,
                responses=self._responses,
                version=self._version,
                at=self._at,
            )
            registered = self._store.register(fresh)
        if self.watched.whole is None or (self._whole is not None and not self.newcomers):
            return registered
        if self._whole is None and self.watched.source and not trusted:
            return registered
        listed: Iterable[str] = () if self.is_stranger else self._members
        if self._whole is not None:
            listed = tools_in(self._whole)
        belongs = {*listed, *self.newcomers, *(key.tool for key in registered)}
        belongs |= self.known.keys() & self.watched.quick.keys()
        made = whole_snapshot(self.watched, sorted(belongs), self._at)
        if self._whole is not None:
            facts: Json = {**facts_of(self._whole), "tools": sorted(belongs)}
            made = replace(made, definition=facts, schema_hash=schema_hash(facts))
        self._store.put([made])
        return registered


def _tool_of(name: str, snapshot: Snapshot) -> CanonicalTool | None:
    return None if snapshot.definition is None else readable(name, snapshot.definition)


def _stand_in(tool: CanonicalTool) -> CanonicalTool:
    """Return an unchanged tool by its name, for comparing others with it."""
    fields = tool.__dict__
    return trusted_tool({key: fields[key] for key in ("name", "namespace") if key in fields})


def _changes_of(
    name: str, before: Snapshot, old: CanonicalTool | None, new: CanonicalTool | None
) -> list[Change]:
    """Return the changes of one tool, or a change with the reason why they are unknown."""
    if old is not None and new is not None:
        return list(diff([old], [new]).changes)
    reason = _ONLY_HASHES if before.definition is None else _NOT_READ
    return [told(_UNDECIDED, tool=name, reason=reason)]


def _another(shown: str, before: JsonObject, after: JsonObject) -> Change:
    return told(
        "server-identity-changed",
        f"{shown} is started by another command or has another address than before",
        before={key: before[key] for key in _WHO if key in before},
        after={key: after[key] for key in _WHO if key in after},
    )


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
