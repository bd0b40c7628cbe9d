"""What letters look like: skeletons of names, words in borrowed letters, text read as a model does.

Two names with one skeleton (UTS 39) look alike. A word that mixes Latin with letters of another
script which look Latin was made to be taken for another word; nobody writes so by custom, while
Latin words beside other ones, Greek letters in formulas and full-width forms in Chinese are usual.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from toolcanon.text.invisible import DIRECTION, UNSEEN

_BORROWED: Final = (
    "\u0370-\u03ff\u0400-\u052f\u0531-\u0556\u0561-\u0587\u10a0-\u10ff\u13a0-\u13fd"
    "\u1c80-\u1c8f\u1d00-\u1d7f\u2c80-\u2cf3\ua4d0-\ua4f7\ua640-\ua69f\uab70-\uabbf"
    "\U00010400-\U0001044f\U000104b0-\U000104fb"
)
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_LATIN_LETTER: Final = re.compile("[A-Za-z]")
_BORROWED_LETTER: Final = re.compile(f"[{_BORROWED}]")
# Greek letters that everybody knows as Greek stand in units, formulas and names of proteins.
_PLAINLY_GREEK: Final = frozenset("αβγδεζηθικλμξπρςστυφχψωΓΔΘΛΞΠΣΦΨΩϕϵϑ")
_SHORTEST: Final = 3
_LONGEST_ENDING: Final = 3
_LONG_NAME: Final = 16
_SEPARATOR: Final = re.compile(r"[_.-]+")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Letters that mathematics, enclosures and phonetics have once more: nobody sets words in them.
_STYLED: Final = re.compile(
    "[\U0001d400-\U0001d7cb\u24b6-\u24e9\U0001f130-\U0001f189\u1d00-\u1d2b\u0280\u029f\u0274"
    "\u0262\u026a\u0299\u029c\ua730\ua731]{4,}"
)
_FULL_WIDTH: Final = re.compile("[\uff21-\uff3a\uff41-\uff5a]{4,}")
_EAST_ASIAN: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_UNSEEN: Final = re.compile(f"[{UNSEEN}{DIRECTION}]")


class Disguise(NamedTuple):
    """A word that is written in other letters than it seems, and what it seems to be."""

    word: str
    seems: str


@cache
def _looks() -> dict[int, str]:
    """Character -> what it is taken for. Built when first needed: few names need it."""
    from toolcanon.text.confusables import LOOKS  # noqa: PLC0415 - a big table

    pairs = (line.split("\t") for line in LOOKS.split("\n"))
    return {ord(char): look for look, chars in pairs for char in chars}


def is_plain(text: str) -> bool:
    """Whether this is printable ASCII, blanks its only white space."""
    return text.isascii() and text.isprintable()


def skeleton(text: str) -> str:
    r"""What a name looks like; names with the same skeleton look the same.

    >>> skeleton("f\u0435tch") == skeleton("fetch"), skeleton("list1") == skeleton("listl")
    (True, True)
    """
    plain = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text))
    if not plain.isascii():
        plain = _UNSEEN.sub("", plain)
    return unicodedata.normalize("NFD", plain.translate(_looks()))


def disguises(text: str) -> Iterator[Disguise]:
    r"""The words of a text that are written in borrowed letters.

    >>> [found.seems for found in disguises("the p\u0430ssword of TNF\u03b1 in \u00b5s")]
    ['password']
    """
    if text.isascii():
        return
    words = [word for word in _WORD.findall(text) if _BORROWED_LETTER.search(word)]
    mixed = [word for word in words if _LATIN_LETTER.search(word)]
    is_at_home = len(words) > len(mixed)  # whole words of that script are there, too
    for word in mixed:
        if is_at_home and _is_inflected(word):
            continue
        if all(map(_looks_latin, _BORROWED_LETTER.findall(word))):
            yield Disguise(word, unmasked(word))
    for match in _STYLED.finditer(text):
        yield Disguise(match.group(), unmasked(match.group()))
    if not _EAST_ASIAN.search(text):
        for match in _FULL_WIDTH.finditer(text):
            yield Disguise(match.group(), unmasked(match.group()))


def _is_inflected(word: str) -> bool:
    """Whether this is a foreign word with an ending, as the language around it wants it."""
    ending = "".join(_BORROWED_LETTER.findall(word[-_LONGEST_ENDING:]))
    return word.rstrip(ending).isascii()


def is_disguise(word: str) -> bool:
    """Whether a whole word is of another script and yet reads as Latin, letter by letter."""
    return (
        len(word) >= _SHORTEST
        and all(_BORROWED_LETTER.match(letter) for letter in word)
        and all(map(_looks_latin, word))
    )


def unmasked(text: str) -> str:
    """A text with Latin letters in the place of what looks like them."""
    looks = _looks()
    plain = unicodedata.normalize("NFKC", text)
    return "".join(char if char.isascii() else looks.get(ord(char), char) for char in plain)


def spaced(name: str) -> str:
    """A name that is long enough to hold a sentence, and the sentence.

    >>> spaced("ignore_all_previous_instructions")
    'ignore_all_previous_instructions . ignore all previous instructions'
    """
    if len(name) < _LONG_NAME or " " in name:
        return name
    words = _SEPARATOR.sub(" ", _HUMP.sub(" ", name))
    return name if words == name else f"{name} . {words}"


def reading(text: str) -> str:
    """A text as a model takes it in: one line, small letters, disguises taken off.

    Where letters of other scripts may stand for Latin ones, both readings stand one after the
    other, so that a pattern finds whichever was meant.
    """
    if text.isascii():
        return _one_line(text).lower()
    line = _one_line(unicodedata.normalize("NFKC", _UNSEEN.sub("", text)))
    if _BORROWED_LETTER.search(line) is None:
        return line.lower()
    return f"{line} . {unmasked(line)}".lower()


def _one_line(text: str) -> str:
    """Lines joined; where one was left empty, a sentence ends."""
    if "  " not in text and text.isprintable():  # as many are
        return text.strip()
    return " ".join(text.replace("\n\n", " . ").split())


def _looks_latin(letter: str) -> bool:
    if letter in _PLAINLY_GREEK:
        return False
    look = unicodedata.normalize("NFD", _looks().get(ord(letter), letter))
    return look[0].isascii() and look[0].isalpha()
