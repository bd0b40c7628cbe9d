"""Fields that hold a map of members by definition, where at times a whole schema stands instead."""

from __future__ import annotations

from toolcanon.formats.wire.catalog import object_schema
from toolcanon.jsonio.types import JsonObject
from toolcanon.schema.property_maps import holds_members, property_map


def from_map(value: JsonObject) -> JsonObject:
    """The schema of a map of members; one that is a schema already stays as it is.

    >>> from_map({"items": {"type": "str"}})
    {'type': 'object', 'properties': {'items': {'type': 'str'}}}
    """
    return object_schema(value) if is_map(value) else value


def is_map(value: JsonObject) -> bool:
    """Whether it is a map of members and no schema."""
    return holds_members(value) or property_map(value) == object_schema(value)
