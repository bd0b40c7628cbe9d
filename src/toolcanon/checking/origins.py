"""From a place in a canonical tool back to the place in what was handed in.

Schemas are kept verbatim, so they are found by being the very same object; names and texts are
found by key and value. What was guessed in reading says itself where. No format need be asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from toolcanon.formats.wire.extras import GUESSES
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json

_SCHEMAS: Final = frozenset({"inputs", "outputs"})
_EXTRAS: Final = "extras"
_CONTAINERS: Final = 6
"""How deep tools stand in requests and answers at most."""
_ENVELOPE: Final = 4


class Origins:
    """Where the tools of one payload stand in it."""

    def __init__(self, payload: Json, definitions: Sequence[Json]) -> None:
        """``definitions`` are the very objects that tools were read from, one for each tool.

        One that a reader put together, as of a document with many tools, stands where its parts do.
        """
        found = _found(payload, definitions)
        self._places = [found.get(id(definition)) for definition in definitions]
        apart = {number: _parts(definitions[number])
                 for number, place in enumerate(self._places) if place is None}  # fmt: skip
        if apart:
            found = _found(payload, (part for parts in apart.values() for _, part in parts))
            for number, parts in apart.items():
                self._places[number] = _around(parts, found)
        self._payload = payload
        self._definitions = definitions
        self._schemas: dict[tuple[int, str], tuple[str | int, ...] | None] = {}

    def of(self, number: int, tool: CanonicalTool, at: Pointer) -> Pointer | None:
        """The place in the payload; None where the tool does not stand in it as it is."""
        place, definition = self._places[number], self._definitions[number]
        if place is None:
            return None
        if at and at[0] in _SCHEMAS:
            inner = self._in_schema(number, tool, at)
        else:
            inner = _within(definition, tool, at)
        return Pointer((*place, *inner)).as_far_as(self._payload)

    def _in_schema(self, number: int, tool: CanonicalTool, at: Pointer) -> tuple[str | int, ...]:
        """The place in a definition of a part of a schema, whose own place is looked up once."""
        field = str(at[0])
        value = tool.__dict__.get(field)
        key = (number, field)
        if key not in self._schemas:
            parts = members(self._definitions[number], (), _ENVELOPE)
            self._schemas[key] = next((place for place, part in parts if part is value), None)
        found = self._schemas[key]
        return () if found is None else (*found, *Pointer(at[1:]).as_far_as(value))

    def of_whole(self, number: int, tool: CanonicalTool, at: Pointer) -> Pointer | None:
        """The same, for whoever wants to change it: None when only a part of the way is there."""
        place = self.of(number, tool, at)
        if place is None:
            return None
        try:
            value = place.resolve(self._payload)
            return place if value == at.resolve(tool.__dict__) else None
        except LookupError:
            return None


def _within(definition: Json, tool: CanonicalTool, at: Pointer) -> tuple[str | int, ...]:
    if not at:
        return ()
    field = at[0]
    if field == _EXTRAS:
        return _guessed(tool, at) or _left_over(definition, tool, at)
    value = tool.__dict__.get(str(field))
    if not isinstance(value, str) or not value:
        return ()
    places = [p for p, v in members(definition, (), _ENVELOPE) if v == value]
    return min(places, key=lambda place: (place[-1] != field, len(place)), default=())


def _guessed(tool: CanonicalTool, at: Pointer) -> tuple[str | int, ...]:
    """Where the definition left open what is noted at a place; nothing for other notes."""
    if at[-2:-1] != (GUESSES,):
        return ()
    try:
        return Pointer.parse(str(at.resolve(tool.__dict__)["at"]))
    except ValueError:  # formats come from anybody
        return ()


def _left_over(definition: Json, tool: CanonicalTool, at: Pointer) -> tuple[str | int, ...]:
    """Where a part of the definition stands that was kept as it is; nothing for our notes."""
    try:
        value = at.resolve(tool.__dict__)
    except LookupError:
        return ()
    places = members(definition, (), _ENVELOPE)
    return next((p for p, v in places if p[-1] == at[-1] and (v is value or v == value)), ())


def _found(payload: Json, wanted: Iterable[Json]) -> dict[int, tuple[str | int, ...]]:
    """The places of objects of the payload, by identity."""
    ids = set(map(id, wanted))
    return {id(value): at for at, value in _objects(payload, (), _CONTAINERS, ids)}


def _parts(definition: Json) -> list[tuple[tuple[str | int, ...], Json]]:
    """What a definition is made of, and where in it that stands; scalars are anybody's."""
    return [(at, value) for at, value in members(definition, (), _ENVELOPE)
            if isinstance(value, dict | list)]  # fmt: skip


def _around(
    parts: list[tuple[tuple[str | int, ...], Json]], found: dict[int, tuple[str | int, ...]]
) -> tuple[str | int, ...] | None:
    """Where the whole would stand, by the first part that stands there as it does in the whole."""
    for at, value in parts:
        place = found.get(id(value))
        if place is not None and place[-len(at) :] == at:
            return place[: -len(at)]
    return None


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
