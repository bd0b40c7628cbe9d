"""``toolwatch approve``."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click

from toolcanon.cli.check import AfterDashes
from toolcanon.cli.options import talk
from toolcanon.cli.reporting import TEXT, Reporting
from toolcanon.cli.watch.agreeable import Candidate, Finder, Gone
from toolcanon.cli.watch.locked_sources import approval, approval_options, lock_option
from toolcanon.cli.watch.sources import Asked, check_usage, watched_options
from toolcanon.drift.diff import diff
from toolcanon.drift.lockfile import Approval, Lock, approved, without_tool
from toolcanon.errors import ApprovalConflict, MissingFile, ToolcanonError
from toolcanon.report.changed import diff_text
from toolcanon.text import safe, safe_json
from toolcanon.watch.capturing import readable
from toolcanon.watch.lockfiles import NAME, read_lock, update_lock
from toolcanon.watch.opening import open_store
from toolcanon.watch.responding import has_answers
from toolcanon.watch.store import Store

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
def command(
    ctx: click.Context,
    tool: str | None,
    named: str | None,
    digest: str | None,
    removed: bool,
    by: str | None,
    reason: str,
    lock_file: str | None,
    quiet: bool,
    sources: Asked,
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
        finder = Finder(name, sources, lock, path or NAME, store)
        found = finder.gone() if removed else finder.candidate(digest)
    if isinstance(found, Candidate):
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
    found: Candidate | Gone,
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


def _ask(found: Candidate) -> None:
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


def _into_lock(path: str, found: Candidate | Gone, agreed: Approval, name: str) -> None:
    def change(held: Lock | None) -> Lock:
        if held is None:
            raise MissingFile(path, "there is no such file")
        if found.server is None or found.server not in held.servers:
            raise ApprovalConflict(
                name, found.tool.exact if isinstance(found, Candidate) else "", ""
            )
        if isinstance(found, Gone):
            return without_tool(held, found.server, name)
        expected = [one.exact for one in (found.locked, found.tool) if one is not None]
        return approved(
            held, found.server, found.tool, agreed, expected=expected, instead_of=found.was
        )

    update_lock(path, change)


def _into_store(store: Store, found: Candidate | Gone, agreed: Approval) -> bool:
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
