"""The members that a schema declares for the object it applies to, wherever they stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from toolcanon.jsonio.types import Json, JsonObject

_HOPS: Final = 16
_DECLARING: Final = frozenset({"properties", "patternProperties"})
_OPENING: Final = frozenset({"additionalProperties", "anyOf", "oneOf", "allOf", "$ref"})
_MOST: Final = 5_000


def declared(part: Json, find: Callable[[Json], Json]) -> JsonObject:
    """Every member with its schema; a union where several places say different things."""
    found: dict[str, list[Json]] = {}
    _collect(part, found, _once(find), _HOPS)
    return {
        name: schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
        for name, schemas in found.items()
    }


def _once(find: Callable[[Json], Json]) -> Callable[[Json], Json]:
    """What a reference leads to, the first time; nothing after that, since it was collected."""
    seen: set[str] = set()

    def find_once(ref: Json) -> Json:
        if ref in seen:
            return None
        seen.add(ref)
        return find(ref)

    return find_once


def _collect(
    part: Json, found: dict[str, list[Json]], find: Callable[[Json], Json], hops: int
) -> None:
    if part.__class__ is not dict or hops == 0 or len(found) > _MOST:
        return
    for name, schema in (part.get("properties") or {}).items():
        held = found.setdefault(name, [])
        plain = {} if schema is True else schema
        if plain is not False and plain not in held:
            held.append(plain)
        if not held:
            del found[name]
    for key in ("then", "else"):
        _collect(part.get(key), found, find, hops - 1)
    for schema in (part.get("dependentSchemas") or {}).values():
        _collect(schema, found, find, hops - 1)
    for key in ("allOf", "anyOf", "oneOf"):
        for inner in part.get(key) or ():
            _collect(inner, found, find, hops - 1)
    if "$ref" in part:
        _collect(find(part["$ref"]), found, find, hops - 1)


def by_declared(branch: Json, find: Callable[[Json], Json]) -> Json:
    """A schema read by its declared members: an object that says nothing of others is closed."""
    for _ in range(_HOPS):
        if branch.__class__ is not dict or "$ref" not in branch or len(branch) > 1:
            break
        branch = find(branch["$ref"])
    if branch.__class__ is dict and branch.keys() & _DECLARING and not branch.keys() & _OPENING:
        return {**branch, "additionalProperties": False}
    return branch
