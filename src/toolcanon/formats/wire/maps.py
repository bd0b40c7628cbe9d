"""Fields that hold a map of members by definition, where at times a whole schema stands instead."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from toolcanon.formats.wire.catalog import object_schema
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.loose import required_flags
from toolcanon.schema.property_maps import defined_map
from toolcanon.schema.type_texts import read_type
from toolcanon.schema.type_words import TYPE_WORDS


def from_map(value: JsonObject, named: AbstractSet[str] = frozenset()) -> JsonObject:
    """The schema of a map of members; one that is a schema already stays as it is.

    ``named`` are names of members that are known from elsewhere.

    >>> from_map({"items": {"type": "str"}})
    {'type': 'object', 'properties': {'items': {'type': 'str'}}}
    """
    return defined_map(value, named) or value


def is_map(value: JsonObject) -> bool:
    """Whether it is a map of members and no schema."""
    return defined_map(value) == object_schema(value)


def says_needed(member: Json) -> bool | None:
    """Whether a member says of itself that it must be given; None where it says nothing.

    >>> says_needed({"type": "str, optional"}), says_needed({"required": "yes"}), says_needed({})
    (False, True, None)
    """
    member = {"type": member} if isinstance(member, str) else member
    if not isinstance(member, dict):
        return None
    if member.get("required") is not None:
        moved = [after for _, after, _ in required_flags({"properties": {"it": member}}, None)]
        return "required" in moved[0] if moved else None
    kind = member.get("type")
    if not isinstance(kind, str) or kind.lower() in TYPE_WORDS:
        return None
    found = read_type(kind)
    return None if found is None else found.required
