"""``toolcanon check``."""

from __future__ import annotations

from typing import Final

import click

from toolcanon.check.conversations import lint
from toolcanon.cli.options import FormatId, hand_over, input_path, source_options, warn_duplicates
from toolcanon.conversion import detect
from toolcanon.conversion.conversations import codecs, read_conversation
from toolcanon.conversion.detect import FALLBACK
from toolcanon.errors import NotAConversation
from toolcanon.ir.conversation import Conversation
from toolcanon.jsonio import Limits
from toolcanon.jsonio.types import Json
from toolcanon.report.findings import LEVELS, finding_lines
from toolcanon.sources import read_document, read_lines

EPILOG = """\b
Examples:
  toolcanon check history.json
  toolcanon check request.json --target anthropic --target gemini
  toolcanon check session.jsonl --from anthropic --fail-on warning
  curl -s … | toolcanon check - --target bedrock --json
"""

_NO_TOOLS: Final = "tools-missing"
_NO_RESULT: Final = "call-without-result"


class _Family(FormatId):
    """The id of a format that has conversations."""

    def _known(self) -> list[str]:
        return list(codecs())


@click.command("check", epilog=EPILOG)
@click.option(
    "-t",
    "--target",
    "--to",
    "targets",
    multiple=True,
    metavar="FORMAT",
    help="Where it is to go; may be repeated. Default: the format it is in.",
)
@click.option("-f", "--from", "source", type=_Family(), help="Source; detected if omitted.")
@click.option(
    "--fail-on",
    type=click.Choice(LEVELS),
    default="error",
    show_default=True,
    help="Exit 1 on such findings or worse.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the same as JSON, every finding.")
@source_options
def command(
    file: str | None,
    input_file: str | None,
    limits: Limits,
    duplicate_keys: str,
    targets: tuple[str, ...],
    source: str | None,
    fail_on: str,
    as_json: bool,
) -> int:
    """Say what a provider would refuse in a conversation, before it is sent.

    FILE holds a request body, a list of messages or a response of any provider, or one message a
    line (.jsonl); - or nothing is stdin. For another provider than its own the conversation is
    first arranged as that one wants it. Places count messages and their parts. Nothing is
    repaired, nothing is sent. Exit status: 0 fine, 1 findings at or above --fail-on, 2 refused
    input or usage.
    """
    payload = _load(input_path(file, input_file), limits, duplicates=duplicate_keys == "warn")
    conversation = _read(payload, source)
    asked = dict.fromkeys(targets or (conversation.format,))
    unasked = _beyond(payload, conversation)
    found = {
        target: [finding for finding in lint(conversation, target) if finding.name not in unasked]
        for target in asked
    }
    if as_json:
        checked = [
            {"target": target, "findings": [finding.to_dict() for finding in findings]}
            for target, findings in found.items()
        ]
        hand_over({"format": conversation.format, "checked": checked}, None, "")
    else:
        for target, findings in found.items():
            for line in finding_lines(target, findings):
                click.echo(line)
    failing = LEVELS[: LEVELS.index(fail_on) + 1]
    return int(any(finding.level in failing for each in found.values() for finding in each))


def _beyond(payload: Json, conversation: Conversation) -> tuple[str, ...]:
    """What cannot be judged by what was handed in.

    Tools are declared beside messages, and the calls of a response are yet to be answered.
    """
    codec = codecs()[conversation.format]
    if isinstance(payload, dict) and codec.history in payload:
        return ()
    is_response = isinstance(payload, dict) and codec.sniff_answer(payload) > 0
    return (_NO_TOOLS, _NO_RESULT) if is_response else (_NO_TOOLS,)


def _load(path: str, limits: Limits, *, duplicates: bool) -> Json:
    """The document, or one message a line."""
    if path.removesuffix(".gz").endswith((".jsonl", ".ndjson")):
        lines = [loaded for _, loaded in read_lines(path, limits, duplicates=duplicates)]
        warn_duplicates(tuple(key for loaded in lines for key in loaded.duplicate_keys))
        return [loaded.value for loaded in lines]
    loaded = read_document(path, limits, duplicates=duplicates)
    warn_duplicates(loaded.duplicate_keys)
    return loaded.value


def _read(payload: Json, source: str | None) -> Conversation:
    """The conversation; who hands in tools is told so."""
    try:
        conversation = read_conversation(payload, source)
    except NotAConversation as error:
        found = detect(payload).format
        if found == FALLBACK:
            raise
        reason = f"this is a tool definition ({found}); only conversations are checked so far"
        raise NotAConversation(error.at, reason) from None
    if not conversation.everything():
        raise NotAConversation("", "there are no messages in it")
    return conversation
