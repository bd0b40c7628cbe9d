"""``toolcanon check``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import click

from toolcanon.checking.compatibility import model_advice
from toolcanon.checking.outcome import LEVELS, CheckReport, baseline_of, known_before, without
from toolcanon.checking.payloads import Inspection, merged
from toolcanon.cli.check_run import (
    STDIN,
    CheckRun,
    Input,
    Rows,
    apply_fixes,
    ensure_fixable,
    from_file,
    from_module,
    opened,
    unsafe_fixes,
)
from toolcanon.cli.options import FormatId, hand_over, input_path, limit_options, talk, to_option
from toolcanon.cli.shared_options import Reporting, report_options, server_options
from toolcanon.conversations.read_write import codecs
from toolcanon.diagnostics import Level
from toolcanon.jsonio import Limits
from toolcanon.report.checked import check_document
from toolcanon.report.document import WRITERS
from toolcanon.sources import read_document
from toolcanon.sources.config_files import find_config, read_config
from toolcanon.sources.modules import names_module
from toolcanon.text import safe

EPILOG = """\b
Examples:
  toolcanon check tools.json
  toolcanon check tools.json --to openai/strict --to gemini --select C,L,S,Q
  toolcanon check -- npx -y @scope/server
  toolcanon check --url http://localhost:8000/mcp --fail-on warning
  toolcanon check src/tools.json --output-format sarif -o tools.sarif
  toolcanon check tools.json --baseline known.json --write-baseline
  toolcanon check shop/tools.py
  toolcanon check history.json --to anthropic
"""


class AfterDashes(click.Command):
    """A command that takes the command line of a server after ``--``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--" in args:
            place = args.index("--")
            args, ctx.meta["behind"] = args[:place], tuple(args[place + 1 :])
        return super().parse_args(ctx, args)


