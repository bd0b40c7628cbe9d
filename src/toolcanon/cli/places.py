"""Output files of a command: each output has its own file, and none replaces the input."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

import click

from toolcanon.sources import check_place

_STREAM = "-"


def check_places(
    given: Mapping[str, str | None], *, read: str | None = None, undone: str | None = None
) -> None:
    """Raise a usage error when two outputs share a file or an output cannot be written.

    ``given`` is by option. Only the payload, which is the first of them, may replace the ``read``
    file, because it is complete before it is written. No output may replace the receipt that is
    ``undone``.
    """
    payload = next(iter(given))
    places = {option: place for option, place in given.items() if place is not None}
    for option, place in places.items():
        if place == _STREAM:
            raise click.UsageError(f"{option} needs a file of its own")
        check_place(place)
        if option != payload and read not in {None, _STREAM} and _is_one_file(place, str(read)):
            raise click.UsageError(f"{option} is also the input: write to another file")
        if undone is not None and _is_one_file(place, undone):
            raise click.UsageError(f"{option} is the receipt that is read: write to another file")
    for (one, first), (two, second) in combinations(places.items(), 2):
        if _is_one_file(first, second):
            raise click.UsageError(f"{one} and {two} name the same file: use two files")


def _is_one_file(one: str, two: str) -> bool:
    first, second = Path(one), Path(two)
    if first.exists() and second.exists():
        return first.is_file() and first.samefile(second)  # two outputs may both go to /dev/null
    return first.resolve() == second.resolve()
