"""``toolwatch approve``."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import click

from toolcanon.cli.check import AfterDashes
from toolcanon.cli.options import talk
from toolcanon.cli.reporting import TEXT, Reporting
from toolcanon.cli.watch.locked_sources import (
    approval,
    approval_options,
    as_locked,
    lock_option,
)
from toolcanon.cli.watch.sources import Asked, seen, watched_options
from toolcanon.drift.diff import diff
from toolcanon.drift.fingerprint import definition_of
from toolcanon.drift.lockfile import Approval, Lock, LockedTool, approved
from toolcanon.errors import ApprovalConflict, MissingFile, UnknownTool, nearest
from toolcanon.report.changed import diff_text
from toolcanon.text import safe, safe_json
from toolcanon.watch.capturing import capture, readable
from toolcanon.watch.lockfiles import NAME, read_lock, update_lock
from toolcanon.watch.opening import open_store
from toolcanon.watch.responding import has_answers
from toolcanon.watch.store import Key, Snapshot, Store

EPILOG = """\b
Examples:
  toolwatch approve search --digest tc1:sha256:… --reason "reviewed in #12"
  toolwatch approve search --digest tc1:sha256:… tools.json
  toolwatch approve search --digest tc1:sha256:… -- npx -y @scope/server
  toolwatch approve search
