"""Types written as expressions, read as the schema that they mean.

``List[str]``, ``Map<String, Long>``, ``int[]``, ``str | None``, ``list of strings``, ``int,
optional``, ``one of a, b``. An expression is read completely or not at all; unknown text after a
type becomes its description.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.upgrade.type_words import FORMATS, OPEN_WORDS, TYPE_WORDS, settled
from toolcanon.schema.upgrade.value_texts import (
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

_DEEPEST: Final = 24
_CLOSING: Final = {"[": "]", "<": ">", "(": ")"}
_MAYBE: Final = frozenset({"optional", "nullable", "maybe", "option"})
_EITHER: Final = frozenset({"union", "oneof", "anyof", "either"})
_EXACTLY: Final = frozenset({"literal", "enum", "choice", "choices"})
_PASSED_THROUGH: Final = frozenset({"annotated", "final", "classvar", "promise", "readonly"})
_LISTS: Final = ("list", "array", "lists", "arrays")
_ARTICLES: Final = ("a", "an", "either")
FLAGS: Final = {"optional": False, "not required": False, "required": True, "mandatory": True}


class UnreadableType(Exception):
    """It is not a known type."""


class TypeReader:
    """One type being read, from left to right."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0
        self.angles = 0
        self.found: JsonObject = {}
        self.reach = 0
        """Where the last type that is *of* another one ended; what follows may belong to either."""
        self.is_guess = False

    def peek(self, ahead: int = 0) -> str:
        at = self.at + ahead
        return self.tokens[at].text.lower() if at < len(self.tokens) else ""

    def next(self) -> Token:
        if self.at >= len(self.tokens):
            raise UnreadableType
        self.at += 1
        return self.tokens[self.at - 1]

    def takes(self, *words: str) -> bool:
        """Step over the next token if it is one of these."""
        if self.peek() in words:
            self.at += 1
            return True
        return False

    def union(self) -> JsonObject:
        """Read types between bars, slashes or the word ``or``."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise UnreadableType
        found = [self.item()]
        while self.takes("|", "/", "or"):
            is_open = self.at - 1 == self.reach
            found.append(self.item())
            if is_open and found[-1] not in (NULL, *map(_inner, found[:-1])):
                self.is_guess = True  # list of str or int
        is_behind = len(found) > 1 and self.tokens[self.at - 1].text.lower() in _LISTS
        if is_behind and _inner(found[-1]) not in (None, *found[:-1]):
            self.is_guess = True  # int or str list
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
            raise UnreadableType
        while True:  # what may follow a type and belongs to it
            if self.takes("[]", *_LISTS):
                schema = holding("array", [schema])
            elif self.takes("?"):
                schema = union_of([schema, NULL])
            else:
                return schema

    def named(self, text: str) -> JsonObject:
        """Read a name, with the types in its brackets or after ``of``."""
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
            except UnreadableType:  # it is a note
                self.at, self.depth, self.angles = before
        kind = _kind(word)
        if kind == "array":
            self.takes("[]")  # a list of whatever
        if kind in {"array", "object"} and self.takes("of"):
            inner = self.item()
            schema = holding(kind, [self.item() if self.leads_on(kind, inner) else inner])
            self.reach = self.at
            return schema
        self.is_guess |= singular(word) in OPEN_WORDS
        if kind is None or (text == "Object" and self.angles):  # anything, in Java
            return {}
        form = FORMATS.get(singular(word))
        return {"type": kind} if form is None else {"type": kind, "format": form}

    def leads_on(self, kind: str, key: JsonObject) -> bool:
        """Step to what a map leads to from its keys: ``to int``, ``: int``, ``, int``."""
        if self.takes("to", "->"):
            return True
        if kind != "object" or not _names_type(self.peek(1)):
            return False
        return self.takes(":", *([","] if key == TEXT else []))

    def holds_types(self, word: str) -> bool:
        """Return whether a parenthesis holds types, and not a note."""
        if word in _EITHER | _MAYBE | _EXACTLY:
            return self.peek(1) not in FLAGS or self.peek(2) != ")"
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
        return holding(_kind(word), inner)

    def content(self) -> JsonObject:
        """Return a type in brackets; a number there is a size."""
        if self.at < len(self.tokens) and self.tokens[self.at].kind == "number":
            raise UnreadableType
        return self.union()

    def exactly(self, closing: str) -> JsonObject:
        """Return the values of a literal type."""
        values: list[Json] = []
        while not self.takes(closing):
            token = self.next()
            if token.kind not in {"mark", "other"}:
                values.append(token.value)
            elif token.text not in {",", "|"}:
                raise UnreadableType
        if not values:
            raise UnreadableType
        return typed({"enum": values})

    def close(self, mark: str) -> None:
        if not self.takes(mark):
            raise UnreadableType


def one_type(part: list[Token]) -> TypeReader | None:
    """Return the reader of the type that these tokens are, and nothing else."""
    reader = TypeReader(part)
    reader.takes("or")
    try:
        reader.found = reader.union()
    except UnreadableType:
        return None
    return reader if reader.at == len(part) else None


def _inner(schema: JsonObject) -> Json:
    """Return the schema of a list's items, or of a map's values."""
    return schema.get("items", schema.get("additionalProperties"))


def _names_type(word: str) -> bool:
    return word != "" and TYPE_WORDS.get(singular(word), "null") != "null"


def _kind(word: str) -> str | None:
    word = singular(word)
    if word not in TYPE_WORDS:
        raise UnreadableType
    return TYPE_WORDS[word]


def holding(kind: str | None, inner: list[JsonObject]) -> JsonObject:
    """Return a container and what is in it: a list of one type, a map from text to one."""
    if kind == "array" and len(inner) == 1:
        return {"type": kind, "items": inner[0]} if inner[0] else {"type": kind}
    if kind == "object" and len(inner) <= 2:  # noqa: PLR2004 - key and value
        return {"type": kind, "additionalProperties": inner[-1]} if inner[-1] else {"type": kind}
    raise UnreadableType


LONGEST: Final = 1000
"""Characters in a type; what is longer is a text about something else."""
_FILLERS: Final = frozenset({"is", "this", "parameter", "param", "field", "argument", "value"})
_DEFAULT: Final = frozenset({"default", "defaults", "="})
_SIMPLE: Final = ("integer", "number", "boolean")
_BEFORE: Final = re.compile(r"(?:\(optional\)|optional)[ :,]+(?P<type>\S.*)", re.IGNORECASE)
_BEHIND: Final = re.compile(
    r"(?P<type>.*?\S) ?[,;|/-]? ?(?:\[optional\]|\(optional\)|(?<=[,;|/ -])optional)", re.IGNORECASE
)
_ASIDE: Final = re.compile(r"(?:, ?optional|\[optional\]|\(optional\))\s*$", re.IGNORECASE)
_DATE: Final[JsonObject] = {**TEXT, "format": "date"}


class TypeText(NamedTuple):
    """The reading of a type: a schema, and whether the value is required, where that is stated."""

    schema: JsonObject
    required: bool | None = None
    is_guess: bool = False
    """Whether it may as well be read in another way."""


def read_type(text: str) -> TypeText | None:
    """Return the schema that a type stands for; None where any of it is unknown.

    >>> read_type("Dict[str, List[int]]").schema
    {'type': 'object', 'additionalProperties': {'type': 'array', 'items': {'type': 'integer'}}}
    >>> read_type("list of strings, optional")
    TypeText(schema={'type': 'array', 'items': {'type': 'string'}}, required=False, is_guess=False)
    >>> read_type("list of str or int").is_guess
    True
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
    except UnreadableType:
        return _marked(text)


