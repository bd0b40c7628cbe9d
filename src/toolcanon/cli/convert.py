"""``toolcanon convert``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import click

from toolcanon.cli.options import (
    FormatId,
    Lowering,
    RowOptions,
    check_places,
    hand_over,
    input_path,
    load_payload,
    lowering_options,
    naming_option,
    row_options,
    source_options,
    talk,
    to_option,
)
from toolcanon.cli.receipts import ensure_receipt_place, origin_of, receipt_in
from toolcanon.conversion import Conversion, convert
from toolcanon.conversion.receipt import MARK
from toolcanon.conversion.target import AUTO, find_bind_target
from toolcanon.diagnostics import Effect
from toolcanon.errors import UnwrittenColumn
from toolcanon.jsonio import Limits, loads
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.report.lines import REJECTIONS, LossCounts, Sort, verified_line, violation_lines
from toolcanon.sources import write_file
from toolcanon.text import safe, safe_json

if TYPE_CHECKING:
    from toolcanon.cli.rows import RowRun
    from toolcanon.conversion.verify import Verification
    from toolcanon.naming.profiles import Profile

EPILOG = """\b
Examples:
  toolcanon convert tools.json --to anthropic
  toolcanon convert tools.json -t openai/strict --receipt back.json
  toolcanon convert tools.json -t openai --model gemini-2.5-pro --via litellm
  toolcanon convert tools.json -t gemini/openapi@2026-11 --verify
  toolcanon convert gemini.json -f gemini -t openai --undo receipt.json
  toolcanon convert tools.json -t anthropic --naming pascal
  toolcanon convert rows.jsonl.gz -t mcp --rejects bad.jsonl > mcp.jsonl
  toolcanon convert rows.jsonl -t openai --tools-field tools -o new.jsonl
