"""Types written as expressions: read as the schema they stand for.

``List[str]``, ``Map<String, Long>``, ``int[]``, ``str | None``, ``list of strings``,
``int, optional``, ``one of a, b``. What cannot be read to the end is not read at all; a remark
behind a type that says nothing we know becomes its description.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.type_words import TYPE_WORDS
from toolcanon.schema.value_texts import (
    INTRO,
    NULL,
    TEXT,
    Token,
    fits,
    in_text,
    listed,
    read_choices,
    read_default,
    singular,
    tokens_of,
    typed,
    union_of,
)

__all__ = ["LONGEST", "TypeText", "in_text", "read_choices", "read_type", "union_of"]

LONGEST: Final = 1000
"""Characters in a type; what is longer is a text about something else."""
_DEEPEST: Final = 24

_CLOSING: Final = {"[": "]", "<": ">", "(": ")"}
_MAYBE: Final = frozenset({"optional", "nullable", "maybe", "option"})
_EITHER: Final = frozenset({"union", "oneof", "anyof", "either"})
_EXACTLY: Final = frozenset({"literal", "enum", "choice", "choices"})
_PASSED_THROUGH: Final = frozenset({"annotated", "final", "classvar", "promise", "readonly"})
_ARTICLES: Final = ("a", "an", "either")
_FLAGS: Final = {"optional": False, "not required": False, "required": True, "mandatory": True}
_FILLERS: Final = frozenset({"is", "this", "parameter", "param", "field", "argument", "value"})
_DEFAULT: Final = frozenset({"default", "defaults", "="})
_SIMPLE: Final = ("integer", "number", "boolean")


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
    text = text.strip()
    if text[-1:] == "." and text[-2:] != "..":  # the end of a sentence
        text = text[:-1]
    try:
        tokens = tokens_of(text)
        if len(tokens) == 1 and tokens[0].kind == "text" and (found := read_type(text[1:-1])):
            return found
        return _Remarks(text, tokens).whole()
    except _Unreadable:
        return None


class _Reader:
    """One type being read, from left to right."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0
        self.angles = 0

    def peek(self, ahead: int = 0) -> str:
        at = self.at + ahead
        return self.tokens[at].text.lower() if at < len(self.tokens) else ""

    def next(self) -> Token:
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
        token = self.next()
        if token.kind in {"text", "number"}:
            return {"enum": [token.value]}
        if token.text == "(":
            schema = self.union()
            self.close(")")
        elif token.kind == "word":
            schema = self.named(token.text)
        else:
            raise _Unreadable
        while True:  # what may follow a type and belongs to it
            if self.takes("[]", "list", "array", "lists", "arrays"):
                schema = _holding("array", [schema])
            elif self.takes("?"):
                schema = union_of([schema, NULL])
            else:
                return schema

    def named(self, text: str) -> JsonObject:
        """A word, with what stands in its brackets or behind ``of``."""
        word = text.rpartition(".")[2].lower()
        opening = self.peek()
        if opening in {"[", "<"}:
            self.angles += opening == "<"
            schema = self.generic(word)
            self.angles -= opening == "<"
            return schema
        if opening == "(" and self.holds_types(word):
            before = self.at, self.depth, self.angles
            try:
                return self.generic(word)
            except _Unreadable:  # a remark after all
                self.at, self.depth, self.angles = before
        kind = _kind(word)
        if kind == "array":
            self.takes("[]")  # a list of whatever
        if kind in {"array", "object"} and self.takes("of"):
            inner = self.item()
            return _holding(kind, [self.item() if self.leads_on(kind, inner) else inner])
        if kind is None or (text == "Object" and self.angles):  # anything, in Java
            return {}
        return {"type": kind}

    def leads_on(self, kind: str, key: JsonObject) -> bool:
        """Step to what a map leads to from its keys: ``to int``, ``: int``, ``, int``."""
        if self.takes("to", "->"):
            return True
        if kind != "object" or not _names_type(self.peek(1)):
            return False
        return self.takes(":", *([","] if key == TEXT else []))

    def holds_types(self, word: str) -> bool:
        """Whether a parenthesis holds types, and not a remark."""
        if word in _EITHER | _MAYBE | _EXACTLY:
            return self.peek(1) not in _FLAGS or self.peek(2) != ")"
        return TYPE_WORDS.get(word) == "array" and _names_type(self.peek(1))

    def generic(self, word: str) -> JsonObject:
        closing = _CLOSING[self.next().text]
        if word in _EXACTLY:
            return self.exactly(closing)
        inner = [self.content()]
        remarks: list[str] = []
        is_variadic = False
        while self.takes(","):
            if self.takes("..."):
                is_variadic = True
            elif word in _PASSED_THROUGH:
                remarks.append(str(self.next().value))
            else:
                inner.append(self.content())
        self.close(closing)
        if word in _PASSED_THROUGH:
            return {**inner[0], "description": ", ".join(remarks)} if remarks else inner[0]
        if word in _MAYBE:
            return union_of([*inner, NULL])
        if word in _EITHER:
            return union_of(inner)
        if word == "tuple" and not is_variadic:
            size = len(inner)
            return {"type": "array", "prefixItems": inner, "minItems": size, "maxItems": size}
        return _holding(_kind(word), inner)

    def content(self) -> JsonObject:
        """A type in brackets; a number there is a size."""
        if self.at < len(self.tokens) and self.tokens[self.at].kind == "number":
            raise _Unreadable
        return self.union()

    def exactly(self, closing: str) -> JsonObject:
        """The values of a literal type."""
        values: list[Json] = []
        while not self.takes(closing):
            token = self.next()
            if token.kind not in {"mark", "other"}:
                values.append(token.value)
            elif token.text not in {",", "|"}:
                raise _Unreadable
        if not values:
            raise _Unreadable
        return typed({"enum": values})

    def close(self, mark: str) -> None:
        if not self.takes(mark):
            raise _Unreadable


