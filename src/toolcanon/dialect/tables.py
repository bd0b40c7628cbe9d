"""Parts of a dialect: keyword support, tables to start from, policies for names, sources."""

from __future__ import annotations

import re
import string
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from itertools import chain
from typing import Final


@dataclass(frozen=True, slots=True)
class Source:
    """A document or a piece of software, and the date of the check."""

    where: str
    checked: str
    says: str = ""
    about: tuple[str, ...] = ()
    """The fields of a dialect or of its limits that it documents; empty for all of it."""


class Support(IntEnum):
    """The support of a keyword, from the best to the worst."""

    ENFORCED = 1
    """What the model writes follows it."""
    ACCEPTED = 2
    """It is sent and the model may read it; nothing holds the model to it."""
    IGNORED = 3
    """It may be sent, and is ignored."""
    REJECTED = 4
    """A request that holds it fails."""


_KEYWORD_GROUPS: Final = {
    "core": "$schema $id $ref $defs $anchor $dynamicRef $dynamicAnchor $vocabulary $comment",
    "applicators": (
        "allOf anyOf oneOf not if then else dependentSchemas prefixItems items contains "
        "properties patternProperties additionalProperties propertyNames"
    ),
    "unevaluated": "unevaluatedItems unevaluatedProperties",
    "assertions": (
        "type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength "
        "minLength pattern maxItems minItems uniqueItems maxContains minContains maxProperties "
        "minProperties required dependentRequired"
    ),
    "annotations": "title description default deprecated readOnly writeOnly examples",
    "formats": "format contentEncoding contentMediaType contentSchema",
}

JSON_SCHEMA: Final[tuple[str, ...]] = tuple(
    keyword for words in _KEYWORD_GROUPS.values() for keyword in words.split()
)
"""Every keyword of 2020-12."""


def table(start: Support, **changes: str) -> dict[str, Support]:
    """Return all keywords of 2020-12 treated alike, but for those listed under a support's name.

    >>> table(Support.ACCEPTED, rejected="not oneOf")["not"].name
    'REJECTED'
    """
    made = dict.fromkeys(JSON_SCHEMA, start)
    for name, keywords in changes.items():
        made |= dict.fromkeys(keywords.split(), Support[name.upper()])
    return made


_CAMEL_CASE: Final = re.compile("(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])")
"""Where a word begins inside a name: getWeather, HTTPServer."""
_HEXADECIMAL: Final = "0123456789abcdef"
_LETTERS: Final = string.ascii_lowercase + string.ascii_uppercase + string.digits
_SEPARATORS: Final = "_-.:/~xX" + _LETTERS
_LEADS: Final = "_xX" + _LETTERS
_LEAST_DIGITS: Final = 2
_OTHERS: Final = 0x3000
"""Where to look for digits in an alphabet that has no ASCII letters: the scripts with letters."""
SERVER: Final = 16
"""Characters reserved for the name of an unknown server. A choice of ours, not a sourced fact."""


def _outside(chars: str) -> re.Pattern[str]:
    """Return the pattern of a character outside a class, which may be negated itself."""
    return re.compile(rf"(?![{chars}])[\s\S]")


def _first_outside(illegal: re.Pattern[str], wanted: str) -> str:
    """Return the first character that is legal: of the wanted ones, else of all."""
    for character in chain(wanted, map(chr, range(sys.maxunicode + 1))):
        if not illegal.match(character):
            return character
    raise ValueError(f"{illegal.pattern} leaves no character for names")


@dataclass(frozen=True)
class NamePolicy:
    """Legal names: characters, first characters and length. Other names get a legal alias."""

    chars: str
    """The inside of a regular expression's character class, without the brackets."""
    max_length: int
    """In characters, ``prefix`` included."""
    first: str = ""
    """The same as ``chars``, for the first character; ``chars`` where this is empty."""
    prefix: str = ""
    """The prefix that the reader of the name adds, and counts; ``{}`` is the server's name."""
    reserved: frozenset[str] = frozenset()
    """Words that are not names although their characters are legal."""

    @cached_property
    def room(self) -> int:
        """The longest name that fits."""
        return self.max_length - len(self.prefix.format("s" * SERVER))

    def behind(self, server: str) -> NamePolicy:
        """Return the policy for a server whose name is known."""
        room = self.max_length - len(self.prefix.format(server))
        return replace(self, max_length=room, prefix="")

    @cached_property
    def allows(self) -> Callable[[str], re.Match[str] | None]:
        """Return a function that matches a name which the target accepts unchanged."""
        first = self.first or self.chars
        not_these = f"(?!(?:{'|'.join(sorted(self.reserved))})$)" if self.reserved else ""
        return re.compile(f"{not_these}[{first}][{self.chars}]{{0,{self.room - 1}}}").fullmatch

    @cached_property
    def _illegal(self) -> re.Pattern[str]:
        return _outside(self.chars)

    @cached_property
    def _illegal_start(self) -> re.Pattern[str]:
        return _outside(self.first or self.chars)

    @cached_property
    def _takes(self) -> tuple[bool, bool]:
        """Whether small and capital letters are allowed."""
        return self._illegal.match("a") is None, self._illegal.match("A") is None

    @cached_property
    def separator(self) -> str:
        """A legal character to put between words: ``_`` where it is allowed."""
        return _first_outside(self._illegal, _SEPARATORS)

    @cached_property
    def _lead(self) -> str:
        """A legal first character: ``_`` where it is allowed."""
        return _first_outside(self._illegal_start, _LEADS)

    @cached_property
    def digits(self) -> str:
        """Legal characters to write a digest in: hexadecimal where those are allowed."""
        if not any(map(self._illegal.match, _HEXADECIMAL)):
            return _HEXADECIMAL
        found = [letter for letter in _LETTERS if not self._illegal.match(letter)]
        if len(found) < _LEAST_DIGITS:
            found = [c for c in map(chr, range(_OTHERS)) if not self._illegal.match(c)]
        return "".join(found) or self.separator

    def _folded(self, name: str) -> str:
        """Return the name in the only allowed case, with its words still separated."""
        small, capital = self._takes
        if small == capital or not self._illegal.search(name):
            return name
        if capital:
            return name.upper()
        return _CAMEL_CASE.sub(self.separator, name).lower()

    def clean(self, name: str) -> str:
        """Return the name with every illegal character replaced; legal but for its length."""
        cleaned = self._illegal.sub(self.separator, self._folded(name or "tool"))
        if self._illegal_start.match(cleaned):
            cleaned = f"{self._lead}{cleaned}"
        while cleaned in self.reserved:
            cleaned += self.separator
        return cleaned

    def words(self) -> str:
        """Return the policy in a sentence for reports."""
        start = f", starting with [{self.first}]" if self.first else ""
        total = f", {self.max_length} with {self.prefix.format('SERVER')}" if self.prefix else ""
        words = ", no reserved word" if self.reserved else ""
        return f"1 to {self.room} of [{self.chars}]{start}{words}{total}"
