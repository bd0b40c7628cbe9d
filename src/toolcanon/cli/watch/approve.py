"""``toolwatch approve``, and the changes that can be approved.

A lockfile belongs to one project and the store to a whole machine, and tool names are not unique in
either. What the store has seen goes into the lockfile only when its server is in the lockfile.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

import click

from toolcanon.cli.check import AfterDashes
from toolcanon.cli.options import talk
from toolcanon.cli.shared_options import TEXT, Reporting
from toolcanon.cli.watch.sources import (
    NamedSources,
    approval,
    approval_options,
    as_locked,
    check_usage,
    in_lock_words,
    lock_option,
    locked_or_typed,
    seen,
    watched_options,
)
from toolcanon.drift.diff import diff
from toolcanon.drift.fingerprint import definition_of
from toolcanon.drift.lockfile import (
    Approval,
    Lock,
    LockedServer,
    LockedTool,
    approved,
    compare,
    without_tool,
)
from toolcanon.errors import ApprovalConflict, MissingFile, ToolcanonError, UnknownTool, nearest
from toolcanon.report.changed import diff_text
from toolcanon.text import safe, safe_json
from toolcanon.watch.alerting import has_answers
from toolcanon.watch.capturing import WHOLE, capture, readable
from toolcanon.watch.lockfiles import NAME, read_lock, update_lock
from toolcanon.watch.observed_source import Identity
from toolcanon.watch.sqlite.store import open_store
from toolcanon.watch.store import Alert, Key, Snapshot, Store

_NAME: Final = 80
_STDIN: Final = "-"
_FILE: Final = "file"


class ApprovableChange(NamedTuple):
    """A tool that can be approved, and what it replaces."""

    tool: LockedTool
    server: str | None = None
    """The server of the lockfile that has it."""
    locked: LockedTool | None = None
    was: str = ""
    """Its name in the lockfile, if that differs."""
    snapshot: Snapshot | None = None
    baseline: Snapshot | None = None
    """What the store has for it."""
    renamed: tuple[Key, ...] = ()
    """Its name in the store, if that differs."""
    is_remembered: bool = False
    """Whether the store is updated; it is not for a source that it never saw."""


class Gone(NamedTuple):
    """A removed tool: its places in the lockfile and in the store."""

    server: str | None
    keys: tuple[Key, ...]


class ChangeFinder:
    """Finds one tool by name in the sources of the command line."""

    def __init__(
        self, name: str, sources: NamedSources, lock: Lock | None, path: str, store: Store
    ) -> None:
        self._name, self._sources, self._path, self._store = name, sources, path, store
        self._lock = lock or Lock()
        named = sources.servers
        self._servers = [
            server
            for server in self._lock.servers.values()
            if not named or sources or server.name in named
        ]

    def candidate(self, digest: str | None) -> ApprovableChange:
        """Return the tool to approve. Raises a usage error when it is unknown or ambiguous."""
        if self._sources:
            return self._from_source()
        name = self._name
        locked = [server for server in self._servers if name in server.tools]
        exact = [one for one in locked if digest is None or one.tools[name].exact == digest]
        self._ensure_single([one.name for one in exact])
        if exact:
            held = exact[0].tools[name]
            found = ApprovableChange(held, exact[0].name, held)
            return self._with_alert(found, exact[0])
        alert = None if digest is None else self._alert(digest)
        remembered = None if alert is None else self._from_store(alert)
        if alert is not None and remembered is not None:
            server = self._server_of(alert)
            return remembered if server is None else _in_server(remembered, server, alert)
        if locked:  # with another digest, which the caller reports
            return ApprovableChange(locked[0].tools[name], locked[0].name, locked[0].tools[name])
        known = {tool for server in self._lock.servers.values() for tool in server.tools}
        near = nearest(name, sorted(known - {name}))
        advice = (
            f"did you mean {near!r}?"
            if near
            else "name a source (FILES, -- COMMAND..., --url or --client-config)."
        )
        raise click.UsageError(f"No check has seen {self._shown} with this digest; {advice}")

    def gone(self) -> Gone:
        """Return where the tool is still expected. Raises a usage error when it is not gone."""
        name = self._name
        if self._sources:
            found = seen(self._sources)
            if any(tool.id == name for one in found for tool in one.tools):
                raise click.UsageError(f"{self._shown} is not gone: approve it by its digest.")
            now = [as_locked(one, self._lock, self._path) for one in found]
            held = [one for one in self._lock.matched(now) if one and name in one.tools]
            keys = [Key(one.name, name) for one in found]
        else:
            held = [server for server in self._servers if name in server.tools]
            alerts = [
                alert
                for alert in self._store.alerts(tool=name, status="open")
                if not alert.after.schema_hash and self._is_wanted(alert)
            ]
            if len(held) == 1 and not self._sources.servers:
                alerts = [one for one in alerts if self._is_of(held[0], one)]
            keys = list(dict.fromkeys(alert.key for alert in alerts))
        self._ensure_single([one.name for one in held])
        self._ensure_single([key.source for key in keys])
        known = [key for key in keys if self._store.baseline(key) is not None]
        if not held and not known:
            raise click.UsageError(f"{self._shown} is not expected, or no check has missed it yet.")
        return Gone(held[0].name if held else None, tuple(known))

    @property
    def _shown(self) -> str:
        return safe(repr(self._name), _NAME)

    def _ensure_single(self, owners: list[str]) -> None:
        if len(owners) > 1:
            names = ", ".join(safe(one or "files", _NAME) for one in sorted(owners))
            raise click.UsageError(
                f"Several servers have {self._shown}: {names}; choose one with --server."
            )

    def _from_source(self) -> ApprovableChange:
        name, store = self._name, self._store
        found = seen(self._sources)
        owners = [(one, tool) for one in found for tool in one.tools if tool.id == name]
        if not owners:
            raise UnknownTool(name, [tool.id for one in found for tool in one.tools])
        if len(owners) > 1:
            raise click.UsageError(f"{len(owners)} sources have {self._shown}; name one of them.")
        source, tool = owners[0]
        now = as_locked(source, self._lock, self._path)
        held = self._lock.find(now.name, now.identity_digest)
        key = Key(source.name, name)
        baseline = store.baseline(key)
        snapshot = capture(key, definition_of(tool), tool)
        renamed = {
            alert.key
            for alert in store.alerts(source=key.source, status="open")
            if alert.after.key == key != alert.key
            and alert.after.schema_hash == snapshot.schema_hash
        }
        is_known = baseline is not None or any(store.alerts(source=key.source, tool=name, limit=1))
        return ApprovableChange(
            replace(now.tools[name], approved=None),
            None if held is None else held.name,
            None if held is None else held.tools.get(name),
            "" if held is None else _former(held, now, name),
            snapshot,
            baseline,
            tuple(sorted(renamed)),
            is_remembered=is_known or bool(renamed),
        )

    def _with_alert(self, found: ApprovableChange, server: LockedServer) -> ApprovableChange:
        """Return the candidate with what the store has seen of it, if that was this server."""
        alert = self._alert(found.tool.exact, lambda one: self._is_of(server, one))
        known = None if alert is None else self._from_store(alert)
        if known is None:
            return found
        return known._replace(tool=found.tool, server=found.server, locked=found.locked)

    def _alert(
        self, digest: str, is_meant: Callable[[Alert], bool] = lambda _: True
    ) -> Alert | None:
        """Return the newest alert about the tool with this digest, by its name or a former one."""
        alerts = [
            alert
            for alert in self._alerts()
            if alert.after.digests.get("exact") == digest
            and self._is_wanted(alert)
            and is_meant(alert)
        ]
        self._ensure_single(list({alert.key.source for alert in alerts}))
        return max(alerts, key=lambda alert: alert.sequence, default=None)

    def _alerts(self) -> Iterator[Alert]:
        yield from self._store.alerts(tool=self._name)
        for alert in self._store.alerts(status="open"):
            if alert.after.key.tool == self._name != alert.key.tool:
                yield alert

    def _is_wanted(self, alert: Alert) -> bool:
        """Return whether an alert is of a named server; files are stored under the empty name."""
        named, source = self._sources.servers, alert.key.source
        is_file = any(server.identity.get("transport") == _FILE for server in self._servers)
        return not named or source in named or (not source and is_file)

    def _from_store(self, alert: Alert) -> ApprovableChange | None:
        after = alert.after
        tool = readable(after.key.tool, after.definition)
        if tool is None:
            return None
        return ApprovableChange(
            LockedTool.of(tool),
            snapshot=after,
            baseline=self._store.baseline(after.key),
            renamed=(alert.key,) if alert.key != after.key else (),
            is_remembered=True,
        )

    def _server_of(self, alert: Alert) -> LockedServer | None:
        """Return the server of the lockfile that an alert is about; None when it is not clear."""
        if len(self._sources.servers) == 1 and self._servers:
            return self._servers[0]  # chosen with --server
        found = [server for server in self._servers if self._is_of(server, alert)]
        return found[0] if len(found) == 1 else None

    def _is_of(self, server: LockedServer, alert: Alert) -> bool:
        """Return whether an alert is about a tool of this server.

        The same name may mean another server in another project, so the identities must agree.
        The store knows files by no more than a name, so their content is compared.
        """
        source = alert.key.source
        if server.identity.get("transport") == _FILE:
            return source in {"", server.name} and self._has_now(server, alert.after)
        whole = self._store.baseline(Key(source, WHOLE)) if source else None
        facts = whole.definition if whole is not None else None
        who = facts.get("identity") if isinstance(facts, dict) else None
        if isinstance(who, dict):
            return LockedServer("", in_lock_words(who, self._path)).identity_digest == (
                server.identity_digest
            )
        return bool(source) and source == server.name

    def _has_now(self, server: LockedServer, after: Snapshot) -> bool:
        """Return whether a server's files hold a tool exactly as seen, or lack it as well."""
        who, folder = Identity.from_dict(server.identity), Path(self._path).resolve().parent
        files = who.paths or (who.path,)
        if not all(file != _STDIN and (folder / file).is_file() for file in files):
            return False
        asked = self._sources._replace(servers=(server.name,))
        try:
            now = locked_or_typed(asked, self._lock, self._path)[0].tools.get(after.key.tool)
        except ToolcanonError:
            return False
        return (now.exact if now else None) == after.digests.get("exact")


