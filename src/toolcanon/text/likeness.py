"""Similar names: by look, capitals, separators, or a typing error.

Ordinary siblings must not be reported: ``get_user`` and ``get_users``, ``lpop`` and ``rpop``,
``move_x1`` and ``move_x2``. They differ at the ends of words, or by a digit or a first letter;
typing errors, and names that exploit them, differ within longer words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from toolcanon.text.letters import skeleton

_WORD: Final = re.compile(r"[^\W\d_]+")
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
    ('is one slip away from', '')
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
    for word in _WORD.finditer(name):
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