def says_required(text: str) -> bool | None:
    """Return whether a type declares its value required, even where the type is unknown.

    >>> says_required("np.ndarray, optional"), says_required("the optional one")
    (False, None)
    """
    found = read_type(text)
    if found is not None:
        return found.required
    return False if len(text) <= LONGEST and _ASIDE.search(text) else None


def _marked(text: str) -> TypeText | None:
    """Return a type with "optional" before it, or behind it in brackets or after another mark."""
    marked = _BEFORE.fullmatch(text) or _BEHIND.fullmatch(text)
    found = None if marked is None else read_type(marked["type"])
    return found if found is None or found.required is not None else found._replace(required=False)


class _Remarks(TypeReader):
    """Reads a whole type with the notes after it."""

    def __init__(self, source: str, tokens: list[Token]) -> None:
        super().__init__(tokens)
        self.source = source
        self.schema: JsonObject = {}
        self.required: bool | None = None
        self.default: JsonObject = {}
        self.unknown: list[str] = []
        self.is_open = False
        """Whether what follows the type may be one of those it is *of*."""

    def whole(self) -> TypeText:
        if not self.lists_values(0):
            self.schema = self.union()
        self.is_open = 0 < self.at == self.reach
        while self.at < len(self.tokens):
            self.remark()
        schema = {**self.schema, **self.default}
        if self.unknown:
            before = [self.schema["description"]] if "description" in self.schema else []
            schema["description"] = ", ".join([*before, *self.unknown])
        beside: JsonObject = {
            key: schema[key] for key in ("description", "default") if key in schema
        }
        return TypeText(settled(schema, beside), self.required, self.is_guess)

    def remark(self) -> None:
        """Read a note: in parentheses, after a comma, or as a phrase about the value."""
        start, mark = self.at, self.peek()
        if mark == "(":
            stop = self.cut(start + 1, ")")
            self.at = stop + 1
            if stop == len(self.tokens):
                raise UnreadableType
            first = stop if self.limits(start + 1, stop) else start + 1
            while first < stop:
                end = self.cut(first, ",", stop)
                self.hear(first, end, mark)
                first = end + 1
            return
        first = start + (mark in {",", ":"})
        if self.lists_values(first):
            return
        self.at = first + 1 if mark in FLAGS else self.cut(first, ",(")
        known = len(self.unknown)
        self.hear(first, self.at, mark)
        if len(self.unknown) > known and mark not in {",", ":", "="}:
            raise UnreadableType

    def cut(self, start: int, marks: str, stop: int | None = None) -> int:
        """Return the place of the first of some marks outside brackets; the end without one."""
        stop = len(self.tokens) if stop is None else stop
        depth = 0
        for at in range(start, stop):
            text = self.tokens[at].text
            if not depth and text in marks:
                return at
            depth = max(0, depth + (text in "([{") - (text in ")]}"))
        return stop

    def said(self, start: int, stop: int) -> str:
        """Return the text from one token to another."""
        part = self.tokens[start:stop]
        return self.source[part[0].start : part[-1].end] if part else ""

    def lists_values(self, start: int) -> bool:
        """Return whether values follow; they end where another statement begins."""
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
        """Return whether the text here makes the value optional or states its default."""
        word, behind = self.said(at, at + 1).lower(), self.said(at + 1, at + 2)
        is_last = behind in {"", ",", ")", "("}
        return is_last if word in FLAGS else word in _DEFAULT and not is_last

    def limits(self, start: int, stop: int) -> bool:
        """Return whether values are listed here, to which the type is limited."""
        found = listed(self.said(start, stop), self.schema if start else None)
        self.schema = self.schema if found is None else found
        return found is not None

    def hear(self, start: int, stop: int, mark: str) -> None:
        """Read one note: its effect on the type, or its text."""
        part = self.tokens[start:stop]
        words = [token.text.lower() for token in part]
        flag = " ".join(word for word in words if word not in _FILLERS)
        if flag in FLAGS:
            self.required = FLAGS[flag]
        elif flag == "nullable":
            self.schema = union_of([self.schema, NULL])
        elif words[:1] and words[0] in FLAGS and self.is_aside(start + 1):
            self.required = FLAGS[words[0]]
            self.hear(start + 1, stop, mark)
        elif self.schema in (TEXT, _DATE) and "".join(words) == "yyyy-mm-dd":
            self.schema = _DATE
        elif part and not (self.sets_default(self.said(start, stop)) or self.joins(part, mark)):
            self.unknown.append(self.said(start, stop))

    def sets_default(self, remark: str) -> bool:
        """Return whether a default is stated. A stated absence makes the value optional."""
        found = read_default(remark, self.schema)
        if found is None:
            return False
        if fits(found["default"], self.schema):
            self.default = found
        elif self.required is None:
            self.required = False
        return True

    def joins(self, part: list[Token], mark: str) -> bool:
        """Return whether a type is named: another one that is meant, or that of the items."""
        kind = self.schema.get("type")
        is_bare = self.schema.keys() == {"type"} and kind in ("array", "object")
        is_guess = self.is_open and mark == ","
        if is_bare and part[0].text.lower() == "of":
            reader = one_type([Token("word", str(kind), 0, 0), *part])
            joined = None if reader is None else reader.found
        elif (reader := one_type(part)) is None or mark not in {",", "("}:
            joined = None
        elif mark == "(" and reader.found != NULL and kind not in _SIMPLE:
            # In a list it is the item; in a text or a map it is the type that the text spells.
            joined = holding(kind, [reader.found]) if is_bare and kind == "array" else None
        elif "enum" in reader.found and "enum" not in self.schema:  # an example
            joined = None
        else:
            joined = union_of([self.schema, reader.found])
        if reader is None or joined is None or (joined == self.schema and "enum" not in joined):
            return False
        self.is_guess |= reader.is_guess or (is_guess and reader.found != NULL)
        self.schema = joined
        return True
