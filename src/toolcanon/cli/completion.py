"""``toolcanon completion``."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

EPILOG = """\b
Examples:
  toolcanon completion bash >> ~/.bashrc
  toolcanon completion fish > ~/.config/fish/completions/toolcanon.fish
"""


@click.command("completion", epilog=EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> int:
    """Print a script that completes commands, options and format ids."""
    from toolcanon.cli.main import toolcanon  # noqa: PLC0415 - the group imports its commands

    maker = get_completion_class(shell)
    if maker is None:
        raise click.UsageError(f"There is no completion for {shell}; choose bash, zsh or fish.")
    script = maker(toolcanon, {}, "toolcanon", "_TOOLCANON_COMPLETE")
    click.echo(script.source())
    return 0
