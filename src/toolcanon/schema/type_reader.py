"""One type being read from left to right: words, brackets, bars, and what stands behind ``of``."""

from __future__ import annotations

from typing import Final

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.type_words import FORMATS, OPEN_WORDS, TYPE_WORDS
from toolcanon.schema.value_texts import NULL, TEXT, Token, singular, typed, union_of

_DEEPEST: Final = 24
_CLOSING: Final = {"[": "]", "<": ">", "(": ")"}
_MAYBE: Final = frozenset({"optional", "nullable", "maybe", "option"})
_EITHER: Final = frozenset({"union", "oneof", "anyof", "either"})
_EXACTLY: Final = frozenset({"literal", "enum", "choice", "choices"})
_PASSED_THROUGH: Final = frozenset({"annotated", "final", "classvar", "promise", "readonly"})
_LISTS: Final = ("list", "array", "lists", "arrays")
_ARTICLES: Final = ("a", "an", "either")
FLAGS: Final = {"optional": False, "not required": False, "required": True, "mandatory": True}


class Unreadable(Exception):
    """Not a type, or not one we know."""


class Reader:
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
            raise Unreadable
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
            raise Unreadable
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
            raise Unreadable
        while True:  # what may follow a type and belongs to it
            if self.takes("[]", *_LISTS):
                schema = holding("array", [schema])
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
            except Unreadable:  # a remark after all
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
        """Whether a parenthesis holds types, and not a remark."""
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
        """A type in brackets; a number there is a size."""
        if self.at < len(self.tokens) and self.tokens[self.at].kind == "number":
            raise Unreadable
        return self.union()

    def exactly(self, closing: str) -> JsonObject:
        """The values of a literal type."""
        values: list[Json] = []
        while not self.takes(closing):
            token = self.next()
            if token.kind not in {"mark", "other"}:
                values.append(token.value)
            elif token.text not in {",", "|"}:
                raise Unreadable
        if not values:
            raise Unreadable
        return typed({"enum": values})

    def close(self, mark: str) -> None:
        if not self.takes(mark):
            raise Unreadable


def one_type(part: list[Token]) -> Reader | None:
    """The reader of the type that these tokens are, and nothing else."""
    reader = Reader(part)
    reader.takes("or")
    try:
        reader.found = reader.union()
    except Unreadable:
        return None
    return reader if reader.at == len(part) else None


def _inner(schema: JsonObject) -> Json:
    """What a list holds, or a map leads to."""
    return schema.get("items", schema.get("additionalProperties"))


def _names_type(word: str) -> bool:
    return word != "" and TYPE_WORDS.get(singular(word), "null") != "null"


def _kind(word: str) -> str | None:
    word = singular(word)
    if word not in TYPE_WORDS:
        raise Unreadable
    return TYPE_WORDS[word]


def holding(kind: str | None, inner: list[JsonObject]) -> JsonObject:
    """A container and what is in it: a list of one type, a map from text to one."""
    if kind == "array" and len(inner) == 1:
        return {"type": kind, "items": inner[0]} if inner[0] else {"type": kind}
    if kind == "object" and len(inner) <= 2:  # noqa: PLR2004 - key and value
        return {"type": kind, "additionalProperties": inner[-1]} if inner[-1] else {"type": kind}
    raise Unreadable
