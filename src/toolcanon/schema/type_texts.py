"""Types written as expressions: read as the schema they stand for.

``List[str]``, ``Map<String, Long>``, ``int[]``, ``str | None``, ``list of strings``,
``int, optional``, ``one of a, b``. What cannot be read to the end is not read at all.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.type_words import TYPE_WORDS

LONGEST: Final = 1000
"""Characters in a type; what is longer is a text about something else."""
_DEEPEST: Final = 24

_TOKEN: Final = re.compile(
    r"""\s*(?:
        (?P<word>[^\W\d][\w.]*)
      | (?P<number>-?\d+(?:\.\d+)?)
      | (?P<text>'[^']*'|"[^"]*")
      | (?P<mark>\.\.\.|->|\[\]|[\[\]<>(){}|,/?:=])
      | (?P<other>\S)
    )""",
    re.VERBOSE,
)
_CLOSING: Final = {"[": "]", "<": ">", "(": ")"}
_MAYBE: Final = frozenset({"optional", "nullable", "maybe", "option"})
_EITHER: Final = frozenset({"union", "oneof", "anyof", "either"})
_EXACTLY: Final = frozenset({"literal", "enum", "choice", "choices"})
_PASSED_THROUGH: Final = frozenset({"annotated", "final", "classvar", "promise", "readonly"})
_ARTICLES: Final = ("a", "an", "either")
_FLAGS: Final = {"optional": False, "required": True, "mandatory": True}
_CONSTANTS: Final[dict[str, Json]] = {"true": True, "false": False, "none": None, "null": None}
_ONE_OF: Final = re.compile(
    r"(?:(?:string|str|text|enum)[\s,:(]*)?"
    r"(?:one\s+of|choice\s+of|choices|options|enum|values|allowed\s+values)\b"
    r"\s*(?:the\s+following\s*)?:?",
    re.IGNORECASE,
)
_SEPARATORS: Final = ("|", ";", ",", "/", " or ")
_BRACKETS: Final = frozenset({"[]", "()", "{}"})
_QUOTES: Final = frozenset({"''", '""', "``"})
_NOTHINGS: Final = frozenset({"None", "null"})
_WORD: Final = re.compile(r"\w+")
_NUMBER: Final = re.compile(r"-?\d{1,19}(?:\.\d{1,19})?")
_NULL: Final[JsonObject] = {"type": "null"}


class TypeText(NamedTuple):
    """What a type says: a schema, and whether the value must be given, where it says so."""

    schema: JsonObject
    required: bool | None = None


class _Unreadable(Exception):
    """Not a type, or not one we know."""


def read_type(text: str) -> TypeText | None:
    """The schema that a type stands for; None where any of it is unknown.

    >>> read_type("Dict[str, List[int]]").schema
    {'type': 'object', 'additionalProperties': {'type': 'array', 'items': {'type': 'integer'}}}
    >>> read_type("list of strings, optional")
    TypeText(schema={'type': 'array', 'items': {'type': 'string'}}, required=False)
    >>> read_type("a colour")
    """
    if len(text) > LONGEST:
        return None
    if _ONE_OF.match(text.strip()) and (values := read_choices(text)):
        kinds = [_plain_kind(value) for value in values]
        if None not in kinds:  # one of several types
            return TypeText(union_of([{"type": kind} for kind in kinds]))
        return TypeText(_typed({"enum": values}))
    try:
        return _Reader(_tokens(text)).whole()
    except _Unreadable:
        return None


def _plain_kind(value: str | None) -> str | None:
    return None if value is None else TYPE_WORDS.get(value.lower())


def read_choices(text: str) -> list[str | None]:
    """The values that a text lists: ``one of a, b``, ``a|b``, ``['a', None]``; none if it does not.

    >>> read_choices("one of: asc, desc (default asc)")
    ['asc', 'desc']
    """
    text = text.strip()
    if len(text) > LONGEST * 10:
        return []
    intro = _ONE_OF.match(text)
    if intro is not None:
        text = text[intro.end() :].strip()
    if len(text) > 1 and text[0] + text[-1] in _BRACKETS:
        text = text[1:-1]
    separator = next((mark for mark in _SEPARATORS if mark in text), None)
    parts = [text] if separator is None else text.split(separator)
    if separator == ",":  # a, b or c
        parts = [*parts[:-1], *_enumerated(parts[-1])]
    parts = [_without_default(part.strip()) for part in parts]
    has_quotes = any(_is_quoted(part) for part in parts)
    values = [
        None if has_quotes and part in _NOTHINGS else part[1:-1] if _is_quoted(part) else part
        for part in parts
    ]
    return list(dict.fromkeys(value for value in values if value != ""))


def _enumerated(last: str) -> list[str]:
    """The last of several values between commas, or the last two: ``or c``, ``b and c``."""
    words = last.split()
    if words and words[0].lower() in {"or", "and"}:
        return [last.strip()[len(words[0]) :]]
    if len(words) == 3 and words[1] == "and":  # noqa: PLR2004 - more may be one value
        return [words[0], words[2]]
    return last.split(" or ")


def _without_default(part: str) -> str:
    """A value without the remark that it, or another one, is the usual one."""
    head, opening, remark = part.rpartition("(")
    is_remark = part[-1:] == ")" and opening and "default" in _WORD.findall(remark.lower())[:2]
    return head.strip() if is_remark and head.strip() else part


def _is_quoted(part: str) -> bool:
    return len(part) > 1 and part[0] + part[-1] in _QUOTES


def in_text(value: str) -> Json:
    """The number, the boolean or the null that a text spells; otherwise the text itself."""
    if _NUMBER.fullmatch(value):
        return _number(value)
    return _CONSTANTS.get(value.lower(), value)


def _number(text: str) -> Json:
    return float(text) if "." in text else int(text)


def _tokens(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise _Unreadable
        found.append((match.lastgroup, match[match.lastgroup]))
        at = match.end()
    return found


class _Reader:
    """One type being read, from left to right."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0
        self.angles = 0

    def whole(self) -> TypeText:
        """A type and the remarks behind it."""
        schema = self.union()
        required: bool | None = None
        while self.at < len(self.tokens):
            remark = self.remark()
            words = [text.lower() for _, text in remark]
            flag = next((_FLAGS[word] for word in words if word in _FLAGS), None)
            required = required if flag is None else flag
            if schema.get("type") == "string" and "".join(words) == "yyyy-mm-dd":
                schema = {**schema, "format": "date"}
            elif words and words[0] in {"default", "defaults", "="}:
                schema = {**schema, **_default(remark)}
        return TypeText(schema, required)

    def remark(self) -> list[tuple[str, str]]:
        """What stands in parentheses, behind a comma, or is said of a value without either."""
        start = self.at
        kind, mark = self.next()
        if mark == "(":
            while not self.takes(")"):
                self.next()
            return self.tokens[start + 1 : self.at - 1]
        if kind == "mark" and mark in {",", ":", "="}:
            while self.at < len(self.tokens) and self.peek() not in {",", "("}:
                self.next()
            return self.tokens[start + (mark != "=") : self.at]
        if mark.lower() in _FLAGS:
            return [(kind, mark)]
        raise _Unreadable

    def peek(self) -> str:
        return self.tokens[self.at][1].lower() if self.at < len(self.tokens) else ""

    def next(self) -> tuple[str, str]:
        if self.at >= len(self.tokens):
            raise _Unreadable
        self.at += 1
        return self.tokens[self.at - 1]

    def takes(self, *words: str) -> bool:
        """Step over the next token if it is one of these."""
        if self.peek() in words:
            self.at += 1
            return True
        return False

    def union(self) -> JsonObject:
        """Types between bars, slashes or the word ``or``."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _Unreadable
        found = [self.item()]
        while self.takes("|", "/", "or"):
            found.append(self.item())
        self.depth -= 1
        return union_of(found)

    def item(self) -> JsonObject:
        self.takes(*_ARTICLES)
        kind, text = self.next()
        if kind == "text":
            return {"enum": [text[1:-1]]}
        if kind == "number":
            return {"enum": [_number(text)]}
        if text == "(":
            schema = self.union()
            self.close(")")
        elif kind == "word":
            schema = self.named(text)
        else:
            raise _Unreadable
        while True:  # what may follow a type and belongs to it
            if self.takes("[]", "list", "array", "lists", "arrays"):
                schema = _holding("array", [schema])
            elif self.takes("?"):
                schema = union_of([schema, _NULL])
            else:
                return schema

    def named(self, text: str) -> JsonObject:
        """A word, with what stands in its brackets or behind ``of``."""
        word = text.rpartition(".")[2].lower()
        opening = self.peek()
        if opening in {"[", "<"} or (opening == "(" and self.holds_types(word)):
            self.at += 1
            self.angles += opening == "<"
            schema = self.generic(word, _CLOSING[opening])
            self.angles -= opening == "<"
            return schema
        kind = _kind(word)
        if kind in {"array", "object"} and self.takes("of"):
            inner = self.item()
            return _holding(kind, [self.item() if self.takes("to", "->") else inner])
        if kind is None or (text == "Object" and self.angles):  # anything, in Java
            return {}
        return {"type": kind}

    def holds_types(self, word: str) -> bool:
        """Whether a parenthesis holds types, and not a remark."""
        if word in _EITHER | _MAYBE | _EXACTLY:
            return True
        inner = self.tokens[self.at + 1][1] if self.at + 1 < len(self.tokens) else ""
        return TYPE_WORDS.get(word) == "array" and _singular(inner.lower()) in TYPE_WORDS

    def generic(self, word: str, closing: str) -> JsonObject:
        if word in _EXACTLY:
            return self.exactly(closing)
        inner = [self.union()]
        is_variadic = False
        while self.takes(","):
            if self.takes("..."):
                is_variadic = True
            elif word in _PASSED_THROUGH:
                self.next()
            else:
                inner.append(self.union())
        self.close(closing)
        if word in _PASSED_THROUGH:
            return inner[0]
        if word in _MAYBE:
            return union_of([*inner, _NULL])
        if word in _EITHER:
            return union_of(inner)
        if word == "tuple" and not is_variadic:
            size = len(inner)
            return {"type": "array", "prefixItems": inner, "minItems": size, "maxItems": size}
        return _holding(_kind(word), inner)

    def exactly(self, closing: str) -> JsonObject:
        """The values of a literal type."""
        values: list[Json] = []
        while not self.takes(closing):
            kind, text = self.next()
            if kind not in {"mark", "other"}:
                values.append(_constant(kind, text))
            elif text not in {",", "|"}:
                raise _Unreadable
        if not values:
            raise _Unreadable
        return _typed({"enum": values})

    def close(self, mark: str) -> None:
        if not self.takes(mark):
            raise _Unreadable


def _constant(kind: str, text: str) -> Json:
    if kind == "text":
        return text[1:-1]
    return _number(text) if kind == "number" else _CONSTANTS.get(text.lower(), text)


def _default(remark: list[tuple[str, str]]) -> JsonObject:
    """The value behind ``default``, where it is one word that can only be a value."""
    kind, text = remark[-1]
    if kind in {"text", "number"} or text.lower() in {"true", "false"}:
        return {"default": _constant(kind, text)}
    return {}


def _singular(word: str) -> str:
    if word in TYPE_WORDS or not word.endswith("s"):
        return word
    return f"{word[:-3]}y" if word.endswith("ies") else word[:-1]


def _kind(word: str) -> str | None:
    word = _singular(word)
    if word not in TYPE_WORDS:
        raise _Unreadable
    return TYPE_WORDS[word]


def _holding(kind: str | None, inner: list[JsonObject]) -> JsonObject:
    """A container and what is in it: a list of one type, a map from text to one."""
    if kind == "array" and len(inner) == 1:
        return {"type": kind, "items": inner[0]} if inner[0] else {"type": kind}
    if kind == "object" and len(inner) <= 2:  # noqa: PLR2004 - key and value
        return {"type": kind, "additionalProperties": inner[-1]} if inner[-1] else {"type": kind}
    raise _Unreadable


def _typed(schema: JsonObject) -> JsonObject:
    """An enum of texts says that it is of texts."""
    values = schema.get("enum", ())
    if "type" not in schema and values and all(isinstance(value, str) for value in values):
        return {"type": "string", **schema}
    return schema


def union_of(schemas: list[JsonObject]) -> JsonObject:
    """One schema for a value of any of these types, as short as can be said."""
    if any(not schema for schema in schemas):
        return {}
    if all("enum" in schema for schema in schemas):
        return _typed({"enum": [value for schema in schemas for value in schema["enum"]]})
    plain = [schema["type"] for schema in schemas if schema.keys() == {"type"}]
    kinds = list(dict.fromkeys(kind for one in plain for kind in _listed(one)))
    if "number" in kinds and "integer" in kinds:
        kinds.remove("integer")  # which numbers include
    others = [_typed(schema) for schema in schemas if schema.keys() != {"type"}]
    if not others:
        return {"type": kinds if len(kinds) > 1 else kinds[0]}
    if len(others) == 1 and kinds in ([], ["null"]):
        (only,) = others
        if not kinds:
            return only
        if isinstance(only.get("type"), str) and "enum" not in only:
            return {**only, "type": [only["type"], "null"]}
    return {
        "anyOf": [
            *({"type": kind} for kind in kinds if kind != "null"),
            *others,
            *([_NULL] if "null" in kinds else []),
        ]
    }


def _listed(kind: Json) -> list[Json]:
    return kind if isinstance(kind, list) else [kind]
