"""``toolcanon canonicalize``."""

from __future__ import annotations

import click

from toolcanon import __version__
from toolcanon.cli.options import (
    hand_over,
    input_path,
    load_payload,
    source_options,
    talk,
)
from toolcanon.compat.canonicalizer import FIRST, CanonicalizationResult, canonicalize
from toolcanon.conversion import read
from toolcanon.errors import UnknownFormat
from toolcanon.jsonio import Limits
from toolcanon.jsonio.types import Json
from toolcanon.registry import registry
from toolcanon.text import safe

EPILOG = """\b
Examples:
  toolcanon canonicalize --input tool.json
  toolcanon canonicalize --input tool.json --source-format anthropic
  toolcanon canonicalize --input tool.json --output canonical.json
"""


@click.command("canonicalize", epilog=EPILOG)
@click.option(
    "--source-format",
    metavar="FORMAT",
    help=f"Read as this format: {', '.join(FIRST)} … Detected if omitted.",
)
@click.option(
    "--output", "-o", metavar="PATH", help="Write the result to this file. Default: stdout."
)
@click.version_option(__version__, "--version", message="toolcanon %(version)s")
@source_options
def command(
    file: str | None,
    input_file: str | None,
    limits: Limits,
    duplicate_keys: str,
    source_format: str | None,
    output: str | None,
) -> int:
    """Read a tool of any format into the canonical form.

    Unusual input gives warnings on stderr and does not change the exit status. Several tools give
    a list.
    """
    known = registry().formats
    if source_format is not None and source_format not in known:
        raise UnknownFormat(source_format, tuple(known))
    output = None if output == "-" else output
    payload = load_payload(input_path(file, input_file), limits, duplicate_keys)
    results = _several(payload, source_format)
    if results is None:
        result = canonicalize(payload, source_format)
        document: Json = result.tool.to_dict()
        results = [result]
    else:
        document = [result.tool.to_dict() for result in results]
    for result in results:
        for warning in result.warnings:
            talk(f"Warning: {safe(warning)}")
    hand_over(document, output, f"Canonical tool written to {output}")
    return 0


def _several(payload: Json, source_format: str | None) -> list[CanonicalizationResult] | None:
    """Return the results of a payload with several tools; None when it is a single tool."""
    if isinstance(payload, dict) and not _wraps(payload):
        return None
    return [
        CanonicalizationResult(tool=tool, source_format_detected=str(tool.source_format))
        for tool in read(payload, source=source_format)
    ]


def _wraps(payload: dict[str, Json]) -> bool:
    from toolcanon.conversion.containers import contents  # noqa: PLC0415
    from toolcanon.conversion.detect import THRESHOLD, best_match  # noqa: PLC0415

    _, match = best_match(payload)
    return match.many or (match.score <= THRESHOLD and bool(contents(payload)))
