"""Where schemas and their keywords stood at first, once steps move and merge them.

A schema that merely moved is known by what it is. One that was made of several has a home for each
of its keywords, or several: what becomes of a keyword is told at each place that said it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.path import Path
from toolcanon.schema.references import Place, subschemas


class Home(NamedTuple):
    """A place of the original, and what is said there."""

    at: Path
    value: Json


Origins: TypeAlias = dict[str, list[Home]]
"""The homes of a schema's keywords; one without any is new."""


class Homes:
    """The homes of one original and of whatever was made of its parts."""

    __slots__ = ("_alive", "merged", "places")

    def __init__(self, schema: JsonObject) -> None:
        self.places: dict[int, Path] = {}
        """Of each schema, by identity."""
        self.merged: dict[int, Origins] = {}
        """Of keywords, where a schema was made of several."""
        self._alive: list[JsonObject] = []
        stack: list[tuple[Json, Path]] = [(schema, None)]
        while stack:
            node, at = stack.pop()
            if node.__class__ is dict:
                self.places[id(node)] = at
                for steps, below in subschemas(node):
                    inner = at
                    for step in steps:
                        inner = (inner, step)
                    stack.append((below, inner))

    def place(self, schema: JsonObject, at: Path, origins: Origins | None = None) -> None:
        """A schema made from what stands there."""
        self.places[id(schema)] = at
        if origins is not None:
            self.merged[id(schema)] = origins
        self._alive.append(schema)  # so that nothing else gets its identity

    def succeed(self, schema: JsonObject, heir: JsonObject) -> None:
        """A schema takes the place of another that may have been moved."""
        if id(schema) in self.places:
            self.place(heir, self.places[id(schema)], self.merged.get(id(schema)))

    def of(self, schema: JsonObject) -> Origins:
        """The homes of a schema's keywords, as far as they are known."""
        known = self.merged.get(id(schema))
        if known is not None:
            return known
        if id(schema) not in self.places:
            return {}
        at = self.places[id(schema)]
        return {key: [Home((at, key), value)] for key, value in schema.items()}

    def merge(self, made: Json, parts: Sequence[Json]) -> list[Home]:
        """Schemas became one, and so did what is below; what went with that.

        Conjunctions inside the parts, and what one of them says of what another refuses.
        """
        gone: dict[int, Home] = {}
        stack = [(made, parts)]
        while stack:
            node, whole = stack.pop()
            if node.__class__ is not dict or id(node) in self.places:
                continue
            flat = list(self._flat(whole, gone)) if "allOf" not in node else _nodes(whole)
            origins: Origins = {}
            for part in flat:
                self._add(part, node, origins)
            for steps, below in subschemas(node):
                if below is False:
                    refused = [_held(part, steps) for part in flat]
                    for said in _nodes(refused):
                        gone[id(said)] = Home(self.places.get(id(said)), said)
                elif below.__class__ is dict and id(below) not in self.places:
                    stack.append((below, [_below(part, steps) for part in flat]))
            at = next((self.places[id(part)] for part in flat if id(part) in self.places), None)
            if origins:
                self.place(node, at, origins)
        return list(gone.values())

    def _add(self, part: JsonObject, node: JsonObject, origins: Origins) -> None:
        """The homes of what a node has from a part."""
        known = self.merged.get(id(part))
        if known is None and id(part) in self.places:
            at = self.places[id(part)]
            for key in part:
                if key in node:
                    origins.setdefault(key, []).append(Home((at, key), part[key]))
        elif known is not None:
            for key, homes in known.items():
                if key in node:
                    origins.setdefault(key, []).extend(homes)

    def _flat(self, parts: Sequence[Json], gone: dict[int, Home]) -> Iterator[JsonObject]:
        """The parts, and those of their own conjunctions."""
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


def _below(part: JsonObject, steps: Place) -> Json:
    """What a part says of that of which a merged schema says something there."""
    held = _held(part, steps)
    rest = _OTHERS.get(steps[0]) if held is None else None
    return part.get(rest) if rest else held


def _held(part: JsonObject, steps: Place) -> Json:
    """What a part says there itself."""
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
