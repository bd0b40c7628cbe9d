"""Options that say how to reach a live server, shared by several commands."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

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
