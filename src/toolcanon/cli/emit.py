"""``toolcanon emit``."""

from __future__ import annotations

import click

from toolcanon.cli.options import (
    hand_over,
    input_path,
    load_payload,
    source_options,
    to_option,
)
from toolcanon.compat.canonicalizer import EMITTERS
from toolcanon.conversion import bind, read
from toolcanon.jsonio import Limits
from toolcanon.jsonio.types import Json

EPILOG = """\b
Examples:
  toolcanon emit --input canonical.json --to mcp
  toolcanon emit --input canonical.json --to openai --output openai_tool.json
"""


@click.command("emit", epilog=EPILOG)
@to_option(f"Format to write: {', '.join(EMITTERS)} …")
@click.option(
    "--output", "-o", metavar="PATH", help="Write the result to this file. Default: stdout."
)
@source_options
def command(
    file: str | None,
    input_file: str | None,
    limits: Limits,
    duplicate_keys: str,
    target: str,
    output: str | None,
) -> int:
    """Write a canonical tool in a provider's format, with name and schema unchanged."""
    output = None if output == "-" else output
    payload = load_payload(input_path(file, input_file), limits, duplicate_keys)
    tools = read(payload, source="canonical")
    emitter = EMITTERS.get(target)
    emitted: list[Json] = [
        emitter(tool) if emitter else bind(tool, target, lower=False).payload for tool in tools
    ]
    single = isinstance(payload, dict) and len(emitted) == 1
    hand_over(
        emitted[0] if single else emitted, output, f"Emitted {target} tool written to {output}"
    )
    return 0
