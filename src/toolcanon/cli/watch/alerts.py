"""``toolwatch alerts``."""

from __future__ import annotations

from typing import Final, get_args

import click

from toolcanon.cli.options import hand_over, talk
from toolcanon.cli.watch.former import mention_former_alerts
from toolcanon.cli.watch.given import opened
from toolcanon.watch.exchange import alert_json
from toolcanon.watch.store import Status

EPILOG = """\b
Examples:
  toolwatch alerts
  toolwatch alerts --status open --tool get_weather
  toolwatch alerts --limit 100 --after 200
"""
_STATUSES: Final = get_args(Status)


@click.command("alerts", epilog=EPILOG)
@click.option("--tool", metavar="NAME", help="Only those on this tool.")
@click.option("--source", metavar="NAME", help="Only those on tools of this server.")
@click.option("--status", type=click.Choice(_STATUSES), help="Only those that are so.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="So many at most.")
@click.option(
    "--after",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Begin behind the alert with this sequence: the next page.",
)
@click.option("--json", is_flag=True, expose_value=False, hidden=True)
@click.option("--debug", is_flag=True, expose_value=False, help="Show traces of faults.")
def command(
    tool: str | None, source: str | None, status: Status | None, limit: int | None, after: int
) -> int:
    """List every drift that was noticed, as JSON, in the order in which it was first seen.

    An alert is told once with how often it was seen. It is open until the tool is as before again
    (resolved) or somebody agreed (approved). Exit status: 0, also when there are some; 2 usage, 3
    environment.
    """
    most = None if limit is None else limit + 1
    with opened(read_only=True) as store:
        found = list(store.alerts(source=source, tool=tool, status=status, after=after, limit=most))
    if not found:
        click.echo("No alerts recorded.")
        mention_former_alerts()
        return 0
    shown = found[:limit]
    hand_over([alert_json(alert) for alert in shown], None, "")
    if len(shown) < len(found):
        talk(f"there are more: --after {shown[-1].sequence}")
    return 0
