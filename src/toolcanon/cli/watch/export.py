"""``toolwatch export``."""

from __future__ import annotations

from collections.abc import Iterator

import click

from toolcanon.cli.options import talk
from toolcanon.cli.watch.given import opened
from toolcanon.jsonio.types import JsonObject
from toolcanon.sources import check_place, write_file
from toolcanon.text import safe, safe_json
from toolcanon.watch.exchange import KINDS, Kind, alert_json, baseline_json

EPILOG = """\b
Examples:
  toolwatch export > baselines.json
  toolwatch export alerts -o alerts.json
  toolwatch --store elsewhere.db import baselines.json
"""


@click.command("export", epilog=EPILOG)
@click.argument("kind", type=click.Choice(KINDS), default="baselines", metavar="[baselines|alerts]")
@click.option("-o", "--output", metavar="FILE", help="Write to a file instead of stdout.")
@click.option(
    "--debug", is_flag=True, expose_value=False, help="Print a traceback on an internal error."
)
def command(kind: Kind, output: str | None) -> int:
    """Print baselines or alerts as a JSON array, to archive, process or import again.

    The array holds definitions but no response values. An entry with an empty tool_name describes
    a source: its identity and the list of its tools. Exit status: 0 fine, 2 usage, 3 environment.
    """
    if output is not None:
        check_place(output)
    with opened(read_only=True) as store:
        if kind == "alerts":
            entries = (alert_json(alert, whole=True) for alert in store.alerts())
        else:
            entries = (baseline_json(one) for one in store.baselines())
        if output is not None:
            write_file(output, _array(entries))
            talk(f"written to {safe(output)}")
        else:
            for chunk in _array(entries):
                click.echo(chunk, nl=False)
    return 0


def _array(entries: Iterator[JsonObject]) -> Iterator[str]:
    """Yield the array in parts, so that memory does not grow with the number of entries."""
    mark = "[\n"
    for entry in entries:
        yield f"{mark}  {safe_json(entry).replace(chr(10), f'{chr(10)}  ')}"
        mark = ",\n"
    yield "[]\n" if mark == "[\n" else "\n]\n"
