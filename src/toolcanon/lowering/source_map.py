"""The source map: original places of schemas and keywords that steps have moved or merged.

A schema that only moved is found by its identity. One that was made of several has one or more
places for each of its keywords, and a loss of a keyword is reported at each of them. A keyword that
none of the parts had belongs to the schemas themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple, TypeAlias

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import POSITIONS, Position
from toolcanon.schema.references import Place, subschemas
from toolcanon.schema.values import identity

_MAP: Final = Position.SCHEMA_MAP
_holds_none: Final = frozenset(POSITIONS).isdisjoint
_new = tuple.__new__  # a named tuple's own constructor costs twice as much
_MOST_LOOKS: Final = 65_536  # at parts, for what is left out of them


class SourcePlace(NamedTuple):
    """A place in the original, and the value there."""

    at: Place
    value: Json


Origins: TypeAlias = dict[str, list[SourcePlace]]
"""The original places of a schema's keywords; a keyword without one is new."""


class Homes:
    """The original places of one schema and of everything made of its parts."""

    __slots__ = ("_alive", "merged", "places")

    def __init__(self, schema: JsonObject) -> None:
        self.places: dict[int, Place] = {}
        """Of each schema, by identity."""
        self.merged: dict[int, Origins] = {}
        """Of keywords, where a schema was made of several."""
        self._alive: list[JsonObject] = []
        stack: list[tuple[JsonObject, Place]] = [(schema, ())]
        while stack:
            node, at = stack.pop()
            self.places[id(node)] = at
            if _holds_none(node):
                continue
            for key, value in node.items():
                position = POSITIONS.get(key)
                if position is None:
                    continue
                below: Iterable[tuple[str | int, Json]]
                if value.__class__ is list:
                    below = enumerate(value)
                elif value.__class__ is not dict:
                    continue
                elif position is _MAP:
                    below = value.items()
                else:
                    stack.append((value, (*at, key)))
                    continue
                stack += [(one, (*at, key, step)) for step, one in below if one.__class__ is dict]

    def place(self, schema: JsonObject, at: Place, origins: Origins | None = None) -> None:
        """Record a schema that was made from the one at a place."""
        self.places[id(schema)] = at
        if origins is not None:
            self.merged[id(schema)] = origins
        self._alive.append(schema)  # so that nothing else gets its identity

    def succeed(self, schema: JsonObject, heir: JsonObject) -> None:
        """Record that a schema replaces another, which may have been moved."""
        if id(schema) in self.places:
            self.place(heir, self.places[id(schema)], self.merged.get(id(schema)))

    def of(self, schema: JsonObject) -> Origins:
        """Return the original places of a schema's keywords, as far as they are known."""
        known = self.merged.get(id(schema))
        if known is not None:
            return known
        if id(schema) not in self.places:
            return {}
        at = self.places[id(schema)]
        return {key: [_new(SourcePlace, ((*at, key), value))] for key, value in schema.items()}

    def merge(
        self, made: Json, parts: Sequence[Json], owner: SourcePlace | None = None
    ) -> list[SourcePlace]:
        """Record that schemas were merged, with everything below them.

        Includes conjunctions inside the parts, and values that only one part allows. A new keyword
        belongs to its owner, or else to the parts.
        """
        gone: dict[int, SourcePlace] = {}
        stack: list[tuple[Json, Sequence[Json]]] = [(made, parts)]
        while stack:
            node, whole = stack.pop()
            if node.__class__ is not dict or id(node) in self.places:
                continue
            flat = list(self._flat(whole, gone)) if "allOf" not in node else _nodes(whole)
            origins: Origins = {}
            branches = set(map(id, node.get("anyOf") or ()))
            for part in flat:
                # A union that a branch is itself is not the one around it.
                around = {"anyOf"} if id(part) in branches else set()
                self._add(part, node.keys() - around, origins)
            said = {key for part in flat for key in part}
            for steps, below in subschemas(node):
                if below is False:
                    refused = [_held(part, steps) for part in flat]
                    for schema in _nodes(refused):
                        gone[id(schema)] = SourcePlace(self.places.get(id(schema), ()), schema)
                elif below.__class__ is dict and id(below) not in self.places:
                    known = steps[0] in said
                    inner = [_below(part, steps) for part in flat] if known else flat
                    stack.append((below, inner))
            at = next((self.places[id(part)] for part in flat if id(part) in self.places), ())
            hosts = [owner] if owner and node is made else self._hosts(flat)
            if hosts:
                self.place(node, at, {**dict.fromkeys(node, hosts), **origins})
        return list(gone.values())

    def _hosts(self, parts: Sequence[JsonObject]) -> list[SourcePlace]:
        """Return the parts themselves, as far as they are known."""
        return [
            SourcePlace(self.places[id(part)], part) for part in parts if id(part) in self.places
        ]

    def left_out(
        self, residue: Iterable[tuple[str, Json]], parts: Sequence[Json], otherwise: Place
    ) -> Iterator[SourcePlace]:
        """Yield where the parts had a value that their conjunction lacks; elsewhere if unknown."""
        ways: dict[str, list[Json]] = {}
        for way, value in residue:
            ways.setdefault(way, []).append(value)
        looks = _MOST_LOOKS
        for way, values in ways.items():
            *above, keyword = _steps(way)
            nodes = list(self._flat(parts, {})) if looks > 0 else []
            for steps in above:
                looks -= len(nodes)
                nodes = list(self._flat([_below(node, steps) for node in nodes], {}))
            looks -= len(nodes)
            said = [home for node in nodes for home in self._homes(node, str(keyword[0]))]
            wanted = set(map(identity, values))
            # A value that no part has was itself made of the values of several parts.
            exactly = [home for home in said if identity(home.value) in wanted]
            yield from exactly or said or [SourcePlace(otherwise, {way: value}) for value in values]

    def _homes(self, node: JsonObject, key: str) -> Sequence[SourcePlace]:
        """Return the original places of one keyword."""
        if id(node) in self.merged:
            return self.merged[id(node)].get(key, ())
        if key not in node or id(node) not in self.places:
            return ()
        return (SourcePlace((*self.places[id(node)], key), node[key]),)

    def _add(self, part: JsonObject, keys: AbstractSet[str], origins: Origins) -> None:
        """Add the original places of keywords that a node has from a part."""
        known = self.merged.get(id(part))
        if known is None and id(part) in self.places:
            at = self.places[id(part)]
            for key in part:
                if key in keys:
                    origins.setdefault(key, []).append(SourcePlace((*at, key), part[key]))
        elif known is not None:
            for key, homes in known.items():
                if key in keys:
                    origins.setdefault(key, []).extend(homes)

    def _flat(self, parts: Sequence[Json], gone: dict[int, SourcePlace]) -> Iterator[JsonObject]:
        """Yield the parts, and those of their own conjunctions."""
        waiting = _nodes(parts)[::-1]
        seen: set[int] = set()
        while waiting:
            part = waiting.pop()
            if id(part) in seen:
                continue
            seen.add(id(part))
            yield part
            inner = part.get("allOf")
            if inner.__class__ is list:
                for home in self.of(part).get("allOf", ()):
                    gone.setdefault(id(home.value), home)
                waiting += _nodes(inner)[::-1]


