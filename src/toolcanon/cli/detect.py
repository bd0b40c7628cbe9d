"""``toolcanon detect``."""

from __future__ import annotations

import click

from toolcanon.cli.options import hand_over, input_path, load_payload, source_options
from toolcanon.compat.canonicalizer import FIRST
from toolcanon.conversion import detect
from toolcanon.jsonio import Limits
from toolcanon.report import detection_lines
from toolcanon.text import safe

EPILOG = """\b
Examples:
  toolcanon detect --input tool.json
  toolcanon detect tool.json --verbose
  toolcanon detect tool.json --json
"""


@click.command("detect", epilog=EPILOG)
@click.option("--verbose", "-v", is_flag=True, help="Show scores and evidence for all formats.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@source_options
def command(
    file: str | None,
    input_file: str | None,
    limits: Limits,
    duplicate_keys: str,
    verbose: bool,
    as_json: bool,
) -> int:
    """Print the format of a definition, a list or a request body."""
    payload = load_payload(input_path(file, input_file), limits, duplicate_keys)
    found = detect(payload)
    if as_json:
        hand_over(
            {
                "format": found.format,
                "confidence": found.confidence,
                "evidence": found.evidence,
                "candidates": list(found.candidates),
            },
            None,
            "",
        )
        return 0
    lines = detection_lines(
        found.format, found.confidence, found.evidence, first=FIRST, verbose=verbose
    )
    for line in lines:
        click.echo(safe(line))
    return 0
