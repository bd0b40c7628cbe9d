"""``toolcanon diff``."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import click

from toolcanon.checking.source_positions import Origins
from toolcanon.cli.check import AfterDashes
from toolcanon.cli.check_run import STDIN, Input, from_file, placed
from toolcanon.cli.options import accepted, limit_options, to_option, waiting
from toolcanon.cli.shared_options import TEXT, Reporting, report_options
from toolcanon.conversion.read import read_payload
from toolcanon.diagnostics.change import Change
from toolcanon.drift.diff import diff
from toolcanon.drift.report import FAIL_ON, DiffReport, FailOn
from toolcanon.errors import NoTools
from toolcanon.jsonio import Limits, Pointer
from toolcanon.report.changed import diff_document, diff_text
from toolcanon.report.document import WRITERS, Look
from toolcanon.sources.files import PREFIX, Revision, read_revision

EPILOG = """\b
Examples:
  toolcanon diff old.json new.json
  toolcanon diff tools.json --against git:main
  toolcanon diff git:v1.2:tools.json git:v1.3:tools.json --to openai/strict
  toolcanon diff approved.json -- npx -y @scope/server
  toolcanon diff approved.json --url http://localhost/mcp --fail-on review
  toolcanon diff old.json new.json --output-format markdown -o comment.md
"""

_MILD: Final = frozenset({"review", "compatible", "any"})


@click.command("diff", cls=AfterDashes, epilog=EPILOG)
@click.argument("files", nargs=-1, metavar="BEFORE [AFTER] [-- COMMAND...]")
@click.option(
    "--against", metavar="git:REV[:PATH]", help="Compare FILE with this git revision of it."
)
@click.option("--url", metavar="URL", help="Compare with the tools of the MCP server at this URL.")
@to_option("Also report what this target newly rejects or loses; repeatable.", many=True)
@click.option(
    "--fail-on",
    type=click.Choice(FAIL_ON),
    default="breaking",
    show_default=True,
    help="Exit 1 on this verdict or worse; review: also on any change that a model sees.",
)
@report_options
@click.option("--timeout", default=30.0, show_default=True, help="Seconds to wait for a server.")
@limit_options
@click.pass_context
def command_diff(
    ctx: click.Context,
    files: tuple[str, ...],
    against: str | None,
    url: str | None,
    targets: tuple[str, ...],
    fail_on: FailOn,
    reporting: Reporting,
    timeout: float,
    limits: Limits,
    duplicate_keys: str,
) -> int:
    """Compare two versions of tools: report what changed and who breaks, with a proof.

    BEFORE and AFTER hold tools in any format, not necessarily the same one. git:REV:path is a file
    at a revision; a COMMAND after -- is started as an MCP server and asked for its tools. Every
    change has a verdict: security, breaking, unknown, compatible or cosmetic. A breaking change
    comes with the smallest call that worked before and fails now. Exit status: 0 fine, 1 changes
    at or above --fail-on, 2 invalid input or usage, 3 a server that cannot be reached.
    """
    behind: tuple[str, ...] | None = ctx.meta.get("behind")
    is_live = behind is not None or url is not None
    if behind is not None and (url is not None or not behind):
        raise click.UsageError("AFTER is given twice: use either -- COMMAND or --url.")
    names = _named(files, against, is_live=is_live)
    old = _input(names[0], limits, duplicate_keys)
    new = _served(behind, url, timeout) if is_live else _input(names[1], limits, duplicate_keys)
    with waiting() as show:
        show("comparing")
        report = diff(old.payload, new.payload, to=targets)
    if reporting.is_wanted:
        look = reporting.look("info" if fail_on in _MILD else "warning")
        text = _written(report, (old, new), reporting.form, look, limits)
        reporting.hand_over(text, look)
    return int(bool(report.at_least(fail_on)))


def _named(files: tuple[str, ...], against: str | None, *, is_live: bool) -> tuple[str, ...]:
    """Return the inputs to read: BEFORE, and AFTER unless a server has it."""
    if against is not None:
        if len(files) != 1 or is_live:
            raise click.UsageError("With --against, name one FILE: the new version.")
        if not against.startswith(PREFIX):
            return (against, files[0])
        return (str(Revision.parse(against, files[0])), files[0])
    wanted = 1 if is_live else 2
    if len(files) != wanted:
        more = "BEFORE" if is_live else "BEFORE and AFTER, or one FILE and --against"
        raise click.UsageError(f"Name {more}; got {len(files)} files.")
    if files == (STDIN, STDIN):
        raise click.UsageError("Only one of BEFORE and AFTER can be stdin.")
    return files


def _input(name: str, limits: Limits, duplicate_keys: str) -> Input:
    if name == os.devnull:  # what git names for a file that is not there
        return Input(name, [])
    if name.startswith(PREFIX):
        revision = Revision.parse(name)
        loaded = read_revision(revision, limits, duplicates=duplicate_keys == "warn")
        return Input(str(revision), accepted(loaded, limits))
    return from_file(name, limits, duplicate_keys)


def _served(behind: tuple[str, ...] | None, url: str | None, timeout: float) -> Input:
    from toolcanon.sources.mcp import fetch_command, fetch_url  # noqa: PLC0415 - heavy

    if behind is not None:
        served = fetch_command(behind, timeout=timeout)
    else:
        served = fetch_url(url or "", timeout=timeout)
    return Input(served.reached, served.answer, is_live=True)


def _written(
    report: DiffReport, sides: tuple[Input, Input], form: str, look: Look, limits: Limits
) -> str:
    old, new = sides
    about = f"{old.name} -> {new.name}"
    if form == TEXT:
        return diff_text(report, look, about=about)
    document = diff_document(report, about=about, origin=origins(new))
    findings = placed(document.findings, new, limits)
    return WRITERS[form](replace(document, findings=findings), look)


def origins(given: Input) -> Callable[[Change], Pointer | None]:
    """Return the function that finds a change's place in the new file; None for a removed tool."""
    try:
        tools = read_payload(given.payload)[0]
    except NoTools:
        tools = []
    origins = Origins(given.payload, [tool.__dict__.get("_source") for tool in tools])
    numbers = {tool.id: number for number, tool in reversed(list(enumerate(tools)))}

    def origin(change: Change) -> Pointer | None:
        number = numbers.get(change.tool)
        if number is None:
            return None
        return origins.of(number, tools[number], change.at or Pointer())

    return origin
