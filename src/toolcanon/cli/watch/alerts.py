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
@click.option("--tool", metavar="NAME", help="List only alerts about this tool.")
@click.option("--source", metavar="NAME", help="List only alerts about tools of this server.")
@click.option("--status", type=click.Choice(_STATUSES), help="List only alerts with this status.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="List at most N alerts.")
@click.option(
    "--after",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Start after the alert with this sequence number (for pages).",
)
@click.option("--json", is_flag=True, expose_value=False, hidden=True)
@click.option(
    "--debug", is_flag=True, expose_value=False, help="Print a traceback on an internal error."
)
def command(
    tool: str | None, source: str | None, status: Status | None, limit: int | None, after: int
) -> int:
    """List the recorded drift alerts as JSON, in the order in which they were first seen.

    Each alert has the number of times it was seen. It is open until the tool is as before again
    (resolved) or the change is approved. Exit status: 0, also with open alerts; 2 usage, 3
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
        talk(f"more alerts follow: use --after {shown[-1].sequence}")
    return 0
