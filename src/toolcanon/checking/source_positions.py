"""Source positions: from a place in a canonical tool to the place in the given payload.

Schemas are kept verbatim, so they are found by identity; names and texts are found by key and
value. Notes on guesses contain their own place. No format is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from toolcanon.diagnostics import Fix
from toolcanon.formats.wire.format import GUESSES
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json

_SCHEMAS: Final = frozenset({"inputs", "outputs"})
_EXTRAS: Final = "extras"
_CONTAINERS: Final = 6
"""The largest depth at which requests and answers contain tools."""
_ENVELOPE: Final = 4
Member: TypeAlias = tuple[tuple[str | int, ...], Json]
"""A part of a definition, and its path in the definition."""


class Places:
    """The labels of tools in a report, and the positions of their parts in the given payload."""

    __slots__ = ("_labels", "_origins", "_tools", "doubled", "kept")

    def __init__(
        self, tools: Sequence[CanonicalTool], labels: Sequence[str], origins: Origins | None = None
    ) -> None:
        self._tools = tools
        self._labels = labels
        self._origins = origins
        self.doubled = _doubled(tools)
        """Tools with the name of an earlier one, with the number of that one."""
        self.kept = [number for number in range(len(tools)) if number not in self.doubled]
        """The numbers of the other tools."""

    def of(self, number: int, at: Pointer) -> tuple[str, Pointer | None]:
        """Return the label of a tool, and the origin of one of its places."""
        origins = self._origins
        origin = None if origins is None else origins.of(number, self._tools[number], at)
        return self._labels[number], origin

    def of_fix(self, number: int, fix: Fix | None, at: Pointer) -> Fix | None:
        """Return a fix with its own origin; ``at`` is the place of the finding."""
        if fix is None or self._origins is None:
            return fix
        origin = self._origins.of_whole(number, self._tools[number], fix.at or at)
        return replace(fix, origin=origin)


class Origins:
    """The positions of the tools of one payload."""

    def __init__(self, payload: Json, definitions: Sequence[Json]) -> None:
        """``definitions`` are the objects that tools were read from, one for each tool.

        One that a reader assembled, as from a document with many tools, is located by its parts.
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
        """Return the place in the payload; None where the payload does not have that part as is."""
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
        """Return the place for an edit: None when only a part of the path is in the payload."""
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
    """Return the path of a place in a definition, by its parts."""
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
    """Return the path in the definition that a note on a guess is about; empty for other notes."""
    if at[-2:-1] != (GUESSES,):
        return ()
    try:
        return Pointer.parse(str(at.resolve(tool.__dict__)["at"]))
    except ValueError:  # plugins may write other places
        return ()


def _left_over(parts: list[Member], tool: CanonicalTool, at: Pointer) -> tuple[str | int, ...]:
    """Return the path of a kept part of the definition; empty for our notes."""
    try:
        value = at.resolve(tool.__dict__)
    except LookupError:
        return ()
    return next((p for p, v in parts if p[-1] == at[-1] and (v is value or v == value)), ())


def _found(payload: Json, wanted: Iterable[Json]) -> dict[int, tuple[str | int, ...]]:
    """Return the paths of objects of the payload, by identity."""
    ids = set(map(id, wanted))
    return {id(value): at for at, value in _objects(payload, (), _CONTAINERS, ids)}


def _parts(definition: Json) -> list[Member]:
    """Return the containers in a definition, with their paths; scalars have no identity."""
    return [(at, value) for at, value in members(definition, (), _ENVELOPE)
            if isinstance(value, dict | list)]  # fmt: skip


def _around(
    parts: list[Member], found: dict[int, tuple[str | int, ...]]
) -> tuple[str | int, ...] | None:
    """Return the path of the whole, by the first part that is at the same relative path."""
    for at, value in parts:
        place = found.get(id(value))
        if place is not None and place[-len(at) :] == at:
            return place[: -len(at)]
    return None


def members(value: Json, at: tuple[str | int, ...], depth: int) -> Iterator[Member]:
    """Yield the members of an object and of the objects in it, outer ones first."""
    if not depth or not isinstance(value, dict):
        return
    for key, item in value.items():
        yield (*at, key), item
    for key, item in value.items():
        yield from members(item, (*at, key), depth - 1)


def _objects(
    value: Json, at: tuple[str | int, ...], depth: int, wanted: set[int]
) -> Iterator[tuple[tuple[str | int, ...], Json]]:
    """Yield the wanted objects, without a search inside them."""
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
