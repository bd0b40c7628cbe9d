"""The format of a text by its pattern: formats that readers parse, and kinds of longer texts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_DATE: Final = r"\d{4}-\d{2}-\d{2}"
_TIME: Final = r"\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?"
_SHORT: Final = {
    "date": _DATE,
    "date-time": rf"{_DATE}[Tt ]{_TIME}",
    "time": _TIME,
    "uuid": r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}",
    "ipv4": r"(?:\d{1,3}\.){3}\d{1,3}",
    "semver": r"v?\d+\.\d+\.\d+(?:[-+][\w.+-]{1,60})?",
    "number": r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?",
    "hex": r"(?=.*\d)[0-9a-f]{8,128}|(?=.*\d)[0-9A-F]{8,128}",
    "duration": r"-?P(?=.)(?:\d+[YMWD]){0,4}(?:T(?:\d+(?:\.\d+)?[HMS]){1,3})?",
    "boolean": r"[Tt]rue|[Ff]alse|TRUE|FALSE",
    "uri": r"[A-Za-z][A-Za-z0-9+.-]{1,20}://\S+|(?:mailto|urn|data):\S+",
    "email": r"[^\s@<>]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}",
    "ipv6": r"(?=.*:.*:)[0-9A-Fa-f:]{3,39}",
    "base64": r"(?=.*[0-9+/])(?=.*[a-z])(?=.*[A-Z])(?:[\w+/-]{4}){4,128}={0,2}",
}
_ANY_START: Final = ("uri", "email", "boolean", "base64")


def _one_of(names: Iterable[str]) -> re.Pattern[str]:
    """Return one pattern for several formats, with a group for each; the first match counts."""
    return re.compile("|".join(f"(?P<{name.replace('-', '_')}>{_SHORT[name]})" for name in names))


_AS_NUMBERS: Final = _one_of(_SHORT)
_AS_WORDS: Final = _one_of(_ANY_START)
_HTML: Final = re.compile(
    r"<(?:!doctype|html|head|body|div|p|table|span|h[1-6]|a|ul)\b", re.IGNORECASE
)
_MARKDOWN: Final = re.compile(r"(?m)^(?:#{1,6} \S|\|.*\|\s*$|[-*] \S|```|\d{1,3}\. \S)")
_FIELDS: Final = re.compile(r"(?m)^[A-Za-z][\w -]{0,30}: ?\S")
_LONGEST: Final = 512
_LOOKED_AT: Final = 2048
_FEW: Final = 2
FORMATS: Final = (
    "empty", "plain", "word", "html", "markdown", "fields", "json", *_SHORT,
)  # fmt: skip
LOOSE: Final = frozenset({"plain", "word", "markdown", "fields", "base64", "hex"})
"""Formats that a text may have by accident, so that losing one is no change."""


def form(text: str) -> str:
    """Return the format that a text seems to have.

    >>> [form(text) for text in ("2026-01-31", "2026-01-31T10:00:00Z", "7.5", "open", "an apple")]
    ['date', 'date-time', 'number', 'word', 'plain']
    """
    size = len(text)
    if size == 0:
        return "empty"
    if size <= _LONGEST and (" " not in text or size < 40):  # noqa: PLR2004 - dates with a blank
        # Most of the patterns begin with a digit, a sign or a hexadecimal letter.
        first = text[0]
        starts = first in "0123456789+-PvabcdefABCDEF:" or first.isdigit()
        found = (_AS_NUMBERS if starts else _AS_WORDS).fullmatch(text)
        if found is not None and found.lastgroup:
            return found.lastgroup.replace("_", "-")
        if " " not in text and "\n" not in text:
            return "word"
    if "\n" not in text and "<" not in text:
        return "plain"
    return _long(text[:_LOOKED_AT])


def _long(text: str) -> str:
    if _HTML.search(text):
        return "html"
    if len(_MARKDOWN.findall(text)) >= _FEW:
        return "markdown"
    if len(_FIELDS.findall(text)) >= _FEW:
        return "fields"
    return "plain"
