"""``toolcanon convert``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import click

from toolcanon.cli.options import (
    FormatId,
    Lowering,
    accepted,
    hand_over,
    input_path,
    load_payload,
    lowering_options,
    source_options,
    talk,
)
from toolcanon.conversion import Conversion, convert
from toolcanon.conversion.choice import AUTO, choose
from toolcanon.conversion.verify import Verification, verify
from toolcanon.diagnostics import Effect
from toolcanon.errors import ToolcanonError
from toolcanon.jsonio import Limits
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.registry import get_target
from toolcanon.report import REJECTIONS, Sort, Tally, verified_line, violation_lines
from toolcanon.sources import check_place, read_document, read_lines, write_file
from toolcanon.text import safe_json

EPILOG = """\b
Examples:
  toolcanon convert tools.json --to anthropic
  toolcanon convert tools.json -t openai --strict -o openai.json --receipt receipt.json
  toolcanon convert tools.json -t openai --model gemini-2.5-pro --via litellm
  toolcanon convert tools.json -t gemini --dialect gemini/openapi@2026-11 --verify
  toolcanon convert gemini.json -f gemini -t openai --undo receipt.json
  toolcanon convert catalog.jsonl -t mcp > mcp.jsonl
"""

NEEDS_RESTORE = (
    "note: calls come back in other names or arguments than the tools' own; keep the way back with "
    "--receipt FILE, for toolcanon restore"
)
NEEDS_RESTORE_LINES = (
    "note: calls come back in other names or arguments than the tools' own; JSON Lines keep no "
    "receipt, so convert what you will call by itself, with --receipt FILE"
)

# --fail-on: each word includes the worse ones before it; lossy is another word for widened.
LEVELS: Final[dict[str, Effect]] = {
    "rejected": Effect.EXACT,
    "narrowed": Effect.NARROWED,
    "widened": Effect.NARROWED | Effect.WIDENED,
    "lossy": Effect.NARROWED | Effect.WIDENED,
    "hint": Effect.NARROWED | Effect.WIDENED | Effect.HINT_LOST,
}
_STRICT_REFUSED: Final = "L237"  # what --strict-auto asks for, so no rejection there


class Request(NamedTuple):
    """What was asked, for every document of the input alike."""

    target: str
    source: str | None
    lowering: Lowering
    receipt: JsonObject | None
    limits: Limits
    duplicate_keys: str
    verify: bool

    def fails(self, level: str, sort: Sort) -> bool:
        """Whether losses of this sort are as bad as the level says, or worse."""
        excused = self.lowering.strict == AUTO and sort.code == _STRICT_REFUSED
        rejected = sort.code in REJECTIONS and not excused
        return rejected or bool(sort.effect & LEVELS[level])


class Run:
    """One run of the command: documents one after the other, and what is to be said at the end."""

    def __init__(self, request: Request, tally: Tally) -> None:
        self.request = request
        self.tally = tally
        self.verification = Verification()
        self.needs_restore = False

    def convert(self, payload: Json) -> Conversion:
        target, source, lowering, receipt, *_ = self.request
        strict, dialect, model, via, verbatim = lowering
        done = convert(
            payload,
            target,
            source=source,
            strict=strict,
            dialect=dialect,
            model=model,
            via=via,
            lower=not verbatim,
            receipt=receipt,
        )
        self.tally.add(done.losses)
        self.needs_restore = self.needs_restore or done.binding.needs_restore
        if self.request.verify:
            self.verification.add(verify(done.binding))
        return done

    def lines(self, path: str) -> Iterator[str]:
        """Convert line by line, printing as it goes; yields each loss as a line of JSON.

        A line that cannot be read ends the run with its number.
        """
        limits = self.request.limits
        duplicates = self.request.duplicate_keys == "warn"
        for number, loaded in read_lines(path, limits, duplicates=duplicates):
            try:
                conversion = self.convert(accepted(loaded, limits))
            except ToolcanonError as error:
                error.row = number
                raise
            click.echo(safe_json(conversion.payload, indent=None))
            for loss in conversion.losses:
                yield safe_json(loss.to_dict(), indent=None) + "\n"


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
@lowering_options
@click.option("--verify", "verifies", is_flag=True, help="Look twice; exit 1 on a violation.")
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
    lowering: Lowering,
    verifies: bool,
    fail_on: str | None,
    jsonl: bool,
    compact: bool,
    verbose: bool,
    quiet: bool,
) -> int:
    """Write tools for another provider, lowered to what it accepts.

    FILE holds one tool, a list, a provider's wrapper, a tools/list answer or a request body; - or
    nothing is stdin. One tool in, one tool out; anything else gives the value of the target's
    tools key. What changes the arguments a tool takes is told on stderr, everything with -v.
    """
    path = input_path(file, input_file)
    lines = jsonl or path.endswith((".jsonl", ".ndjson"))
    output = None if output == "-" else output
    _check_places(output, receipt_file, losses_file, lines=lines)
    undo = None if undo_file is None else read_document(undo_file, limits).value
    request = Request(target, source, lowering, undo, limits, duplicate_keys, verifies)
    run = Run(request, Tally(verbose=verbose, talk=None if quiet else talk))
    if lines:
        losses = run.lines(path)
        if losses_file is not None:
            write_file(losses_file, losses)
        for _ in losses:  # printing is what it does on the way
            pass
    else:
        conversion = run.convert(load_payload(path, limits, duplicate_keys))
        if losses_file is not None:
            listed = [loss.to_dict() for loss in conversion.losses]
            write_file(losses_file, [safe_json(listed), "\n"])
        if receipt_file is not None:
            write_file(receipt_file, [safe_json(conversion.binding.receipt()), "\n"])
        said = "" if quiet else f"written to {output}"
        hand_over(conversion.payload, output, said, compact=compact)
    if not quiet:
        _report(run, lines=lines, keeps_receipt=receipt_file is not None)
    for line in violation_lines(run.verification):
        talk(line)
    failed = fail_on is not None and any(request.fails(fail_on, s) for s in run.tally.sorts())
    return int(failed or bool(run.verification.violations))


def _check_places(
    output: str | None, receipt_file: str | None, losses_file: str | None, *, lines: bool
) -> None:
    if lines and (receipt_file or output):
        raise click.UsageError("JSON Lines go to stdout, without --output or --receipt.")
    places = [place for place in (output, receipt_file, losses_file) if place is not None]
    if "-" in places or len({*places}) < len(places):
        raise click.UsageError("Receipt, losses and payload need files of their own.")
    for place in places:
        check_place(place)


def _report(run: Run, *, lines: bool, keeps_receipt: bool) -> None:
    for line in run.tally.lines():
        talk(line)
    if run.needs_restore and not keeps_receipt:
        talk(NEEDS_RESTORE_LINES if lines else NEEDS_RESTORE)
    strict, dialect, model, via, _ = run.request.lowering
    if model is not None or via is not None:
        chosen = choose(get_target(run.request.target), strict, dialect, model, via)
        spoken = [found.pinned for found in (chosen.plain, chosen.strict) if found is not None]
        used = spoken if strict else spoken[:1]
        talk(f"note: the dialect is {' or '.join(reversed(used)) or 'none'}")
    if run.request.verify:
        talk(verified_line(run.verification))
