"""``toolcanon convert``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import click

from toolcanon.cli.options import (
    FormatId,
    accepted,
    hand_over,
    input_path,
    load_payload,
    source_options,
    talk,
)
from toolcanon.conversion import Conversion, convert
from toolcanon.diagnostics import Code, Effect
from toolcanon.errors import ToolcanonError
from toolcanon.jsonio import Limits
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.report import Tally
from toolcanon.sources import check_place, read_document, read_lines, write_file
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
RENAMED = "note: tools that go by another name there: {count}; --receipt FILE keeps the way back"

# --fail-on: each word includes the worse ones before it; lossy is another word for widened.
_MATERIAL = Effect.NARROWED | Effect.WIDENED
LEVELS: dict[str, Callable[[Code], bool]] = {
    "rejected": lambda code: code.code == "L015",
    "narrowed": lambda code: bool(code.effect & Effect.NARROWED),
    "widened": lambda code: bool(code.effect & _MATERIAL),
    "lossy": lambda code: bool(code.effect & _MATERIAL),
    "hint": lambda code: code.effect is not Effect.EXACT,
}


class Request(NamedTuple):
    """What was asked, for every document of the input alike."""

    target: str
    source: str | None
    verbatim: bool
    receipt: JsonObject | None
    limits: Limits
    duplicate_keys: str


@click.command("convert", epilog=EPILOG)
@click.option("-t", "--to", "target", required=True, type=FormatId(writable=True), help="Target.")
@click.option("-f", "--from", "source", type=FormatId(), help="Source; detected if omitted.")
@click.option("-o", "--output", metavar="FILE", help="Write the payload there.")
@click.option("--receipt", "receipt_file", metavar="FILE", help="Write the way back there.")
@click.option("--undo", "undo_file", metavar="FILE", help="Restore by an earlier receipt.")
@click.option(
    "--losses",
    "losses_file",
    metavar="FILE",
    help="Write every loss there, as JSON (Lines with --jsonl).",
)
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
    lines = jsonl or path.endswith((".jsonl", ".ndjson"))
    if lines and (receipt_file or output):
        raise click.UsageError("JSON Lines go to stdout, without --output or --receipt.")
    output = None if output == "-" else output
    places = [place for place in (output, receipt_file, losses_file) if place is not None]
    if "-" in places or len({*places}) < len(places):
        raise click.UsageError("Receipt, losses and payload need files of their own.")
    for place in places:
        check_place(place)
    receipt = None if undo_file is None else read_document(undo_file, limits).value
    request = Request(target, source, verbatim, receipt, limits, duplicate_keys)
    tally = Tally(verbose=verbose, talk=None if quiet else talk)
    renamed = 0
    if lines:
        _convert_lines(path, request, tally, losses_file)
    else:
        conversion = _convert(load_payload(path, limits, duplicate_keys), request)
        tally.add(conversion.losses)
        if losses_file is not None:
            listed = [loss.to_dict() for loss in conversion.losses]
            write_file(losses_file, [safe_json(listed), "\n"])
        if receipt_file is not None:
            write_file(receipt_file, [safe_json(conversion.binding.receipt()), "\n"])
        said = "" if quiet else f"written to {output}"
        hand_over(conversion.payload, output, said, compact=compact)
        renamed = 0 if receipt_file else _renamed(conversion)
    if not quiet:
        _report(tally, request, renamed)
    return int(fail_on is not None and any(map(LEVELS[fail_on], tally.codes())))


def _convert_lines(path: str, request: Request, tally: Tally, losses_file: str | None) -> None:
    texts = _stream(path, request, tally)
    if losses_file is not None:
        write_file(losses_file, texts)
    for _ in texts:  # printing is what it does on the way
        pass


def _convert(payload: Json, request: Request) -> Conversion:
    target, source, verbatim, receipt, *_ = request
    return convert(payload, target, source=source, lower=not verbatim, receipt=receipt)


def _stream(path: str, request: Request, tally: Tally) -> Iterator[str]:
    """Convert line by line, printing as it goes; yields each loss as a line of JSON.

    A line that cannot be read ends the run with its number.
    """
    duplicates = request.duplicate_keys == "warn"
    for number, loaded in read_lines(path, request.limits, duplicates=duplicates):
        try:
            conversion = _convert(accepted(loaded, request.limits), request)
        except ToolcanonError as error:
            error.row = number
            raise
        click.echo(safe_json(conversion.payload, indent=None))
        tally.add(conversion.losses)
        for loss in conversion.losses:
            yield safe_json(loss.to_dict(), indent=None) + "\n"


def _renamed(conversion: Conversion) -> int:
    return sum(name != wire for name, wire in conversion.binding.names.items())


def _report(tally: Tally, request: Request, renamed: int) -> None:
    for line in tally.lines():
        talk(line)
    if renamed:
        talk(RENAMED.format(count=renamed))
    if not request.verbatim:
        talk(UNLOWERED.format(target=request.target))
