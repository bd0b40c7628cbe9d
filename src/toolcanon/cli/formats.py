"""``toolcanon formats``."""

from __future__ import annotations

import click

from toolcanon.registry import get_format, registry
from toolcanon.report import format_lines, formats_table


@click.command("formats", epilog="\b\nExamples:\n  toolcanon formats\n  toolcanon formats gemini\n")
@click.argument("format_id", metavar="[ID]", required=False)
def command(format_id: str | None) -> int:
    """List the formats, or show what one of them accepts and where that is known from."""
    if format_id is not None:
        lines = format_lines(get_format(format_id))
    else:
        found = registry()
        lines = formats_table(list(found.formats.values()), found.broken)
    for line in lines:
        click.echo(line)
    return 0
