"""Names and words that look like others.

Two names with one skeleton (UTS 39) look alike. A word that mixes Latin with letters of another
script which look Latin is meant to be mistaken for another word. Latin words beside others, Greek
letters in formulas and full-width forms in Chinese are usual.

Ordinary siblings must not be reported: ``get_user`` and ``get_users``, ``lpop`` and ``rpop``,
``move_x1`` and ``move_x2``. They differ at the ends of words, or by a digit or a first letter;
typing errors, and names that exploit them, differ within longer words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from toolcanon.text.hidden_text import DIRECTION, UNSEEN

_BORROWED: Final = (
    "\u0370-\u03ff\u0400-\u052f\u0531-\u0556\u0561-\u0587\u10a0-\u10ff\u13a0-\u13fd"
    "\u1c80-\u1c8f\u1d00-\u1d7f\u2c80-\u2cf3\ua4d0-\ua4f7\ua640-\ua69f\uab70-\uabbf"
    "\U00010400-\U0001044f\U000104b0-\U000104fb"
)
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_LATIN_LETTER: Final = re.compile("[A-Za-z]")
_BORROWED_LETTER: Final = re.compile(f"[{_BORROWED}]")
# Well-known Greek letters are used in units, formulas and names of proteins.
_PLAINLY_GREEK: Final = frozenset("αβγδεζηθικλμξπρςστυφχψωΓΔΘΛΞΠΣΦΨΩϕϵϑ")
_SHORTEST: Final = 3
_LONGEST_ENDING: Final = 3
_LONG_NAME: Final = 16
_SEPARATOR: Final = re.compile(r"[_.-]+")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Letters duplicated for mathematics, enclosures and phonetics, which no word is written in.
_STYLED: Final = re.compile(
    "[\U0001d400-\U0001d7cb\u24b6-\u24e9\U0001f130-\U0001f189\u1d00-\u1d2b\u0280\u029f\u0274"
    "\u0262\u026a\u0299\u029c\ua730\ua731]{4,}"
)
_FULL_WIDTH: Final = re.compile("[\uff21-\uff3a\uff41-\uff5a]{4,}")
_EAST_ASIAN: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_UNSEEN: Final = re.compile(f"[{UNSEEN}{DIRECTION}]")


class Disguise(NamedTuple):
    """A word in letters of another script, and the word that it looks like."""

    word: str
    seems: str


@cache
def _looks() -> dict[int, str]:
    """Return a table from characters to what they look like, built when first needed."""
    from toolcanon.text.confusables import LOOKS  # noqa: PLC0415 - a big table

    pairs = (line.split("\t") for line in LOOKS.split("\n"))
    return {ord(char): look for look, chars in pairs for char in chars}


def is_plain(text: str) -> bool:
    """Return whether this is printable ASCII, with blanks as the only white space."""
    return text.isascii() and text.isprintable()


def skeleton(text: str) -> str:
    r"""Return what a name looks like; names with the same skeleton look the same.

    >>> skeleton("f\u0435tch") == skeleton("fetch"), skeleton("list1") == skeleton("listl")
    (True, True)
    """
    plain = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text))
    if not plain.isascii():
        plain = _UNSEEN.sub("", plain)
    return unicodedata.normalize("NFD", plain.translate(_looks()))


def disguises(text: str) -> Iterator[Disguise]:
    r"""Yield the words of a text in letters of another script.

    >>> [found.seems for found in disguises("the p\u0430ssword of TNF\u03b1 in \u00b5s")]
    ['password']
    """
    if text.isascii():
        return
    words = [word for word in _WORD.findall(text) if _BORROWED_LETTER.search(word)]
    mixed = [word for word in words if _LATIN_LETTER.search(word)]
    is_at_home = len(words) > len(mixed)  # the text also has whole words of that script
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
    """Return whether this is a Latin word with an ending of the language around it."""
    ending = "".join(_BORROWED_LETTER.findall(word[-_LONGEST_ENDING:]))
    return word.rstrip(ending).isascii()


def is_disguise(word: str) -> bool:
    """Return whether a whole word is of another script and looks Latin in every letter."""
    return (
        len(word) >= _SHORTEST
        and all(_BORROWED_LETTER.match(letter) for letter in word)
        and all(map(_looks_latin, word))
    )


def unmasked(text: str) -> str:
    """Return a text with Latin letters in the place of those that look like them."""
    looks = _looks()
    plain = unicodedata.normalize("NFKC", text)
    return "".join(char if char.isascii() else looks.get(ord(char), char) for char in plain)


def spaced(name: str) -> str:
    """Return a name that is long enough for a sentence as separate words.

    >>> spaced("ignore_all_previous_instructions")
    'ignore_all_previous_instructions . ignore all previous instructions'
    """
    if len(name) < _LONG_NAME or " " in name:
        return name
    words = _SEPARATOR.sub(" ", _HUMP.sub(" ", name))
    return name if words == name else f"{name} . {words}"


def reading(text: str) -> str:
    """Return a text as a model reads it: one line, lower case, look-alikes replaced.

    Where letters of other scripts may be meant as Latin ones, both readings follow one after the
    other, so that a pattern finds whichever was meant.
    """
    if text.isascii():
        return _one_line(text).lower()
    line = _one_line(unicodedata.normalize("NFKC", _UNSEEN.sub("", text)))
    if _BORROWED_LETTER.search(line) is None:
        return line.lower()
    return f"{line} . {unmasked(line)}".lower()


def _one_line(text: str) -> str:
    """Return lines joined; an empty line ends a sentence."""
    if "  " not in text and text.isprintable():  # the most common case
        return text.strip()
    return " ".join(text.replace("\n\n", " . ").split())


def _looks_latin(letter: str) -> bool:
    if letter in _PLAINLY_GREEK:
        return False
    look = unicodedata.normalize("NFD", _looks().get(ord(letter), letter))
    return look[0].isascii() and look[0].isalpha()


_LETTERS: Final = re.compile(r"[^\W\d_]+")
_SEPARATORS: Final = re.compile(r"[\W_]+")
_SHORT: Final = 4


def keys_of(name: str) -> Iterator[str]:
    """Yield keys that similar names share; a few others may share them too."""
    yield f"look {skeleton(name).casefold()}"
    yield f"look {skeleton(name.casefold())}"
    bare = _bare(name)
    yield f"bare {bare}"
    yield f"swap {''.join(sorted(bare))}"
    yield f"less {name}"
    for at in _inner(name):  # a letter left out
        yield f"less {name[:at]}{name[at + 1 :]}"


def likeness(name: str, other: str) -> str:
    """Return how two names can be confused; empty when they cannot.

    >>> likeness("send_emial", "send_email"), likeness("get_users", "get_user")
    ('differs by one typing error from', '')
    """
    if name == other:
        return ""
    if skeleton(name) == skeleton(other):
        return "looks like"
    if name.casefold() == other.casefold() or (
        skeleton(name).casefold() == skeleton(other).casefold()
    ):
        return "differs only by capitals from"
    if _bare(name) == _bare(other):
        return "differs only by separators from"
    return "differs by one typing error from" if _is_slip(name, other) else ""


def _bare(name: str) -> str:
    """Return letters and digits alone, or the name itself where there are none."""
    return _SEPARATORS.sub("", name).casefold() or name


def _inner(name: str) -> Iterator[int]:
    """Yield the positions within longer words, without first and last letters."""
    for word in _LETTERS.finditer(name):
        if word.end() - word.start() > _SHORT:
            yield from range(word.start() + 1, word.end() - 1)


def _is_slip(name: str, other: str) -> bool:
    """Return whether they differ by one letter in a long word, or by two swapped neighbours."""
    if len(name) == len(other):
        places = [at for at in range(len(name)) if name[at] != other[at]]
        if len(places) != 2 or places[1] != places[0] + 1:  # noqa: PLR2004 - a swap
            return False
        first, second = places
        pair = name[first] + name[second]
        return pair == other[second] + other[first] and pair.isalpha() and len(name) > _SHORT
    longer, shorter = sorted((name, other), key=len, reverse=True)
    return len(longer) == len(shorter) + 1 and any(
        longer[:at] + longer[at + 1 :] == shorter for at in _inner(longer)
    )
