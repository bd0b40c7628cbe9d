"""Whether null is a valid value, and schemas with null added."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import ANNOTATIONS

NULL: Final[JsonObject] = {"type": "null"}
"""To be copied: what is written is for its owner to change."""
_DEEPEST: Final = 200
_COMPOUND: Final = frozenset({"anyOf", "oneOf", "allOf", "not", "$ref"})
_LISTING_OR_COMPOUND: Final = _COMPOUND | {"const", "enum"}


def takes_null(schema: Json, find: Callable[[Json], Json]) -> bool:
    """Whether a schema accepts null; ``find`` gives what a reference leads to, or None.

    >>> takes_null({"anyOf": [{"type": "string"}, {"type": "null"}]}, lambda ref: None)
    True
    """
    return _takes(schema, find, {}, _DEEPEST)


def _takes(schema: Json, find: Callable[[Json], Json], known: dict[str, bool], depth: int) -> bool:
    if schema.__class__ is not dict or depth == 0:
        return schema is True
    kind = schema.get("type")
    if kind is not None and kind != "null" and not (kind.__class__ is list and "null" in kind):
        return False
    if "enum" in schema and None not in schema["enum"]:
        return False
    if "const" in schema and schema["const"] is not None:
        return False
    ref = schema.get("$ref")
    if ref.__class__ is str:
        if ref not in known:
            known[ref] = False  # what leads only to itself takes nothing
            known[ref] = _takes(find(ref), find, known, depth - 1)
        if not known[ref]:
            return False
    if not all(_takes(part, find, known, depth - 1) for part in schema.get("allOf") or ()):
        return False
    for union in ("anyOf", "oneOf"):
        branches = schema.get(union)
        if branches and not any(_takes(branch, find, known, depth - 1) for branch in branches):
            return False
    refused = schema.get("not")
    return not (refused is not None and _takes(refused, find, known, depth - 1))


def with_null(schema: Json) -> JsonObject:
    """A schema that accepts null as well. It must not do so already.

    >>> with_null({"type": "string", "enum": ["a"]})
    {'type': ['string', 'null'], 'enum': ['a', None]}
    """
    if schema is False:
        return NULL.copy()
    kind = schema.get("type")
    if kind.__class__ is str and kind != "null" and _LISTING_OR_COMPOUND.isdisjoint(schema):
        return {**schema, "type": [kind, "null"]}  # as most are
    if kind is None or not _COMPOUND.isdisjoint(schema):
        unions = [key for key in ("anyOf", "oneOf") if key in schema]
        asserts = schema.keys() - ANNOTATIONS
        if unions and asserts == set(unions[:1]):
            return {**schema, unions[0]: [*schema[unions[0]], NULL.copy()]}
        said = {key: value for key, value in schema.items() if key in ANNOTATIONS}
        rest = {key: value for key, value in schema.items() if key not in ANNOTATIONS}
        return {"anyOf": [rest, NULL.copy()], **said}
    kinds = kind if kind.__class__ is list else [kind]
    out = {**schema, "type": kinds if "null" in kinds else [*kinds, "null"]}
    if "const" in out:
        out["enum"] = [out.pop("const")]
    if "enum" in out and None not in out["enum"]:
        out["enum"] = [*out["enum"], None]
    return out
