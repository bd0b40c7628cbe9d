"""``toolcanon define`` and ``toolcanon mcp``, which take a Python module."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys

import click

from toolcanon.cli.options import Lowering, hand_over, lowering_options, talk, to_option
from toolcanon.conversion import bind
from toolcanon.report.lines import LossCounts
from toolcanon.serving import serve_stdio
from toolcanon.sources.modules import toolset_of
from toolcanon.text import safe

DEFINE_EPILOG = """\b
Examples:
  toolcanon define shop.tools --to openai --strict
  toolcanon define shop/tools.py:refund --to anthropic
  toolcanon define shop.tools:TOOLSET --to gemini -o tools.json
"""


@click.command("define", epilog=DEFINE_EPILOG)
@click.argument("module", metavar="MODULE[:NAME]")
@to_option("Target: a format or one of its dialects.")
@lowering_options
@click.option("-o", "--output", metavar="FILE", help="Write the payload to FILE.")
@click.option("-c", "--compact", is_flag=True, help="Print JSON on one line.")
@click.option("-v", "--verbose", is_flag=True, help="Show every loss.")
@click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
def command_define(
    module: str,
    target: str,
    lowering: Lowering,
    output: str | None,
    compact: bool,
    verbose: bool,
    quiet: bool,
) -> int:
    """Write the tools of a Python module in a provider's format.

    MODULE is an importable module or a file; it is imported, which runs it. Without NAME, every
    function with @tool is taken; NAME names a function, a list of functions, or a Toolset.
    """
    toolset = toolset_of(module)
    alone = len(toolset.tools) == 1 and ":" in module
    binding = bind(toolset.tools[0] if alone else toolset.tools, target, **lowering.options())
    hand_over(binding.payload, output, "" if quiet else f"written to {output}", compact=compact)
    if not quiet:
        tally = LossCounts(verbose=verbose, talk=talk)
        tally.add(binding.losses)
        for line in tally.lines():
            talk(safe(line))
    return 0


MCP_EPILOG = """\b
Examples:
  toolcanon mcp shop.tools
  toolcanon mcp shop/tools.py:TOOLSET --name shop
  toolcanon check -- toolcanon mcp shop.tools
"""


@click.command("mcp", epilog=MCP_EPILOG)
@click.argument("module", metavar="MODULE[:NAME]")
@click.option("--name", default="toolcanon", show_default=True, help="Name of the server.")
def command_mcp(module: str, name: str) -> int:
    """Serve the functions of a Python module as an MCP server on stdin and stdout.

    MODULE is an importable module or a file. NAME names a function, a list of functions or a
    Toolset in it; without NAME, every function with @tool is served. What the functions print
    goes to stderr, since stdout carries the protocol.
    """
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")  # closed here
    with contextlib.redirect_stdout(sys.stderr):
        asyncio.run(serve_stdio(toolset_of(module), out, name))
    return 0
