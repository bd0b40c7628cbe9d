"""``toolcanon mcp``."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys

import click

from toolcanon.serving import serve_stdio
from toolcanon.sources.modules import toolset_of

EPILOG = """\b
Examples:
  toolcanon mcp shop.tools
  toolcanon mcp shop/tools.py:TOOLSET --name shop
  toolcanon check -- toolcanon mcp shop.tools
"""


@click.command("mcp", epilog=EPILOG)
@click.argument("module", metavar="MODULE[:NAME]")
@click.option("--name", default="toolcanon", show_default=True, help="What the server is called.")
def command(module: str, name: str) -> int:
    """Offer the functions of a Python module as an MCP server on stdin and stdout.

    MODULE is a module on the path or a file, NAME a function, a list or a Toolset in it; without
    one, everything that is decorated with @tool. What the functions print goes to stderr, since
    stdout belongs to the protocol.
    """
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")  # ours to close
    with contextlib.redirect_stdout(sys.stderr):
        asyncio.run(serve_stdio(toolset_of(module), out, name))
    return 0
