"""What there is to check: files, pipes, modules, servers; and where in a file a finding stands."""

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
    """One thing to check."""

    name: str
    """A file as it was named, ``-``, or how a server was reached."""
    payload: Json
    is_file: bool = False
    is_live: bool = False
    in_lines: bool = False
    """Whether each member of the payload is a line, whatever the name says."""

    @property
    def has_rows(self) -> bool:
        return self.in_lines or has_rows(self.name)


class Rows(NamedTuple):
    """Documents one a line, each a thing to check by itself; they are read on the way."""

    name: str
    lines: Iterator[tuple[int, bytes]]
    """With their numbers, from 1."""
    is_file: bool = False


def has_rows(name: str) -> bool:
    """Whether a file holds one document a line, by its name."""
    return name.removesuffix(PACKED).endswith(_ROWS)


def from_file(path: str, limits: Limits, duplicate_keys: str) -> Input:
    """A document, or all that stand one a line as one list."""
    is_file = path != STDIN
    if not has_rows(path):
        loaded = read_document(path, limits, duplicates=duplicate_keys == "warn")
        return Input(path, accepted(loaded, limits), is_file)
    lines = read_lines(path, limits, duplicates=duplicate_keys == "warn")
    return Input(path, [accepted(loaded, limits) for _, loaded in lines], is_file)


def opened(path: str, limits: Limits, duplicate_keys: str) -> Input | Rows:
    """A document, or rows: told by the name, or by looking when the name does not say."""
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
    """The tools of a Python module, which is imported."""
    from toolcanon.sources.modules import toolset_of  # noqa: PLC0415 - heavy

    return Input(word, [tool.to_dict() for tool in toolset_of(word).tools])


def placed(findings: Iterable[Finding], given: Input, limits: Limits) -> tuple[Finding, ...]:
    """The findings with line and column, as far as the input has lines."""
    found = tuple(findings)
    if not given.is_file or not found:
        return found
    wanted = {finding.origin for finding in found if finding.origin is not None}
    places = _in_rows(given, wanted, limits) if given.has_rows else _in_text(given, wanted, limits)
    return _with(found, places, Place(_nearby(given.name)))


def placed_in_row(
    findings: Iterable[Finding], name: str, row: tuple[int, int], line: bytes
) -> tuple[Finding, ...]:
    """The findings of a row that was judged by itself.

    ``row`` is its index among the rows and the number of its line; origins lead through the former.
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
    """The file as seen from here, which is what annotations need; as named when it is elsewhere."""
    path = Path(name).absolute()
    return path.relative_to(Path.cwd()).as_posix() if path.is_relative_to(Path.cwd()) else name


def _in_text(given: Input, wanted: set[Pointer], limits: Limits) -> dict[Pointer, Place]:
    if not Path(given.name).is_file():  # a pipe is empty when it is read again
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
