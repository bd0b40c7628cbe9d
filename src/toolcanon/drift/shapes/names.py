"""Whether a key of an object names a member, or is data itself: a date, an id, an address.

Asked of each key by itself, whatever else the object holds. So any split of the same responses
gives the same answer, and data in the place of a name is not kept even once.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final

_LONGEST: Final = 48
_FEW_DIGITS: Final = 2
_MOST_DIGITS: Final = 4
_MOST_WORDS: Final = 5
_LONG_WORD: Final = 8
_MOST_TURNS: Final = 3
_FOREIGN: Final = re.compile(r"[^\w .$:()@+*#%&-]|.@|^\d+$|^\.|::|//")
"""Slashes, quotes and the like stand in addresses and sentences, not in names."""
_NUMBERED: Final = re.compile(r"^\d{1,2}[.)] ?(?=[A-Za-z])")
_DIGITS: Final = re.compile(r"\d+")
_WORD: Final = re.compile(r"[A-Za-z0-9]+")
_HEX: Final = re.compile(r"(?=.*\d)(?:[0-9a-f]{8,}|[0-9A-F]{8,})")
_VOWEL: Final = re.compile(r"[aeiouyAEIOUY]")
_RUN: Final = re.compile(r"[a-z]+|[A-Z]+|\d+")


def is_data(key: object) -> bool:
    """Whether a key looks like data.

    >>> [is_data(key) for key in ("created_at", "sha256", "Meta Data", "1. open", "@type")]
    [False, False, False, False, False]
    >>> [is_data(key) for key in ("2026-01-31", "42", "src/a.py", "a@b.example", "usr_9f3kQ2x")]
    [True, True, True, True, True]
    """
    return not isinstance(key, str) or len(key) > _LONGEST or _looks(key)


@lru_cache(maxsize=8192)
def _looks(key: str) -> bool:
    if not key or not key.isprintable() or key in {"*", "{}"}:
        return True
    name = _NUMBERED.sub("", key)
    if _FOREIGN.search(name) or name.count(" ") >= _MOST_WORDS:
        return True
    digits = sum(map(len, _DIGITS.findall(name)))
    if digits > _MOST_DIGITS or (digits > _FEW_DIGITS and digits * 2 > len(name)):
        return True
    return any(map(_is_scrambled, _WORD.findall(name)))


def _is_scrambled(word: str) -> bool:
    """Whether letters and digits alternate as they do in ids and tokens, not in words."""
    if len(word) < _LONG_WORD - 2:
        return False
    if _HEX.fullmatch(word):
        return True
    runs = _RUN.findall(word)
    if sum(one[0].isdigit() for one in runs) >= _MOST_TURNS:
        return True
    turns = sum(one.isdigit() != other.isdigit() for one, other in pairwise(runs))
    if len(word) >= _LONG_WORD and turns >= _MOST_TURNS:
        return True
    humps = sum(one.islower() and other.isupper() for one, other in pairwise(runs))
    if humps >= _MOST_TURNS and len(word) < 3 * humps + 1:
        return True
    return len(word) >= _LONG_WORD and word.isalpha() and not _VOWEL.search(word)
