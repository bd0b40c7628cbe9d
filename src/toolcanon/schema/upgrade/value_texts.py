"""Texts split into words, and their values: ``one of a, b``, ``['New York, NY']``, ``= 5``.

Quotes come first: nothing within them separates values.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import orjson

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.upgrade.type_words import TYPE_WORDS
from toolcanon.schema.values import has_type, identity, same, types_of

LONGEST: Final = 10_000
"""Characters in a list; what is longer is a text about something else."""

_TOKEN: Final = re.compile(
    r"""\s*(?:
        (?P<word>[^\W\d]\w*(?:\.[^\W\d]\w*)*)
      | (?P<number>-?\d+(?:\.\d+)?)
      | (?P<text>'[^']*'|"[^"]*")
      | (?P<mark>\.\.\.|->|\[\]|[\[\]<>(){}|,/?:=])
      | (?P<other>\S)
    )""",
    re.VERBOSE,
)
NULL: Final[JsonObject] = {"type": "null"}
TEXT: Final[JsonObject] = {"type": "string"}
_CONSTANTS: Final[dict[str, Json]] = {"true": True, "false": False, "none": None, "null": None}
INTRO: Final = re.compile(
    r"(?:one\s+of|choice\s+of|choices|options|enum|(?:(?:allowed|possible|valid)\s+)?values)\b"
    r"(?!\s*[,;|/])"  # which would make it a value itself
    r"\s*(?:(?:of|are)\b\s*)?(?:the\s+following\b\s*)?:?",
    re.IGNORECASE,
)
_TYPE_BEFORE: Final = re.compile(r"(?:string|str|text|enum)\b[\s,:(]*", re.IGNORECASE)
_SEPARATORS: Final = ("|", ";", ",", "/", " or ")
_BRACKETS: Final = frozenset({"[]", "()", "{}", "<>"})
_QUOTES: Final = frozenset({"''", '""', "``"})
_NOTHINGS: Final = frozenset({"None", "null"})
_WORD: Final = re.compile(r"\w+")
_NUMBER: Final = re.compile(r"-?\d{1,19}(?:\.\d{1,19})?")
_ADDRESS: Final = re.compile(r"(?:[a-z][a-z\d+.-]{0,30}:/|~|\.{1,2})?/[^\s,;|]*", re.IGNORECASE)
_QUOTED_OR_BARE: Final = re.compile(
    r"""\s*+(?:
        (?P<quoted>'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+"|`[^`]*+`)
        \s*+(?:\([^()]*\b(?i:default)\b[^()]*\)\s*+)?(?:,\s*+(?:or|and)\b|[,;|/]|or\b|and\b|\Z)
      | (?P<bare>[^'"`,;|/()\[\]{}]*+)(?:[,;|/]|\Z)
    )""",
    re.VERBOSE | re.DOTALL,
)
_OPENING: Final = frozenset("'\"`[(<{")
_DEFAULT: Final = re.compile(
    r"(?:defaults?\b(?:\s+(?:value|is|to)\b){0,3}\s*[=:]?|=)\s*", re.IGNORECASE
)
_ONE_WORD: Final = re.compile(r"\w[\w.-]*")
_ESCAPED: Final = re.compile(r"\\(['\\])")
_MOST_WORDS: Final = 5
_SPAN: Final = re.compile(
    r"[<>=\u2264\u2265].*"
    r"|-?\d+(?:\.\d+)?\s*(?:[-~\u2013\u2014]|\.\.+|to)\s*-?\d+(?:\.\d+)?"
    r"|[a-zA-Z]\s*(?:[-~\u2013\u2014]|\.\.+|to\b)\s*[a-zA-Z]"
)
_OPEN_END: Final = re.compile(
    r"\.\.\.|\u2026|\b(?:etc|e\.g|i\.e|such\s+as|for\s+example)\b", re.IGNORECASE
)
_PROSE: Final = frozenset(
    "the any is are be must should can may will if when which that this your valid".split()
)
"""Words of sentences, which values of several words do without."""


class Token(NamedTuple):
    """A word, a number, a quoted text or a mark, and its place."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def value(self) -> Json:
        """The token as a value."""
        if self.kind == "text":
            return self.text[1:-1]
        return in_text(self.text)


def tokens_of(text: str) -> list[Token]:
    found = ((match.lastgroup or "", match) for match in _TOKEN.finditer(text))
    return [Token(kind, match[kind], *match.span(kind)) for kind, match in found]


class ListedValues(NamedTuple):
    """Values that a text lists, and the evidence that it is a list."""

    values: list[str | None]
    is_quoted: bool = False
    is_told: bool = False
    """Whether the text announces values, or has brackets around them."""

    @property
    def are_prose(self) -> bool:
        """Whether these are words about values: ``any string``, ``1-5``, ``a, b, etc.``.

        Spans are values where several are listed, and no numbers beside them.
        """
        values = [value for value in self.values if value]
        if self.is_quoted or not any(map(_SPAN.fullmatch, values)):
            return not self.is_quoted and any(map(_is_prose, values))
        return len(values) == 1 or any(map(_NUMBER.fullmatch, values))


def read_choices(text: str) -> list[str | None]:
    """The values that a text lists: ``one of a, b``, ``a|b``, ``['a', None]``; none if it does not.

    >>> read_choices("one of: asc, desc (default asc)")
    ['asc', 'desc']
    >>> read_choices("'New York, NY' or 'Paris'")
    ['New York, NY', 'Paris']
    """
    return find_choices(text).values


def find_choices(text: str) -> ListedValues:
    """Return the listed values, and the evidence that it is a list.

    >>> find_choices("any number, but not 0").are_prose, find_choices("['any number']").are_prose
    (True, False)
    """
    text = text.strip()
    if len(text) > LONGEST:
        return ListedValues([])
    is_told = False
    before = _TYPE_BEFORE.match(text)
    intro = (before and INTRO.match(text, before.end())) or INTRO.match(text)
    if intro is not None and intro.end() < len(text):
        is_told = True
        text = text[intro.end() :].strip()
        if text[-1:] == "." and text.count(".") == 1:  # the end of a sentence
            text = text[:-1]
        if text[-1:] == ")" and text.count(")") > text.count("("):  # opened before the values
            text = text[:-1]
    is_bracketed = len(text) > 1 and text[0] + text[-1] in _BRACKETS
    quoted = _quoted(text[1:-1] if is_bracketed else text)
    values = quoted
    if values is None:
        body = _inside(text) if is_bracketed else text
        if _ADDRESS.fullmatch(body):  # an address of the values, or not a list
            return ListedValues([])
        values = _separated(body)
    found = list(dict.fromkeys(value for value in values if value != ""))
    return ListedValues(found, quoted is not None, is_told or (is_bracketed and text[0] in "[{"))


def _is_prose(value: str) -> bool:
    """Return whether it is not a value but a phrase about values."""
    words = value.split()
    return (
        len(words) > _MOST_WORDS
        or _OPEN_END.search(value) is not None
        or (len(words) > 1 and not _PROSE.isdisjoint(words))
    )


def in_text(value: str) -> Json:
    """Return the number, the boolean or the null that a text spells; otherwise the text itself."""
    if _NUMBER.fullmatch(value):
        return float(value) if "." in value else int(value)
    return _CONSTANTS.get(value.lower(), value)


def listed(text: str, base: JsonObject | None) -> JsonObject | None:
    """Return a type with the values that a text lists for it, or one of the types that it lists.

    None where it lists nothing, or what is not of that type. Sentences may begin alike: ``one of
    the cities``, ``values to add``.
    """
    intro = INTRO.match(text)
    rest = "" if intro is None else text[intro.end() :].strip()
    choices = find_choices(text) if rest else ListedValues([])
    values = choices.values
    if intro is None or not values or choices.are_prose:
        return None
    kinds = [None if value is None else TYPE_WORDS.get(singular(value.lower())) for value in values]
    if base is None and None not in kinds:
        return union_of([{"type": kind} for kind in kinds])
    is_noun = intro[0].rstrip().lower().endswith(("choices", "options", "values"))
    if (is_noun or len(values) == 1) and intro[0][-1] != ":" and rest[0] not in _OPENING:
        return None
    return chosen(base or {}, values)


def chosen(base: JsonObject, values: list[str | None]) -> JsonObject | None:
    """Return a type with its allowed values, a list with those of its items; None if unfit."""
    if base.get("type") == "array":
        items = chosen(base.get("items", TEXT), values)
        return items and {**base, "items": items}
    found = [value if value is None or fits(value, base) else in_text(value) for value in values]
    if "anyOf" in base or not all(value is None or fits(value, base) for value in found):
        return None
    if not base or (None in found and not fits(None, base)):
        return typed({"enum": found})
    return {**base, "enum": found}


def typed(schema: JsonObject) -> JsonObject:
    """Return an enum of strings with its type; without repeated values."""
    if "enum" not in schema:
        return schema
    values = list({identity(value): value for value in schema["enum"]}.values())
    is_text = "type" not in schema and all(isinstance(value, str) for value in values)
    return {**({"type": "string"} if is_text else {}), **schema, "enum": values}


def fits(value: Json, schema: JsonObject) -> bool:
    """Return whether a value is one of those that a type, a list of values or a union names."""
    if "anyOf" in schema:
        return any(fits(value, branch) for branch in schema["anyOf"])
    if "enum" in schema:
        return any(same(value, one) for one in schema["enum"])
    kinds = types_of(schema)
    return not kinds or has_type(value, kinds)


def read_default(remark: str, schema: JsonObject) -> JsonObject | None:
    """Return the default that a note states; None where it may be a phrase about one.

    It fits the type, or is null, which for any other type means that there is no default.
    """
    intro = _DEFAULT.match(remark)
    text = "" if intro is None else remark[intro.end() :].strip()
    if intro is None or not text:
        return None
    value = in_text(text)
    if _is_quoted(text) and text.count(text[0]) == 2:  # noqa: PLR2004 - a pair
        value = text[1:-1]
    elif text[0] in "[{":
        try:
            value = orjson.loads(text)
        except ValueError:
            return None
    elif isinstance(value, str):  # a bare word is a value behind a sign only
        is_value = text in schema.get("enum", ()) or intro[0].rstrip()[-1] in "=:"
        if not is_value or not _ONE_WORD.fullmatch(text):
            return None
    elif value is not None and not fits(value, schema):
        value = text
    return {"default": value} if value is None or fits(value, schema) else None


def singular(word: str) -> str:
    if word in TYPE_WORDS or not word.endswith("s"):
        return word
    return f"{word[:-3]}y" if word.endswith("ies") else word[:-1]


def _inside(text: str) -> str:
    """Return a text without its first and last bracket, if they belong together."""
    depth = 0
    for mark in text[1:-1]:
        depth += (mark == text[0]) - (mark == text[-1])
        if depth < 0:  # (a), (b)
            return text
    return text[1:-1]


def _quoted(text: str) -> list[str | None] | None:
    """Return the values of a list in which some are quoted; the others have no quotes."""
    found: list[str | None] = []
    at, has_quotes = 0, False
    while at < len(text):
        match = _QUOTED_OR_BARE.match(text, at)
        if match is None:
            return None
        at = match.end()
        bare = match["bare"]
        if bare is None:
            has_quotes = True
            found.append(_unquoted(match["quoted"]))
        else:
            found.append(None if bare.strip() in _NOTHINGS else bare.strip())
    return found if has_quotes else None


def _unquoted(quoted: str) -> str:
    if quoted[0] == '"' and "\\" in quoted:
        try:
            value: str = orjson.loads(quoted)
        except ValueError:
            return quoted[1:-1]
        return value
    return _ESCAPED.sub(r"\1", quoted[1:-1]) if quoted[0] == "'" else quoted[1:-1]


def _separated(text: str) -> list[str | None]:
    """Return the values between separators; empty where one is a list itself."""
    marks = [mark for mark in _SEPARATORS if mark != "/" or "://" not in text]
    separator = next((mark for mark in marks if mark in text), None)
    parts = [text] if separator is None else _split(text, separator)
    if separator == ",":
        parts = [*parts[:-1], *_last(parts)]
    parts = [_without_default(part.strip()) for part in parts]
    if any(part[:1] in {"[", "{"} for part in parts):
        return []
    has_quotes = any(_is_quoted(part) for part in parts)
    return [
        None if has_quotes and part in _NOTHINGS else part[1:-1] if _is_quoted(part) else part
        for part in parts
    ]


def _split(text: str, separator: str) -> list[str]:
    """Return the parts of a text; what brackets hold stays together where they are closed."""
    pieces = text.split(separator)
    parts: list[str] = []
    depth = 0
    for piece in pieces:
        if depth > 0:
            parts[-1] += separator + piece
        else:
            parts.append(piece)
        depth += sum((mark in "([{") - (mark in ")]}") for mark in piece)
    return pieces if depth else parts


def _last(parts: list[str]) -> list[str]:
    """Return the last of several values between commas, or the last two: ``or c``, ``b or c``.

    ``and`` is as often part of a value: it separates behind a comma, or two words by themselves
    where no other value has it.
    """
    *others, last = parts
    words = last.split()
    if len(words) > 1 and words[0] in {"or", "and"}:
        return [last.strip()[len(words[0]) :]]
    if any(f" {word} " in other for other in others for word in ("or", "and")):
        return [last]
    if len(words) == 3 and words[1] == "and":  # noqa: PLR2004 - b and c
        return [words[0], words[2]]
    return last.split(" or ")


def _without_default(part: str) -> str:
    """Return a value without the note that it, or another one, is the default."""
    head, opening, remark = part.rpartition("(")
    is_remark = part[-1:] == ")" and opening and "default" in _WORD.findall(remark.lower())[:2]
    return head.strip() if is_remark and head.strip() else part


def _is_quoted(part: str) -> bool:
    return len(part) > 1 and part[0] + part[-1] in _QUOTES


def union_of(schemas: list[JsonObject]) -> JsonObject:
    """Return one schema for a value of any of these types, as short as possible."""
    if len(schemas) == 1:
        return typed(schemas[0])
    if any(not schema for schema in schemas):
        return {}
    if all("enum" in schema and schema.keys() <= {"type", "enum"} for schema in schemas):
        return typed({"enum": [value for schema in schemas for value in schema["enum"]]})
    plain = [schema["type"] for schema in schemas if schema.keys() == {"type"}]
    kinds = list(dict.fromkeys(kind for one in plain for kind in _listed(one)))
    if "number" in kinds and "integer" in kinds:
        kinds.remove("integer")  # which numbers include
    others = [
        typed(schema)
        for schema in schemas
        if schema.keys() != {"type"}
        and not (schema.keys() == {"type", "format"} and schema["type"] in kinds)
    ]
    if not others:
        return {"type": kinds if len(kinds) > 1 else kinds[0]}
    if len(others) == 1 and kinds == ["null"]:
        (only,) = others
        if isinstance(only.get("type"), str) and "enum" not in only:
            return {**only, "type": [only["type"], "null"]}
    return {
        "anyOf": [
            *({"type": kind} for kind in kinds if kind != "null"),
            *others,
            *([NULL] if "null" in kinds else []),
        ]
    }


def _listed(kind: Json) -> list[Json]:
    return kind if isinstance(kind, list) else [kind]
