"""One walk instead of two: is a schema 2020-12 as it stands, and every keyword sound?

Nearly all are; for them ``upgrade`` and ``sound`` would look at every node only to hand it back.
Wrong only on the safe side: what cannot be told at a glance is left to those two.
"""

from __future__ import annotations

from typing import Final

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.drafts import is_latest
from toolcanon.schema.keywords import POSITIONS, TYPES, Position
from toolcanon.schema.legacy import BOUNDS, LEGACY_KEYWORDS
from toolcanon.schema.modern import is_plain_word
from toolcanon.schema.property_maps import property_map
from toolcanon.schema.sound import CHECKED, TEXTS, is_sound

_SCHEMA, _LIST, _MAP = int(Position.SCHEMA), int(Position.SCHEMAS), int(Position.SCHEMA_MAP)
_TYPE, _TEXT, _NUMBER, _OTHER, _REFERENCE, _LEGACY, _LABEL = range(10, 17)

# What to look at: one lookup per keyword, nothing for those that may say anything.
_LOOK: Final[dict[str, int]] = (
    dict.fromkeys(CHECKED, _OTHER)
    | dict.fromkeys(BOUNDS, _NUMBER)
    | dict.fromkeys(TEXTS, _TEXT)
    | {key: int(position) for key, position in POSITIONS.items()}
    | dict.fromkeys(LEGACY_KEYWORDS, _LEGACY)
    | {"type": _TYPE, "$ref": _REFERENCE, "$id": _LEGACY, "id": _LEGACY}
    | {"$schema": _LABEL, "pattern": _OTHER}
)

_LEAF: Final = frozenset({"type", "description", "title", "default", "enum", "const"})
_NO_VALUES: Final[list[Json]] = []


def is_clean(schema: JsonObject) -> bool:
    """Whether neither ``upgrade`` nor ``sound`` nor ``by_place`` would change anything."""
    if schema.get("type").__class__ is not str:  # it may be a bare map of members
        return False
    if not schema.get("properties") and property_map(schema) is not None:
        return False
    return _walk(schema)


def _walk(node: JsonObject) -> bool:  # noqa: C901, PLR0911, PLR0912
    for key, value in node.items():
        look = _LOOK.get(key)
        if look is None:
            continue
        if look == _TEXT:
            if value.__class__ is not str:
                return False
        elif look == _TYPE:
            if not is_plain_word(value):
                return False
        elif look == _MAP:
            if value.__class__ is not dict:
                return False
            if key == "patternProperties" and not is_sound(key, value):
                return False
            for inner in value.values():
                if inner.__class__ is dict:
                    if not _is_leaf(inner) and not _walk(inner):
                        return False
                elif inner.__class__ is not bool:
                    return False
        elif look == _SCHEMA:
            if not _is_fine(value):
                return False
        elif look == _LIST:
            if value.__class__ is not list or not value:
                return False
            for inner in value:
                if not _is_fine(inner):
                    return False
        elif look == _NUMBER:
            if (value.__class__ is not int or value <= 0) and not is_sound(key, value):
                return False
        elif look == _OTHER:
            if not is_sound(key, value):
                return False
        elif look == _LABEL:
            if not is_latest(value):
                return False
        elif look == _LEGACY or value.__class__ is not str or not value.startswith("#"):
            return False  # addresses are for those who know the whole document
    return True


def _is_fine(value: Json) -> bool:
    if value.__class__ is dict:
        return _walk(value)
    return value.__class__ is bool


def _is_leaf(node: JsonObject) -> bool:
    """Whether a node says its type, what it is and perhaps its values: as most do."""
    kind = node.get("type")
    if kind.__class__ is not str or kind not in TYPES or not _LEAF.issuperset(node):
        return False
    return (
        node.get("description", "").__class__ is str
        and node.get("title", "").__class__ is str
        and node.get("enum", _NO_VALUES).__class__ is list
    )
