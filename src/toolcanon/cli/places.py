"""Where a command writes: each thing has a file of its own, and none of them is what was read."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

import click

from toolcanon.sources import check_place

_STREAM = "-"


def check_places(given: Mapping[str, str | None], *, read: str | None = None) -> None:
    """Refuse what could not be written later; one file would hold only what was written last.

    ``given`` is by option. Only the payload, which is the first of them, may replace what was
    ``read``: it is there when all of it is written.
    """
    payload = next(iter(given))
    places = {option: place for option, place in given.items() if place is not None}
    for option, place in places.items():
        if place == _STREAM:
            raise click.UsageError(f"{option} needs a file of its own")
        check_place(place)
        if option != payload and read not in {None, _STREAM} and _is_one_file(place, str(read)):
            raise click.UsageError(f"{option} is the file that is read")
    for (one, first), (two, second) in combinations(places.items(), 2):
        if _is_one_file(first, second):
            raise click.UsageError(f"{one} and {two} are the same file")


def _is_one_file(one: str, two: str) -> bool:
    first, second = Path(one), Path(two)
    if first.exists() and second.exists():
        return first.is_file() and first.samefile(second)  # /dev/null takes everything
    return first.resolve() == second.resolve()
