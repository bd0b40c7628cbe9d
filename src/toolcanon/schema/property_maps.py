"""Schemas that are only the map of their members: ``{"city": {"type": "string"}}``.

Read by the letter they are empty: every member is a keyword nobody knows. Catalogs mean an object
with these members. It is told by what stands there, and only of a whole schema, never inside one.
"""

from __future__ import annotations

from typing import Final

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import ANNOTATIONS, APPLIES, PLAIN, POSITIONS, TYPES
from toolcanon.schema.type_words import TYPE_WORDS

_KEYWORDS: Final = frozenset({*POSITIONS, *APPLIES, *PLAIN, *ANNOTATIONS, "enum", "nullable", "id"})
_SAYING: Final = frozenset(
    {"type", "description", "enum", "anyOf", "oneOf", "allOf", "$ref", "properties", "items"}
)
"""Keywords by which one knows a schema."""
_NEVER_OBJECTS: Final = frozenset(
    "type title description format pattern enum required examples deprecated readOnly writeOnly "
    "minLength maxLength minItems maxItems minimum maximum exclusiveMinimum exclusiveMaximum "
    "multipleOf uniqueItems minProperties maxProperties nullable id".split()
)
"""Keywords that no schema can be the value of, so that it is a member's."""
_STRUCTURAL: Final = frozenset(
    "anyOf oneOf allOf not if then else patternProperties additionalProperties definitions "
    "dependencies".split()
)


def property_map(schema: JsonObject) -> JsonObject | None:
    """The object schema that a bare map of members stands for; None for anything else.

    >>> property_map({"city": {"type": "string"}, "required": ["city"]})
    {'type': 'object', 'required': ['city'], 'properties': {'city': {'type': 'string'}}}
    >>> property_map({"properties": {"city": {"type": "string"}}})
    """
    if not schema or isinstance(schema.get("type"), (str, list)):
        return None
    if "properties" in schema and not _is_member(schema["properties"]):
        return None
    members: JsonObject = {}
    rest: JsonObject = {}
    for key, value in schema.items():
        if key[:1] == "$" or (key in _STRUCTURAL and not _is_member(value)):
            return None
        (members if _names_member(key, value) else rest)[key] = value
    certain = any(_is_schema(value) and _tells(key) for key, value in members.items())
    # {"city": "string", "days": "int"}, with nothing beside it but what is required
    texts = bool(members) and rest.keys() <= {"required"} and _KEYWORDS.isdisjoint(members)
    if not (certain or texts) or not _KEYWORDS.issuperset(rest):
        return None
    return {"type": "object", **rest, "properties": members}


def _tells(key: str) -> bool:
    """Whether a schema under this key can be nothing but a member's."""
    return key not in _KEYWORDS or key in _NEVER_OBJECTS or key == "properties"


def _names_member(key: str, value: Json) -> bool:
    if key not in _KEYWORDS:
        return key[:2] != "x-" and isinstance(value, (dict, str))
    return _is_schema(value) if key in _NEVER_OBJECTS else _is_member(value)


def _is_schema(value: Json) -> bool:
    """Whether a value can only be a schema."""
    return (
        isinstance(value, dict)
        and not _SAYING.isdisjoint(value)
        and isinstance(value.get("type", ""), (str, list))
        and isinstance(value.get("description", ""), str)
    )


def _is_member(value: Json) -> bool:
    """The same, where a map of members stands as well: it must name a type that is known."""
    if not _is_schema(value) or not _KEYWORDS.issuperset(value):
        return False
    kind = value.get("type")
    return isinstance(kind, str) and (kind in TYPES or kind.strip().lower() in TYPE_WORDS)
