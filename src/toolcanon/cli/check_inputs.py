"""What there is to check: files, pipes, live servers; and where in a file a finding stands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from toolcanon.cli.options import accepted
from toolcanon.diagnostics import Finding, Place
from toolcanon.jsonio import Limits, Pointer
from toolcanon.jsonio.spans import line_and_column, spans
from toolcanon.jsonio.types import Json
from toolcanon.sources import raw_lines, read_document, read_lines

STDIN: Final = "-"
_ROWS: Final = (".jsonl", ".ndjson")
_JSON: Final = ".json"


class Input(NamedTuple):
    """One thing to check."""

    name: str
    """A file as it was named, ``-``, or how a server was reached."""
    payload: Json
    is_file: bool = False
    is_live: bool = False

    @property
    def has_rows(self) -> bool:
        return self.name.removesuffix(".gz").endswith(_ROWS)


def from_file(path: str, limits: Limits, duplicate_keys: str) -> Input:
    """A document, or one of them a line."""
    is_file = path != STDIN
    if not Input(path, None).has_rows:
        loaded = read_document(path, limits, duplicates=duplicate_keys == "warn")
        return Input(path, accepted(loaded, limits), is_file)
    lines = read_lines(path, limits, duplicates=duplicate_keys == "warn")
    return Input(path, [accepted(loaded, limits) for _, loaded in lines], is_file)


def placed(findings: Iterable[Finding], given: Input, limits: Limits) -> tuple[Finding, ...]:
    """The findings with line and column, as far as the input has lines."""
    found = tuple(findings)
    if not given.is_file or not found:
        return found
    wanted = {finding.origin for finding in found if finding.origin is not None}
    places = _in_rows(given, wanted, limits) if given.has_rows else _in_text(given, wanted)
    start = Place(_nearby(given.name))
    return tuple(
        replace(
            finding, place=start if finding.origin is None else places.get(finding.origin, start)
        )
        for finding in found
    )


def _nearby(name: str) -> str:
    """The file as seen from here, which is what annotations need; as named when it is elsewhere."""
    path = Path(name).absolute()
    return path.relative_to(Path.cwd()).as_posix() if path.is_relative_to(Path.cwd()) else name


def _in_text(given: Input, wanted: set[Pointer]) -> dict[Pointer, Place]:
    if given.name.endswith((".yaml", ".yml")):
        return {}
    text = Path(given.name).read_text(encoding="utf-8-sig", errors="surrogateescape")
    found = spans(text, wanted)
    return {
        pointer: Place(_nearby(given.name), *line_and_column(text, span.start))
        for pointer, span in found.items()
    }


def _in_rows(given: Input, wanted: set[Pointer], limits: Limits) -> dict[Pointer, Place]:
    by_row: dict[int, list[Pointer]] = {}
    for pointer in wanted:
        if pointer:
            by_row.setdefault(int(pointer[0]), []).append(pointer)
    out: dict[Pointer, Place] = {}
    for row, (number, line) in enumerate(raw_lines(given.name, limits)):
        pointers = by_row.get(row, ())
        inner = {Pointer(pointer[1:]): pointer for pointer in pointers}
        text = line.decode("utf-8", "surrogateescape") if inner else ""
        for short, span in spans(text, inner).items() if inner else ():
            out[inner[short]] = Place(_nearby(given.name), number, span.start + 1)
    return out
