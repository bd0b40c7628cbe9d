"""``toolcanon formats``."""

from __future__ import annotations

from collections.abc import Iterator

import click

from toolcanon.conversion.choice import all_dialects, find_dialect
from toolcanon.errors import UnknownDialect, UnknownFormat
from toolcanon.registry import get_format, meant, registry
from toolcanon.report import dialect_lines, format_lines, formats_table

EPILOG = """\b
Examples:
  toolcanon formats
  toolcanon formats gemini
  toolcanon formats openai/strict
  toolcanon formats openai/strict@2026-11
"""


@click.command("formats", epilog=EPILOG)
@click.argument("wanted", metavar="[ID]", required=False)
def command(wanted: str | None) -> int:
    """List the formats, or show what a format or dialect accepts, with the sources of that.

    ID is a format, shown with all its dialects, or one dialect, with or without its version.
    """
    if wanted is not None:
        lines = _one(wanted)
    else:
        found = registry()
        lines = formats_table(list(found.formats.values()), found.broken)
    for line in lines:
        click.echo(line)
    return 0


def _one(wanted: str) -> Iterator[str]:
    if wanted in registry().formats:
        return format_lines(get_format(wanted))
    known = tuple(dict.fromkeys([*registry().formats, *all_dialects()]))
    if wanted.partition("@")[0] in known:
        return dialect_lines(find_dialect(wanted))
    if "/" in wanted:
        raise UnknownDialect(wanted, known, meant(wanted))
    try:
        return format_lines(get_format(wanted))  # raises the error of a plugin that failed
    except UnknownFormat as error:
        raise UnknownFormat(wanted, known, error.trouble, error.near) from None