def _former(held: LockedServer, now: LockedServer, name: str) -> str:
    """Return the name under which a tool was locked, empty if it is the same."""
    if name in held.tools:
        return ""
    renamed = (tool for tool in compare(held, now).tools if tool.state == "renamed")
    return next((tool.was for tool in renamed if tool.name == name), "")


def _in_server(found: ApprovableChange, server: LockedServer, alert: Alert) -> ApprovableChange:
    name, former = found.tool.name, alert.key.tool
    was = former if former != name and former in server.tools else ""
    return found._replace(server=server.name, locked=server.tools.get(name), was=was)


EPILOG = """\b
Examples:
  toolwatch approve search --digest tc1:sha256:… --reason "reviewed in #12"
  toolwatch approve search --digest tc1:sha256:… tools.json
  toolwatch approve search --digest tc1:sha256:… -- npx -y @scope/server
  toolwatch approve search
  toolwatch approve search --removed tools.json
  toolwatch approve --tool=-odd --digest tc1:sha256:… tools.json
"""


@click.command("approve", cls=AfterDashes, epilog=EPILOG)
@click.argument("tool", required=False)
@click.option(
    "--tool", "named", metavar="NAME", help="Tool to approve, if its name begins with a dash."
)
@click.option("--digest", metavar="DIGEST", help="Digest of the definition to approve.")
@click.option("--removed", is_flag=True, help="Approve that the tool is gone.")
@approval_options
@lock_option("--lock", default=None)
@click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
@watched_options
@click.pass_context
def command_approve(
    ctx: click.Context,
    tool: str | None,
    named: str | None,
    digest: str | None,
    removed: bool,
    by: str | None,
    reason: str,
    lock_file: str | None,
    quiet: bool,
    sources: NamedSources,
) -> int:
    """Approve a tool as it is now, by its digest, in tools.lock and in the store.

    If a source is named, its definition must have the digest; otherwise the digest is looked up
    among the unreviewed tools of the lockfile and the alerts of earlier checks. In a terminal,
    --digest may be omitted: the change is shown in full and you are asked to confirm it. A removed
    tool has no digest: approve that with --removed. Any later change is reported again. Exit
    status: 0 fine, 2 invalid input or usage, or no tool with this digest, 3 environment.
    """
    if named is not None and tool is not None:  # with --tool, the first argument is a file
        sources = sources._replace(files=(tool, *sources.files))
        check_usage(sources)
    name = tool if named is None else named
    if not name:
        raise click.UsageError("Name the tool: TOOL, or --tool NAME.")
    if removed and digest is not None:
        raise click.UsageError(
            "--digest and --removed cannot be combined: a removed tool has no digest."
        )
    path = lock_file or (NAME if Path(NAME).exists() else None)
    lock = None if path is None else read_lock(path)
    place: str | None = ctx.meta.get("store")
    with _store(place, read_only=True) as store:
        finder = ChangeFinder(name, sources, lock, path or NAME, store)
        found = finder.gone() if removed else finder.candidate(digest)
    if isinstance(found, ApprovableChange):
        if digest is not None and digest != found.tool.exact:
            raise ApprovalConflict(name, digest, found.tool.exact)
        if digest is None:
            _ask(found)
        is_remembered = found.is_remembered
        change = f"{safe(found.tool.name, 80)} is {found.tool.exact}"
    else:
        is_remembered = bool(found.keys)
        change = f"{safe(name, 80)} is no longer expected"
    agreed = approval(by, reason)
    kept = []
    if path is not None and found.server is not None:
        _into_lock(path, found, agreed, name)
        kept.append(path)
    if is_remembered and _kept_in_store(place, found, agreed, change, kept, quiet=quiet):
        kept.append("the store")
    if not kept and not is_remembered:
        where = f"{path} does not have its server" if path else f"there is no {NAME} in this folder"
        raise click.UsageError(
            f"Nothing was approved: {where}, and the store does not know {name!r}; "
            "run `toolwatch lock` or `toolwatch baseline` first."
        )
    if kept and not quiet:
        talk(f"approved in {safe(' and '.join(kept))}: {change}")
        if path is not None and found.server is None and lock is not None and lock.servers:
            talk(f"{safe(path)} is unchanged: that was not seen at its servers; name the source "
                 "to approve it there as well")  # fmt: skip
    return 0


