"""Untrusted text made safe to display: in terminals, HTML and XML.

Tool descriptions can contain escape sequences that rewrite a terminal, bidirectional controls that
reorder a line, and invisible characters. They are made visible, never executed and never removed.

Thousands of blanks or line breaks push the text behind them out of sight. They become a count.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final, Literal, TypeAlias

from toolcanon.jsonio.types import Json

# DEL and C1 controls, soft hyphen, Arabic letter mark, Hangul and Mongolian fillers,
# zero-width and bidirectional controls, line separators, interlinear marks, tags, specials.
_HIDDEN = (
    "\x7f-\x9f\xad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U000e0000-\U000e0fff\ud800-\udfff"
)
_UNSAFE = re.compile(f"[\x00-\x1f{_HIDDEN}]")
_JSON_UNSAFE = re.compile(f"[{_HIDDEN}]")  # JSON escapes the first 32 by itself


def safe(text: object, limit: int | None = None) -> str:
    r"""Return one line of text with every control and invisible character escaped.

    >>> safe("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    shown = _UNSAFE.sub(_spell, str(text))
    if limit is not None and len(shown) > limit:
        return f"{shown[:limit]}… {len(shown) - limit:,} more characters"
    return shown


def safe_json(value: Json, *, indent: int | None = 2) -> str:
    """Return JSON text of the same value with hidden characters as escapes."""
    separators = None if indent else (",", ":")
    text = json.dumps(value, indent=indent, ensure_ascii=False, separators=separators)
    return _JSON_UNSAFE.sub(_escape, text)


def _spell(match: re.Match[str]) -> str:
    point = ord(match.group())
    if point < 0x100:  # noqa: PLR2004 - two hex digits reach this far
        return {9: "\\t", 10: "\\n", 13: "\\r"}.get(point, f"\\x{point:02x}")
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"  # noqa: PLR2004


def _escape(match: re.Match[str]) -> str:
    return json.dumps(match.group())[1:-1]


_RUN = 20
_BLANK = r"\\[ntr]| |[\xa0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]"
_BLANKS = re.compile(rf"(?:{_BLANK}){{{_RUN},}}")
_ONE = re.compile(_BLANK)
# Not a character, and not allowed in XML.
_NONE = re.compile(
    "[\ufdd0-\ufdef"
    + "".join(chr(plane * 0x10000 + last) for plane in range(17) for last in (0xFFFE, 0xFFFF))
    + "]"
)


def shown(text: object, limit: int | None = None) -> str:
    r"""Return one line of escaped text, with long runs of blanks and cut text as counts.

    >>> shown("a" + " " * 5000 + "b\x1b")
    'a[5,000 blanks]b\\x1b'
    """
    spelled = _NONE.sub(lambda found: f"\\U{ord(found.group()):08x}", safe(text))
    return safe(_BLANKS.sub(_counted, spelled), limit)


def _counted(run: re.Match[str]) -> str:
    return f"[{sum(1 for _ in _ONE.finditer(run.group())):,} blanks]"


Tone: TypeAlias = Literal["good", "fair", "bad", "unsure"]
"""The meaning of a cell, whatever its text."""

_LONGEST: Final = 80
# Transparent, so that they suit a light page as well as a dark one.
_TINTS: Final[dict[Tone, str]] = {
    "good": "rgba(46,160,67,.18)",
    "fair": "rgba(210,153,34,.25)",
    "bad": "rgba(248,81,73,.28)",
    "unsure": "rgba(130,130,160,.25)",
}


def escaped(text: object, limit: int | None = None) -> str:
    """Return a text that is safe in HTML and XML, in elements and in quoted attributes.

    >>> escaped("<a>&'")
    '&lt;a&gt;&amp;&#x27;'
    """
    return escape(shown(text, limit))


def table(
    head: Sequence[str], rows: Iterable[Sequence[str | tuple[str, Tone]]], below: Sequence[str] = ()
) -> str:
    """Return a table with a heading for each column and each row; without rows, no table.

    ``below`` are lines under it.
    """
    top = "".join(f'<th scope="col">{escaped(text, _LONGEST)}</th>' for text in head)
    body = "".join(f"<tr>{_row(row)}</tr>" for row in rows)
    lines = "".join(f"<p>{escaped(line)}</p>" for line in below)
    made = f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>" if body else ""
    return f"{made}{lines}"


def _row(cells: Sequence[str | tuple[str, Tone]]) -> str:
    first, *rest = cells
    name = first if isinstance(first, str) else first[0]
    return f'<th scope="row">{escaped(name, _LONGEST)}</th>{"".join(map(_cell, rest))}'


def _cell(cell: str | tuple[str, Tone]) -> str:
    if isinstance(cell, str):
        return f"<td>{escaped(cell, _LONGEST)}</td>"
    word, tone = cell
    return f'<td style="background:{_TINTS[tone]}">{escaped(word, _LONGEST)}</td>'
