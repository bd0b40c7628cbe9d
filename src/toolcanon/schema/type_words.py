"""Type words of a dozen languages and catalogs, and what JSON Schema calls them."""

from __future__ import annotations

from typing import Final

from toolcanon.jsonio.types import Json
from toolcanon.schema.keywords import TYPES


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
"""Words for texts of a form that JSON Schema has a name for."""

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
    """Whether a type is a list of several different ones."""
    return (
        isinstance(kinds, list)
        and len(kinds) > 1
        and all(kind.__class__ is str and kind in TYPES for kind in kinds)
        and len(set(kinds)) == len(kinds)
    )