def _words(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """Split values at commas."""
    del ctx, param
    return tuple(word.strip() for text in given for word in text.split(",") if word.strip())


class _Family(FormatId):
    """The id of a format that has conversations."""

    def _known(self) -> list[str]:
        return list(codecs())


@click.command("check", cls=AfterDashes, epilog=EPILOG)
@click.argument("files", nargs=-1, metavar="[FILE]... [-- COMMAND...]")
@to_option(
    "Check for this format or dialect; repeatable. Default for tools: all common ones.", many=True
)
@click.option("--model", metavar="MODEL", help="Choose the dialects that this model uses.")
@click.option(
    "-f",
    "--from",
    "source",
    type=_Family(),
    help="Format of the conversation; detected if omitted.",
)
@server_options
@click.option(
    "--select", multiple=True, callback=_words, metavar="CODES", help="Report only these codes."
)
@click.option(
    "--ignore", multiple=True, callback=_words, metavar="CODES", help="Do not report these codes."
)
@click.option(
    "--fail-on",
    type=click.Choice(LEVELS),
    help="Exit 1 on findings of this level or worse.  [error]",
)
@click.option(
    "--baseline", metavar="FILE", help="Report only findings that this file does not list."
)
@click.option("--write-baseline", is_flag=True, help="Write the findings to the --baseline file.")
@click.option("--fix", is_flag=True, help="Apply safe fixes to the file and print the diff.")
@click.option(
    "--config",
    "config_file",
    metavar="FILE",
    help="Read the settings from this file instead of toolcanon.toml.",
)
@report_options
@limit_options
@click.pass_context
def command_check(
    ctx: click.Context,
    files: tuple[str, ...],
    targets: tuple[str, ...],
    model: str | None,
    source: str | None,
    url: str | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: Level | None,
    baseline: str | None,
    write_baseline: bool,
    fix: bool,
    config_file: str | None,
    reporting: Reporting,
    headers: dict[str, str],
    env: dict[str, str],
    timeout: float,
    limits: Limits,
    duplicate_keys: str,
) -> int:
    """Check whether tools work at each provider and can be trusted, before they are sent.

    FILE holds tools in any format (one tool, a list, a wrapper, a request body, JSON Lines), or a
    conversation in any provider's format; or it names a Python module with tools
    (shop.tools:refund, shop/tools.py), which is imported. A COMMAND after -- is started as an MCP
    server, asked for its tools, and stopped. Each tool is lowered for each target as for sending;
    the verdict is ok (marked * when rewritten), lossy, rejected, or unknown. Safety rules run by
    default; --select Q adds quality rules. Nothing is sent to a provider. Exit status: 0 fine, 1
    findings at or above --fail-on, 2 invalid input or usage, 3 an unreachable server.
    """
    config = find_config() if config_file is None else read_config(config_file)
    if write_baseline and baseline is None:
        raise click.UsageError("--write-baseline needs --baseline FILE.")
    behind = ctx.meta.get("behind")
    _ensure_server(behind, url, headers, env)
    live = _live(behind, url, headers, env, timeout)
    named = files or (() if live else (input_path(None, None),))
    _refuse_overwriting(named, reporting.output, baseline if write_baseline else None)
    if model is not None and not reporting.quiet and (advice := model_advice(model)):
        talk(advice)
    inspection = Inspection(
        targets,
        config.check.to,
        model=model,
        source=source,
        select=select or config.check.select,
        ignore=(*ignore, *config.check.ignore),
    )
    stops = fix or write_baseline
    run = CheckRun(inspection, config.check.suppress, limits, duplicate_keys, stops=stops)
    for load in live:
        run.look(STDIN, load)
    for word in named:
        run.look(word, partial(_input, word, limits, duplicate_keys))
    if fix:
        _fix(run, limits, duplicate_keys, quiet=reporting.quiet)
    if not run.judged:
        return run.status
    report = merged([judged.report for judged in run.judged])
    if baseline is not None:
        if write_baseline:
            _write_baseline(report, baseline, quiet=reporting.quiet)
        report = without(report, known_before(read_document(baseline, limits).value, baseline))
    fails: Level = fail_on or config.check.fail_on or LEVELS[0]
    if reporting.is_wanted:
        look = reporting.look(fails)
        names = ", ".join(one.title for one in run.judged if one.given.name != STDIN)
        text = WRITERS[reporting.form](check_document(report, about=names), look)
        reporting.hand_over(text, look)
    return max(run.status, int(bool(report.at_least(fails))))


def _refuse_overwriting(words: Sequence[str], *places: str | None) -> None:
    """Raise a usage error when an output would overwrite a checked file."""
    read = {Path(word).resolve() for word in words if word != STDIN}
    for place in places:
        if place is not None and place != STDIN and Path(place).resolve() in read:
            raise click.UsageError(f"{place} is an input of this check: write to another file.")


def _ensure_server(
    behind: tuple[str, ...] | None, url: str | None, headers: dict[str, str], env: dict[str, str]
) -> None:
    """Raise a usage error for server options without a server, which would have no effect."""
    if behind == ():
        raise click.UsageError("-- needs the command that starts a server after it.")
    if headers and url is None:
        raise click.UsageError("--header needs --url.")
    if env and behind is None:
        raise click.UsageError("--env needs a command: -- COMMAND.")


def _live(
    behind: tuple[str, ...] | None,
    url: str | None,
    headers: dict[str, str],
    env: dict[str, str],
    timeout: float,
) -> list[Callable[[], Input]]:
    """Return the functions that ask the command after ``--`` and the URL for their tools."""
    if behind is None and url is None:
        return []
    from toolcanon.sources.mcp import Served, fetch_command, fetch_url  # noqa: PLC0415 - heavy

    def answer(fetch: Callable[[], Served]) -> Input:
        served = fetch()
        return Input(served.reached, served.answer, is_live=True)

    fetches: list[Callable[[], Served]] = []
    if behind is not None:
        fetches.append(partial(fetch_command, behind, env=env, timeout=timeout))
    if url is not None:
        fetches.append(partial(fetch_url, url, headers=headers, timeout=timeout))
    return [partial(answer, fetch) for fetch in fetches]


def _input(word: str, limits: Limits, duplicate_keys: str) -> Input | Rows:
    """Read a file, stdin or a Python module."""
    return from_module(word) if names_module(word) else opened(word, limits, duplicate_keys)


def _fix(run: CheckRun, limits: Limits, duplicate_keys: str, *, quiet: bool) -> None:
    """Apply the safe fixes to the files, print the diff, and check the files again."""
    for judged in run.judged:
        ensure_fixable(judged.given)
    for number, (given, report, _) in enumerate(run.judged):
        lines = apply_fixes(given, report.findings) if isinstance(given, Input) else []
        for line in [] if quiet else lines:
            talk(line)
        left = unsafe_fixes(report.findings)
        if left and not quiet:
            talk(
                f"note: --fix does not change {', '.join(left)} in {safe(given.name)}: "
                "the fix is a guess, or would change what the tool means"
            )
        if lines:
            run.again(number, from_file(given.name, limits, duplicate_keys))


def _write_baseline(report: CheckReport, file: str, *, quiet: bool) -> None:
    """Write the findings to a baseline file."""
    note = "" if quiet else f"{len(report.findings)} findings written"
    hand_over(baseline_of(report.findings), file, note)
