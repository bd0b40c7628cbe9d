"""Options of reports, shared by several commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, Final, NamedTuple

import click

from toolcanon.cli.options import talk
from toolcanon.diagnostics import Level
from toolcanon.report.writers import WRITERS, Look
from toolcanon.sources import check_place, write_file

TEXT: Final = "text"
_STDOUT: Final = "-"


class Reporting(NamedTuple):
    """The format of a report and its destination."""

    form: str
    output: str | None
    verbose: bool
    quiet: bool

    @property
    def is_wanted(self) -> bool:
        return not self.quiet or self.output is not None

    @property
    def is_text(self) -> bool:
        """Return whether the report is text for a terminal."""
        return self.form == TEXT

    def look(self, fail_on: Level) -> Look:
        """Return the render options for the destination."""
        if self.output is not None:
            return Look(fail_on=fail_on, verbose=self.verbose)
        return Look.of(sys.stdout, os.environ, fail_on=fail_on, verbose=self.verbose)

    def hand_over(self, text: str, look: Look) -> None:
        """Print a report, or write it to its file and report that."""
        if self.output is not None and self.output != _STDOUT:
            write_file(self.output, [text])
            if not self.quiet:
                talk(f"written to {self.output}")
        elif self.is_text:
            click.echo(text, nl=False, color=look.colour)
        else:  # UTF-8, whatever the encoding of the terminal
            click.echo(text.encode("utf-8", "surrogatepass"), nl=False)


def report_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options of reports, passed as one ``Reporting``."""

    @wraps(command)
    def collected(
        *,
        output_format: str,
        as_json: bool,
        output: str | None,
        verbose: bool,
        quiet: bool,
        **others: Any,
    ) -> int:
        if output is not None and output != _STDOUT:
            check_place(output)
        form = "json" if as_json else output_format
        return command(reporting=Reporting(form, output, verbose, quiet), **others)

    made: Callable[..., int] = collected
    for option in (
        click.option(
            "-q", "--quiet", is_flag=True, help="Print errors only; the exit status has the result."
        ),
        click.option(
            "-v", "--verbose", is_flag=True, help="Show every finding separately, without grouping."
        ),
        click.option("-o", "--output", metavar="FILE", help="Write the report to FILE."),
        click.option("--json", "as_json", is_flag=True, help="Short for --output-format json."),
        click.option(
            "--output-format",
            type=click.Choice(list(WRITERS)),
            default=TEXT,
            show_default=True,
            help="Format of the report.",
        ),
    ):
        made = option(made)
    return made
