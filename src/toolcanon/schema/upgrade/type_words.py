"""Type names of a dozen languages and catalogs in terms of JSON Schema.

A type name is weaker than the other keywords of the value. Where a layout, a pattern or a value
beside it does not match the format, the type is a plain string.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import TYPES
from toolcanon.schema.validate import VerdictJudge, judge_of


def _table(words: str, kind: str | None) -> dict[str, str | None]:
    return dict.fromkeys(words.split(), kind)


TYPE_WORDS: Final[dict[str, str | None]] = {
    **_table(
        "dict dictionary map hashmap object json struct mapping mutablemapping ordereddict "
        "defaultdict treemap linkedhashmap concurrenthashmap hashtable record namedtuple "
        "jsonobject",
        "object",
    ),
    **_table(
        "list array arraylist tuple set vector sequence iterable iterator collection frozenset "
        "linkedlist hashset treeset linkedhashset deque queue stack vec slice jsonarray",
        "array",
    ),
    **_table(
        "str string text char character varchar nvarchar charsequence bytes bytearray binary blob "
        "base64 file filepath path date datetime time localdate localdatetime zoneddatetime "
        "instant timedelta duration uuid guid url uri email password regexp enum geopoint",
        "string",
    ),
    **_table(
        "int integer long short byte bigint biginteger int8 int16 int32 int64 uint uint8 uint16 "
        "uint32 uint64 i8 i16 i32 i64 u8 u16 u32 u64 usize isize tinyint smallint mediumint",
        "integer",
    ),
    **_table(
        "float double number decimal float32 float64 f32 f64 bigdecimal numeric real",
        "number",
    ),
    **_table("bool boolean", "boolean"),
    **_table("null none nonetype nil void undefined", "null"),
    # Words that say "anything": the keyword goes, and everything is accepted as before.
    **_table("any unknown type_unspecified callable function", None),
    "": None,
}

OPEN_WORDS: Final = frozenset({"json", "duration", "timedelta", "byte"})
"""Words that many use for another type: JSON as text, seconds, bytes. Reading them is a guess."""

FORMATS: Final[dict[str, str]] = {
    "date": "date",
    "localdate": "date",
    "datetime": "date-time",
    "zoneddatetime": "date-time",
    "instant": "date-time",
    "uuid": "uuid",
    "guid": "uuid",
    "email": "email",
    "url": "uri",
    "uri": "uri",
    "regexp": "regex",
}
"""Type names for strings with a format of JSON Schema."""

WORDS: Final[dict[str, str]] = {
    spelled: kind
    for word, kind in TYPE_WORDS.items()
    if kind is not None and word not in FORMATS and word not in OPEN_WORDS
    for spelled in (word, word.upper(), word.capitalize())
    if spelled not in TYPES
}
"""Words for types in the spellings people use. Words that mean more or less than a type are not
among them: "anything", formats, and words with two meanings."""


def is_plain_list(kinds: Json) -> bool:
    """Return whether a type is a list of several different ones."""
    return (
        isinstance(kinds, list)
        and len(kinds) > 1
        and all(kind.__class__ is str and kind in TYPES for kind in kinds)
        and len(set(kinds)) == len(kinds)
    )


_STATED: Final = ("format", "pattern")
_LAYOUT: Final = re.compile(
    r"(?<![a-z])(?:[dmyhs]{1,4}[-/.: ]){1,5}[dmyhs]{1,4}(?![a-z])|(?<![a-z])[dmyh]{6,8}(?![a-z])"
)
_INNER: Final = ("items", "additionalProperties", "anyOf", "prefixItems")
_AS_FORMAT: Final = {"date": "yyyy-mm-dd", "date-time": "yyyy-mm-ddthh:mm:ss"}
_OTHER: Final = re.compile(r"\b(?:timestamp|epoch|relative|separated)\b")


def form_of(words: Iterable[Json]) -> str | None:
    """Return the format of type names; None where one of them is any string."""
    texts = [word.strip().lower() for word in words if isinstance(word, str)]
    found = {FORMATS.get(word) for word in texts if TYPE_WORDS.get(word) == "string"}
    return found.pop() if len(found) == 1 else None


def is_at_odds(form: str, node: JsonObject) -> bool:
    """Return whether another keyword of a node does not match a format.

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
    """Return whether words spell a layout that is not that of the format, or say another one."""
    own = _AS_FORMAT.get(form)
    words = words if own is None else words.replace(own, "")
    return _LAYOUT.search(words) is not None or _OTHER.search(words) is not None


def settled(schema: JsonObject, node: JsonObject) -> JsonObject:
    """Return a type that was read, without formats that other keywords contradict."""
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
def _judge(form: str) -> VerdictJudge:
    return judge_of({"format": form})
