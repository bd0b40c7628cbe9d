"""``toolcanon restore``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import IO, NamedTuple

import click

from toolcanon.cli.options import hand_over, input_path, source_options, talk, warn_duplicates
from toolcanon.conversion import Binding
from toolcanon.conversion.binding import calls_of
from toolcanon.conversion.call_shapes import Call, read_call
from toolcanon.errors import (
    LimitExceeded,
    MalformedJson,
    MissingFile,
    NumberOutOfRange,
    ToolcanonError,
)
from toolcanon.jsonio import Limits, loads
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.effort import extent
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


class Answer(NamedTuple):
    """What comes out for a call, and what to tell the model if it cannot be used."""

    document: JsonObject
    complaint: str = ""


@click.command("restore", epilog=EPILOG)
@click.option(
    "--receipt",
    "receipt_file",
    metavar="FILE",
    required=True,
    help="The receipt that convert wrote for these tools.",
)
@click.option("--render", is_flag=True, help="The other way: a call of the tool, as a model's.")
@click.option("--jsonl", is_flag=True, help="One call a line, answered line by line as they come.")
@click.option("-c", "--compact", is_flag=True, help="Print JSON on one line.")
@source_options
def command(
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

    FILE holds a call as the provider's answer has it, or a list of them; - or nothing is stdin. Out
    comes {"name", "arguments"}, with "problems" where the arguments do not fit, "repairs" where
    something had to be mended, and "id" where there was one. Exit status 1 when a call has
    problems; what to tell the model is then on stderr. With --jsonl a line that is no call is
    answered by {"error"}, and the next one is read.
    """
    path = input_path(file, input_file)
    if receipt_file == "-":
        raise click.UsageError("The receipt needs a file of its own.")
    binding = Binding.from_receipt(read_document(receipt_file, limits).value)
    desk = Desk(binding, limits, duplicates=duplicate_keys == "warn", render=render)
    if jsonl or path.endswith((".jsonl", ".ndjson")):
        return desk.serve(path)
    loaded = read_document(path, limits, duplicates=desk.duplicates)
    warn_duplicates(loaded.duplicate_keys)
    answered = desk.answer(loaded.value)
    hand_over(_document(answered), None, "", compact=compact)
    complaints = [answer.complaint for answer in _each(answered) if answer.complaint]
    for line in "\n".join(complaints).splitlines():
        talk(safe(line))
    return int(bool(complaints))


class Desk:
    """Where calls are answered."""

    def __init__(self, binding: Binding, limits: Limits, *, duplicates: bool, render: bool) -> None:
        self.duplicates = duplicates
        self._binding = binding
        self._limits = limits
        self._handle = self._render if render else self._restore

    def answer(self, value: Json) -> Answer | list[Answer]:
        """One call, or each of a list."""
        try:
            if isinstance(value, list):
                return [self._one(item, f"/{index}") for index, item in enumerate(value)]
            return self._one(value, "")
        except RecursionError:  # arguments that come as text may be deeper than anything loaded
            raise LimitExceeded("depth", self._limits.depth) from None

    def serve(self, path: str) -> int:
        """Answer each line as it comes, whatever it is, until there are no more."""
        failed = False
        with _opened(path) as stream:
            for number, line in _lines(stream, self._limits, path):
                document, ok = self._line(number, line)
                failed |= not ok
                click.echo(document)  # flushes: somebody is waiting for it
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
                error.line = number  # it knows its line as the first of one document
            told = {"error": {"code": error.code, "message": safe(error)}}
            return safe_json(told, indent=None), False
        ok = not any(answer.complaint for answer in _each(answered))
        return safe_json(_document(answered), indent=None), ok

    def _one(self, value: Json, at: str) -> Answer:
        call = read_call(value, at)
        answer = self._handle(call._replace(name=self._called(call)))
        if call.id is not None:
            answer.document["id"] = call.id
        return answer

    def _called(self, call: Call) -> str:
        """The tool by its id where the call tells the namespace: its bare name may be shared."""
        full = f"{call.namespace}:{call.name}"
        return full if call.namespace and full in self._binding.names else call.name

    def _restore(self, call: Call) -> Answer:
        restored = self._binding.restore(call.name, call.arguments)
        _, depth = extent(restored.arguments)
        if depth > self._limits.depth:  # no validator looks that deep
            raise LimitExceeded("depth", self._limits.depth, depth)
        document = restored.to_dict()
        kept = {key: held for key, held in document.items() if held or key in _ALWAYS}
        return Answer(kept, restored.message)

    def _render(self, call: Call) -> Answer:
        arguments = call.arguments
        takes_text = calls_of(self._binding).named(call.name).inputs is None
        if isinstance(arguments, str) and not takes_text:
            arguments = loads(arguments.encode(), self._limits, duplicates=self.duplicates).value
        name, wire = self._binding.render(call.name, arguments)
        return Answer({"name": name, "arguments": wire})


_ALWAYS = frozenset({"name", "arguments"})


def _each(answered: Answer | list[Answer]) -> list[Answer]:
    return answered if isinstance(answered, list) else [answered]


def _document(answered: Answer | list[Answer]) -> Json:
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
    """Each line that is not blank, by number; of a too long one only enough to see that."""
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
