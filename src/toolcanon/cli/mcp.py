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
@click.option("--name", default="toolcanon", show_default=True, help="Name of the server.")
def command(module: str, name: str) -> int:
    """Serve the functions of a Python module as an MCP server on stdin and stdout.

    MODULE is an importable module or a file. NAME names a function, a list of functions or a
    Toolset in it; without NAME, every function with @tool is served. What the functions print
    goes to stderr, since stdout carries the protocol.
    """
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")  # closed here
    with contextlib.redirect_stdout(sys.stderr):
        asyncio.run(serve_stdio(toolset_of(module), out, name))
    return 0