"""


class _Candidate(NamedTuple):
    """What somebody may agree to, and what stands in its place."""

    tool: LockedTool
    server: str | None = None
    """Which server of the lockfile has it."""
    locked: LockedTool | None = None
    snapshot: Snapshot | None = None
    baseline: Snapshot | None = None
    """What the store holds for it."""
    is_remembered: bool = False
    """Whether the store has to do with it: a source that it never saw stays out of it."""


@click.command("approve", cls=AfterDashes, epilog=EPILOG)
@click.argument("tool")
@click.option("--digest", metavar="DIGEST", help="The exact digest of what you agree to.")
@approval_options
@lock_option("--lock", default=None)
@click.option("-q", "--quiet", is_flag=True, help="Say nothing; the exit status tells.")
@watched_options
@click.pass_context
def command(
    ctx: click.Context,
    tool: str,
    digest: str | None,
    by: str | None,
    reason: str,
    lock_file: str | None,
    quiet: bool,
    sources: Asked,
) -> int:
    """Agree to a tool as it is now, by its digest: in tools.lock, and in the store.

    The definition comes from the source, if one is named, and must have the digest; otherwise it
    is what the lockfile holds unreviewed, or what a check has seen. In a terminal --digest may be
    left out: what changed is shown whole, and you are asked. A change after the approval is a
    change. Exit status: 0 fine, 2 refused input or usage, nothing like it, or not what was named,
    3 environment.
    """
    path = lock_file or (NAME if Path(NAME).exists() else None)
    lock = None if path is None else read_lock(path)
    place: str | None = ctx.meta.get("store")
    with _store(place, read_only=True) as store:
        found = _found(tool, digest, sources, lock, path, store)
    if digest is not None and digest != found.tool.exact:
        raise ApprovalConflict(tool, digest, found.tool.exact)
    if digest is None:
        _ask(found)
    agreed = approval(by, reason)
    kept = []
    if path is not None and found.server is not None:
        _into_lock(path, found, agreed)
        kept.append(path)
    if found.is_remembered:
        with _store(place) as store:
            _into_store(store, found, agreed)
        kept.append("the store")
    if not kept:
        where = f"{path} does not have its server" if path else f"there is no {NAME} here"
        raise click.UsageError(
            f"Nothing was approved: {where}, and the store does not know {tool!r}; "
            "run `toolwatch lock` or `toolwatch baseline` first."
        )
    if not quiet:
        talk(f"approved in {safe(' and '.join(kept))}: {safe(tool, 80)} is {found.tool.exact}")
    return 0


@contextlib.contextmanager
def _store(place: str | None, *, read_only: bool = False) -> Iterator[Store]:
    store = open_store(place, read_only=read_only)
    try:
        yield store
    finally:
        store.close()


def _found(
    name: str, digest: str | None, sources: Asked, lock: Lock | None, path: str | None, store: Store
) -> _Candidate:
    if sources:
        return _from_source(name, sources, lock or Lock(), path or NAME, store)
    locked = [
        _Candidate(server.tools[name], server.name, server.tools[name])
        for server in (lock or Lock()).servers.values()
        if name in server.tools and (not sources.servers or server.name in sources.servers)
    ]
    exact = [one for one in locked if digest is None or one.tool.exact == digest]
    if len(exact) > 1:
        servers = ", ".join(sorted(one.server or "" for one in exact))
        raise click.UsageError(
            f"Several servers have {name!r}: {servers}; say which with --server."
        )
    if exact:
        return _with_alert(exact[0], name, exact[0].tool.exact, sources, store)
    seen_once = None if digest is None else _from_store(name, digest, sources, store)
    if seen_once is not None:
        server = locked[0].server if len(locked) == 1 else None
        held = locked[0].locked if len(locked) == 1 else None
        return seen_once._replace(server=server, locked=held)
    if locked:
        return locked[0]  # its digest is another one, which is what will be told
    known = [tool for server in (lock or Lock()).servers.values() for tool in server.tools]
    near = nearest(name, sorted(set(known) - {name}))
    advice = (
        f"did you mean {near!r}?"
        if near
        else ("name where it can be read (FILES, -- COMMAND..., --url or --config).")
    )
    raise click.UsageError(f"Nobody has seen {safe(repr(name), 80)} like this; {advice}")


def _from_source(name: str, sources: Asked, lock: Lock, path: str, store: Store) -> _Candidate:
    found = seen(sources)
    owners = [(one, tool) for one in found for tool in one.tools if tool.id == name]
    if not owners:
        raise UnknownTool(name, [tool.id for one in found for tool in one.tools])
    if len(owners) > 1:
        raise click.UsageError(f"{safe(repr(name), 80)} is there {len(owners)} times; name one.")
    source, tool = owners[0]
    now = as_locked(source, lock, path)
    held = lock.find(now.name, now.identity_digest)
    key = Key(source.name, name)
    baseline = store.baseline(key)
    alerts = store.alerts(source=key.source, tool=name, limit=1)
    return _Candidate(
        replace(now.tools[name], approved=None),
        None if held is None else held.name,
        None if held is None else held.tools.get(name),
        capture(key, definition_of(tool), tool),
        baseline,
        is_remembered=baseline is not None or any(alerts),
    )


def _with_alert(
    found: _Candidate, name: str, digest: str, sources: Asked, store: Store
) -> _Candidate:
    """The same, and what the store has seen of it."""
    known = _from_store(name, digest, sources, store)
    if known is None:
        return found
    return found._replace(
        snapshot=known.snapshot, baseline=known.baseline, is_remembered=known.is_remembered
    )


def _from_store(name: str, digest: str, sources: Asked, store: Store) -> _Candidate | None:
    """What a check has seen: the newest alert on a tool with this digest."""
    alerts = [
        alert
        for alert in store.alerts(tool=name)
        if alert.after.digests.get("exact") == digest
        and (not sources.servers or alert.key.source in sources.servers)
    ]
    if len({alert.after.key for alert in alerts}) > 1:
        raise click.UsageError(f"Several sources have {name!r}; say which with --server.")
    if not alerts:
        return None
    after = alerts[-1].after
    tool = readable(name, after.definition)
    if tool is None:
        return None
    baseline = store.baseline(after.key)
    return _Candidate(LockedTool.of(tool), snapshot=after, baseline=baseline, is_remembered=True)


def _ask(found: _Candidate) -> None:
    """Show what changed, whole, and ask; nobody is asked without a terminal."""
    tool = found.tool
    if sys.stdin is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise click.UsageError(f"Say what you agree to: --digest {tool.exact}")
    old = found.locked.tool if found.locked is not None else None
    if old is None and found.baseline is not None:
        old = readable(tool.name, found.baseline.definition)
    if old is not None and tool.tool is not None:
        look = Reporting(TEXT, None, verbose=True, quiet=False).look("info")
        click.echo(diff_text(diff([old], [tool.tool]), look), err=True)
    talk(safe_json(tool.definition))
    talk(f"digest: {tool.exact}")
    if not click.confirm("Agree to exactly this?", err=True):
        raise click.Abort


def _into_lock(path: str, found: _Candidate, agreed: Approval) -> None:
    expected = [one.exact for one in (found.locked, found.tool) if one is not None]

    def change(held: Lock | None) -> Lock:
        if held is None:
            raise MissingFile(path, "there is no such file")
        if found.server is None or found.server not in held.servers:
            raise ApprovalConflict(found.tool.name, found.tool.exact, "")
        return approved(held, found.server, found.tool, agreed, expected=expected)

    update_lock(path, change)


def _into_store(store: Store, found: _Candidate, agreed: Approval) -> None:
    snapshot, baseline = found.snapshot, found.baseline
    if snapshot is None:
        return
    if baseline is not None and not has_answers(snapshot):
        # Nobody looked at responses: those that are known stay.
        snapshot = replace(
            snapshot,
            response_pattern_hash=baseline.response_pattern_hash,
            shape=baseline.shape,
        )
    expected = "" if baseline is None else baseline.schema_hash
    store.approve(snapshot, expected=expected, by=agreed.by, reason=agreed.reason)
