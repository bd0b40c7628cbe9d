"""``toolcanon show`` and ``toolcanon detect``."""

from __future__ import annotations

import click

from toolcanon.checking.compatibility import known_target, model_advice
from toolcanon.cli.check_run import from_module
from toolcanon.cli.options import (
    hand_over,
    input_path,
    load_payload,
    source_options,
    talk,
    to_option,
)
from toolcanon.compat.canonicalizer import FIRST
from toolcanon.conversion import detect, read
from toolcanon.conversion.binding import Binding, bind_one
from toolcanon.errors import UnknownTool
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import Limits
from toolcanon.report.lines import detection_lines
from toolcanon.report.tool_view import marks_left_out, shown_lines, size_of
from toolcanon.sources.modules import names_module
from toolcanon.text import safe

SHOW_EPILOG = """\b
Examples:
  toolcanon show tool.json --to gemini
  toolcanon show shop/tools.py refund --to anthropic
  toolcanon show tools.json search_files --to openai/strict
  toolcanon fetch -- my-server | toolcanon show - read_file --to bedrock
"""


@click.command("show", epilog=SHOW_EPILOG)
@source_options
@click.argument("name", metavar="[TOOL]", required=False)
@to_option("Target: a format or one of its dialects.")
@click.option("--model", metavar="MODEL", help="Choose the dialect that this model uses.")
@click.option("--json", "as_json", is_flag=True, help="Print payload, losses and sizes as JSON.")
def command_show(
    file: str | None,
    input_file: str | None,
    limits: Limits,
    duplicate_keys: str,
    name: str | None,
    target: str,
    model: str | None,
    as_json: bool,
) -> int:
    """Show what a provider's model sees of a tool, with losses marked in place.

    FILE holds one tool, or several; then TOOL names one. Or FILE names a Python module with tools
    (shop.tools:refund, shop/tools.py), which is imported. Sizes are those of compact JSON; tokens
    are estimated from the number of characters, since models count differently.
    """
    word = input_path(file, input_file)
    if names_module(word):
        payload = from_module(word).payload
    else:
        payload = load_payload(word, limits, duplicate_keys)
    tool = _chosen(read(payload), name)
    if model is not None and (advice := model_advice(model)):
        talk(advice)
    found = known_target(target, model)
    binding = bind_one(Binding, tool, found)
    given, sent = size_of(tool.original_definition), size_of(binding.payload)
    if as_json:
        sizes = {
            "given": {"bytes": given.bytes, "tokens": given.tokens},
            "sent": {"bytes": sent.bytes, "tokens": sent.tokens},
        }
        losses = [loss.to_dict() for loss in binding.losses]
        hand_over({"payload": binding.payload, "losses": losses, "size": sizes}, None, "")
        return 0
    dialect = found.choice.wanted
    pinned = "" if dialect is None else f" ({dialect.pinned})"
    click.echo(f"{safe(tool.id)} for {safe(target)}{pinned}: {sent}; as given {given}")
    for line in shown_lines(binding):
        click.secho(line.text, fg="yellow" if line.is_mark else None)
    if quiet := marks_left_out(binding):
        click.echo(f"{quiet} exact rewrites are not marked; --json lists them", err=True)
    return 0


def _chosen(tools: list[CanonicalTool], name: str | None) -> CanonicalTool:
    if name is None:
        if len(tools) == 1:
            return tools[0]
        raise click.UsageError(f"The input has {len(tools)} tools: name one after the file.")
    for tool in tools:
        if name in (tool.id, tool.name):
            return tool
    raise UnknownTool(name, tuple(tool.id for tool in tools))


DETECT_EPILOG = """\b
Examples:
  toolcanon detect --input tool.json
  toolcanon detect tool.json --verbose
  toolcanon detect tool.json --json
"""


@click.command("detect", epilog=DETECT_EPILOG)
@click.option("--verbose", "-v", is_flag=True, help="Show scores and evidence for all formats.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@source_options
def command_detect(
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
