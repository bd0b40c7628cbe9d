"""Texts where schemas belong: ``"items": "string"``, ``"anyOf": ["str", "int"]``, ``"a": "int"``.

A text that is a type is read as one. Of a member it is the description otherwise; anywhere else it
stays, and whoever leaves it out tells so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import POSITIONS, Position
from toolcanon.schema.loose import Rewrite
from toolcanon.schema.type_texts import read_type
from toolcanon.schema.type_words import TYPE_WORDS

HOLDERS: Final = frozenset(POSITIONS) - {"properties", "dependencies"}
"""Keywords with schemas in them. A text among the dependencies is a name."""
_BOOLEANS: Final = {"true": True, "false": False}


def member_texts(node: JsonObject, _draft: object) -> Iterator[Rewrite]:
    """A member that is a text: its type if the text is one, its description otherwise."""
    members = node.get("properties")
    if isinstance(members, dict) and has_texts(members):
        new = {
            name: {"type" if _is_type(member) else "description": member}
            if isinstance(member, str)
            else member
            for name, member in members.items()
        }
        yield members, new, "properties"


def schema_texts(node: JsonObject, _draft: object) -> Iterator[Rewrite]:
    """A type in place of any other schema, or of one in a list or a map of them."""
    for key, value in node.items():
        new = _below(POSITIONS[key], value) if key in HOLDERS else value
        if new != value:
            yield value, new, key


def _below(position: Position, value: Json) -> Json:
    """What a keyword holds, with texts read that are types."""
    if isinstance(value, str):
        new = _schema(value)
        return [new] if position is Position.SCHEMAS and new is not value else new
    if not holds_text(value):
        return value
    if isinstance(value, list):  # a null in YAML
        return [{"type": "null"} if one is None else _schema(one) for one in value]
    is_map = position is Position.SCHEMA_MAP
    return {name: _schema(one) for name, one in value.items()} if is_map else value


def listed_items(node: JsonObject, _draft: object) -> Iterator[Rewrite]:
    """Types in a list for items: one is that of all items, several are those of the places.

    They may as well be all the types that any item may have, hence a guess.
    """
    items = node.get("items")
    if isinstance(items, list) and items and all(map(_is_type, items)):
        types: list[Json] = [{"type": text} for text in items]
        yield items, types if len(types) > 1 else types[0], "items"


def _schema(value: Json) -> Json:
    """A text as the schema it stands for; anything else as it is."""
    if not isinstance(value, str):
        return value
    if value.strip().lower() in _BOOLEANS:
        return _BOOLEANS[value.strip().lower()]
    return {"type": value} if _is_type(value) else value


def _is_type(text: Json) -> bool:
    return isinstance(text, str) and (
        text.strip().lower() in TYPE_WORDS or read_type(text) is not None
    )


def has_texts(members: Json) -> bool:
    """Whether any member is a text instead of a schema."""
    return members.__class__ is dict and any(member.__class__ is str for member in members.values())


def holds_text(value: Json) -> bool:
    """Whether what should be a schema, or a list or a map of them, is a text or has one in it."""
    if value.__class__ is list:
        return any(one.__class__ is str for one in value)
    return value.__class__ is str or has_texts(value)
