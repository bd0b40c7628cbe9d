"""A locked server compared with the present one, and approved changes merged into a lock.

Whether something differs is decided by digests; what it means, by the comparison of
``toolcanon diff`` over the whole set, so that a renamed tool is reported as one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from toolcanon.diagnostics.change import Change, DriftVerdict
from toolcanon.drift.diff import diff
from toolcanon.drift.fingerprint import Digests
from toolcanon.drift.lockfile.lock import Approval, Lock, LockedServer, LockedTool
from toolcanon.drift.report import DiffReport, short, told
from toolcanon.errors import ApprovalConflict
from toolcanon.jsonio.types import JsonObject

State: TypeAlias = Literal["changed", "added", "removed", "renamed"]
_RENAMED: Final = "tool-renamed"


@dataclass(frozen=True, slots=True)
class ToolDifference:
    """One tool that differs from the lock."""

    name: str
    """The present name, or the locked one if the tool was removed."""
    state: State
    verdict: DriftVerdict
    before: Digests | None = None
    after: Digests | None = None
    was: str = ""
    """The name in the lock; empty for a new tool."""

    def to_dict(self) -> JsonObject:
        return {
            "name": self.name,
            "was": self.was,
            "state": self.state,
            "verdict": self.verdict,
            "before": None if self.before is None else self.before._asdict(),
            "after": None if self.after is None else self.after._asdict(),
        }


@dataclass(frozen=True)
class Compared:
    """The result for one server."""

    locked: LockedServer | None
    """None when the lock does not have the server."""
    now: LockedServer
    report: DiffReport
    """Every change with its verdict; those of the server itself have no tool."""
    tools: tuple[ToolDifference, ...] = ()

    @property
    def name(self) -> str:
        return self.now.name

    @property
    def is_same(self) -> bool:
        """Whether it equals the lock, to the last character."""
        return self.locked is not None and not self.tools and not self.report.changes

    @property
    def is_same_server(self) -> bool:
        """Whether it is the locked server, with the same information for models."""
        return (
            self.locked is not None
            and self.locked.identity_digest == self.now.identity_digest
            and self.locked.about.instructions == self.now.about.instructions
        )

    @property
    def lost_approvals(self) -> tuple[str, ...]:
        """Approved tools that are unchanged, but now belong to another server."""
        if self.locked is None or self.is_same_server:
            return ()
        held = self.locked.tools
        return tuple(
            name
            for name, tool in sorted(self.now.tools.items())
            if name in held and held[name].approved and held[name].exact == tool.exact
        )

    @property
    def only_adds(self) -> bool:
        """Whether nothing locked changed: a new server, or further tools."""
        if self.locked is None:
            return True
        added = {tool.name for tool in self.tools if tool.state == "added"}
        return len(added) == len(self.tools) and all(
            change.tool in added for change in self.report.changes
        )

    @property
    def unreviewed(self) -> tuple[str, ...]:
        """Tools of the lock without an approval; all of them when the server is not in it."""
        return self.now.unreviewed if self.locked is None else self.locked.unreviewed

    def block_of(self, change: Change) -> str | None:
        """Return the name in the lock of the tool that a change is about."""
        if self.locked is None:
            return None
        was = {tool.name: tool.was for tool in self.tools}.get(change.tool, change.tool)
        return was if was in self.locked.tools else None

    def to_dict(self) -> JsonObject:
        return {
            "name": self.name,
            "locked": None if self.locked is None else self.locked.name,
            "same": self.is_same,
            "verdict": self.report.verdict,
            "tools": [tool.to_dict() for tool in self.tools],
            "unreviewed": list(self.unreviewed),
            "report": self.report.to_dict(),
        }


def compare(locked: LockedServer | None, now: LockedServer) -> Compared:
    """Return the differences between a locked server and its present state.

    Only the nickname may differ. A server with the same nickname and another command or URL is
    another server, which is reported as a security change.
    """
    before = LockedServer(now.name, now.identity, now.about) if locked is None else locked
    changes, names = [*_about(before, now)], sorted(now.tools)
    if _exact(before) != _exact(now):
        # Names are sorted on both sides, because a lock has no order.
        found = diff(before.canonical_tools(), now.canonical_tools())
        changes += [*found.changes, *_unexplained(before, now, found)]
        names = list(found.tools)
    report = DiffReport.of(changes, names)
    return Compared(locked, now, report, tuple(_differences(before, now, report)))


def _exact(server: LockedServer) -> dict[str, str]:
    return {name: tool.exact for name, tool in server.tools.items()}


def _about(locked: LockedServer, now: LockedServer) -> Iterator[Change]:
    if locked.identity_digest != now.identity_digest:
        yield told(
            "server-identity-changed",
            _identity_message(locked, now),
            before=locked.identity,
            after=now.identity,
        )
    old, new = locked.about, now.about
    if old.instructions != new.instructions:
        yield told("server-instructions-changed", before=old.instructions, after=new.instructions,
                   model_visible=True)  # fmt: skip
    if (old.name, old.version) != (new.name, new.version):
        said = tuple(" ".join(filter(None, (one.name, one.version))) for one in (old, new))
        yield told("server-version-changed", f"the server is {said[1] or 'unnamed'}, "
                   f"was {said[0] or 'unnamed'}", before=said[0], after=said[1])  # fmt: skip
    for name in now.repeated:
        yield told("tool-duplicated", f"more than one tool is named {name}", tool=name)
    if old.protocol != new.protocol:
        yield told("protocol-version-changed", before=old.protocol, after=new.protocol)


def _identity_message(locked: LockedServer, now: LockedServer) -> str:
    old, new = locked.identity, now.identity
    keys = sorted(key for key in {**old, **new} if old.get(key) != new.get(key))
    parts = (f"{key} is {short(new.get(key), 200)}, was {short(old.get(key), 200)}" for key in keys)
    return f"it is not the locked server: {'; '.join(parts)}"


def _unexplained(locked: LockedServer, now: LockedServer, found: DiffReport) -> Iterator[Change]:
    """Report tools whose difference no rule covers: a lock pins every character."""
    spoken = {change.tool for change in found.changes}
    for name in sorted(locked.tools.keys() & now.tools.keys()):
        old, new = locked.tools[name], now.tools[name]
        if old.exact != new.exact and name not in spoken:
            yield told("definition-changed", tool=name, before=old.exact, after=new.exact)


def _differences(
    locked: LockedServer, now: LockedServer, report: DiffReport
) -> Iterator[ToolDifference]:
    renamed = {
        str(change.after): str(change.before)
        for change in report.changes
        if change.name == _RENAMED and change.before in locked.tools and change.after in now.tools
    }
    verdicts = report.verdicts
    for name in sorted({**locked.tools, **now.tools}):
        verdict = verdicts.get(name, "identical")
        if name not in now.tools:
            if name not in renamed.values():
                yield ToolDifference(name, "removed", verdict, locked.tools[name].digests, was=name)
            continue
        new = now.tools[name].digests
        was = renamed.get(name, name)
        if was not in locked.tools:
            yield ToolDifference(name, "added", verdict, after=new)
        elif was != name or locked.tools[was].exact != new.exact:
            state: State = "changed" if was == name else "renamed"
            yield ToolDifference(name, state, verdict, locked.tools[was].digests, new, was)


@dataclass(frozen=True, slots=True)
class Merged:
    """A merged lock, and what changed in it."""

    lock: Lock
    compared: tuple[Compared, ...]

    @property
    def only_adds(self) -> bool:
        """Whether nothing that was locked changed."""
        return all(one.only_adds for one in self.compared)


def merge(lock: Lock, seen: Sequence[LockedServer], *, approval: Approval | None = None) -> Merged:
    """Return a lock with the present state of these servers; other servers stay.

    Unchanged tools keep their approval; changed ones become unreviewed, unless an ``approval`` for
    all of them is given. A server with another nickname keeps its pins. One with another identity
    or other instructions keeps no approval: the tools were reviewed as those of the former.
    """
    compared = []
    for now, known in zip(seen, lock.matched(seen), strict=True):
        compared.append(compare(known, now))
        trusted = known if compared[-1].is_same_server else None
        tools = {name: _kept(tool, trusted, approval) for name, tool in now.tools.items()}
        old = None if known is None else known.name
        lock = lock.with_server(replace(now, tools=tools), instead_of=old)
    return Merged(lock, tuple(compared))


def _kept(tool: LockedTool, server: LockedServer | None, approval: Approval | None) -> LockedTool:
    known = None if server is None else server.tools.get(tool.name)
    if known is not None and known.exact == tool.exact and known.approved is not None:
        return known
    return replace(tool, approved=approval)


def approved(  # noqa: PLR0913 - what an approval is made of
    lock: Lock,
    server: str,
    tool: LockedTool,
    approval: Approval,
    *,
    expected: Sequence[str] = (),
    instead_of: str = "",
) -> Lock:
    """Return a lock with one tool approved.

    ``expected`` has the exact digests that the lock may have for it: the one the approver compared
    with, and the approved one. Raises ApprovalConflict when it has another. ``instead_of`` is the
    former name of the tool.
    """
    held = lock.servers[server]
    known = held.tools.get(tool.name)
    if known is not None and expected and known.exact not in expected:
        raise ApprovalConflict(tool.name, expected[0], known.exact)
    kept = {name: other for name, other in held.tools.items() if name != instead_of}
    tools = {**kept, tool.name: replace(tool, approved=approval)}
    return lock.with_server(replace(held, tools=tools))


def without_tool(lock: Lock, server: str, tool: str) -> Lock:
    held = lock.servers[server]
    tools = {name: kept for name, kept in held.tools.items() if name != tool}
    return lock.with_server(replace(held, tools=tools))
