"""How a name can be taken for another: by its look, its capitals, its separators, or a slip.

Ordinary siblings must not be told: ``get_user`` and ``get_users``, ``lpop`` and ``rpop``,
``move_x1`` and ``move_x2``. They differ at the ends of words, or by a digit or a first letter;
slips of the hand, and those who count on them, happen within longer words.
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
    """What a name shares with all those it can be taken for, and with a few others."""
    yield f"look {skeleton(name).casefold()}"
    yield f"look {skeleton(name.casefold())}"
    bare = _bare(name)
    yield f"bare {bare}"
    yield f"swap {''.join(sorted(bare))}"
    yield f"less {name}"
    for at in _inner(name):  # a letter left out
        yield f"less {name[:at]}{name[at + 1 :]}"


def likeness(name: str, other: str) -> str:
    """How two names can be mixed up; empty when nobody would.

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
    return "is one slip away from" if _is_slip(name, other) else ""


def _bare(name: str) -> str:
    """Letters and digits alone, or the name itself where there are none."""
    return _SEPARATORS.sub("", name).casefold() or name


def _inner(name: str) -> Iterator[int]:
    """The places within longer words, first and last letters apart."""
    for word in _WORD.finditer(name):
        if word.end() - word.start() > _SHORT:
            yield from range(word.start() + 1, word.end() - 1)


def _is_slip(name: str, other: str) -> bool:
    """One letter more within a long word, or two neighbours swapped."""
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
