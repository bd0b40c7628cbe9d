"""``toolcanon explain``."""

from __future__ import annotations

import click

from toolcanon.cli.code_examples import example_lines
from toolcanon.report.explain import explain_lines, explain_list


@click.command(
    "explain", epilog="\b\nExamples:\n  toolcanon explain L001\n  toolcanon explain dup-key\n"
)
@click.argument("code", required=False)
def command(code: str | None) -> int:
    """Explain a code, given by number or name, with an example; without CODE, list all codes."""
    if code is None:
        click.echo("\n".join(explain_list()))
        return 0
    lines = list(explain_lines(code))
    for line in (*lines, *example_lines(lines[0].split()[0])):
        click.echo(line)
    return 0
