"""Subtypes: what a schema with a discriminator stands for when others name it in ``allOf``.

JSON Schema knows nothing of that: the base alone would be all there is. So where a base is used,
its subtypes stand as alternatives; where a subtype is made of it, it stays itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final

from toolcanon.formats.openapi.closures import Budget, Cost
from toolcanon.formats.openapi.document import COMPONENTS, Document, Steps
from toolcanon.jsonio.types import Json, JsonObject

_ONE: Final = ("not", "if", "then", "else")
_MANY: Final = ("allOf", "anyOf", "oneOf", "dependentSchemas")
_MOST_STEPS: Final = 1_000_000  # a document made to keep us busy loses its subtypes


def same_value(at: Steps, home: Steps) -> Iterator[Steps]:
    """The schemas around a place, within a home, that speak of the same value; itself first.

    >>> list(same_value(("items", "anyOf", 0), ()))
    [('items', 'anyOf', 0), ('items',)]
    """
    while len(at) > len(home):
        yield at
        if at[-1] in _ONE:
            at = at[:-1]
        elif at[-2:-1] and at[-2] in _MANY:
            at = at[:-2]
        else:
            return
    yield at


class Subtypes:
    """The subtypes of one document. Only components have some."""

    def __init__(self, document: Document, budget: Budget) -> None:
        self._document = document
        self._budget = budget
        self._known: dict[str, tuple[str, ...]] = {}
        self._reached: dict[str, set[Steps]] = {}
        self._left = _MOST_STEPS

    def of(self, name: str) -> tuple[str, ...]:
        """The components that may stand where a base is used; none when it is no base.

        First those of the mapping. The base is one of them unless a mapping leaves it out.
        """
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = self._find(name)
            self._budget.spend(Cost.HELD, len(known))
        return known

    def named(self, value: Json) -> str | None:
        """The component that a mapping names, by its name or by a reference."""
        if not isinstance(value, str):
            return None
        if value in self._document.schemas:
            return value
        found = self._document.find(value)
        is_component = found is not None and found.at[:-1] == COMPONENTS
        return str(found.at[-1]) if found is not None and is_component else None

    def leads_back(self, base: str, places: Iterable[Steps]) -> bool:
        """Whether a base with its subtypes comes back to one of the places with the same value."""
        if base not in self._reached:
            self._reached[base] = self._reach((*COMPONENTS, base))
        return self._left <= 0 or not self._reached[base].isdisjoint(places)

    def _find(self, name: str) -> tuple[str, ...]:
        base = self._document.schemas.get(name)
        if not isinstance(base, dict) or "anyOf" in base or "oneOf" in base:
            return ()
        stated = base.get("discriminator")
        if not isinstance(stated, dict) or not isinstance(stated.get("propertyName"), str):
            return ()
        mapped = [self.named(value) for value in mapping_of(stated).values()]
        found = dict.fromkeys(target for target in mapped if target is not None)
        found |= dict.fromkeys(self._descendants(name))
        if not found.keys() - {name}:
            return ()
        return tuple(found) if mapped else (*found, name)

    def _descendants(self, name: str) -> list[str]:
        found: set[str] = set()
        ahead = [name]
        while ahead:
            for child in self._children.get(ahead.pop(), ()):
                if child not in found and child != name:
                    found.add(child)
                    ahead.append(child)
        return sorted(found)

    @cached_property
    def _children(self) -> dict[str, list[str]]:
        """Who names a component in ``allOf``."""
        found: dict[str, list[str]] = {}
        for name, schema in self._document.schemas.items():
            parts = schema.get("allOf") if isinstance(schema, dict) else None
            for part in parts if isinstance(parts, list) else ():
                ref = part.get("$ref") if isinstance(part, dict) else None
                parent = self.named(ref) if isinstance(ref, str) and ref[:1] == "#" else None
                if parent is not None:
                    found.setdefault(parent, []).append(name)
        return found

    def _reach(self, start: Steps) -> set[Steps]:
        found = {start}
        ahead = [start]
        while ahead and self._left > 0:
            place = ahead.pop()
            further: dict[Steps, None] = {}
            if place[:-1] == COMPONENTS:
                further.update(((*COMPONENTS, name), None) for name in self.of(str(place[-1])))
            target = self._document.at(place)
            schema = None if target is None else target.value
            further.update((other, None) for other in self._referred(schema))
            self._left -= 1 + len(further)
            fresh = [other for other in further if other not in found]
            found.update(fresh)
            ahead += fresh
        return found

    def _referred(self, schema: Json) -> Iterator[Steps]:
        """Where a schema sends the same value on to."""
        stack = [schema]
        while stack:
            node = stack.pop()
            if not isinstance(node, dict):
                continue
            self._left -= 1
            ref = node.get("$ref")
            found = self._document.find(ref) if isinstance(ref, str) else None
            if found is not None:
                yield found.at
            stack += [node[key] for key in _ONE if key in node]
            for key in _MANY:
                stack += _items(node.get(key))


def _items(value: Json) -> Iterable[Json]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def mapping_of(discriminator: Json) -> JsonObject:
    """What a discriminator maps; nothing where there is none."""
    mapping = discriminator.get("mapping") if isinstance(discriminator, dict) else None
    return mapping if isinstance(mapping, dict) else {}