"""

NEEDS_RESTORE = (
    "note: the model's calls will differ from the tools' own names or arguments; write a "
    "receipt with --receipt FILE and pass it to toolcanon restore"
)
NEEDS_RESTORE_LINES = (
    "note: the model's calls will differ from the tools' own names or arguments; JSON Lines "
    "have no receipt, so convert the tools that you call from a file of their own"
)

# --fail-on: each level includes the worse ones before it; lossy is a synonym of widened.
LEVELS: Final[dict[str, Effect]] = {
    "rejected": Effect.EXACT,
    "narrowed": Effect.NARROWED,
    "widened": Effect.NARROWED | Effect.WIDENED,
    "lossy": Effect.NARROWED | Effect.WIDENED,
    "hint": Effect.NARROWED | Effect.WIDENED | Effect.HINT_LOST,
}
_STRICT_REFUSED: Final = "L237"  # --strict-auto accepts that strict mode is not used


class Request(NamedTuple):
    """The options of the run, the same for every document."""

    target: str
    source: str | None
    lowering: Lowering
    receipt: JsonObject | None
    limits: Limits
    duplicate_keys: str
    verify: bool
    naming: Profile | None = None

    def fails(self, level: str, sort: Sort) -> bool:
        """Return whether losses of this sort reach the level."""
        excused = self.lowering.strict == AUTO and sort.code == _STRICT_REFUSED
        rejected = sort.code in REJECTIONS and not excused
        return rejected or bool(sort.effect & LEVELS[level])


class ConvertRun:
    """One run of the command on one document; collects what to report."""

    def __init__(self, request: Request, tally: LossCounts) -> None:
        self.request = request
        self.tally = tally
        self.verification: Verification | None = None
        self.needs_restore = False

    def convert(self, payload: Json) -> Conversion:
        target, source, lowering, receipt, *_ = self.request
        naming = self.request.naming
        done = convert(
            payload, target, source=source, naming=naming, receipt=receipt, **lowering.options()
        )
        self.tally.add(done.losses)
        self.needs_restore = self.needs_restore or done.binding.needs_restore
        if self.request.verify:
            from toolcanon.conversion.verify import verify  # noqa: PLC0415 - few runs verify

            self.verification = verify(done.binding)
        return done


@click.command("convert", epilog=EPILOG)
@to_option(
    "Target: a format or one of its dialects; with --undo, by default the format of the origin.",
    required=False,
)
@click.option(
    "-f", "--from", "source", type=FormatId(), help="Format of the input; detected if omitted."
)
@click.option("-o", "--output", metavar="FILE", help="Write the payload to FILE.")
@click.option(
    "--receipt",
    "receipt_file",
    metavar="FILE",
    help="Write a receipt to FILE, for restore and --undo.",
)
@click.option(
    "--undo",
    "undo_file",
    metavar="FILE",
    help="Restore tools to what they were, by the receipt of a conversion.",
)
@click.option(
    "--losses",
    "losses_file",
    metavar="FILE",
    help="Write every loss to FILE as JSON (JSON Lines with --jsonl).",
)
@lowering_options
@naming_option
@click.option(
    "--verify",
    "verifies",
    is_flag=True,
    help="Re-check the result against sampled arguments; exit 1 on a violation.",
)
@click.option(
    "--fail-on", type=click.Choice(list(LEVELS)), help="Exit 1 on losses of this kind or worse."
)
@click.option(
    "--jsonl", is_flag=True, help="Read and write JSON Lines; implied by .jsonl and .ndjson."
)
@row_options
@click.option("-c", "--compact", is_flag=True, help="Print JSON on one line.")
@click.option("-v", "--verbose", is_flag=True, help="Show every loss.")
@click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
@source_options
def command_convert(
    file: str | None,
    input_file: str | None,
    limits: Limits,
    duplicate_keys: str,
    target: str | None,
    source: str | None,
    output: str | None,
    receipt_file: str | None,
    undo_file: str | None,
    losses_file: str | None,
    lowering: Lowering,
    naming: Profile | None,
    verifies: bool,
    fail_on: str | None,
    jsonl: bool,
    rows: RowOptions,
    compact: bool,
    verbose: bool,
    quiet: bool,
) -> int:
    """Write tools for another provider, lowered to what it accepts.

    FILE holds one tool, a list, a wrapper, a tools/list answer, or a request body without
    messages (for a body with messages use toolcanon switch). Without FILE, or with -, stdin is
    read. One tool in gives one tool out; anything else gives the value of the target's tools key.
    Losses that change a tool's arguments are reported on stderr; -v reports every loss.

    JSON Lines (.jsonl, .ndjson, also with .gz) are converted row by row in constant memory. A row
    is one of the above, a conversation with its tools (messages and tools are converted together)
    or, with --tools-field, an object whose field NAME holds the tools, as JSON or a string of JSON.
    """
    path = input_path(file, input_file)
    lines = jsonl or path.removesuffix(".gz").endswith((".jsonl", ".ndjson"))
    output = None if output == "-" else output
    _ensure_for_rows(rows, lines=lines, receipts=receipt_file or undo_file)
    written = {
        "--output": output, "--receipt": receipt_file, "--losses": losses_file,
        "--rejects": rows.rejects,
    }  # fmt: skip
    check_places(written, read=path, undone=undo_file)
    ensure_receipt_place(receipt_file, MARK, "--receipt")
    undo = receipt_in(undo_file, limits)
    target = origin_of(undo) if target is None else target
    request = Request(target, source, lowering, undo, limits, duplicate_keys, verifies, naming)
    tally = LossCounts(verbose=verbose, talk=None if quiet else talk)
    run: ConvertRun | RowRun
    if lines:
        run = _row_run(request, tally, rows)
        run.run(path, output, losses_file, rows.rejects, quiet=quiet)
        for line in [] if quiet else run.lines():
            talk(safe(line))
    else:
        run = ConvertRun(request, tally)
        payload = load_payload(path, limits, duplicate_keys)
        _ensure_tools_alone(payload)
        conversion = run.convert(payload)
        _keep(conversion, losses_file, receipt_file)
        note = "" if quiet else f"written to {output}"
        hand_over(conversion.payload, output, note, compact=compact)
    if not quiet:
        _report(run, request, lines=lines, keeps_receipt=receipt_file is not None)
    for line in [] if run.verification is None else violation_lines(run.verification):
        talk(line)
    violated = run.verification is not None and bool(run.verification.violations)
    failed = fail_on is not None and any(request.fails(fail_on, s) for s in run.tally.sorts())
    return int(failed or violated)


def _ensure_for_rows(rows: RowOptions, *, lines: bool, receipts: str | None) -> None:
    """Refuse options of rows without rows, and receipts with them."""
    if not lines and rows != RowOptions():
        raise click.UsageError("--*-field, --on-error and --rejects need JSON Lines: add --jsonl.")
    if lines and receipts:
        raise click.UsageError(
            "JSON Lines have no receipt: convert the tools that you call from a file of their own."
        )


def _row_run(request: Request, tally: LossCounts, rows: RowOptions) -> RowRun:
    """Return the run that converts rows; converting a single file imports none of it."""
    from toolcanon.bulk.rows import Converter  # noqa: PLC0415
    from toolcanon.cli.rows import RowRun  # noqa: PLC0415

    converter = Converter(
        request.target,
        source=request.source,
        naming=request.naming,
        **request.lowering.options(),
        **rows.options(),
    )
    duplicates = request.duplicate_keys == "warn"
    return RowRun(converter, tally, request.limits, duplicates=duplicates, verifies=request.verify)


def _ensure_tools_alone(payload: Json) -> None:
    """Raise UnwrittenColumn for a body with messages: the payload would lose the messages."""
    if not isinstance(payload, dict):
        return
    from toolcanon.conversations.find_history import history_in, may_hold_history  # noqa: PLC0415

    if not may_hold_history(payload):
        return
    history = history_in(payload, lambda text: loads(text).value)
    if history is not None and history.tool_keys and history.messages:
        how = "write the whole body with `toolcanon switch`"
        raise UnwrittenColumn(history.key, "only the tools would be written", how, "the body")


def _keep(conversion: Conversion, losses_file: str | None, receipt_file: str | None) -> None:
    if losses_file is not None:
        listed = [loss.to_dict() for loss in conversion.losses]
        write_file(losses_file, [safe_json(listed), "\n"])
    if receipt_file is not None:
        write_file(receipt_file, [safe_json(conversion.binding.receipt()), "\n"])


def _report(
    run: ConvertRun | RowRun, request: Request, *, lines: bool, keeps_receipt: bool
) -> None:
    for line in run.tally.lines():
        talk(line)
    if run.needs_restore and not keeps_receipt:
        talk(NEEDS_RESTORE_LINES if lines else NEEDS_RESTORE)
    strict, dialect, model, via, _ = request.lowering
    if model is not None or via is not None:
        chosen = find_bind_target(request.target, strict, dialect, model, via).choice
        dialects = [found.pinned for found in (chosen.plain, chosen.strict) if found is not None]
        used = dialects if strict else dialects[:1]
        talk(f"note: the dialect is {' or '.join(reversed(used)) or 'none'}")
    if run.verification is not None:
        talk(verified_line(run.verification))
