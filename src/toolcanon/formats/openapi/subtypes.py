"""Subtypes: the schemas that a discriminator's base includes because they name it in ``allOf``.

JSON Schema does not have that: the base alone would be valid. So where a base is used, its subtypes
are alternatives; where a subtype is derived from it, it stays alone.
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
_MOST_STEPS: Final = 1_000_000  # beyond this limit a document loses its subtypes


def same_value(at: Steps, home: Steps) -> Iterator[Steps]:
    """Yield the schemas around a place, within a home, that apply to the same value; itself first.

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
        """Return the components that may replace a base; empty when it is no base.

        Those of the mapping come first. The base is one of them unless a mapping omits it.
        """
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = self._find(name)
            self._budget.spend(Cost.HELD, len(known))
        return known

    def named(self, value: Json) -> str | None:
        """Return the component that a mapping names, by its name or by a reference."""
        if not isinstance(value, str):
            return None
        if value in self._document.schemas:
            return value
        found = self._document.find(value)
        is_component = found is not None and found.at[:-1] == COMPONENTS
        return str(found.at[-1]) if found is not None and is_component else None

    def leads_back(self, base: str, places: Iterable[Steps]) -> bool:
        """Return whether a base with its subtypes leads back to a place with the same value."""
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
        """The components that name a component in ``allOf``."""
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
        """Yield the places that a schema passes the same value to."""
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
    """Return the mapping of a discriminator; empty without one."""
    mapping = discriminator.get("mapping") if isinstance(discriminator, dict) else None
    return mapping if isinstance(mapping, dict) else {}
