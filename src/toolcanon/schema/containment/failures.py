"""Why one schema is not contained in another, as far as is known, with values that may prove it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, NamedTuple

from toolcanon.jsonio.types import Json
from toolcanon.schema.references import Place

_MOST: Final = 12


class Candidates:
    """Values for a proof, made when somebody asks for them: most are never needed."""

    __slots__ = ("_found", "_source")

    def __init__(self, source: Iterable[Json]) -> None:
        self._source = islice(source, _MOST)
        self._found: list[Json] = []

    def __iter__(self) -> Iterator[Json]:
        yield from self._found
        for value in self._source:
            self._found.append(value)
            yield value


class Failure(NamedTuple):
    """A keyword that could not be shown to hold."""

    at: Place
    """In the schema that should contain the other."""
    reason: str
    values: Candidates
    """Nobody has judged them."""


def failure(at: Place, reason: str, values: Iterable[Json] = ()) -> Failure:
    """A failure with a few candidates."""
    return Failure(at, reason, Candidates(values))
