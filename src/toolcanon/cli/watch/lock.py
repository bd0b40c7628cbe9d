"""``toolwatch lock`` and ``toolwatch verify``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from toolcanon.cli.check import AfterDashes
from toolcanon.cli.main import fail
from toolcanon.cli.options import talk
from toolcanon.cli.shared_options import TEXT, Reporting, report_options
from toolcanon.cli.watch.sources import (
    NamedSources,
    approval,
    approval_options,
    lock_option,
    lockable_options,
    locked_or_typed,
)
from toolcanon.diagnostics import FilePlace
from toolcanon.drift.lockfile import (
    Compared,
    Lock,
    LockedServer,
    Merged,
    compare,
    merge,
    read_lock_text,
)
from toolcanon.errors import MissingFile, ServerFailed, UnusableConfig
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.text_edits import line_and_column, spans
from toolcanon.report.changed import Placed, verified_document, verified_text
from toolcanon.report.document import WRITERS, counted
from toolcanon.text import safe
from toolcanon.watch.lockfiles import read_bytes, read_lock, update_lock

LOCK_EPILOG = """\b
Examples:
  toolwatch lock tools.json
  toolwatch lock --server files -- npx -y @scope/server@1.2.3 ./data
  toolwatch lock --client-config .mcp.json --approve --reason "review 7"
  toolwatch lock --update --client-config .mcp.json --server files
  toolwatch lock --remove files
  toolwatch lock --seal
"""
_REPORT: Final = Reporting(TEXT, None, verbose=False, quiet=False)


class _UnapprovedChange(Exception):
    """A reviewed tool would be replaced without --update."""


@click.command("lock", cls=AfterDashes, epilog=LOCK_EPILOG)
@lock_option("-o", "--lock", "--output")
@click.option(
    "--update", is_flag=True, help="Write changed and removed tools as well, as unreviewed."
)
@click.option("--approve", is_flag=True, help="Approve everything that is new in the lockfile.")
@approval_options
@click.option(
    "--remove",
    multiple=True,
    metavar="NAME",
    help="Remove this server from the lockfile; repeatable.",
)
@click.option(
    "--seal", is_flag=True, help="Renew the lockfile's own digest after a reviewed manual merge."
)
@click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
@lockable_options
def command_lock(
    sources: NamedSources,
    lock_file: str,
    update: bool,
    approve: bool,
    by: str | None,
    reason: str,
    remove: tuple[str, ...],
    seal: bool,
    quiet: bool,
) -> int:
    """Write tools.lock: every tool of every server as it is now, to review and commit.

    Servers of the lockfile that are not named stay as they are. New servers and tools are added as
    unreviewed. Changed and removed tools are reported, and written only with --update. The
    lockfile holds definitions, digests and who approved them; of secrets it holds only the names
    of variables and headers. Exit status: 0 fine, 1 something changed and nothing was written, 2
    invalid input or usage, 3 environment.
    """
    if (by or reason) and not approve:
        raise click.UsageError("--by and --reason need --approve.")
    if seal or remove:
        if sources or update or approve or (seal and remove):
            raise click.UsageError("--seal and --remove cannot be combined with other options.")
        return _rewrite(lock_file, remove, quiet=quiet)
    known = read_lock(lock_file) if sources and Path(lock_file).exists() else None
    if not sources:
        known = _named(lock_file)
    now = locked_or_typed(sources, known or Lock(), lock_file)
    _ensure_unique_names(now, lock_file)
    agreed = approval(by, reason) if approve else None
    done: list[Merged] = []

    def change(held: Lock | None) -> Lock:
        done[:] = [merge(held or Lock(), now, approval=agreed)]
        if not (done[0].only_adds or update):
            raise _UnapprovedChange
        return done[0].lock

    try:
        update_lock(lock_file, change)
    except _UnapprovedChange:
        _tell(done[0].compared, lock_file, quiet=quiet)
        if not quiet:
            talk("nothing was written; review the changes, then write them with --update")
        return 1
    if not quiet:
        differing = [one for one in done[0].compared if not one.only_adds]
        _tell(differing, lock_file, quiet=quiet, is_taken=True)
        for one in done[0].compared:
            talk(_summary(one))
        talk(_total(lock_file, done[0].lock))
    return 0


def _named(path: str) -> Lock:
    try:
        return read_lock(path)
    except MissingFile:
        raise click.UsageError(
            "Name what to lock: FILES, -- COMMAND..., --url or --client-config."
        ) from None


def _rewrite(path: str, remove: tuple[str, ...], *, quiet: bool) -> int:
    """Write the lockfile with a new digest of its own, or without the removed servers."""

    def change(held: Lock | None) -> Lock:
        if held is None:
            raise MissingFile(path, "there is no such file")
        for name in remove:
            if name not in held.servers:
                names = ", ".join(sorted(held.servers)) or "none"
                raise UnusableConfig(path, f"no server is called {name!r}", f"it has {names}")
            held = held.without(name)
        return held

    lock = update_lock(path, change, sealed=bool(remove))
    if not quiet:
        talk(_total(path, lock))
    return 0


def _ensure_unique_names(now: list[LockedServer], path: str) -> None:
    for server in now:
        if server.repeated:
            raise UnusableConfig(
                path,
                f"{server.name!r} has more than one tool called {server.repeated[0]!r}, so "
                "a call is ambiguous",
                "rename one of them at the server",
            )


def _tell(compared: Sequence[Compared], path: str, *, quiet: bool, is_taken: bool = False) -> None:
    if compared and not quiet:
        look = _REPORT.look("info")
        _REPORT.hand_over(verified_text(compared, look, lock=path, is_taken=is_taken), look)


def _summary(one: Compared) -> str:
    counts = {
        state: sum(tool.state == state for tool in one.tools)
        for state in ("added", "changed", "renamed", "removed")
    }
    counts_text = ", ".join(f"{count:,} {state}" for state, count in counts.items() if count)
    was = one.locked.name if one.locked is not None else one.name
    renamed = f" (was {safe(was, 80)})" if was != one.name else ""
    if lost := len(one.lost_approvals):
        counts_text = ", ".join(filter(None, (counts_text, f"{counted(lost, 'approval')} void")))
        counts_text += ": it is not the server that was approved"
    state_text = counts_text or (
        "unchanged" if one.is_same_server or one.locked is None else "taken as it is now"
    )
    return f"{safe(one.name, 80)}{renamed}: {counted(len(one.now.tools), 'tool')}, {state_text}"


def _total(path: str, lock: Lock) -> str:
    servers, tools, unreviewed = lock.count()
    reviewed = f", {unreviewed:,} unreviewed" if unreviewed else ""
    return f"{safe(path)}: {counted(servers, 'server')}, {counted(tools, 'tool')}{reviewed}"


VERIFY_EPILOG = """\b
Examples:
  toolwatch verify
  toolwatch verify tools.json
  toolwatch verify --client-config .mcp.json --yes files
  toolwatch verify -- npx -y @scope/server@1.2.3 ./data
  toolwatch verify --require-approved --output-format sarif -o tools.sarif
