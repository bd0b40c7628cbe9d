"""``toolcanon check``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

import click

from toolcanon.checking.baseline import baseline_of, known_before, without
from toolcanon.checking.conversations import lint
from toolcanon.checking.merge import merged
from toolcanon.checking.outcome import LEVELS, CheckReport
from toolcanon.checking.selection import Selection
from toolcanon.checking.targets import asked, known_targets
from toolcanon.checking.tools import check
from toolcanon.cli.check_inputs import STDIN, Input, from_file, placed
from toolcanon.cli.fixes import ensure_mendable, mend
from toolcanon.cli.live_options import server_options
from toolcanon.cli.options import FormatId, hand_over, input_path, limit_options, talk, waiting
from toolcanon.cli.reporting import Reporting, report_options
from toolcanon.config import CheckConfig, Suppression
from toolcanon.conversion import detect
from toolcanon.conversion.conversations import codecs, read_conversation
from toolcanon.conversion.detect import FALLBACK
from toolcanon.diagnostics import Level
from toolcanon.errors import NotAConversation, NoTools, ToolcanonError, UnknownDialect
from toolcanon.ir.conversation import Conversation
from toolcanon.jsonio import Limits
from toolcanon.jsonio.types import Json
from toolcanon.report.checked import check_document
from toolcanon.report.writers import WRITERS
from toolcanon.sources import read_document
from toolcanon.sources.config_files import find_config, read_config
from toolcanon.sources.modules import names_module, toolset_of
from toolcanon.text import safe

EPILOG = """\b
Examples:
  toolcanon check tools.json
  toolcanon check tools.json --target openai/strict --target gemini --select C,L,S,Q
  toolcanon check -- npx -y @scope/server
  toolcanon check --url http://localhost:8000/mcp --fail-on warning
  toolcanon check src/tools.json --output-format sarif -o tools.sarif
  toolcanon check tools.json --baseline known.json --write-baseline
  toolcanon check shop/tools.py
  toolcanon check history.json --target anthropic
"""

_NO_TOOLS: Final = "tools-missing"
_NO_RESULT: Final = "call-without-result"


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


class _Asked(NamedTuple):
    """What is to be looked for, from the command line and the project's configuration."""

    targets: tuple[str, ...]
    model: str | None
    source: str | None
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    config: CheckConfig


@click.command("check", cls=AfterDashes, epilog=EPILOG)
@click.argument("files", nargs=-1, metavar="[FILE]... [-- COMMAND...]")
@click.option(
    "-t",
    "--target",
    "--to",
    "targets",
    multiple=True,
    callback=_words,
    metavar="TARGET",
    help="A format or dialect; may be repeated. Tools: the most common ones by default.",
)
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
@click.option("--config", "config_file", metavar="FILE", help="Instead of the nearest one upwards.")
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
    for target in (*targets, *config.check.targets):
        _ensure_known(target)
    if write_baseline and baseline is None:
        raise click.UsageError("Say where: --baseline FILE.")
    wanted = _Asked(targets, model, source, select, ignore, config.check)
    live = list(_live(ctx.meta.get("behind"), url, headers, env, timeout))
    named = files or (() if live else (input_path(None, None),))
    inputs = [*live, *(_input(word, limits, duplicate_keys) for word in named)]
    _refuse_overwriting(inputs, reporting.output, baseline if write_baseline else None)
    reports = [_checked(given, wanted, limits) for given in inputs]
    if fix:
        for given in inputs:
            ensure_mendable(given)
        for given, report in zip(inputs, reports, strict=True):
            for line in mend(given, report.findings):
                talk(line)
        fixed = [
            from_file(given.name, limits, duplicate_keys) if given.is_file else given
            for given in inputs
        ]
        reports = [_checked(given, wanted, limits) for given in fixed]
    report = merged(reports)
    if baseline is not None:
        report = _kept(report, baseline, limits, writes=write_baseline)
    fails: Level = fail_on or config.check.fail_on or LEVELS[0]
    if reporting.is_wanted:
        look = reporting.look(fails)
        names = ", ".join(given.name for given in inputs if given.name != STDIN)
        text = WRITERS[reporting.form](check_document(report, about=names), look)
        reporting.hand_over(text, look)
    return int(bool(report.at_least(fails)))


def _ensure_known(target: str) -> None:
    if asked(target).way is None:
        raise UnknownDialect(target, known_targets())


def _refuse_overwriting(inputs: list[Input], *places: str | None) -> None:
    """What is checked is never written over."""
    read = {Path(given.name).resolve() for given in inputs if given.is_file}
    for place in places:
        if place is not None and place != STDIN and Path(place).resolve() in read:
            raise click.UsageError(f"{place} is what is checked: name another file to write to.")


