"""``toolcanon explain``."""

from __future__ import annotations

import click

from toolcanon.report.explain import explain_lines, explain_list


@click.command(
    "explain", epilog="\b\nExamples:\n  toolcanon explain L001\n  toolcanon explain dup-key\n"
)
@click.argument("code", required=False)
def command(code: str | None) -> int:
    """Say what a code or its name means; without one, list them all."""
    for line in explain_list() if code is None else explain_lines(code):
        click.echo(line)
    return 0
