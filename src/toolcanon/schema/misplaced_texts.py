"""Texts where a schema or a list of values belongs: rules like those of ``legacy``, one each.

An enum that is a text (``one of a, b``) is a list of values or a remark, which is no limit. A text
in place of a schema (``"items": "string"``, ``"a": "int"``) that is a type is read as one; that of
a member is the description otherwise. Any other stays, and is reported where it is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import POSITIONS, TYPES, Position
from toolcanon.schema.loose import YES_OR_NO, Rewrite, beside, type_of_words
from toolcanon.schema.type_texts import read_type
from toolcanon.schema.type_words import TYPE_WORDS
from toolcanon.schema.value_texts import find_choices, in_text
from toolcanon.schema.values import without

_REMARKED: Final = re.compile(r"([^\s():=]+)\s*(?:\(.*\)|[:=]\s.*|=.*|\s[-\u2013]\s.*)", re.DOTALL)
"""A value with what it means behind it: ``0 (off)``, ``0: off``, ``0=off``."""
_IN_BRACKETS: Final = re.compile(r".*\S\s*\(.*\)", re.DOTALL)
HOLDERS: Final = frozenset(POSITIONS) - {"properties", "dependencies"}
"""Keywords with schemas in them. A text among the dependencies is a name."""
_BOOLEANS: Final = {"true": True, "false": False}


class _Reading(NamedTuple):
    """The schema that an enum in text means, and whether it may mean another one.

    Three rules share one reading: what is certain, what is the likeliest, what is left.
    """

    schema: JsonObject
    is_guess: bool


def choices_in_text(node: JsonObject, _draft: object) -> Iterator[Rewrite]:
    """Values that are listed. They are of the type; a list's are of its items.

    One that fits no type of the node is not what the text means.
    """
    found = _read(node)
    if found is not None and not found.is_guess:
        yield _rewrite(node, found.schema)


def choices_guessed(node: JsonObject, _draft: object) -> Iterator[Rewrite]:
    """Values that may be listed: a word by itself, words with what they mean behind them."""
    found = _read(node)
    if found is not None and found.is_guess:
        yield _rewrite(node, found.schema)


def choices_as_remark(node: JsonObject, _draft: object) -> Iterator[Rewrite]:
    """Words about the values: ``any string``, ``1-5``. Taken for a value, nothing could be said."""
    stated = node.get("enum")
    if isinstance(stated, str) and stated.strip() and _read(node) is None:
        yield node, beside({"description": stated.strip()}, without(node, "enum")), None


def _rewrite(node: JsonObject, schema: JsonObject) -> Rewrite:
    """The least that tells it."""
    if schema.keys() == node.keys() and all(
        schema[key] is node[key] for key in node if key != "enum"
    ):
        return node["enum"], schema["enum"], "enum"
    return node, schema, None


def _read(node: JsonObject) -> _Reading | None:
    """What an enum in text means; None where it is no list, or of values that have no place."""
    stated = node.get("enum")
    choices = find_choices(stated) if isinstance(stated, str) else None
    if choices is None or not choices.values or choices.are_prose:
        return None
    values = choices.values
    if choices.is_quoted:
        return _reading(_limited(node, values), is_guess=False)
    texts = [value or "" for value in values]
    if len(texts) == 1 and not _is_choice(texts[0]):
        return None
    heads = [match[1] for match in map(_REMARKED.fullmatch, texts) if match is not None]
    if len(texts) > 1 and len(set(heads)) == len(texts) and (found := _limited(node, [*heads])):
        return _Reading(beside({"description": str(stated).strip()}, found), is_guess=True)
    is_list = choices.is_told if len(texts) == 1 else not _may_be_words(str(stated), texts)
    return _reading(_limited(node, values), is_guess=not is_list)


def _reading(schema: JsonObject | None, *, is_guess: bool) -> _Reading | None:
    return None if schema is None else _Reading(schema, is_guess)


def _is_choice(text: str) -> bool:
    """Whether one bare text may be the only choice: a word that says nothing else."""
    word = text.lower()
    return len(text.split()) == 1 and not (word in TYPE_WORDS or word in YES_OR_NO)


def _may_be_words(stated: str, texts: list[str]) -> bool:
    """Whether values may be part of a phrase (``city or state name``), or remarks part of them."""
    is_listed = any(mark in stated for mark in ",;|")
    return any(_IN_BRACKETS.fullmatch(text) for text in texts) or not (
        is_listed or all(len(text.split()) == 1 for text in texts)
    )


def _limited(node: JsonObject, values: list[str | None]) -> JsonObject | None:
    """The node with an enum of its own, or of its items where it is a list."""
    kinds = _kinds(node)
    if not ("array" in kinds and kinds <= {"array", "null"}):
        own = _fitting(values, node)
        return {**node, "enum": own} if own else None
    items = node.get("items", {"type": "string"})
    if not isinstance(items, dict) or "enum" in items or not (own := _fitting(values, items)):
        return None
    return {**without(node, "enum"), "items": {**items, "enum": own}}


def _kinds(node: JsonObject) -> frozenset[str]:
    """The types that a node names; none where one of them is unknown, as it may be any."""
    kind = type_of_words(node.get("type"))
    words = kind if isinstance(kind, list) else [kind]
    if not all(isinstance(word, str) and word in TYPES for word in words):
        return frozenset()
    return frozenset(words)


def _fitting(values: list[str | None], node: JsonObject) -> list[Json]:
    """The values of an enum as the types of its node have them; none if some have no place."""
    kinds = _kinds(node)
    if not kinds:
        return list(values)
    found: list[Json] = []
    for value in values:
        spelled = None if value is None else in_text(value)
        if _kind_of(spelled) & kinds:
            found.append(spelled)
        elif value is not None and "string" in kinds:
            found.append(value)
        elif value is not None:
            return []
    return found


def _kind_of(value: Json) -> frozenset[str]:
    """The types that a value is of."""
    if isinstance(value, bool):
        return frozenset({"boolean"})
    if isinstance(value, int):
        return frozenset({"integer", "number"})
    if isinstance(value, float):
        return frozenset({"number"})
    return frozenset({"null"} if value is None else {"string"})


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
