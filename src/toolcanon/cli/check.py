"""``toolcanon check``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import click

from toolcanon.checking.baseline import baseline_of, known_before, without
from toolcanon.checking.merge import merged
from toolcanon.checking.outcome import LEVELS, CheckReport
from toolcanon.checking.payloads import Inspection
from toolcanon.checking.targets import model_advice
from toolcanon.cli.check_inputs import STDIN, Input, Rows, from_file, from_module, opened
from toolcanon.cli.check_run import Run
from toolcanon.cli.fixes import ensure_mendable, mend, unsafe_fixes
from toolcanon.cli.live_options import server_options
from toolcanon.cli.options import FormatId, hand_over, input_path, limit_options, talk, to_option
from toolcanon.cli.reporting import Reporting, report_options
from toolcanon.conversion.conversations import codecs
from toolcanon.diagnostics import Level
from toolcanon.jsonio import Limits
from toolcanon.report.checked import check_document
from toolcanon.report.writers import WRITERS
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
    """A command that takes somebody else's command behind ``--``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--" in args:
            place = args.index("--")
            args, ctx.meta["behind"] = args[:place], tuple(args[place + 1 :])
        return super().parse_args(ctx, args)


def _words(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """Words, also several in one, with commas between."""
    del ctx, param
    return tuple(word.strip() for text in given for word in text.split(",") if word.strip())


class _Family(FormatId):
    """The id of a format that has conversations."""

    def _known(self) -> list[str]:
        return list(codecs())


@click.command("check", cls=AfterDashes, epilog=EPILOG)
@click.argument("files", nargs=-1, metavar="[FILE]... [-- COMMAND...]")
@to_option("A format or dialect; repeatable. For tools the usual ones by default.", many=True)
@click.option("--model", metavar="MODEL", help="Choose the dialects by the model.")
@click.option("-f", "--from", "source", type=_Family(), help="A conversation's format.")
@server_options
@click.option("--select", multiple=True, callback=_words, metavar="CODES", help="Tell only these.")
@click.option(
    "--ignore", multiple=True, callback=_words, metavar="CODES", help="Do not tell these."
)
@click.option("--fail-on", type=click.Choice(LEVELS), help="Exit 1 on such or worse.  [error]")
@click.option("--baseline", metavar="FILE", help="Tell only what is not known there.")
@click.option("--write-baseline", is_flag=True, help="Keep what is found in the baseline.")
@click.option("--fix", is_flag=True, help="Write safe fixes into the file and show the diff.")
@click.option("--config", "config_file", metavar="FILE", help="Instead of toolcanon.toml.")
@report_options
@limit_options
@click.pass_context
def command(
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
    """Say whether tools work at each provider and can be trusted, before anything is sent.

    FILE holds tools in any format (one, a list, a wrapper, a request body, one a line), or a
    conversation: messages of any provider; or it is a Python module with tools (shop.tools:refund,
    shop/tools.py), which is imported. A COMMAND behind -- is started as an MCP server, asked
    for its tools and ended. Each tool is lowered for each target as it would be for sending: ok
    (perhaps rewritten, marked *), lossy, rejected, or unknown. Safety is looked at by rules;
    quality too with --select Q. Nothing is sent. Exit status: 0 fine, 1 findings at or above
    --fail-on, 2 refused input or usage, 3 a server that cannot be reached.
    """
    config = find_config() if config_file is None else read_config(config_file)
    if write_baseline and baseline is None:
        raise click.UsageError("Say where: --baseline FILE.")
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
    run = Run(inspection, config.check.suppress, limits, duplicate_keys, stops=stops)
    for load in live:
        run.look(STDIN, load)
    for word in named:
        run.look(word, partial(_input, word, limits, duplicate_keys))
    if fix:
        _mended(run, limits, duplicate_keys, quiet=reporting.quiet)
    if not run.judged:
        return run.status
    report = merged([judged.report for judged in run.judged])
    if baseline is not None:
        if write_baseline:
            _keep(report, baseline, quiet=reporting.quiet)
        report = without(report, known_before(read_document(baseline, limits).value, baseline))
    fails: Level = fail_on or config.check.fail_on or LEVELS[0]
    if reporting.is_wanted:
        look = reporting.look(fails)
        names = ", ".join(one.title for one in run.judged if one.given.name != STDIN)
        text = WRITERS[reporting.form](check_document(report, about=names), look)
        reporting.hand_over(text, look)
    return max(run.status, int(bool(report.at_least(fails))))


def _refuse_overwriting(words: Sequence[str], *places: str | None) -> None:
    """What is checked is never written over."""
    read = {Path(word).resolve() for word in words if word != STDIN}
    for place in places:
        if place is not None and place != STDIN and Path(place).resolve() in read:
            raise click.UsageError(f"{place} is what is checked: name another file to write to.")


def _ensure_server(
    behind: tuple[str, ...] | None, url: str | None, headers: dict[str, str], env: dict[str, str]
) -> None:
    """Options for a server that nobody named would silently do nothing."""
    if behind == ():
        raise click.UsageError("Behind -- stands the command that starts a server.")
    if headers and url is None:
        raise click.UsageError("--header goes with --url.")
    if env and behind is None:
        raise click.UsageError("--env is for commands: it goes with -- COMMAND.")


def _live(
    behind: tuple[str, ...] | None,
    url: str | None,
    headers: dict[str, str],
    env: dict[str, str],
    timeout: float,
) -> list[Callable[[], Input]]:
    """How to ask live servers: a command behind ``--``, an address."""
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
    """A file, stdin, or a Python module."""
    return from_module(word) if names_module(word) else opened(word, limits, duplicate_keys)


def _mended(run: Run, limits: Limits, duplicate_keys: str, *, quiet: bool) -> None:
    """Write what is safe into the files, show it, and judge them once more."""
    for judged in run.judged:
        ensure_mendable(judged.given)
    for number, (given, report, _) in enumerate(run.judged):
        lines = mend(given, report.findings) if isinstance(given, Input) else []
        for line in [] if quiet else lines:
            talk(line)
        left = unsafe_fixes(report.findings)
        if left and not quiet:
            talk(
                f"note: --fix leaves {', '.join(left)} in {safe(given.name)} to you: "
                "something in it is a guess, or would change what the tool means"
            )
        if lines:
            run.again(number, from_file(given.name, limits, duplicate_keys))


def _keep(report: CheckReport, file: str, *, quiet: bool) -> None:
    """Write the findings into a baseline."""
    said = "" if quiet else f"{len(report.findings)} findings kept"
    hand_over(baseline_of(report.findings), file, said)