def _kept_in_store(
    place: str | None,
    found: ApprovableChange | Gone,
    agreed: Approval,
    change: str,
    kept: list[str],
    *,
    quiet: bool,
) -> bool:
    """Return whether the store changed; when that fails, report what was approved before."""
    try:
        with _store(place) as store:
            is_new = _into_store(store, found, agreed)
    except ToolcanonError:
        if kept:
            talk(f"approved in {safe(' and '.join(kept))}: {change}, but not in the store; run "
                 "the command again after fixing this:")  # fmt: skip
        raise
    if not is_new and not quiet:
        talk(f"the store already has this definition: {change}")
    return is_new


@contextlib.contextmanager
def _store(place: str | None, *, read_only: bool = False) -> Iterator[Store]:
    store = open_store(place, read_only=read_only)
    try:
        yield store
    finally:
        store.close()


def _ask(found: ApprovableChange) -> None:
    """Show the whole change and ask for approval. Raises a usage error without a terminal."""
    tool = found.tool
    if sys.stdin is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise click.UsageError(f"Name what you approve: --digest {tool.exact}")
    old = found.locked.tool if found.locked is not None else None
    if old is None and found.baseline is not None:
        old = readable(tool.name, found.baseline.definition)
    if old is not None and tool.tool is not None:
        look = Reporting(TEXT, None, verbose=True, quiet=False).look("info")
        click.echo(diff_text(diff([old], [tool.tool]), look), err=True)
    talk(safe_json(tool.definition))
    talk(f"digest: {tool.exact}")
    if not click.confirm("Approve exactly this?", err=True):
        raise click.Abort


