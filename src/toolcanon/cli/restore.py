"""``toolcanon restore``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import IO, NamedTuple

import click

from toolcanon.calls.restore import CallEnvelope, read_call
from toolcanon.cli.options import hand_over, input_path, source_options, talk, warn_duplicates
from toolcanon.conversion import Binding
from toolcanon.conversion.binding import calls_of
from toolcanon.errors import (
    LimitExceeded,
    MalformedJson,
    MissingFile,
    NumberOutOfRange,
    ToolcanonError,
)
from toolcanon.jsonio import Limits, loads
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.validate import extent
from toolcanon.sources import read_document
from toolcanon.sources.files import STDIN
from toolcanon.text import safe, safe_json

EPILOG = """\b
Examples:
  toolcanon restore call.json --receipt back.json
  echo '{"name": "f", "arguments": "{}"}' | toolcanon restore --receipt r.json
  my-agent | toolcanon restore --receipt receipt.json --jsonl | my-tools
  toolcanon restore own-call.json --receipt receipt.json --render
"""


class RestoreAnswer(NamedTuple):
    """The output for a call, and the text for the model when the call cannot be used."""

    document: JsonObject
    complaint: str = ""


@click.command("restore", epilog=EPILOG)
@click.option(
    "--receipt",
    "receipt_file",
    metavar="FILE",
    required=True,
    help="Receipt that convert wrote for these tools.",
)
@click.option(
    "--render", is_flag=True, help="The reverse: write a call of the tool as a model's call."
)
@click.option("--jsonl", is_flag=True, help="Read one call a line and answer each at once.")
@click.option("-c", "--compact", is_flag=True, help="Print JSON on one line.")
@source_options
def command_restore(
    file: str | None,
    input_file: str | None,
    limits: Limits,
    duplicate_keys: str,
    receipt_file: str,
    render: bool,
    jsonl: bool,
    compact: bool,
) -> int:
    """Turn a model's call into the name and arguments that the tool expects.

    FILE holds a call in the provider's format, or a list of calls. Without FILE, or with -, stdin
    is read. The output is {"name", "arguments"}, with "problems" where the arguments do not fit
    the tool, "repairs" where something was repaired, and "id" if the call has one. Exit status 1
    when a call has problems; the text to send to the model is then on stderr. With --jsonl, a line
    that is not a call gives {"error"}, and the next line is read.
    """
    path = input_path(file, input_file)
    if receipt_file == "-":
        raise click.UsageError("The receipt and the input are the same file: name two files.")
    binding = Binding.from_receipt(read_document(receipt_file, limits).value)
    responder = Responder(binding, limits, duplicates=duplicate_keys == "warn", render=render)
    if jsonl or path.endswith((".jsonl", ".ndjson")):
        return responder.serve(path)
    loaded = read_document(path, limits, duplicates=responder.duplicates)
    warn_duplicates(loaded.duplicate_keys)
    answered = responder.answer(loaded.value)
    hand_over(_document(answered), None, "", compact=compact)
    complaints = [answer.complaint for answer in _each(answered) if answer.complaint]
    for line in "\n".join(complaints).splitlines():
        talk(safe(line))
    return int(bool(complaints))


class Responder:
    """Answers calls with the tools of one binding."""

    def __init__(self, binding: Binding, limits: Limits, *, duplicates: bool, render: bool) -> None:
        self.duplicates = duplicates
        self._binding = binding
        self._limits = limits
        self._handle = self._render if render else self._restore

    def answer(self, value: Json) -> RestoreAnswer | list[RestoreAnswer]:
        """Answer one call, or each call of a list."""
        try:
            if isinstance(value, list):
                return [self._one(item, f"/{index}") for index, item in enumerate(value)]
            return self._one(value, "")
        except (
            RecursionError
        ):  # arguments given as text may be nested deeper than the limit for input
            raise LimitExceeded("depth", self._limits.depth) from None

    def serve(self, path: str) -> int:
        """Answer each line as it arrives until the stream ends; return the exit status."""
        failed = False
        with _opened(path) as stream:
            for number, line in _lines(stream, self._limits, path):
                document, ok = self._line(number, line)
                failed |= not ok
                click.echo(document)  # flushes: the reader waits for each answer
        return int(failed)

    def _line(self, number: int, line: bytes) -> tuple[str, bool]:
        try:
            if len(line) > self._limits.line:
                raise LimitExceeded("line", self._limits.line)
            loaded = loads(line, self._limits, duplicates=self.duplicates)
            warn_duplicates(loaded.duplicate_keys)
            answered = self.answer(loaded.value)
        except ToolcanonError as error:
            if isinstance(error, (MalformedJson, NumberOutOfRange)):
                error.line = number  # within the line, it is line 1
            answer = {"error": {"code": error.code, "message": safe(error)}}
            return safe_json(answer, indent=None), False
        ok = not any(answer.complaint for answer in _each(answered))
        return safe_json(_document(answered), indent=None), ok

    def _one(self, value: Json, at: str) -> RestoreAnswer:
        call = read_call(value, at)
        answer = self._handle(call._replace(name=self._called(call)))
        if call.id is not None:
            answer.document["id"] = call.id
        return answer

    def _called(self, call: CallEnvelope) -> str:
        """Return the tool id where the call has a namespace; its bare name may be ambiguous."""
        full = f"{call.namespace}:{call.name}"
        return full if call.namespace and full in self._binding.names else call.name

    def _restore(self, call: CallEnvelope) -> RestoreAnswer:
        restored = self._binding.restore(call.name, call.arguments)
        _, depth = extent(restored.arguments)
        if depth > self._limits.depth:  # validators cannot check deeper values
            raise LimitExceeded("depth", self._limits.depth, depth)
        document = restored.to_dict()
        kept = {key: held for key, held in document.items() if held or key in _ALWAYS}
        return RestoreAnswer(kept, restored.message)

    def _render(self, call: CallEnvelope) -> RestoreAnswer:
        arguments = call.arguments
        takes_text = calls_of(self._binding).named(call.name).inputs is None
        if isinstance(arguments, str) and not takes_text:
            arguments = loads(arguments.encode(), self._limits, duplicates=self.duplicates).value
        name, wire = self._binding.render(call.name, arguments)
        return RestoreAnswer({"name": name, "arguments": wire})


_ALWAYS = frozenset({"name", "arguments"})


def _each(answered: RestoreAnswer | list[RestoreAnswer]) -> list[RestoreAnswer]:
    return answered if isinstance(answered, list) else [answered]


def _document(answered: RestoreAnswer | list[RestoreAnswer]) -> Json:
    if isinstance(answered, list):
        return [answer.document for answer in answered]
    return answered.document


def _opened(path: str) -> IO[bytes]:
    if path == STDIN and sys.stdin is None:
        raise MissingFile("stdin", "it is closed")
    try:
        return click.open_file(path, "rb")
    except OSError as error:
        raise MissingFile(path, (error.strerror or str(error)).lower()) from None


def _lines(stream: IO[bytes], limits: Limits, path: str) -> Iterator[tuple[int, bytes]]:
    """Yield each non-blank line with its number; a too long line is read only up to the limit."""
    number = 0
    try:
        while line := stream.readline(limits.line + 1):
            number += 1
            rest = line
            while len(line) > limits.line and rest and not rest.endswith(b"\n"):
                rest = stream.readline(limits.line)
            if line.strip():
                yield number, line
    except OSError as error:
        raise MissingFile(path, (error.strerror or str(error)).lower()) from None
