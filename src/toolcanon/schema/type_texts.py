"""Types written as expressions: read as the schema they stand for.

``List[str]``, ``Map<String, Long>``, ``int[]``, ``str | None``, ``list of strings``,
``int, optional``, ``one of a, b``. What cannot be read to the end is not read at all; a remark
behind a type that says nothing we know becomes its description.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from toolcanon.jsonio.types import JsonObject
from toolcanon.schema.forms import settled
from toolcanon.schema.type_reader import FLAGS, Reader, Unreadable, holding, one_type
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
    tokens_of,
    union_of,
)

__all__ = ["LONGEST", "TypeText", "in_text", "read_choices", "read_type", "union_of"]

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
    """What a type says: a schema, and whether the value must be given, where it says so."""

    schema: JsonObject
    required: bool | None = None
    is_guess: bool = False
    """Whether it may as well be read in another way."""


def read_type(text: str) -> TypeText | None:
    """The schema that a type stands for; None where any of it is unknown.

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
    except Unreadable:
        return _marked(text)


def says_required(text: str) -> bool | None:
    """Whether a type says that its value must be given, also where the type itself is unknown.

    >>> says_required("np.ndarray, optional"), says_required("the optional one")
    (False, None)
    """
    found = read_type(text)
    if found is not None:
        return found.required
    return False if len(text) <= LONGEST and _ASIDE.search(text) else None


def _marked(text: str) -> TypeText | None:
    """A type with "optional" before it, or behind it in brackets or after another mark."""
    marked = _BEFORE.fullmatch(text) or _BEHIND.fullmatch(text)
    found = None if marked is None else read_type(marked["type"])
    return found if found is None or found.required is not None else found._replace(required=False)


class _Remarks(Reader):
    """A whole type being read, with what is said behind it."""

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
        """What stands in parentheses, behind a comma, or is said of a value without either."""
        start, mark = self.at, self.peek()
        if mark == "(":
            stop = self.cut(start + 1, ")")
            self.at = stop + 1
            if stop == len(self.tokens):
                raise Unreadable
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
            raise Unreadable

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
        return is_last if word in FLAGS else word in _DEFAULT and not is_last

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
        is_guess = self.is_open and mark == ","
        if is_bare and part[0].text.lower() == "of":
            reader = one_type([Token("word", str(kind), 0, 0), *part])
            joined = None if reader is None else reader.found
        elif (reader := one_type(part)) is None or mark not in {",", "("}:
            joined = None
        elif mark == "(" and reader.found != NULL and kind not in _SIMPLE:
            # In a list it is what it holds; of a text or a map it says what that spells.
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
