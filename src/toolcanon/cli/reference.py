"""``toolcanon formats``, ``toolcanon explain`` and ``toolcanon completion``."""

from __future__ import annotations

from collections.abc import Iterator

import click
from click.shell_completion import get_completion_class

from toolcanon.cli.code_examples import example_lines
from toolcanon.conversion.target import all_dialects, find_dialect
from toolcanon.errors import UnknownDialect, UnknownFormat
from toolcanon.registry import get_format, meant, registry
from toolcanon.report.dialects import dialect_lines, format_lines, formats_table
from toolcanon.report.explain import explain_lines, explain_list

FORMATS_EPILOG = """\b
Examples:
  toolcanon formats
  toolcanon formats gemini
  toolcanon formats openai/strict
  toolcanon formats openai/strict@2026-11
"""


@click.command("formats", epilog=FORMATS_EPILOG)
@click.argument("wanted", metavar="[ID]", required=False)
def command_formats(wanted: str | None) -> int:
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


@click.command(
    "explain", epilog="\b\nExamples:\n  toolcanon explain L001\n  toolcanon explain dup-key\n"
)
@click.argument("code", required=False)
def command_explain(code: str | None) -> int:
    """Explain a code, given by number or name, with an example; without CODE, list all codes."""
    if code is None:
        click.echo("\n".join(explain_list()))
        return 0
    lines = list(explain_lines(code))
    for line in (*lines, *example_lines(lines[0].split()[0])):
        click.echo(line)
    return 0


COMPLETION_EPILOG = """\b
Examples:
  toolcanon completion bash >> ~/.bashrc
  toolcanon completion fish > ~/.config/fish/completions/toolcanon.fish
"""


@click.command("completion", epilog=COMPLETION_EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command_completion(shell: str) -> int:
    """Print a script that completes commands, options and format ids."""
    from toolcanon.cli.main import toolcanon  # noqa: PLC0415 - the group imports its commands

    maker = get_completion_class(shell)
    if maker is None:
        raise click.UsageError(f"There is no completion for {shell}; choose bash, zsh or fish.")
    script = maker(toolcanon, {}, "toolcanon", "_TOOLCANON_COMPLETE")
    click.echo(script.source())
    return 0
