"""The members that a schema declares for the object it applies to, wherever they stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.members import applied
from toolcanon.schema.keywords import ANNOTATIONS
from toolcanon.schema.references import subschemas

_HOPS: Final = 16
_DECLARING: Final = frozenset({"properties", "patternProperties"})
_UNIONS: Final = ("anyOf", "oneOf")
_INNER: Final = ("allOf", *_UNIONS)
_OPENING: Final = frozenset({"additionalProperties", "$ref", *_INNER})
_SILENT: Final = ANNOTATIONS | {"type", "required"}
_MOST: Final = 5_000
_PARTS: Final = frozenset({*_INNER, "then", "else", "dependentSchemas", "$defs"})
_UNDECIDED: Final = frozenset({"if", "not", "propertyNames"})
_OTHERS: Final = ("additionalProperties", "unevaluatedProperties")
_PREFIX: Final = "#/$defs/"


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
    return _closed(branch, _HOPS)


def _closed(branch: Json, hops: int) -> Json:
    if branch.__class__ is not dict or hops == 0:
        return branch
    if not branch.keys() & _DECLARING:
        union = next((key for key in _UNIONS if branch.keys() - ANNOTATIONS == {key}), None)
        if union is None or any("$ref" in part for part in branch[union] if part.__class__ is dict):
            return branch
        return {**branch, union: [_closed(part, hops - 1) for part in branch[union]]}
    if branch.keys().isdisjoint(_OPENING) or _declares_all(branch):
        return {**branch, "additionalProperties": False}
    return branch


def _declares_all(branch: JsonObject) -> bool:
    """Whether what stands beside the members of an object says nothing of others."""
    inner = [part for key in _INNER for part in branch.get(key) or ()]
    return branch.keys() & _OPENING <= {*_INNER} and all(
        part is True or (part.__class__ is dict and part.keys() <= _SILENT) for part in inner
    )


def only_declared(schema: JsonObject) -> JsonObject:
    """A schema as a closed target has it: objects that declare members take no others, deep inside.

    >>> only_declared({"items": {"properties": {"a": True}, "additionalProperties": True}})
    {'items': {'properties': {'a': True}, 'unevaluatedProperties': False}}
    """
    defs: JsonObject = schema.get("$defs") or {}

    def find(ref: Json) -> Json:
        return defs.get(ref.removeprefix(_PREFIX)) if ref.__class__ is str else None

    closed: JsonObject = _shut(schema, find)
    return closed


def _shut(schema: Json, find: Callable[[Json], Json]) -> Json:
    """A schema for a whole value."""
    if schema.__class__ is not dict:
        return schema
    parts = list(applied([schema], find))
    bare = schema.keys() - ANNOTATIONS - {"type"}
    whole = _UNIONS if len(bare) == 1 else ()  # of its branches each is all that is said
    out = _shut_below(schema, find, whole)
    if any(not part.keys().isdisjoint(_DECLARING) for part in parts):
        out.setdefault("unevaluatedProperties", False)
    return out


def _shut_below(schema: Json, find: Callable[[Json], Json], whole: tuple[str, ...] = ()) -> Json:
    """A schema for a value of which others speak as well, unless a keyword is ``whole``."""
    if schema.__class__ is not dict:
        return schema
    out = dict(schema)
    for steps, below in subschemas(schema):
        key, *rest = steps
        if key in _UNDECIDED:
            continue
        is_part = key in _PARTS and key not in whole
        new = _shut_below(below, find) if is_part else _shut(below, find)
        if not rest:
            out[key] = new
        else:
            if out[key] is schema[key]:
                out[key] = schema[key].copy()
            out[key][rest[0]] = new
    if not schema.keys().isdisjoint(_DECLARING):
        for key in _OTHERS:
            if key in out and (out[key] is True or out[key] == {}):
                del out[key]  # welcome, but not where only members can be sent that are declared
    return out