"""


@click.command("verify", cls=AfterDashes, epilog=VERIFY_EPILOG)
@lock_option("--lock")
@click.option("--require-approved", is_flag=True, help="Fail on tools without an approval.")
@report_options
@lockable_options
def command_verify(
    sources: NamedSources, lock_file: str, require_approved: bool, reporting: Reporting
) -> int:
    """Fail when tools differ from tools.lock in any character.

    Each difference has a verdict for callers and models: security, breaking, unknown, compatible
    or cosmetic. Without a source, the servers of the lockfile are asked; starting or calling them
    needs consent, in a terminal or with --yes. Nothing is written. Exit status: 0 as locked, 1
    something differs, 2 invalid input or usage, or a missing or damaged lockfile, 3 a server that
    cannot be reached.
    """
    data = read_bytes(lock_file)
    lock = read_lock_text(data, lock_file)
    failures: list[ServerFailed] = []
    now = locked_or_typed(sources, lock, lock_file, failures)
    compared = [compare(*pair) for pair in zip(lock.matched(now), now, strict=True)]
    unreviewed = sum(len(one.unreviewed) for one in compared if one.locked is not None)
    if reporting.is_wanted and (now or not failures):
        look = reporting.look("info")
        if reporting.is_text:
            text = verified_text(compared, look, lock=lock_file)
        else:
            placed = _places(data, lock_file, compared)
            document = verified_document(
                compared, lock=lock_file, placed=placed, require_approved=require_approved
            )
            text = WRITERS[reporting.form](document, look)
        reporting.hand_over(text, look)
    if not reporting.quiet:
        _talk(lock, compared, unreviewed, require_approved=require_approved)
    for failure in failures:
        fail(failure)
    differs = not all(one.is_same for one in compared) or (require_approved and unreviewed > 0)
    return 1 if differs else failures[0].exit_code if failures else 0


def _talk(
    lock: Lock, compared: Sequence[Compared], unreviewed: int, *, require_approved: bool
) -> None:
    compared_names = {one.locked.name for one in compared if one.locked is not None}
    left = [name for name in sorted(lock.servers) if name not in compared_names]
    if left:
        talk(f"not compared: {', '.join(safe(name, 80) for name in left)}")
    for one in compared:
        if one.locked is not None and one.locked.name != one.name:
            talk(f"{safe(one.locked.name, 80)} is called {safe(one.name, 80)} now")
    if any(one.tools for one in compared):
        talk("approve a tool with `toolwatch approve TOOL --digest DIGEST` and its source, "
             "or write everything with `toolwatch lock --update`")  # fmt: skip
    if unreviewed and require_approved:
        for one in compared:
            held = {} if one.locked is None else one.locked.tools
            for name in sorted(held):
                if held[name].approved is None:
                    digest = held[name].exact
                    word = f"--tool={name}" if name.startswith("-") else name
                    talk(f"unreviewed: toolwatch approve {safe(word, 80)} --digest {digest}")
    elif unreviewed:
        talk(f"{counted(unreviewed, 'tool')} of the lockfile unreviewed; use --require-approved "
             "to fail on that")  # fmt: skip


def _places(data: bytes, path: str, compared: Sequence[Compared]) -> Placed:
    """Return a function that finds servers and tools in the text of the lockfile."""
    text = data.decode("utf-8-sig")
    wanted = [Pointer(("servers", one.locked.name)) for one in compared if one.locked is not None]
    wanted += [
        Pointer(("servers", one.locked.name, "tools", tool))
        for one in compared
        if one.locked is not None
        for tool in one.locked.tools
    ]
    found = spans(text, wanted)
    file = Path(path).absolute()
    near = file.relative_to(Path.cwd()).as_posix() if file.is_relative_to(Path.cwd()) else path

    def placed(server: str | None, tool: str | None) -> FilePlace | None:
        steps = () if server is None else ("servers", server)
        span = found.get(Pointer((*steps, "tools", tool))) if tool is not None else None
        span = span or found.get(Pointer(steps))
        return FilePlace(near, *line_and_column(text, span.start)) if span else FilePlace(near)

    return placed
