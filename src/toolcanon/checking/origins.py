"""From a place in a canonical tool back to the place in what was handed in.

Schemas are kept verbatim, so they are found by being the very same object; names and texts are
found by key and value. What was guessed in reading says itself where. No format need be asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from toolcanon.diagnostics import Fix
from toolcanon.formats.wire.extras import GUESSES
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json

_SCHEMAS: Final = frozenset({"inputs", "outputs"})
_EXTRAS: Final = "extras"
_CONTAINERS: Final = 6
"""How deep tools stand in requests and answers at most."""
_ENVELOPE: Final = 4
Member: TypeAlias = tuple[tuple[str | int, ...], Json]
"""A part of a definition, and where in it that stands."""


class Places:
    """What each tool is called in a report, and where its parts stand in what was given."""

    __slots__ = ("_labels", "_origins", "_tools", "doubled", "kept")

    def __init__(
        self, tools: Sequence[CanonicalTool], labels: Sequence[str], origins: Origins | None = None
    ) -> None:
        self._tools = tools
        self._labels = labels
        self._origins = origins
        self.doubled = _doubled(tools)
        """Tools whose name an earlier one has, with the number of that one."""
        self.kept = [number for number in range(len(tools)) if number not in self.doubled]
        """The others."""

    def of(self, number: int, at: Pointer) -> tuple[str, Pointer | None]:
        """The label of a tool, and the origin of one of its places."""
        origins = self._origins
        origin = None if origins is None else origins.of(number, self._tools[number], at)
        return self._labels[number], origin

    def of_fix(self, number: int, fix: Fix | None, at: Pointer) -> Fix | None:
        """A fix with its own origin; ``at`` is the place of the finding."""
        if fix is None or self._origins is None:
            return fix
        origin = self._origins.of_whole(number, self._tools[number], fix.at or at)
        return replace(fix, origin=origin)


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
        self._members: dict[int, list[Member]] = {}
        self._known: dict[tuple[int, Pointer], Pointer] = {}

    def of(self, number: int, tool: CanonicalTool, at: Pointer) -> Pointer | None:
        """The place in the payload; None where the tool does not stand in it as it is."""
        place = self._places[number]
        if place is None:
            return None
        known = self._known.get((number, at))  # most places have a finding for each target
        if known is None:
            known = self._known[number, at] = self._found(number, place, tool, at)
        return known

    def _found(
        self, number: int, place: tuple[str | int, ...], tool: CanonicalTool, at: Pointer
    ) -> Pointer:
        if number not in self._members:
            self._members[number] = list(members(self._definitions[number], (), _ENVELOPE))
        inner = _within(self._members[number], tool, at)
        return Pointer((*place, *inner)).as_far_as(self._payload)

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


def _doubled(tools: Sequence[CanonicalTool]) -> dict[int, int]:
    seen: dict[str, int] = {}
    found: dict[int, int] = {}
    for number, tool in enumerate(tools):
        first = seen.setdefault(tool.id, number)
        if first != number:
            found[number] = first
    return found


def _within(parts: list[Member], tool: CanonicalTool, at: Pointer) -> tuple[str | int, ...]:
    """The place in a definition, by its parts."""
    if not at:
        return ()
    field = at[0]
    if field == _EXTRAS:
        return _guessed(tool, at) or _left_over(parts, tool, at)
    value = tool.__dict__.get(str(field))
    if field in _SCHEMAS:
        found = next((place for place, part in parts if part is value), None)
        return () if found is None else (*found, *Pointer(at[1:]).as_far_as(value))
    if not isinstance(value, str) or not value:
        return ()
    places = [p for p, v in parts if v == value]
    return min(places, key=lambda place: (place[-1] != field, len(place)), default=())


def _guessed(tool: CanonicalTool, at: Pointer) -> tuple[str | int, ...]:
    """Where the definition left open what is noted at a place; nothing for other notes."""
    if at[-2:-1] != (GUESSES,):
        return ()
    try:
        return Pointer.parse(str(at.resolve(tool.__dict__)["at"]))
    except ValueError:  # formats come from anybody
        return ()


def _left_over(parts: list[Member], tool: CanonicalTool, at: Pointer) -> tuple[str | int, ...]:
    """Where a part of the definition stands that was kept as it is; nothing for our notes."""
    try:
        value = at.resolve(tool.__dict__)
    except LookupError:
        return ()
    return next((p for p, v in parts if p[-1] == at[-1] and (v is value or v == value)), ())


def _found(payload: Json, wanted: Iterable[Json]) -> dict[int, tuple[str | int, ...]]:
    """The places of objects of the payload, by identity."""
    ids = set(map(id, wanted))
    return {id(value): at for at, value in _objects(payload, (), _CONTAINERS, ids)}


def _parts(definition: Json) -> list[Member]:
    """What a definition is made of, and where in it that stands; scalars are anybody's."""
    return [(at, value) for at, value in members(definition, (), _ENVELOPE)
            if isinstance(value, dict | list)]  # fmt: skip


def _around(
    parts: list[Member], found: dict[int, tuple[str | int, ...]]
) -> tuple[str | int, ...] | None:
    """Where the whole would stand, by the first part that stands there as it does in the whole."""
    for at, value in parts:
        place = found.get(id(value))
        if place is not None and place[-len(at) :] == at:
            return place[: -len(at)]
    return None


def members(value: Json, at: tuple[str | int, ...], depth: int) -> Iterator[Member]:
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