def _live(
    behind: tuple[str, ...] | None,
    url: str | None,
    headers: dict[str, str],
    env: dict[str, str],
    timeout: float,
) -> Iterator[Input]:
    """What live servers answer: a command behind ``--``, an address."""
    if behind is None and url is None:
        return
    from toolcanon.sources.mcp import fetch_command, fetch_url  # noqa: PLC0415 - heavy

    if behind is not None:
        if not behind:
            raise click.UsageError("Behind -- stands the command that starts a server.")
        served = fetch_command(behind, env=env, timeout=timeout)
        yield Input(served.reached, served.answer, is_live=True)
    if url is not None:
        served = fetch_url(url, headers=headers, timeout=timeout)
        yield Input(served.reached, served.answer, is_live=True)


def _input(word: str, limits: Limits, duplicate_keys: str) -> Input:
    """A file, stdin, or a Python module."""
    if names_module(word):
        return Input(word, [tool.to_dict() for tool in toolset_of(word).tools])
    try:
        return from_file(word, limits, duplicate_keys)
    except ToolcanonError:
        _say_which(word)
        raise


def _say_which(word: str) -> None:
    if word != STDIN:
        talk(f"in {safe(word)}:")


def _checked(given: Input, wanted: _Asked, limits: Limits) -> CheckReport:
    """The report of one input: a conversation, tools, or a request with both."""
    conversation = _conversation(given.payload, wanted.source)
    config = wanted.config
    reports: list[CheckReport] = []
    select, ignore = wanted.select or config.select, (*wanted.ignore, *config.ignore)
    chosen = Selection.of(select, ignore)
    targets = wanted.targets or config.targets
    if conversation is not None:
        targets = wanted.targets or (conversation.format,)
        reports.append(_linted(given.payload, conversation, targets, chosen))
    if conversation is None or conversation.tools:
        with waiting() as show:
            tools = check(
                given.payload,
                targets or None,
                model=wanted.model,
                select=select,
                ignore=ignore,
                watch=show,
            )
        if not given.is_live and not tools.tools:
            raise NoTools("it is empty")
        findings = placed(tools.findings, given, limits)
        reports.append(replace(tools, findings=findings))
    return _less(merged(reports), config.suppress)


def _less(report: CheckReport, suppress: Sequence[Suppression]) -> CheckReport:
    """The report with what the project does not want to see set aside."""
    aside = [item for item in report.findings if any(entry.covers(item) for entry in suppress)]
    if not aside:
        return report
    kept = tuple(item for item in report.findings if item not in aside)
    return replace(report, findings=kept, suppressed=(*report.suppressed, *aside))


def _conversation(payload: Json, source: str | None) -> Conversation | None:
    """The conversation, unless it is something else: what holds no messages holds tools."""
    if source is not None and detect(payload).format != FALLBACK and not _has_messages(payload):
        raise NotAConversation("", "it holds tools; --from is the format of a conversation")
    try:
        found = read_conversation(payload, source)
    except NotAConversation:
        if source is not None:
            raise
        return None
    if found.everything():
        return found
    if source is not None:
        raise NotAConversation("", "there are no messages in it")
    return None


def _has_messages(payload: Json) -> bool:
    return isinstance(payload, dict) and any(
        codec.history in payload for codec in codecs().values()
    )


def _linted(
    payload: Json, conversation: Conversation, targets: tuple[str, ...], chosen: Selection
) -> CheckReport:
    wanted = tuple(dict.fromkeys(targets))
    unasked = _beyond(payload, conversation)
    findings = [
        replace(finding, target=target)
        for target in wanted
        for finding in lint(conversation, target)
        if finding.name not in unasked and chosen.takes(finding.code, finding.name)
    ]
    findings.sort(key=lambda finding: LEVELS.index(finding.level))
    return CheckReport((), wanted, {}, tuple(findings))


def _beyond(payload: Json, conversation: Conversation) -> tuple[str, ...]:
    """What cannot be judged by what was handed in.

    Tools are declared beside messages, and the calls of a response are yet to be answered.
    """
    codec = codecs()[conversation.format]
    if isinstance(payload, dict) and codec.history in payload:
        return ()
    is_response = isinstance(payload, dict) and codec.sniff_answer(payload) > 0
    return (_NO_TOOLS, _NO_RESULT) if is_response else (_NO_TOOLS,)


def _kept(report: CheckReport, file: str, limits: Limits, *, writes: bool) -> CheckReport:
    """The report beside what a baseline knows, which is written anew when asked for."""
    if writes:
        hand_over(baseline_of(report.findings), file, f"{len(report.findings)} findings kept")
    return without(report, known_before(read_document(file, limits).value, file))
