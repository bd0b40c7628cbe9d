"""The options of ``toolcanon convert`` that only JSON Lines have."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

import click


class RowOptions(NamedTuple):
    """The options for rows."""

    tools_field: str | None = None
    calls_field: str | None = None
    keep_original: bool = False
    on_error: str | None = None
    rejects: str | None = None

    def options(self) -> dict[str, Any]:
        """Return the options of a converter."""
        skips = self.rejects is not None or self.on_error == "skip"
        return {
            "tools_field": self.tools_field,
            "calls_field": self.calls_field,
            "keep_original": self.keep_original,
            "on_error": "skip" if skips else "fail",
        }


def row_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options for rows, passed as one ``RowOptions``."""

    @wraps(command)
    def collected(**others: Any) -> int:
        asked = RowOptions(**{name: others.pop(name) for name in RowOptions._fields})
        if asked.on_error == "fail" and asked.rejects:
            raise click.UsageError("--rejects needs --on-error skip.")
        if asked.calls_field and not asked.tools_field:
            raise click.UsageError("--calls-field needs --tools-field.")
        if asked.keep_original and not asked.tools_field:
            raise click.UsageError("--keep-original needs --tools-field.")
        return command(rows=asked, **others)

    made: Callable[..., int] = collected
    for option in (
        click.option("--rejects", metavar="FILE", help="Rows: write skipped rows to FILE."),
        click.option(
            "--on-error",
            type=click.Choice(["fail", "skip"]),
            help="Rows: fail on, or skip, a row with an error.  [fail; skip with --rejects]",
        ),
        click.option(
            "--keep-original", is_flag=True, help="Rows: keep the old field X as X_original."
        ),
        click.option(
            "--calls-field",
            metavar="NAME",
            help="Rows: the field with calls of these tools, converted as well.",
        ),
        click.option("--tools-field", metavar="NAME", help="Rows: the field that holds the tools."),
    ):
        made = option(made)
    return made
