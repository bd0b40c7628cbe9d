"""``toolwatch check``."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import click

from toolcanon.cli.check import AfterDashes
from toolcanon.cli.check_run import STDIN, Input, placed
from toolcanon.cli.diff import origins
from toolcanon.cli.main import fail
from toolcanon.cli.options import hand_over, talk, waiting
from toolcanon.cli.shared_options import Reporting, report_options
from toolcanon.cli.watch.check_inputs import (
    Given,
    given_options,
    mention_former,
    opened,
    take_former,
)
from toolcanon.cli.watch.sources import document
from toolcanon.diagnostics import Finding, Level
from toolcanon.drift.report import FAIL_ON, FailOn
from toolcanon.errors import ServerFailed
from toolcanon.jsonio import Pointer
from toolcanon.report.changed import diff_document, diff_text
from toolcanon.report.document import WRITERS, Look, counted
from toolcanon.sources.modules import names_module
from toolcanon.text import safe
from toolcanon.watch.alerting import matters, short_json
from toolcanon.watch.capturing import Watched
from toolcanon.watch.exchange import alert_json
from toolcanon.watch.watching import Checked, check

EPILOG = """\b
Examples:
  toolwatch check --tool get_weather --schema weather.json
  toolwatch check tools.json --fail-on breaking
  toolwatch check --responses seen.json tools.json
  toolwatch check --server files -- npx -y @scope/server ./data
  toolwatch check --client-config .mcp.json --output-format markdown
