"""The form of a text that its type names: ``datetime`` is a string of the format ``date-time``.

A word for a type is less than what else is said of the value. Where a layout, a pattern or a value
beside it is not of the form, the text is a plain one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.type_words import FORMATS, TYPE_WORDS
from toolcanon.schema.verdicts import Judge, judge_of

_STATED: Final = ("format", "pattern")
_LAYOUT: Final = re.compile(
    r"(?<![a-z])(?:[dmyhs]{1,4}[-/.: ]){1,5}[dmyhs]{1,4}(?![a-z])|(?<![a-z])[dmyh]{6,8}(?![a-z])"
)
_INNER: Final = ("items", "additionalProperties", "anyOf", "prefixItems")
_AS_FORMAT: Final = {"date": "yyyy-mm-dd", "date-time": "yyyy-mm-ddthh:mm:ss"}
_OTHER: Final = re.compile(r"\b(?:timestamp|epoch|relative|separated)\b")


def form_of(words: Iterable[Json]) -> str | None:
    """The format that the words for a type name; none where another of them is any text."""
    texts = [word.strip().lower() for word in words if isinstance(word, str)]
    found = {FORMATS.get(word) for word in texts if TYPE_WORDS.get(word) == "string"}
    return found.pop() if len(found) == 1 else None


def is_at_odds(form: str, node: JsonObject) -> bool:
    """Whether something else that a node says is not of a format.

    >>> is_at_odds("date", {"description": "as DD/MM/YYYY"}), is_at_odds("date", {"default": "now"})
    (True, True)
    """
    if any(node.get(key) is not None for key in _STATED):
        return True
    words = node.get("description")
    if isinstance(words, str) and _says_other(form, words.lower()):
        return True
    values = [node.get(key) for key in ("default", "const", "example")]
    for key in ("enum", "examples"):
        listed = node.get(key)
        values += listed if isinstance(listed, list) else []
    fits = _judge(form)
    return any(isinstance(value, str) and not fits(value) for value in values)


def _says_other(form: str, words: str) -> bool:
    """Whether words spell a layout that is not that of the format, or say another one."""
    own = _AS_FORMAT.get(form)
    words = words if own is None else words.replace(own, "")
    return _LAYOUT.search(words) is not None or _OTHER.search(words) is not None


def settled(schema: JsonObject, node: JsonObject) -> JsonObject:
    """A type that was read, without its formats where what else is said is at odds with one."""
    is_odd = any(is_at_odds(form, node) for form in _forms(schema))
    return _formless(schema) if is_odd else schema


def _forms(schema: Json) -> Iterator[str]:
    if isinstance(schema, list):
        for one in schema:
            yield from _forms(one)
    elif isinstance(schema, dict):
        if "format" in schema:
            yield schema["format"]
        for key in _INNER:
            yield from _forms(schema.get(key))


def _formless(schema: Json) -> Json:
    if isinstance(schema, list):
        return [_formless(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _formless(value) if key in _INNER else value
        for key, value in schema.items()
        if key != "format"
    }


@lru_cache(maxsize=len(FORMATS))
def _judge(form: str) -> Judge:
    return judge_of({"format": form})