class _Remarks(_Reader):
    """A whole type being read, with what is said behind it."""

    def __init__(self, source: str, tokens: list[Token]) -> None:
        super().__init__(tokens)
        self.source = source
        self.schema: JsonObject = {}
        self.required: bool | None = None
        self.default: JsonObject = {}
        self.unknown: list[str] = []

    def whole(self) -> TypeText:
        if not self.lists_values(0):
            self.schema = self.union()
        while self.at < len(self.tokens):
            self.remark()
        schema = {**self.schema, **self.default}
        if self.unknown:
            before = [self.schema["description"]] if "description" in self.schema else []
            schema["description"] = ", ".join([*before, *self.unknown])
        return TypeText(schema, self.required)

    def remark(self) -> None:
        """What stands in parentheses, behind a comma, or is said of a value without either."""
        start, mark = self.at, self.peek()
        if mark == "(":
            stop = self.cut(start + 1, ")")
            self.at = stop + 1
            if stop == len(self.tokens):
                raise _Unreadable
            first = stop if self.limits(start + 1, stop) else start + 1
            while first < stop:
                end = self.cut(first, ",", stop)
                self.hear(first, end, mark)
                first = end + 1
            return
        first = start + (mark in {",", ":"})
        if self.lists_values(first):
            return
        self.at = first + 1 if mark in _FLAGS else self.cut(first, ",(")
        known = len(self.unknown)
        self.hear(first, self.at, mark)
        if len(self.unknown) > known and mark not in {",", ":", "="}:
            raise _Unreadable

    def cut(self, start: int, marks: str, stop: int | None = None) -> int:
        """Where the first of some marks stands that no bracket holds; the end if none does."""
        stop = len(self.tokens) if stop is None else stop
        depth = 0
        for at in range(start, stop):
            text = self.tokens[at].text
            if not depth and text in marks:
                return at
            depth = max(0, depth + (text in "([{") - (text in ")]}"))
        return stop

    def said(self, start: int, stop: int) -> str:
        """The text from one token to another."""
        part = self.tokens[start:stop]
        return self.source[part[0].start : part[-1].end] if part else ""

    def lists_values(self, start: int) -> bool:
        """Whether values follow; they end where something else is said of them."""
        if start >= len(self.tokens) or not INTRO.match(self.source, self.tokens[start].start):
            return False
        end = len(self.tokens)
        stop = self.cut(start + 1, ",(")
        while stop < end and not self.is_aside(stop + 1):
            stop = self.cut(stop + 1, ",(")
        for at in (stop, end) if stop > start + 1 else (stop,):  # enum (optional)
            if self.limits(start, at):
                self.at = at
                return True
        return False

    def is_aside(self, at: int) -> bool:
        """Whether it is said here that a value may be missing, or which one is usual."""
        word, behind = self.said(at, at + 1).lower(), self.said(at + 1, at + 2)
        is_last = behind in {"", ",", ")", "("}
        return is_last if word in _FLAGS else word in _DEFAULT and not is_last

    def limits(self, start: int, stop: int) -> bool:
        """Whether values are listed here, to which the type is limited."""
        found = listed(self.said(start, stop), self.schema if start else None)
        self.schema = self.schema if found is None else found
        return found is not None

    def hear(self, start: int, stop: int, mark: str) -> None:
        """One remark: what it says of the type, or what it says."""
        part = self.tokens[start:stop]
        words = [token.text.lower() for token in part]
        flag = " ".join(word for word in words if word not in _FILLERS)
        if flag in _FLAGS:
            self.required = _FLAGS[flag]
        elif flag == "nullable":
            self.schema = union_of([self.schema, NULL])
        elif words[:1] and words[0] in _FLAGS and self.is_aside(start + 1):
            self.required = _FLAGS[words[0]]
            self.hear(start + 1, stop, mark)
        elif self.schema == TEXT and "".join(words) == "yyyy-mm-dd":
            self.schema = {**TEXT, "format": "date"}
        elif part and not (self.sets_default(self.said(start, stop)) or self.joins(part, mark)):
            self.unknown.append(self.said(start, stop))

    def sets_default(self, remark: str) -> bool:
        """Whether a default is told. That there is none means that the value may be missing."""
        found = read_default(remark, self.schema)
        if found is None:
            return False
        if fits(found["default"], self.schema):
            self.default = found
        elif self.required is None:
            self.required = False
        return True

    def joins(self, part: list[Token], mark: str) -> bool:
        """Whether a type is named: another one that is meant, or that of the items."""
        kind = self.schema.get("type")
        is_bare = self.schema.keys() == {"type"} and kind in ("array", "object")
        if is_bare and part[0].text.lower() == "of":
            joined = _one_type([Token("word", str(kind), 0, 0), *part])
        elif (found := _one_type(part)) is None or mark not in {",", "("}:
            joined = None
        elif mark == "(" and found != NULL and kind not in _SIMPLE:
            # In a list it is what it holds; of a text or a map it says what that spells.
            joined = _holding(kind, [found]) if is_bare and kind == "array" else None
        elif "enum" in found and "enum" not in self.schema:  # an example
            joined = None
        else:
            joined = union_of([self.schema, found])
        if joined is None or (joined == self.schema and "enum" not in joined):
            return False
        self.schema = joined
        return True


def _one_type(part: list[Token]) -> JsonObject | None:
    """The type that these tokens are, and nothing else."""
    reader = _Reader(part)
    reader.takes("or")
    try:
        found = reader.union()
    except _Unreadable:
        return None
    return found if reader.at == len(part) else None


def _names_type(word: str) -> bool:
    return word != "" and TYPE_WORDS.get(singular(word), "null") != "null"


def _kind(word: str) -> str | None:
    word = singular(word)
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
