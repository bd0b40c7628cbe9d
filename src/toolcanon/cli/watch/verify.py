"""``toolwatch verify``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from toolcanon.cli.check import AfterDashes
from toolcanon.cli.main import fail
from toolcanon.cli.options import talk
from toolcanon.cli.reporting import Reporting, report_options
from toolcanon.cli.watch.locked_sources import (
    lock_option,
    lockable_options,
    locked_or_typed,
)
from toolcanon.cli.watch.sources import Asked
from toolcanon.diagnostics import Place
from toolcanon.drift.lockfile import Compared, Lock, compare, read_lock_text
from toolcanon.errors import ServerFailed
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.spans import line_and_column, spans
from toolcanon.report.document import counted
from toolcanon.report.verified import Placed, verified_document, verified_text
from toolcanon.report.writers import WRITERS
from toolcanon.text import safe
from toolcanon.watch.lockfiles import read_bytes

EPILOG = """\b
Examples:
  toolwatch verify
  toolwatch verify tools.json
  toolwatch verify --client-config .mcp.json --yes files
  toolwatch verify -- npx -y @scope/server@1.2.3 ./data
  toolwatch verify --require-approved --output-format sarif -o tools.sarif
"""


@click.command("verify", cls=AfterDashes, epilog=EPILOG)
@lock_option("--lock")
@click.option("--require-approved", is_flag=True, help="Fail on tools without an approval.")
@report_options
@lockable_options
def command(sources: Asked, lock_file: str, require_approved: bool, reporting: Reporting) -> int:
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

    def placed(server: str | None, tool: str | None) -> Place | None:
        steps = () if server is None else ("servers", server)
        span = found.get(Pointer((*steps, "tools", tool))) if tool is not None else None
        span = span or found.get(Pointer(steps))
        return Place(near, *line_and_column(text, span.start)) if span else Place(near)

    return placed
