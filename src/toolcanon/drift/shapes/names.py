"""Whether a key of an object names a member, or is data: a date, an id, a host, a secret.

The decision depends on the key alone. So any split of the same responses gives the same result,
and data in the place of a name is never kept.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final

from toolcanon.text.credentials import credential
from toolcanon.text.secrets import secrets_of_url

_LONGEST: Final = 48
_FEW_DIGITS: Final = 2
_MOST_DIGITS: Final = 4
_MOST_WORDS: Final = 5
_LONG_WORD: Final = 8
_MOST_TURNS: Final = 3
_FOREIGN: Final = re.compile(r"[^\w .$:()@+*#%&-]|.@|^\d+$|^\.|::|//")
"""Slashes, quotes and the like occur in addresses and sentences, not in names."""
_NUMBERED: Final = re.compile(r"^\d{1,2}[.)] ?(?=[A-Za-z])")
_DIGITS: Final = re.compile(r"\d+")
_WORD: Final = re.compile(r"[A-Za-z0-9]+")
_HEX: Final = re.compile(r"(?=.*\d)(?:[0-9a-f]{8,}|[0-9A-F]{8,})")
_VOWEL: Final = re.compile(r"[aeiouyAEIOUY]")
_RUN: Final = re.compile(r"[a-z]+|[A-Z]+|\d+")
_PIECE: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_JOINT: Final = re.compile(r"[-_]")
_TOKEN: Final = 12
_PIECES: Final = 2.8
"""The average length of the words of a compound name is larger than this."""
_VERY_LONG_WORD: Final = 16
_HOST: Final = re.compile(
    r"(?:www\.[\w.-]+"
    r"|(?:[\w-]+\.)+(?:com|net|org|edu|gov|mil|corp|lan|intranet|localdomain|arpa)"
    r"|(?:[\w-]+\.){2,}(?:local|internal|home|svc|cloud|dev|app|io|ai|info|biz|example|test"
    r"|eu|de|uk|fr|nl|ch|jp|cn|ru|br|au|ca|es|pl|se)"
    r"|[a-z-]{2,}\d+\.(?:[\w-]+\.)+[a-z]{2,})\.?(?::\d+)?",
    re.IGNORECASE,
)
"""Names with dots are common, so the end must be one of hosts, or the start one of machines."""
_USUAL: Final = {
    letter: weight
    for letters, weight in (
        ("etao", 1.2), ("in", 0.9), ("srh", 0.6), ("ld", 0.1), ("cumf", -0.5), ("gpwyb", -1.0),
        ("vkx", -2.0), ("jqz", -3.0),
    )
    for letter in letters
}  # fmt: skip
"""The logarithm of how much likelier a letter is in words than in random text."""
_DRAWN: Final = -0.2


def is_data(key: object) -> bool:
    """Return whether a key looks like data.

    >>> [is_data(key) for key in ("created_at", "sha256", "Meta Data", "1. open", "@type")]
    [False, False, False, False, False]
    >>> [is_data(key) for key in ("2026-01-31", "42", "src/a.py", "db.acme.com", "usr_9f3kQ2x")]
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
    words = _WORD.findall(name)
    if any(map(_is_scrambled, words)) or _HOST.fullmatch(name):
        return True
    return _is_secret(name, words) or _is_token(_JOINT.sub("", name))


def _is_secret(name: str, words: list[str]) -> bool:
    """Return whether it has the form of an issued key; `pk_customer_id` begins like one."""
    is_long = max(map(len, words), default=0) >= _VERY_LONG_WORD
    return bool(credential(name)) or (is_long and bool(secrets_of_url(name)))


def _is_token(name: str) -> bool:
    """Return whether case and digits change as often as in random text."""
    if len(name) < _TOKEN or not name.isalnum() or name.islower():
        return False
    pieces = len(_PIECE.findall(name))
    has_digit = any(map(str.isdigit, name))
    return len(name) < _PIECES * pieces and (has_digit or _is_drawn(name, 0))


def _is_scrambled(word: str) -> bool:
    """Return whether letters and digits alternate as they do in ids and tokens, not in words."""
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
    if len(word) >= _VERY_LONG_WORD and _is_drawn(word):
        return True
    return len(word) >= _LONG_WORD and word.isalpha() and not _VOWEL.search(word)


def _is_drawn(word: str, most: float = _DRAWN) -> bool:
    """Return whether a long word has random letters rather than those of a language."""
    weights = [_USUAL[letter] for letter in word.lower() if letter in _USUAL]
    return sum(weights) < most * len(weights)
