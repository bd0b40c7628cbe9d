"""``toolcanon define``."""

from __future__ import annotations

import click

from toolcanon.cli.options import Lowering, hand_over, lowering_options, talk, to_option
from toolcanon.conversion import bind
from toolcanon.report.losses import Tally
from toolcanon.sources.modules import toolset_of
from toolcanon.text import safe

EPILOG = """\b
Examples:
  toolcanon define shop.tools --to openai --strict
  toolcanon define shop/tools.py:refund --to anthropic
  toolcanon define shop.tools:TOOLSET --to gemini -o tools.json
"""


@click.command("define", epilog=EPILOG)
@click.argument("module", metavar="MODULE[:NAME]")
@to_option("Target: a format or one of its dialects.")
@lowering_options
@click.option("-o", "--output", metavar="FILE", help="Write the payload to FILE.")
@click.option("-c", "--compact", is_flag=True, help="Print JSON on one line.")
@click.option("-v", "--verbose", is_flag=True, help="Show every loss.")
@click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
def command(
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
        tally = Tally(verbose=verbose, talk=talk)
        tally.add(binding.losses)
        for line in tally.lines():
            talk(safe(line))
    return 0
