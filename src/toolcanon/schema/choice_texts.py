"""An enum that is a text: ``one of a, b``. What is no list of values is a remark, no limit.

Three rules share one reading: what is certain, what is the likeliest, what is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import TYPES
from toolcanon.schema.loose import YES_OR_NO, Rewrite, beside, type_of_words
from toolcanon.schema.type_words import TYPE_WORDS
from toolcanon.schema.value_texts import find_choices, in_text
from toolcanon.schema.values import without

_REMARKED: Final = re.compile(r"([^\s():=]+)\s*(?:\(.*\)|[:=]\s.*|=.*|\s[-\u2013]\s.*)", re.DOTALL)
"""A value with what it means behind it: ``0 (off)``, ``0: off``, ``0=off``."""
_IN_BRACKETS: Final = re.compile(r".*\S\s*\(.*\)", re.DOTALL)


class _Reading(NamedTuple):
    """The schema that is meant, and whether another one may be."""

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
