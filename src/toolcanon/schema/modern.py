"""One quick walk: is a schema 2020-12 already, or is it but for the words of its types?

The hottest loop of a conversion, hence written out. It answers with the schema itself when nothing
need be done, with a copy when type words were all that was odd, and with None when the rules of
``legacy`` have to look or a keyword is malformed.
"""

from __future__ import annotations

from typing import Final

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.drafts import LATEST_URI, Draft, declares_older, draft_of
from toolcanon.schema.keywords import PLAIN, POSITIONS, TYPES, Position
from toolcanon.schema.legacy import BOUNDS, LEGACY_KEYWORDS, has_fragment, is_name
from toolcanon.schema.type_words import FORMATS, OPEN_WORDS, TYPE_WORDS

# Plain integers: comparing with an enum's members costs a call for every keyword.
_SCHEMA, _LIST, _MAP = int(Position.SCHEMA), int(Position.SCHEMAS), int(Position.SCHEMA_MAP)
_TYPE, _BOUND, _LEGACY, _REFERENCE, _NAMES, _LABEL = range(10, 16)

_OLD_LABELS: Final = {"$id": has_fragment, "id": is_name, "$schema": declares_older}

# What may stand in a schema and how to look at it: one lookup per keyword.
_LOOK: Final[dict[str, int]] = (
    {key: int(position) for key, position in POSITIONS.items()}
    | dict.fromkeys(BOUNDS, _BOUND)
    | dict.fromkeys(LEGACY_KEYWORDS, _LEGACY)
    | {"type": _TYPE, "$ref": _REFERENCE, "required": _NAMES, "enum": _NAMES}
    | dict.fromkeys(_OLD_LABELS, _LABEL)
)


def is_plain_word(kind: Json) -> bool:
    """Whether a type is one of the seven, or a list of several different ones."""
    return kind in TYPES if kind.__class__ is str else _is_clean_list(kind)


# The words in the spellings people use, for one lookup. Those that say more or less than a type are
# not among them: "anything", formats, and what may as well mean another one.
WORDS: Final[dict[str, str]] = {
    spelled: kind
    for word, kind in TYPE_WORDS.items()
    if kind is not None and word not in FORMATS and word not in OPEN_WORDS
    for spelled in (word, word.upper(), word.capitalize())
    if spelled not in TYPES
}


def replaced_words(stated: Json, made: Json) -> int | None:
    """In how many nodes the word for the type was replaced; None if anything else differs."""
    if stated is made:
        return 0
    if stated.__class__ is dict and made.__class__ is dict and list(stated) == list(made):
        count = 0
        for key, old in stated.items():
            new = made[key]
            if new is old:
                continue
            if key == "type" and old.__class__ is str and WORDS.get(old) == new:
                count += 1
                continue
            found = replaced_words(old, new)
            if found is None:
                return None
            count += found
        return count
    if stated.__class__ is list and made.__class__ is list and len(stated) == len(made):
        counts = list(map(replaced_words, stated, made))
        return None if None in counts else sum(counts)  # type: ignore[arg-type]  # none of them
    return 0 if stated.__class__ is made.__class__ and stated == made else None


def modern(schema: JsonObject) -> JsonObject | None:
    """The schema as 2020-12 if that is quickly told, None otherwise."""
    if "$schema" not in schema:
        return walk(schema, True)
    draft = draft_of(schema)
    if draft is Draft.LATEST:
        return walk(schema, True)
    return walk(relabelled(schema), draft >= Draft.D2019) if draft >= Draft.D6 else None


def relabelled(schema: JsonObject) -> JsonObject:
    """A schema that is 2020-12, and says so."""
    return {**schema, "$schema": LATEST_URI}


def walk(node: JsonObject, ref_siblings: bool) -> JsonObject | None:  # noqa: C901, PLR0912, FBT001
    """The same for a node; ``ref_siblings`` tells whether its draft reads them."""
    out = node
    for key, value in node.items():
        look = _LOOK.get(key)
        if look is None:
            continue
        if look == _MAP:
            new: Json = _walk_map(value, ref_siblings) if value.__class__ is dict else None
        elif look == _TYPE:
            if value.__class__ is not str:
                if not _is_clean_list(value):
                    return None
                continue
            if value in TYPES:
                continue
            new = WORDS.get(value)
        elif look == _SCHEMA:
            if value.__class__ is dict:
                new = walk(value, ref_siblings)
            elif value.__class__ is bool:
                continue
            else:
                return None
        elif look == _LIST:
            new = _walk_list(value, ref_siblings) if value.__class__ is list and value else None
        elif look == _BOUND:
            if value.__class__ is str or value.__class__ is bool:
                return None
            continue
        elif look == _NAMES:
            if value.__class__ is not list:
                return None
            continue
        elif look == _LABEL:
            if _OLD_LABELS[key](value):
                return None
            continue
        elif look == _LEGACY or not (ref_siblings or len(node) == 1):
            return None
        else:
            continue
        if new is None:
            return None
        if new is not value:
            if out is node:
                out = node.copy()
            out[key] = new
    return out


def _walk_map(table: JsonObject, ref_siblings: bool) -> JsonObject | None:  # noqa: FBT001
    out = table
    for name, inner in table.items():
        if inner.__class__ is not dict:
            if inner.__class__ is not bool:
                return None
            continue
        kind = inner.get("type")
        if kind.__class__ is str and inner.keys() <= PLAIN:  # a leaf, as most nodes are
            if kind in TYPES:
                continue
            word = WORDS.get(kind)
            new = None if word is None else {**inner, "type": word}
        elif inner.get("required").__class__ is bool:
            return None
        else:
            new = walk(inner, ref_siblings)
        if new is None:
            return None
        if new is not inner:
            if out is table:
                out = table.copy()
            out[name] = new
    return out


def _walk_list(items: list[Json], ref_siblings: bool) -> list[Json] | None:  # noqa: FBT001
    out = items
    for index, inner in enumerate(items):
        if inner.__class__ is dict:
            new = walk(inner, ref_siblings)
            if new is None:
                return None
            if new is not inner:
                if out is items:
                    out = items.copy()
                out[index] = new
        elif inner.__class__ is not bool:
            return None
    return out


def _is_clean_list(kinds: Json) -> bool:
    return (
        isinstance(kinds, list)
        and len(kinds) > 1
        and all(kind.__class__ is str and kind in TYPES for kind in kinds)
        and len(set(kinds)) == len(kinds)
    )
