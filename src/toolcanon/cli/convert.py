"""``toolcanon convert``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import click

from toolcanon.cli.options import (
    FormatId,
    hand_over,
    input_path,
    load_payload,
    source_options,
    talk,
    warn_duplicates,
)
from toolcanon.conversion import Conversion, convert
from toolcanon.diagnostics import Effect, Loss, Losses
from toolcanon.errors import ToolcanonError
from toolcanon.jsonio import Limits
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.report import loss_lines
from toolcanon.sources import read_document, read_lines, write_file
from toolcanon.text import safe_json

EPILOG = """\b
Examples:
  toolcanon convert tools.json --to anthropic
  toolcanon convert tools.json -t gemini -o gemini.json --receipt receipt.json
  toolcanon convert gemini.json -f gemini -t openai --undo receipt.json
  toolcanon convert catalog.jsonl -t mcp > mcp.jsonl
"""

UNLOWERED = (
    "note: schemas are passed through unlowered: names and envelope fit {target}, keywords it "
    "refuses are not rewritten yet"
)
RENAMED = "note: {count} of the tools go by other names there; --receipt FILE keeps the way back"

# --fail-on: each word includes the worse ones before it.
LEVELS = {
    "rejected": lambda loss: loss.code == "L015",
    "narrowed": lambda loss: bool(loss.effect & Effect.NARROWED),
    "widened": lambda loss: bool(loss.effect & (Effect.NARROWED | Effect.WIDENED)),
    "lossy": lambda loss: bool(loss.effect & (Effect.NARROWED | Effect.WIDENED)),
    "hint": lambda loss: loss.effect is not Effect.EXACT,
}


class Request(NamedTuple):
    """What was asked, for every document of the input alike."""

    target: str
    source: str | None
    verbatim: bool
    receipt: JsonObject | None
    limits: Limits


@click.command("convert", epilog=EPILOG)
@click.option("-t", "--to", "target", required=True, type=FormatId(writable=True), help="Target.")
@click.option("-f", "--from", "source", type=FormatId(), help="Source; detected if omitted.")
@click.option("-o", "--output", metavar="FILE", help="Write the payload there.")
@click.option("--receipt", "receipt_file", metavar="FILE", help="Write the way back there.")
@click.option("--undo", "undo_file", metavar="FILE", help="Restore by an earlier receipt.")
@click.option("--losses", "losses_file", metavar="FILE", help="Write every loss there, as JSON.")
@click.option("--verbatim", is_flag=True, help="Leave names and schemas as they are.")
@click.option("--fail-on", type=click.Choice(list(LEVELS)), help="Exit 1 on such losses.")
@click.option("--jsonl", is_flag=True, help="One document a line, in and out.")
@click.option("-c", "--compact", is_flag=True, help="Print JSON on one line.")
@click.option("-v", "--verbose", is_flag=True, help="List every loss.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors.")
@source_options
def command(
    file: str | None,
    input_file: str | None,
    limits: Limits,
    duplicate_keys: str,
    target: str,
    source: str | None,
    output: str | None,
    receipt_file: str | None,
    undo_file: str | None,
    losses_file: str | None,
    verbatim: bool,
    fail_on: str | None,
    jsonl: bool,
    compact: bool,
    verbose: bool,
    quiet: bool,
) -> int:
    """Write tools for another provider.

    FILE holds one tool, a list, a provider's wrapper, a tools/list answer or a request body; - or
    nothing is stdin. One tool in, one tool out; anything else gives the value of the target's
    tools key. What the target cannot hold is counted on stderr, listed with -v.
    """
    path = input_path(file, input_file)
    receipt = None if undo_file is None else read_document(undo_file, limits).value
    request = Request(target, source, verbatim, receipt, limits)
    if jsonl or path.endswith((".jsonl", ".ndjson")):
        if receipt_file or output:
            raise click.UsageError("JSON Lines go to stdout, without --output or --receipt.")
        losses = Losses(_stream(path, request, duplicate_keys))
        renamed = 0
    else:
        conversion = _convert(load_payload(path, limits, duplicate_keys), request)
        losses = conversion.losses
        if receipt_file is not None:
            write_file(receipt_file, safe_json(conversion.binding.receipt()) + "\n")
        hand_over(conversion.payload, output, f"written to {output}", compact=compact)
        renamed = 0 if receipt_file else _renamed(conversion)
    if losses_file is not None:
        write_file(losses_file, safe_json([loss.to_dict() for loss in losses]) + "\n")
    if not quiet:
        _report(losses, request, renamed, verbose=verbose)
    return int(fail_on is not None and any(map(LEVELS[fail_on], losses)))


def _convert(payload: Json, request: Request) -> Conversion:
    target, source, verbatim, receipt, _ = request
    return convert(payload, target, source=source, lower=not verbatim, receipt=receipt)


def _stream(path: str, request: Request, duplicate_keys: str) -> Iterator[Loss]:
    """Convert line by line; a line that cannot be read ends the run with its number."""
    for number, loaded in read_lines(path, request.limits, duplicates=duplicate_keys == "warn"):
        warn_duplicates(loaded.duplicate_keys)
        try:
            conversion = _convert(loaded.value, request)
        except ToolcanonError as error:
            error.row = number  # type: ignore[attr-defined]  # told by whoever prints it
            raise
        click.echo(safe_json(conversion.payload, indent=None))
        yield from conversion.losses


def _renamed(conversion: Conversion) -> int:
    return sum(name != wire for name, wire in conversion.binding.names.items())


def _report(losses: Losses, request: Request, renamed: int, *, verbose: bool) -> None:
    for line in loss_lines(losses, verbose=verbose):
        talk(line)
    if renamed:
        talk(RENAMED.format(count=renamed))
    if not request.verbatim:
        talk(UNLOWERED.format(target=request.target))
