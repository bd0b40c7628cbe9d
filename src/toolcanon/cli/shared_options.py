"""Options that several commands share: reports and live servers."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, Final, NamedTuple, TypeVar

import click

from toolcanon.cli.options import talk
from toolcanon.diagnostics import Level
from toolcanon.report.document import WRITERS, Look
from toolcanon.sources import check_place, write_file
from toolcanon.sources.mcp.fetch import HEADER_NAME, HEADER_VALUE

F = TypeVar("F", bound=Callable[..., Any])
_PATIENCE: Final = 60.0
_LONGEST: Final = 3600
_HEADER: Final = re.compile(rf"({HEADER_NAME}):[ \t]*({HEADER_VALUE})")
_FROM_ENV: Final = re.compile(rf"({HEADER_NAME})=env:(\w+)")
_VARIABLE: Final = re.compile(r"([A-Za-z_]\w*)(?:=(.*))?", re.DOTALL)


def _variables(
    ctx: click.Context, param: click.Parameter, given: tuple[str, ...]
) -> dict[str, str]:
    del ctx, param
    found: dict[str, str] = {}
    for text in given:
        match = _VARIABLE.fullmatch(text)
        if match is None:
            raise click.BadParameter("write NAME, or NAME=VALUE")
        found[match[1]] = _from_env(match[1]) if match[2] is None else match[2]
    return found


def _headers(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    del ctx, param
    found: dict[str, str] = {}
    for text in given:
        if match := _FROM_ENV.fullmatch(text):
            text = f"{match[1]}:{_from_env(match[2])}"  # noqa: PLW2901 - the same, spelled out
        match = _HEADER.fullmatch(text)
        if match is None:
            # The value is not shown: it may be a secret in the wrong place.
            raise click.BadParameter("write NAME:VALUE, or NAME=env:VARIABLE, in one line")
        found[match[1]] = match[2]
    return found


def _from_env(name: str) -> str:
    if name not in os.environ:
        raise click.BadParameter(f"the variable {name} is not set")
    return os.environ[name]


def server_options(command: F) -> F:
    """Add ``--url``, ``--header``, ``--env`` and ``--timeout``."""
    for option in (
        click.option(
            "--timeout",
            type=click.FloatRange(0, _LONGEST, min_open=True),
            default=_PATIENCE,
            show_default=True,
            help="Total seconds to wait for a server.",
        ),
        click.option(
            "--env",
            multiple=True,
            metavar="NAME[=VALUE]",
            callback=_variables,
            help="Pass this variable to the command, which gets few others.",
        ),
        click.option(
            "--header",
            "headers",
            multiple=True,
            metavar="NAME:VALUE",
            callback=_headers,
            help="Send an HTTP header; NAME=env:VARIABLE reads its value from a variable.",
        ),
        click.option("--url", metavar="URL", help="Address of a server with streamable HTTP."),
    ):
        command = option(command)
    return command


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