"""
_SCHEMA: Final = "watch.v1"
_MILD: Final = frozenset({"review", "compatible", "any"})
_MOST: Final = 12
_NAME: Final = 60
_OFF: Final = frozenset({"", "0", "false", "no", "off"})


@click.command("check", cls=AfterDashes, epilog=EPILOG)
@click.option(
    "--fail-on",
    type=click.Choice(FAIL_ON),
    default="any",
    show_default=True,
    help="Exit 1 on this verdict or worse; review: also on any change that a model sees.",
)
@click.option("--exit-zero", is_flag=True, help="Exit 0 on drift; errors keep their exit status.")
@click.option("--require-baseline", is_flag=True, help="Exit 2 when a tool has no baseline.")
@click.option(
    "--trust-first", is_flag=True, help="Record tools without a baseline, also when CI is set."
)
@report_options
@given_options
def command_check(
    given: Given,
    fail_on: FailOn,
    exit_zero: bool,
    require_baseline: bool,
    trust_first: bool,
    reporting: Reporting,
) -> int:
    """Compare tools with what was recorded: report what changed and who breaks, with a proof.

    Tools without a baseline are recorded as they are, with a note on stderr. Where the variable CI
    is set that is an error instead, because a fresh machine has no baselines and would never find
    a change. Alerts are stored: repeated drift is counted, and an alert is resolved when the tool
    is as before again. Exit status: 0 unchanged, 1 drift at or above --fail-on, 2 invalid input or
    usage or no baseline, 3 environment: a server that cannot be reached or an unusable store.
    """
    if require_baseline and trust_first:
        raise click.UsageError("--require-baseline and --trust-first cannot be combined.")
    distrust = _distrust(os.environ, required=require_baseline, trusted=trust_first)
    failures: list[ServerFailed] = []
    watched = given.watched(failures)
    responses = given.answers(watched)
    with opened() as store, waiting() as show:
        if given.is_single:
            take_former(store, given.names[0], given.sources.limits)
        else:
            mention_former(store, watched)
        checked = check(
            store,
            watched,
            responses=responses,
            version=given.version,
            distrust=distrust,
            show=show,
        )
    if reporting.is_wanted:
        level: Level = "info" if fail_on in _MILD else "warning"
        if given.is_single and reporting.is_text and reporting.output is None:
            _tell_single(given.names[0], checked, reporting)
        else:
            look = reporting.look(level)
            text = _written(given, watched, checked, failures, look, reporting)
            reporting.hand_over(text, look)
    if not reporting.quiet:
        _talk(checked)
    for failure in failures:
        fail(failure)
    has_drift = any(matters(alert, fail_on) for alert in checked.alerts) and not exit_zero
    return 1 if has_drift else failures[0].exit_code if failures else 0


def _distrust(environment: Mapping[str, str], *, required: bool, trusted: bool) -> str:
    """Return why tools without a baseline must not be recorded; empty when they may be."""
    if required:
        return "--require-baseline is set"
    if not trusted and environment.get("CI", "").lower() not in _OFF:
        return (
            "with CI set a first run proves nothing (--trust-first records the tools as they are)"
        )
    return ""


def _tell_single(name: str, checked: Checked, reporting: Reporting) -> None:
    """Report on a single tool: the answer on stdout, its meaning on stderr."""
    if not checked.alerts:
        click.echo(f"No mutation detected for tool '{safe(name)}'.")
        return
    for alert in checked.alerts:
        hand_over(short_json(alert), None, "")
    if not reporting.quiet:
        look = Look.of(sys.stderr, os.environ, verbose=reporting.verbose)
        click.echo(diff_text(checked.report, look), nl=False, err=True, color=look.colour)
        for line in _agreeing(checked):
            talk(line)


def _written(
    given: Given,
    watched: list[Watched],
    checked: Checked,
    failures: list[ServerFailed],
    look: Look,
    reporting: Reporting,
) -> str:
    about = ", ".join(one.shown for one in watched if one.shown)
    if reporting.is_text:
        if not watched:  # no server answered, so success must not be reported
            return ""
        if not checked.alerts:
            return _clean(checked)
        lines = "".join(f"{line}\n" for line in _agreeing(checked))
        return f"{diff_text(checked.report, look, about=about)}{lines}"
    file = _file(given)
    origin = None if file is None else origins(file)
    made = diff_document(checked.report, title="toolwatch check", about=about, origin=origin)
    findings = made.findings
    if file is not None:
        findings = placed(findings, file, given.sources.limits)
    findings += tuple(map(_unreached, failures))
    made = replace(made, findings=findings, data=_data(checked, failures))
    return WRITERS[reporting.form](made, look)


def _file(given: Given) -> Input | None:
    """Return the file that all findings are about; None for several inputs or none with lines."""
    path = given.schema or (given.sources.files[0] if len(given.sources.files) == 1 else STDIN)
    if path == STDIN or names_module(path) or given.redact:
        return None
    return Input(path, document(path, given.sources), is_file=True)


def _clean(checked: Checked) -> str:
    if checked.registered and not checked.unchanged:
        first = counted(len(checked.registered), "tool")
        return f"No mutation detected: {first} seen for the first time.\n"
    return f"No mutation detected in {counted(checked.unchanged, 'tool')}.\n"


def _unreached(failure: ServerFailed) -> Finding:
    return Finding(failure.code, failure.name, "error", Pointer(), str(failure))


def _data(checked: Checked, failures: list[ServerFailed]) -> dict[str, object]:
    diff = checked.report.to_dict()
    if failures and not checked.alerts:
        diff = {**diff, "verdict": "unknown"}
    return {
        "schema": _SCHEMA,
        "unchanged": checked.unchanged,
        "registered": [key._asdict() for key in checked.registered],
        "resolved": checked.resolved,
        "notes": list(checked.notes),
        "failures": [{"code": one.code, "message": str(one)} for one in failures],
        "alerts": [alert_json(alert) for alert in checked.alerts],
        "diff": diff,
    }


def _agreeing(checked: Checked) -> list[str]:
    """Return lines with the digest of each changed tool, for ``approve``."""
    wanted = [alert for alert in checked.alerts if alert.after.digests.get("exact")]
    lines = [
        f"{safe(alert.after.key.tool, _NAME)} is {alert.after.digests['exact']}"
        for alert in wanted[:_MOST]
    ]
    if len(wanted) > _MOST:
        lines.append(f"… and {len(wanted) - _MOST:,} more; --json has all")
    return lines


def _talk(checked: Checked) -> None:
    for key in checked.registered[:_MOST]:
        talk(f"no baseline: '{safe(key.tool, _NAME)}' is recorded as it is now")
    if len(checked.registered) > _MOST:
        talk(f"… and {len(checked.registered) - _MOST:,} more")
    again = sum(alert.count > 1 for alert in checked.alerts)
    if again:
        talk(f"{counted(again, 'alert')} of these seen before")
    if checked.resolved:
        talk(f"{counted(checked.resolved, 'alert')} resolved: as before again")
    for note in checked.notes:
        talk(safe(note, 400))
