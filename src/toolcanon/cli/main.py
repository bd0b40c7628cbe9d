"""The command group: loads commands lazily and turns every failure into one line and a status."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from toolcanon import __version__

# Job -> name -> (module, one line for --help), kept here so that --help imports no command.
GROUPS = {
    "Convert tools and calls": {
        "convert": ("convert", "Write tools for another provider."),
        "restore": ("restore", "Turn a model's call into the arguments that the tool expects."),
        "canonicalize": ("canonicalize", "Read tools of any format into the canonical form."),
        "emit": ("canonicalize", "Write a canonical tool in a provider's format, unchanged."),
        "detect": ("inspect", "Detect the format of a definition."),
    },
    "Check and compare": {
        "check": ("check", "Check whether tools and conversations work and can be trusted."),
        "show": ("inspect", "Show what a provider's model sees of a tool."),
        "diff": ("diff", "Compare two versions of tools: what changed and what breaks."),
    },
    "Conversations": {
        "switch": ("switch", "Write a conversation for another provider, with repairs."),
    },
    "Define and serve": {
        "define": ("python_module", "Write the tools of a Python module for a provider."),
        "mcp": ("python_module", "Serve the functions of a Python module over MCP."),
        "fetch": ("fetch", "Get the tools of a live MCP server."),
    },
    "Reference": {
        "formats": ("reference", "List the formats, or show one format or dialect."),
        "explain": ("reference", "Explain a code."),
        "completion": ("reference", "Print a shell completion script."),
    },
}

EPILOG = """\b
Examples:
  toolcanon convert tools.json --to anthropic
  curl -s … | toolcanon convert - --to openai/strict --receipt back.json
  toolcanon restore call.json --receipt back.json
  toolcanon check history.json --to anthropic
  toolcanon detect tool.json --verbose
"""

BUG = 70
_ELSEWHERE = {"watch": "toolwatch"}


class ReaderGone(Exception):
    """The reader of the output closed it early (`| head`)."""


class LazyGroup(click.Group):
    """Imports a command when it is called; suggests the nearest name when it does not exist."""

    def __init__(
        self, *args: Any, groups: Mapping[str, Mapping[str, tuple[str, str]]], **extra: Any
    ) -> None:
        super().__init__(*args, **extra)
        self.groups = groups
        self.lazy = {name: entry for group in groups.values() for name, entry in group.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in self.lazy:
            return None
        from importlib import import_module  # noqa: PLC0415

        module = import_module(f"toolcanon.cli.{self.lazy[cmd_name][0]}")
        command: click.Command = getattr(module, f"command_{cmd_name}")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        width = max(map(len, self.lazy))
        for job, commands in self.groups.items():
            with formatter.section(job):
                formatter.write_dl(
                    [(name.ljust(width), line) for name, (_, line) in commands.items()]
                )

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.lazy and not args[0].startswith("-"):
            from toolcanon.errors import nearest  # noqa: PLC0415

            near = _ELSEWHERE.get(args[0]) or nearest(args[0], tuple(self.lazy))
            hint = f" Did you mean {near!r}?" if near else ""
            ctx.fail(f"No such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; a closed pipe becomes ReaderGone, not click's failure."""
        try:
            done = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            raise ReaderGone from None
        return done

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,  # noqa: FBT002 - click's signature
        **extra: Any,
    ) -> Any:
        """Run a command and turn every failure into one line and an exit status."""
        standalone = standalone_mode
        _open_closed_streams()
        try:
            status = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        except Exception as error:  # noqa: BLE001 - the last resort: no command ends in a traceback
            status = fail(error)
        except KeyboardInterrupt:
            status = 130
        if not standalone:
            return status
        sys.exit(status if isinstance(status, int) else 0)


def _open_closed_streams() -> None:
    """Replace streams that the shell closed: messages are dropped, writing output fails."""
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    if sys.stdout is None:  # a read-only file, so that writing fails
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")


def fail(error: Exception) -> int:
    """Print what failed, where, and what to do; return the exit status."""
    from toolcanon.errors import ToolcanonError  # noqa: PLC0415
    from toolcanon.text import safe  # noqa: PLC0415

    if isinstance(error, ReaderGone):
        # The output is closed; what is still buffered must not fail at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    if isinstance(error, OSError):
        reason = (error.strerror or str(error)).lower()
        click.echo(
            f"error[E301]: cannot write the output: {safe(reason)}; check where it goes", err=True
        )
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 3
    if isinstance(error, ToolcanonError):
        where = f" (line {error.row})" if error.row is not None else ""
        click.echo(f"error[{error.code}]: {safe(error)}{where}", err=True)
        return error.exit_code
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, click.Abort):
        return 130
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return error.exit_code
    if isinstance(error, click.ClickException):
        command = ""
        if isinstance(error, click.UsageError) and error.ctx is not None:
            command = f"; see `{error.ctx.command_path} --help`"
        message = safe(error.format_message()).rstrip(".")
        click.echo(f"error[E200]: {message}{command}", err=True)
        return error.exit_code
    return _bug(error)


def _bug(error: Exception) -> int:
    import hashlib  # noqa: PLC0415
    import traceback  # noqa: PLC0415

    from toolcanon.text import safe  # noqa: PLC0415

    if isinstance(error, MemoryError):
        click.echo("error[E302]: out of memory; split the input", err=True)
        return 3
    trace = "".join(traceback.format_exception(error))
    # The same error gets the same id, so that reports of it can be found.
    fault = hashlib.sha256(trace.encode("utf-8", "replace")).hexdigest()[:8]
    name = type(error).__name__
    click.echo(
        f"error[E999]: internal error ({name}, id {fault}): {safe(error, 200)}; "
        "please report it with the id; --debug prints the traceback",
        err=True,
    )
    if _debugging():
        click.echo("".join(f"{safe(line)}\n" for line in trace.splitlines()), err=True)
    return BUG


def _debugging() -> bool:
    return "--debug" in sys.argv or bool(os.environ.get("TOOLCANON_DEBUG"))


SETTINGS = {"help_option_names": ["-h", "--help"]}


@click.group(cls=LazyGroup, groups=GROUPS, epilog=EPILOG, context_settings=SETTINGS)
@click.version_option(__version__, "--version", message="%(prog)s %(version)s")
@click.option(
    "--debug", is_flag=True, expose_value=False, help="Print a traceback on an internal error."
)
def toolcanon() -> None:
    """Read tools of any AI provider's format and write them to any other, reporting every loss.

    Payloads go to stdout, everything else to stderr. Exit status: 0 fine, 1 losses or findings at
    or above --fail-on or a call with problems, 2 invalid input or usage, 3 environment, 70
    internal error.
    """