def _nodes(parts: Sequence[Json]) -> list[JsonObject]:
    return [part for part in parts if part.__class__ is dict]


def _steps(way: str) -> Iterator[Place]:
    """Yield the way of a residue, as the steps from schema to schema; the last leads to a keyword.

    >>> [*_steps("properties/a~1b/items/enum")]
    [('properties', 'a/b'), ('items',), ('enum',)]
    """
    rest = iter(step.replace("~1", "/").replace("~0", "~") for step in way.split("/"))
    for key in rest:
        inner = next(rest, None) if _is_table(key) else None
        if inner is None:
            yield (key,)
        else:
            yield (key, int(inner) if key == "prefixItems" else inner)


def _is_table(key: str) -> bool:
    """Return whether a keyword holds schemas by name or by number."""
    return key == "prefixItems" or POSITIONS.get(key) is Position.SCHEMA_MAP


def _below(part: JsonObject, steps: Place) -> Json:
    """Return the part's value at a place of the merged schema, or above it."""
    held = _held(part, steps)
    rest = _OTHERS.get(steps[0]) if held is None else None
    return part.get(rest) if rest else held


def _held(part: JsonObject, steps: Place) -> Json:
    """Return the part's own value at that place."""
    key, *last = steps
    held = part.get(str(key))
    if not last:
        return held
    (step,) = last
    if held.__class__ is dict:
        return held.get(step)
    if key == "prefixItems" and held.__class__ is list and isinstance(step, int):
        return held[step] if step < len(held) else None
    return None  # branches of unions have no order that would mean anything


_OTHERS: Final[dict[str | int, str]] = {
    "properties": "additionalProperties",
    "prefixItems": "items",
}
