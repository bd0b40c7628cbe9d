"""Merge the present tools of servers into a lock, and approve tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from toolcanon.drift.lockfile.comparing import Compared, compare
from toolcanon.drift.lockfile.model import Approval, Lock, LockedServer, LockedTool
from toolcanon.errors import ApprovalConflict


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
