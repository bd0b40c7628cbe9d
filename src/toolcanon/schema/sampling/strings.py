"""Strings that match a regular expression, built from its syntax tree.

The pattern is only parsed here, never run. Constructs that cannot be built from left to right
(look-around, back-references) are not supported.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from functools import lru_cache
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any, Final

_LONGEST_PATTERN: Final = 4_000
_MOST_STEPS: Final = 20_000
LONGEST: Final = 20_000
"""Longer samples are not made."""

# ECMAScript syntax that Python's parser reads differently or not at all.
_NAMED_GROUP = re.compile(r"\(\?<(?=[A-Za-z_])")
_PROPERTY = re.compile(r"\\([pP])\{(\^?)([A-Za-z_=]+)\}")
_OF_PROPERTY = (("Lu", "A"), ("Upper", "A"), ("N", "1"), ("P", "."), ("Z", " "), ("S", "+"))

# Syntax that engines read differently: a repeat without a minimum, flags for a part.
_MISREAD: Final = re.compile(r"\{,|\(\?[a-zA-Z-]")

_PROBES: Final = "a0Z_-. é~/@#\n"
_OF_CATEGORY: Final[dict[Any, str]] = {
    sre.CATEGORY_DIGIT: "071",
    sre.CATEGORY_NOT_DIGIT: "aZ-",
    sre.CATEGORY_SPACE: " \t",
    sre.CATEGORY_NOT_SPACE: "a0-",
    sre.CATEGORY_WORD: "aZ0_",
    sre.CATEGORY_NOT_WORD: "- .",
}
_TRANSPARENT: Final = frozenset({sre.AT})


class _GivenUp(Exception):
    pass


def matching(pattern: str, shortest: int = 0, longest: int = LONGEST) -> tuple[str, ...]:
    """Return a few different strings that should match, within the lengths; none if unsupported.

    >>> matching("^[a-c]{2}-(x|yy)$")
    ('aa-x', 'cc-yy', 'bb-x')
    """
    longest = min(longest, LONGEST)
    if shortest > longest:
        return ()
    tree = parsed(pattern)
    if tree is None:
        return ()
    found: dict[str, None] = {}
    least = _written(tree, 0, 0)
    if least is None:
        return ()
    tries = [(0, 0), (2, 1), (1, 2), (0, 1)]
    tries += [(edge - len(least), 0) for edge in (shortest, longest) if edge < LONGEST]
    tries += [(extra, 0) for extra in (3, 4, 6, 8, 12, 16, 24, 32, 64)]
    for extra, pick in tries:
        text = _written(tree, extra, pick) if extra >= 0 else None
        if text is not None and shortest <= len(text) <= longest:
            found[text] = None
        if len(found) == 4:  # noqa: PLR2004 - a few are enough
            break
    return tuple(found)


def widths(pattern: str) -> tuple[int, int | None]:
    """Return the minimum and maximum length of a matching string; None if it is unbounded.

    >>> widths("^[a-c]{2}(x|yy)?$"), widths("^a"), widths("a{3}")
    ((2, 4), (1, None), (3, None))
    """
    tree = None if _MISREAD.search(pattern) else parsed(pattern)
    if tree is None or tree.state.flags & (re.MULTILINE | re.VERBOSE):
        return 0, None
    try:
        least, most = tree.getwidth()
        whole = (
            most < sre.MAXREPEAT and _is_bound(tree, first=True) and _is_bound(tree, first=False)
        )
    except RecursionError:
        return 0, None
    return least, most if whole else None


def _is_bound(tree: Any, *, first: bool) -> bool:
    """Return whether every match begins, or ends, where the string does."""
    if not len(tree):
        return False
    word, argument = tree[0 if first else -1]
    if word is sre.AT:
        return argument is (sre.AT_BEGINNING if first else sre.AT_END)
    if word is sre.SUBPATTERN:
        return not argument[1] and _is_bound(argument[3], first=first)
    if word is sre.BRANCH:
        return all(_is_bound(branch, first=first) for branch in argument[1])
    return False


@lru_cache(maxsize=256)
def parsed(pattern: str) -> Any | None:
    if len(pattern) > _LONGEST_PATTERN:
        return None
    spelled = _PROPERTY.sub(_representative, _NAMED_GROUP.sub("(?P<", pattern))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _parser.parse(spelled)
    except (re.error, OverflowError, RecursionError, ValueError):
        return None


def _representative(found: re.Match[str]) -> str:
    if (found[1] == "P") != (found[2] == "^"):
        return "\\-"
    name = found[3].rpartition("=")[2]
    return next(
        (f"\\{c}" if c in ".+" else c for key, c in _OF_PROPERTY if name.startswith(key)), "a"
    )


def _written(tree: Any, extra: int, pick: int) -> str | None:
    try:
        return _Writer(extra, pick).text(tree)
    except (_GivenUp, RecursionError):
        return None


class _Writer:
    """One string: ``extra`` repeats beyond the minimum, the ``pick``-th choice everywhere."""

    def __init__(self, extra: int, pick: int) -> None:
        self._extra = extra
        self._pick = pick
        self._steps = 0
        self._length = 0

    def text(self, tree: Iterable[tuple[Any, Any]]) -> str:
        return "".join([self._one(word, argument) for word, argument in tree])

    def _one(self, word: Any, argument: Any) -> str:
        self._steps += 1
        if self._steps > _MOST_STEPS or self._length > LONGEST:
            raise _GivenUp
        if word in _TRANSPARENT:
            return ""
        if word is sre.SUBPATTERN:
            return self.text(argument[3])
        if word is sre.BRANCH:
            return self.text(argument[1][self._pick % len(argument[1])])
        if word in _REPEATS:
            return self._repeated(*argument)
        if word is sre.ATOMIC_GROUP:
            return self.text(argument)
        self._length += 1
        return self._character(word, argument)

    def _repeated(self, least: int, most: int, tree: Any) -> str:
        count = min(int(most), int(least) + self._extra)
        if count > LONGEST:
            raise _GivenUp
        return "".join([self.text(tree) for _ in range(count)])

    def _character(self, word: Any, argument: Any) -> str:
        if word is sre.LITERAL:
            return chr(argument)
        if word is sre.ANY:
            return "a0Z"[self._pick % 3]
        if word is sre.NOT_LITERAL:
            return next(c for c in _PROBES if ord(c) != argument)
        if word is sre.IN:
            choices = _choices(argument)
            if choices:
                return choices[self._pick % len(choices)]
        raise _GivenUp


_REPEATS: Final = frozenset({sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT})


def _choices(members: list[tuple[Any, Any]]) -> str:
    if members[0][0] is sre.NEGATE:
        return "".join(c for c in _PROBES if not any(_holds(*m, ord(c)) for m in members[1:]))
    found: dict[str, None] = {}
    for word, argument in members:
        if word is sre.LITERAL:
            found[chr(argument)] = None
        elif word is sre.RANGE:
            low, high = argument
            found |= dict.fromkeys((chr(low), chr(high), chr((low + high) // 2)))
        elif word is sre.CATEGORY:
            found |= dict.fromkeys(_OF_CATEGORY[argument])
    return "".join(c for c in found if not "\ud800" <= c <= "\udfff")


def _holds(word: Any, argument: Any, point: int) -> bool:
    if word is sre.LITERAL:
        return bool(point == argument)
    if word is sre.RANGE:
        return bool(argument[0] <= point <= argument[1])
    c = chr(point)
    kinds = {
        sre.CATEGORY_DIGIT: c.isdecimal(),
        sre.CATEGORY_SPACE: c.isspace(),
        sre.CATEGORY_WORD: c.isalnum() or c == "_",
        sre.CATEGORY_NOT_DIGIT: not c.isdecimal(),
        sre.CATEGORY_NOT_SPACE: not c.isspace(),
        sre.CATEGORY_NOT_WORD: not (c.isalnum() or c == "_"),
    }
    return bool(kinds.get(argument, True))
