"""Whether a regular expression can be read at all, without handing it to any engine.

Only what every engine refuses is told. Where dialects of regular expressions part ways (comments,
conditions, a bracket right behind a bracket) nothing is said.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_TOKEN: Final = re.compile(
    r"""
    (?P<escape>\\.)
    | (?P<cut>\\\Z)
    | (?P<unsure>\[\^?\] | \(\?[#(] | \(\?[a-zA-Z^-]*x | \(\*)
    | (?P<set>\[\^?(?:[^\]\\]|\\.)*+\])
    | (?P<unset>\[)
    | (?P<open>\(\??)
    | (?P<close>\))
    | (?P<bar>\|)
    | (?P<count>\{\d{1,9}(?:,\d{0,9})?\})
    | (?P<repeat>[*+?])
    | (?P<other>.)
    """,
    re.DOTALL | re.VERBOSE,
)
_REPEATS: Final = "*+?"
_MANNERS: Final = "+?"
_MEMBER: Final = re.compile(r"(\\.|.)(?:-(\\.|.))?", re.DOTALL)


@lru_cache(maxsize=1024)
def flaw(pattern: str) -> str | None:
    """Why no engine can read a pattern; None when one may.

    >>> flaw("(a|b"), flaw("[z-a]"), flaw("(?=a)b")
    ('a ( is never closed', 'z-a counts down', None)
    """
    depth, repeats = 0, ""  # the signs of repeating that may follow here
    for token in _TOKEN.finditer(pattern):
        kind, text = token.lastgroup, token.group()
        found = None
        match kind:
            case "unsure":
                return None
            case "cut" | "unset":
                found = "it ends with a backslash" if kind == "cut" else "a [ is never closed"
            case "set":
                found = _backwards(text)
            case "count":
                found = _downwards(text)
            case "repeat" if text not in repeats:
                found = f"there is nothing that {text} could repeat"
            case "close" if not depth:
                found = "a ) closes nothing"
        if found is not None:
            return found
        depth += (kind == "open") - (kind == "close")
        repeats = _repeats(kind, repeats)
    return "a ( is never closed" if depth else None


def _repeats(kind: str | None, before: str) -> str:
    """A thing can be repeated, and a repeat be made lazy; behind an opening there is nothing."""
    if kind == "repeat":
        return _MANNERS if before == _REPEATS else ""
    return "" if kind in {"open", "bar"} else _REPEATS


def _downwards(count: str) -> str | None:
    least, _, most = count.strip("{}").partition(",")
    return f"{count} counts down" if most and int(least) > int(most) else None


def _backwards(text: str) -> str | None:
    """A range in a set whose end comes before its beginning; only plain characters are compared."""
    for member in _MEMBER.finditer(text.removeprefix("[").removeprefix("^")[:-1]):
        first, last = member.groups()
        is_plain = last is not None and len(first) == len(last) == 1 and last != "-"
        if is_plain and first > last:
            return f"{first}-{last} counts down"
    return None
