"""The options of ``toolcanon convert`` that rows alone have; one file is converted without rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

import click


class RowOptions(NamedTuple):
    """What was asked of rows alone."""

    tools_field: str | None = None
    calls_field: str | None = None
    keep_original: bool = False
    on_error: str | None = None
    rejects: str | None = None

    def options(self) -> dict[str, Any]:
        """The same as options of a converter."""
        skips = self.rejects is not None or self.on_error == "skip"
        return {
            "tools_field": self.tools_field,
            "calls_field": self.calls_field,
            "keep_original": self.keep_original,
            "on_error": "skip" if skips else "fail",
        }


def row_options(command: Callable[..., int]) -> Callable[..., int]:
    """What is asked of rows; handed over as one ``RowOptions``."""

    @wraps(command)
    def collected(**others: Any) -> int:
        asked = RowOptions(**{name: others.pop(name) for name in RowOptions._fields})
        if asked.on_error == "fail" and asked.rejects:
            raise click.UsageError("--rejects takes the rows that --on-error skip leaves out.")
        if asked.calls_field and not asked.tools_field:
            raise click.UsageError("--calls-field goes with --tools-field: tools write the calls.")
        if asked.keep_original and not asked.tools_field:
            raise click.UsageError("--keep-original goes with --tools-field: it keeps fields.")
        return command(rows=asked, **others)

    made: Callable[..., int] = collected
    for option in (
        click.option("--rejects", metavar="FILE", help="Rows: write those skipped there."),
        click.option(
            "--on-error",
            type=click.Choice(["fail", "skip"]),
            help="Rows: what to do with one that cannot be converted; fail unless --rejects.",
        ),
        click.option("--keep-original", is_flag=True, help="Rows: keep old fields as X_original."),
        click.option("--calls-field", metavar="NAME", help="Rows: calls beside them, alike."),
        click.option("--tools-field", metavar="NAME", help="Rows: the field with the tools."),
    ):
        made = option(made)
    return made
