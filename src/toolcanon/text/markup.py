"""Untrusted text in HTML and XML: escaping, and a small table for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final, Literal, TypeAlias

from toolcanon.text.shown import shown

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
