"""``toolwatch baseline``."""

from __future__ import annotations

from collections import Counter

import click

from toolcanon.cli.check import AfterDashes
from toolcanon.cli.options import hand_over, waiting
from toolcanon.cli.watch.given import Given, given_options, opened
from toolcanon.jsonio.types import JsonObject
from toolcanon.report.document import counted
from toolcanon.text import safe
from toolcanon.watch.store import Snapshot
from toolcanon.watch.watching import baseline

EPILOG = """\b
Examples:
  toolwatch baseline --tool get_weather --schema weather.json --version 1.0.0
  toolwatch baseline --tool f --schema f.json --responses seen.jsonl
  toolwatch baseline tools.json
  toolwatch baseline --server files -- npx -y @scope/server ./data
  toolwatch baseline --client-config .mcp.json
"""


@click.command("baseline", cls=AfterDashes, epilog=EPILOG)
@click.option("--json", "as_json", is_flag=True, help="Print the fingerprints of all tools.")
@click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
@given_options
def command(given: Given, as_json: bool, quiet: bool) -> int:
    """Record tools as they are now: all of them, or none on an error.

    A single schema is recorded under the name given by --tool. FILES, servers and client
    configurations are recorded as a whole, so that missing tools are noticed later. An earlier
    record is replaced and stays in the history. Responses are recorded by their shape, never by
    their values. Exit status: 0 recorded, 2 invalid input or usage, 3 environment.
    """
    watched = given.watched()
    responses = given.answers(watched)
    with opened() as store, waiting() as show:
        kept = baseline(store, watched, responses=responses, version=given.version, show=show)
    if quiet:
        return 0
    if given.is_single:
        hand_over(_short(kept[0]), None, "")
    elif as_json:
        hand_over([{**_short(one), "source": one.key.source} for one in kept], None, "")
    else:
        counts = Counter(one.key.source for one in kept)
        for one in watched:
            name = f" of {safe(one.shown, 200)}" if one.shown else ""
            click.echo(f"{counted(len(one.definitions), 'tool')}{name} recorded")
        if len(counts) != len(watched):
            click.echo(f"{counted(len({one.key for one in kept}), 'tool')} in all")
    return 0


def _short(snapshot: Snapshot) -> JsonObject:
    return {
        "tool_name": snapshot.key.tool,
        "schema_hash": snapshot.schema_hash,
        "response_pattern_hash": snapshot.response_pattern_hash,
        "captured_at": snapshot.captured_at.isoformat(),
    }
