"""GitHub Flavored Markdown, for step summaries and comments.

Special characters in data are written as character references, which tables, emphasis and raw HTML
ignore. GitHub finds mentions after rendering, but not within ``code``, so the first character of a
mention goes there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from toolcanon.report.document import Look, Matrix, ReportDocument, Square
from toolcanon.report.tool_view import Gathered, gathered
from toolcanon.text.display import Tone, shown

_ROWS: Final = 50
_FINDINGS: Final = 100
_LONGEST: Final = 300
_SIGNS: Final[dict[Tone, str]] = {"good": "🟩", "fair": "🟨", "bad": "🟥", "unsure": "⬜"}
_MENTION: Final = "@#"
_ACTIVE: Final = re.compile(rf"[{_MENTION}](?=\w)|[\\`*_\[\]<>|~&$]|://|www\.")
_PLAIN: Final = re.compile(r"[\w./:,()@#+-][\w ./:,()@#+-]*(?<! )", re.ASCII)


def markdown_report(document: ReportDocument, look: Look) -> str:
    """Return a heading, the totals, the matrix, the findings."""
    about = f" of {_code(document.about)}" if document.about else ""
    lines = [f"## {_prose(document.title)}{about}", "", document.totals(), ""]
    if document.matrix is not None:
        lines += [*_matrix(document.matrix, look), ""]
    if document.findings:
        lines += [*_findings(document, look), ""]
    return "\n".join(lines)


def _matrix(matrix: Matrix, look: Look) -> Iterator[str]:
    rows: Sequence[int] = range(len(matrix.rows))
    if len(rows) > _ROWS and not look.verbose:
        yield from _counts(matrix)
        yield ""
        rows = matrix.troubled()
    most = len(rows) if look.verbose else _ROWS
    if rows:
        yield _line([matrix.row_noun, *map(_code, matrix.columns)])
        yield _line(["---"] * (len(matrix.columns) + 1))
    for row in rows[:most]:
        yield _line([_code(matrix.rows[row]), *map(_square, matrix.squares[row])])
    yield ""
    if len(rows) > most:
        yield f"… and {len(rows) - most:,} more"
    if matrix.has_marks and matrix.footnote:
        yield f"\\* {_prose(matrix.footnote)}"


def _square(square: Square) -> str:
    return f"{_SIGNS[square.tone]} {_prose(square.text)}"


def _counts(matrix: Matrix) -> Iterator[str]:
    words = list(matrix.words)[::-1]
    heads = [f"{_SIGNS[matrix.words[word]]} {word}" for word in words]
    yield _line([matrix.column_noun, *heads])
    yield _line(["---", *["---:"] * len(words)])
    for column, name in enumerate(matrix.columns):
        found = matrix.count(column)
        yield _line([_code(name), *(f"{found[word]:,}" for word in words)])


def _findings(document: ReportDocument, look: Look) -> Iterator[str]:
    items = gathered(document.findings)
    if not look.verbose:
        items = [item for item in items if item.finding.level != "info"]
    most = len(items) if look.verbose else _FINDINGS
    if items:
        yield _line(["level", "code", document.noun, "place", "what", "remedy"])
        yield _line(["---"] * 6)
    yield from map(_finding, items[:most])
    yield ""
    if len(items) > most:
        yield f"… and {len(items) - most:,} more"
    hidden = document.counts()["info"]
    if hidden and not look.verbose:
        yield f"Not shown: {hidden:,} of level info."


def _finding(item: Gathered) -> str:
    found = item.finding
    targets = f" ({', '.join(map(_code, item.targets))})" if item.targets else ""
    return _line(
        [
            found.level,
            f"`{found.code}` {found.name}",
            _code(found.subject),
            " ".join(map(_code, item.places)),
            f"{_prose(found.message)}{targets}",
            _prose(found.remedy),
        ]
    )


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _prose(text: str) -> str:
    """Return text that renders as itself."""
    return _ACTIVE.sub(_inert, shown(text, _LONGEST))


def _inert(found: re.Match[str]) -> str:
    text = found.group()
    spelled = "".join(map(_reference, text))
    return f"<code>{spelled}</code>" if text in _MENTION else spelled


def _code(text: str) -> str:
    """Return text that renders as itself, as code."""
    safe_text = shown(text, _LONGEST)
    if not safe_text:
        return ""
    if _PLAIN.fullmatch(safe_text):
        return f"`{safe_text}`"
    escaped = (char if _is_letter(char) else _reference(char) for char in safe_text)
    return f"<code>{''.join(escaped)}</code>"


def _is_letter(char: str) -> bool:
    return char.isalnum() or not char.isascii()


def _reference(char: str) -> str:
    return f"&#{ord(char)};"
