"""``toolcanon switch``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from toolcanon.cli.options import (
    FormatId,
    check_places,
    ensure_receipt_place,
    hand_over,
    input_path,
    load_payload,
    naming_option,
    receipt_in,
    source_options,
    talk,
    to_option,
)
from toolcanon.conversations.find_history import history_in
from toolcanon.conversations.switch import SwitchResult, switch
from toolcanon.conversations.trim import trim
from toolcanon.conversion.receipt import SWITCH_MARK
from toolcanon.diagnostics import CODES, Effect, Repair
from toolcanon.jsonio import Limits, loads
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.report.lines import LossCounts, repair_lines
from toolcanon.sources import read_document, write_file
from toolcanon.text import safe_json

if TYPE_CHECKING:
    from toolcanon.naming.profiles import Profile

EPILOG = """\b
Examples:
  toolcanon switch history.json --to anthropic > claude.json
  toolcanon switch body.json --to gemini --model gemini-3-pro
  toolcanon switch body.json --to bedrock --keep back.json -o converse.json
  toolcanon switch converse.json --to openai --undo back.json
  toolcanon switch history.json --to anthropic --tools tools.json --trim 50
  toolcanon switch history.json --to openai --no-repair --fail-on repair
"""

_LOSSY: Final = Effect.NARROWED | Effect.WIDENED
LEVELS: Final = {"repair": _LOSSY, "lossy": _LOSSY, "hint": _LOSSY | Effect.HINT_LOST}


NEEDS_RESTORE: Final = (
    "note: the model's calls will differ from the tools' own names or arguments; write a "
    "receipt with --keep FILE and pass it to toolcanon restore"
)


@click.command("switch", epilog=EPILOG)
@to_option("Target: a format or one of its dialects.")
@click.option(
    "-f", "--from", "source", type=FormatId(), help="Format of the input; detected if omitted."
)
@click.option(
    "--tools", "tools_file", metavar="FILE", help="Tools of the conversation, in any format."
)
@click.option(
    "--keep",
    "keep_file",
    metavar="FILE",
    help="Write a receipt to FILE, for restore and for --undo of the next switch.",
)
@click.option(
    "--undo",
    "undo_file",
    metavar="FILE",
    help="Restore names, ids and tools by the receipt of the switch or conversion before.",
)
@click.option("--receipt", "former_undo", metavar="FILE", hidden=True)
@click.option(
    "--model",
    metavar="MODEL",
    help="Model of the target: decides which reasoning and signatures it takes.",
)
@naming_option
@click.option("--no-repair", is_flag=True, help="Report what needs repair, but do not repair it.")
@click.option(
    "--trim", "last", type=click.IntRange(1), metavar="N", help="Keep only the last N messages."
)
@click.option("-o", "--output", metavar="FILE", help="Write the payload to FILE.")
@click.option(
    "--report", "report_file", metavar="FILE", help="Write losses and repairs to FILE as JSON."
)
@click.option(
    "--fail-on",
    type=click.Choice(list(LEVELS)),
    help="Exit 1 on repairs or losses of this kind or worse.",
)
@click.option("-c", "--compact", is_flag=True, help="Print JSON on one line.")
@click.option("-v", "--verbose", is_flag=True, help="Show every loss and every repair.")
@click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
@source_options
def command_switch(
    file: str | None,
    input_file: str | None,
    limits: Limits,
    duplicate_keys: str,
    target: str,
    source: str | None,
    tools_file: str | None,
    keep_file: str | None,
    undo_file: str | None,
    former_undo: str | None,
    model: str | None,
    naming: Profile | None,
    no_repair: bool,
    last: int | None,
    output: str | None,
    report_file: str | None,
    fail_on: str | None,
    compact: bool,
    verbose: bool,
    quiet: bool,
) -> int:
    """Write a conversation for another provider, repaired where the provider would reject it.

    FILE holds a list of messages or a request body of any provider. Without FILE, or with -, stdin
    is read. A list gives a list, or an object of the messages and the system prompt where the
    target keeps it apart. A request body gives a request body with its tools written for the
    target. --undo takes what --keep wrote, or the receipt of a conversion of the source's tools.
    """
    output = None if output == "-" else output
    undo_file = undo_file or former_undo
    places = {"--output": output, "--keep": keep_file, "--report": report_file}
    path = input_path(file, input_file)
    check_places(places, read=path, undone=undo_file)
    ensure_receipt_place(keep_file, SWITCH_MARK, "--keep")
    payload = load_payload(path, limits, duplicate_keys)
    _ensure_one(path, payload)
    cut: tuple[Repair, ...] = ()
    if last is not None:
        trimmed = trim(payload, messages=last, source=source)
        payload, cut = trimmed.payload, trimmed.repairs
    done = switch(
        payload,
        target,
        source=source,
        tools=_document(tools_file, limits),
        naming=naming,
        model=model,
        repair=not no_repair,
        receipt=receipt_in(undo_file, limits),
    )
    if done.is_repaired:
        done.repairs = cut + done.repairs
    else:  # the trimming was done in any case
        done.made = cut + done.made
    _write_files(done, keep_file, report_file)
    hand_over(_whole(done), output, "" if quiet else f"written to {output}", compact=compact)
    if not quiet:
        _report(done, verbose=verbose)
        if keep_file is None and done.binding is not None and done.binding.needs_restore:
            talk(NEEDS_RESTORE)
    return int(fail_on is not None and _fails(done, fail_on))


def _ensure_one(path: str, payload: Json) -> None:
    """Raise a usage error for rows that are each a conversation: ``convert`` takes those."""
    if path.endswith((".jsonl", ".ndjson")) and isinstance(payload, list):
        bodies = [row for row in payload if history_in(row, lambda text: loads(text).value)]
        if bodies and len(bodies) == len(payload):
            raise click.UsageError(
                "Each row of this file is a conversation: use `toolcanon convert`; "
                "switch takes one conversation, or its messages as JSON Lines."
            )


def _document(path: str | None, limits: Limits) -> Any:
    return None if path is None else read_document(path, limits).value


def _whole(done: SwitchResult) -> Json:
    """Return the messages, with the system prompt where the target keeps it apart."""
    if done.system is None:
        return done.payload
    return {done.history_key: done.payload, done.system_key: done.system}


def _write_files(done: SwitchResult, keep_file: str | None, report_file: str | None) -> None:
    if keep_file is not None:
        write_file(keep_file, [safe_json(done.receipt()), "\n"])
    if report_file is not None:
        report: JsonObject = {
            "from": done.source,
            "to": done.target,
            "repaired": done.is_repaired,
            "repairs": [repair.to_dict() for repair in done.repairs],
            "made": [repair.to_dict() for repair in done.made],
            "losses": [loss.to_dict() for loss in done.losses],
        }
        write_file(report_file, [safe_json(report), "\n"])


def _report(done: SwitchResult, *, verbose: bool) -> None:
    for line in [*repair_lines(done.made, verbose=verbose, is_done=True)][:-1]:
        talk(line)  # all but the total, which counts repairs
    for line in repair_lines(done.repairs, verbose=verbose, is_done=done.is_repaired):
        talk(line)
    tally = LossCounts(verbose=verbose, talk=talk)
    tally.add(done.losses)
    for line in tally.lines():
        talk(line)


def _fails(done: SwitchResult, level: str) -> bool:
    if level == "repair" and done.repairs:
        return True
    effects = [loss.effect for loss in done.losses]
    effects += [CODES[repair.code].effect for repair in (*done.made, *done.repairs)]
    return any(effect & LEVELS[level] for effect in effects)