def _into_lock(path: str, found: ApprovableChange | Gone, agreed: Approval, name: str) -> None:
    def change(held: Lock | None) -> Lock:
        if held is None:
            raise MissingFile(path, "there is no such file")
        if found.server is None or found.server not in held.servers:
            raise ApprovalConflict(
                name, found.tool.exact if isinstance(found, ApprovableChange) else "", ""
            )
        if isinstance(found, Gone):
            return without_tool(held, found.server, name)
        expected = [one.exact for one in (found.locked, found.tool) if one is not None]
        return approved(
            held, found.server, found.tool, agreed, expected=expected, instead_of=found.was
        )

    update_lock(path, change)


def _into_store(store: Store, found: ApprovableChange | Gone, agreed: Approval) -> bool:
    approver = {"by": agreed.by, "reason": agreed.reason}
    if isinstance(found, Gone):
        return bool(store.drop(found.keys, **approver))
    snapshot, baseline = found.snapshot, found.baseline
    if snapshot is None:
        return False
    if baseline is not None and not has_answers(snapshot):
        # An approval is of the definition; known responses stay as they are.
        snapshot = replace(
            snapshot,
            response_pattern_hash=baseline.response_pattern_hash,
            shape=baseline.shape,
        )
    expected = "" if baseline is None else baseline.schema_hash
    is_new = store.approve(snapshot, expected=expected, **approver)
    return bool(store.drop(found.renamed, **approver)) or is_new
