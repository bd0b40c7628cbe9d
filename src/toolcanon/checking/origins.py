"""From a place in a canonical tool back to the place in what was handed in.

Schemas are kept verbatim, so they are found by being the very same object; names and texts are
found by key and value. No format need be asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json

_SCHEMAS: Final = frozenset({"inputs", "outputs"})
_CONTAINERS: Final = 6
"""How deep tools stand in requests and answers at most."""
_ENVELOPE: Final = 4


class Origins:
    """Where the tools of one payload stand in it."""

    def __init__(self, payload: Json, definitions: Sequence[Json]) -> None:
        """``definitions`` are the very objects that tools were read from, one for each tool."""
        wanted = {id(definition) for definition in definitions}
        found = {id(value): at for at, value in _objects(payload, (), _CONTAINERS, wanted)}
        self._places = [found.get(id(definition)) for definition in definitions]
        self._definitions = definitions

    def of(self, number: int, tool: CanonicalTool, at: Pointer) -> Pointer | None:
        """The place in the payload; None where the tool does not stand in it as it is."""
        place, definition = self._places[number], self._definitions[number]
        if place is None:
            return None
        return Pointer((*place, *_within(definition, tool, at)))

    def of_whole(self, number: int, tool: CanonicalTool, at: Pointer) -> Pointer | None:
        """The same, for whoever wants to change it: None when only a part of the way is there."""
        place = self.of(number, tool, at)
        found = self._places[number]
        if place is None or found is None:
            return None
        try:
            value = Pointer(place[len(found) :]).resolve(self._definitions[number])
            return place if value == at.resolve(tool.__dict__) else None
        except LookupError:
            return None


def _within(definition: Json, tool: CanonicalTool, at: Pointer) -> tuple[str | int, ...]:
    if not at:
        return ()
    field, *rest = at
    value = tool.__dict__.get(str(field))
    if field in _SCHEMAS:
        found = next((p for p, v in members(definition, (), _ENVELOPE) if v is value), None)
        return () if found is None else (*found, *Pointer(rest).as_far_as(value))
    if not isinstance(value, str) or not value:
        return ()
    places = [p for p, v in members(definition, (), _ENVELOPE) if v == value]
    return min(places, key=lambda place: (place[-1] != field, len(place)), default=())


def members(
    value: Json, at: tuple[str | int, ...], depth: int
) -> Iterator[tuple[tuple[str | int, ...], Json]]:
    """Everything in an object, nearest first within each level of nesting."""
    if not depth or not isinstance(value, dict):
        return
    for key, item in value.items():
        yield (*at, key), item
    for key, item in value.items():
        yield from members(item, (*at, key), depth - 1)


def _objects(
    value: Json, at: tuple[str | int, ...], depth: int, wanted: set[int]
) -> Iterator[tuple[tuple[str | int, ...], Json]]:
    """The wanted objects; nothing is looked for inside them."""
    if id(value) in wanted:
        yield at, value
    elif depth and isinstance(value, dict):
        for key, item in value.items():
            if isinstance(item, dict | list):
                yield from _objects(item, (*at, key), depth - 1, wanted)
    elif depth and isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, dict | list):
                yield from _objects(item, (*at, index), depth - 1, wanted)
