"""``toolcanon canonicalize`` and ``toolcanon emit``."""

from __future__ import annotations

import click

from toolcanon import __version__
from toolcanon.cli.options import (
    hand_over,
    input_path,
    load_payload,
    source_options,
    talk,
    to_option,
)
from toolcanon.compat.canonicalizer import EMITTERS, FIRST, CanonicalizationResult, canonicalize
from toolcanon.conversion import bind, read
from toolcanon.errors import UnknownFormat
from toolcanon.jsonio import Limits
from toolcanon.jsonio.types import Json
from toolcanon.registry import registry
from toolcanon.text import safe

CANONICALIZE_EPILOG = """\b
Examples:
  toolcanon canonicalize --input tool.json
  toolcanon canonicalize --input tool.json --source-format anthropic
  toolcanon canonicalize --input tool.json --output canonical.json
"""


@click.command("canonicalize", epilog=CANONICALIZE_EPILOG)
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
def command_canonicalize(
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
    from toolcanon.conversion.detect import (  # noqa: PLC0415
        THRESHOLD,
        best_match,
        contents,
    )

    _, match = best_match(payload)
    return match.many or (match.score <= THRESHOLD and bool(contents(payload)))


EMIT_EPILOG = """\b
Examples:
  toolcanon emit --input canonical.json --to mcp
  toolcanon emit --input canonical.json --to openai --output openai_tool.json
"""


@click.command("emit", epilog=EMIT_EPILOG)
@to_option(f"Format to write: {', '.join(EMITTERS)} …")
@click.option(
    "--output", "-o", metavar="PATH", help="Write the result to this file. Default: stdout."
)
@source_options
def command_emit(
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
