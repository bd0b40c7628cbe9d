"""Inputs of a check (files, pipes, modules, servers), and the places of findings in them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Final, NamedTuple

from toolcanon.cli.options import accepted
from toolcanon.diagnostics import Finding, Place
from toolcanon.jsonio import Limits, Pointer
from toolcanon.jsonio.spans import spans
from toolcanon.jsonio.types import Json
from toolcanon.sources import raw_lines, read_document, read_lines
from toolcanon.sources.files import PACKED, is_yaml, parse, read_bytes, rows_in
from toolcanon.sources.yaml import places_in_yaml

STDIN: Final = "-"
_ROWS: Final = (".jsonl", ".ndjson")


class Input(NamedTuple):
    """One input of a check."""

    name: str
    """The file as it was named, ``-``, or how a server was reached."""
    payload: Json
    is_file: bool = False
    is_live: bool = False
    in_lines: bool = False
    """Whether each member of the payload is a line, whatever the file's suffix."""

    @property
    def has_rows(self) -> bool:
        return self.in_lines or has_rows(self.name)


class Rows(NamedTuple):
    """An input of one document a line, each checked by itself; lines are read on demand."""

    name: str
    lines: Iterator[tuple[int, bytes]]
    """Lines with their numbers, from 1."""
    is_file: bool = False


def has_rows(name: str) -> bool:
    """Return whether the file's name means one document a line."""
    return name.removesuffix(PACKED).endswith(_ROWS)


def from_file(path: str, limits: Limits, duplicate_keys: str) -> Input:
    """Read a document; of a file of rows, read all rows into a list."""
    is_file = path != STDIN
    if not has_rows(path):
        loaded = read_document(path, limits, duplicates=duplicate_keys == "warn")
        return Input(path, accepted(loaded, limits), is_file)
    lines = read_lines(path, limits, duplicates=duplicate_keys == "warn")
    return Input(path, [accepted(loaded, limits) for _, loaded in lines], is_file)


def opened(path: str, limits: Limits, duplicate_keys: str) -> Input | Rows:
    """Read a document or rows; where the name does not say which, the content decides."""
    is_file = path != STDIN
    if has_rows(path):
        return Rows(path, raw_lines(path, limits), is_file)
    data = read_bytes(path, limits)
    lines = None if is_yaml(path) else rows_in(data, limits)
    if lines is not None and len(data) <= limits.bytes:
        return Rows(path, lines, is_file)
    loaded = parse(path, data, limits, duplicates=duplicate_keys == "warn")
    return Input(path, accepted(loaded, limits), is_file)


def from_module(word: str) -> Input:
    """Import a Python module and return its tools."""
    from toolcanon.sources.modules import toolset_of  # noqa: PLC0415 - heavy

    return Input(word, [tool.to_dict() for tool in toolset_of(word).tools])


def placed(findings: Iterable[Finding], given: Input, limits: Limits) -> tuple[Finding, ...]:
    """Return the findings with line and column where the input has lines."""
    found = tuple(findings)
    if not given.is_file or not found:
        return found
    wanted = {finding.origin for finding in found if finding.origin is not None}
    places = _in_rows(given, wanted, limits) if given.has_rows else _in_text(given, wanted, limits)
    return _with(found, places, Place(_nearby(given.name)))


def placed_in_row(
    findings: Iterable[Finding], name: str, row: tuple[int, int], line: bytes
) -> tuple[Finding, ...]:
    """Return the findings of a row that was checked by itself, with their places.

    ``row`` is its index among the rows and its line number; origins begin with the index.
    """
    found = tuple(findings)
    if not found:
        return found
    index, number = row
    file = _nearby(name)
    wanted = {finding.origin for finding in found if finding.origin is not None}
    places = _in_line(line, wanted, file, number)
    return tuple(
        replace(finding, origin=Pointer((index, *(finding.origin or ()))))
        for finding in _with(found, places, Place(file, number))
    )


def _with(
    findings: Iterable[Finding], places: Mapping[Pointer, Place], start: Place
) -> tuple[Finding, ...]:
    return tuple(
        replace(
            finding, place=start if finding.origin is None else places.get(finding.origin, start)
        )
        for finding in findings
    )


def _nearby(name: str) -> str:
    """Return the path relative to the working folder, as annotations need it, if it is inside."""
    path = Path(name).absolute()
    return path.relative_to(Path.cwd()).as_posix() if path.is_relative_to(Path.cwd()) else name


def _in_text(given: Input, wanted: set[Pointer], limits: Limits) -> dict[Pointer, Place]:
    if not Path(given.name).is_file():  # a pipe cannot be read twice
        return {}
    file, data = _nearby(given.name), read_bytes(given.name, limits)
    if is_yaml(given.name):
        marks = places_in_yaml(data, limits, wanted)
        return {pointer: Place(file, *mark) for pointer, mark in marks.items()}
    text = data.decode("utf-8-sig", "surrogateescape")
    starts = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))
    out: dict[Pointer, Place] = {}
    for pointer, span in spans(text, wanted).items():
        line = bisect_right(starts, span.start)
        out[pointer] = Place(file, line, span.start - starts[line - 1] + 1)
    return out


def _in_rows(given: Input, wanted: set[Pointer], limits: Limits) -> dict[Pointer, Place]:
    by_row: dict[int, list[Pointer]] = {}
    for pointer in wanted:
        if pointer:
            by_row.setdefault(int(pointer[0]), []).append(pointer)
    out: dict[Pointer, Place] = {}
    file = _nearby(given.name)
    for row, (number, line) in enumerate(raw_lines(given.name, limits)):
        inner = {Pointer(pointer[1:]): pointer for pointer in by_row.get(row, ())}
        places = _in_line(line, inner, file, number) if inner else {}
        out |= {inner[short]: place for short, place in places.items()}
    return out


def _in_line(
    line: bytes, wanted: Iterable[Pointer], file: str, number: int
) -> dict[Pointer, Place]:
    text = line.decode("utf-8-sig", "surrogateescape")
    found = spans(text, wanted).items()
    return {pointer: Place(file, number, span.start + 1) for pointer, span in found}
