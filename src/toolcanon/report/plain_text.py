"""A report for terminals: the matrix, the findings worst first, one line of totals.

Without -v, up to twenty tools are listed, more are counted, and findings of level info are
counted only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final
from unicodedata import combining, east_asian_width

from click import style

from toolcanon.diagnostics import Level
from toolcanon.report.document import Look, Matrix, ReportDocument, Square
from toolcanon.report.tool_view import FindingGroup, Gathered, kinds
from toolcanon.text.display import Tone, shown

_MANY: Final = 20
"""Tools beyond this number are counted, not listed."""
_MOST: Final = 10
_EXAMPLES: Final = 3
_NAME: Final = 40
_LONGEST: Final = 300
_GAP: Final = 2
_TONES: Final[dict[Tone, str]] = {
    "good": "green",
    "fair": "yellow",
    "bad": "red",
    "unsure": "magenta",
}
_LEVELS: Final[dict[Level, str]] = {"error": "red", "warning": "yellow", "info": "cyan"}
_ASCII: Final = str.maketrans({"…": "...", "—": "-"})


def text_report(document: ReportDocument, look: Look) -> str:
    """Return the report, with a line break at the end."""
    lines = [line.rstrip() for line in _PlainTextWriter(document, look).lines()]
    text = "\n".join(lines) + "\n"
    if look.ascii:
        text = text.translate(_ASCII).encode("ascii", "backslashreplace").decode()
    return text


class _PlainTextWriter:
    def __init__(self, document: ReportDocument, look: Look) -> None:
        self.document, self.look = document, look
        self.is_large = len(document.subjects) > _MANY and not look.verbose

    def lines(self) -> Iterator[str]:
        if self.document.about:
            yield from (self._bold(shown(self.document.about, _LONGEST)), "")
        if self.document.matrix is not None:
            yield from self._matrix(self.document.matrix)
            yield ""
        yield from self._findings()
        yield self._totals()

    def _paint(self, text: str, colour: str, *, bold: bool = False) -> str:
        return style(text, fg=colour, bold=bold) if self.look.colour else text

    def _bold(self, text: str) -> str:
        return style(text, bold=True) if self.look.colour else text

    def _dim(self, text: str) -> str:
        return style(text, dim=True) if self.look.colour else text

    def _matrix(self, matrix: Matrix) -> Iterator[str]:
        if not self.is_large:
            yield from self._squares(matrix, range(len(matrix.rows)))
        else:
            yield from self._counts(matrix)
            troubled = matrix.troubled()
            if troubled:
                yield ""
                yield from self._squares(matrix, troubled[:_MANY])
            if len(troubled) > _MANY:
                yield f"… and {len(troubled) - _MANY:,} more {matrix.row_noun}s; -v shows all"
        if matrix.footnote and matrix.has_marks:
            yield self._dim(f"* {matrix.footnote}")

    def _squares(self, matrix: Matrix, rows: Sequence[int]) -> Iterator[str]:
        """Yield the matrix, split into parts when it is wider than the terminal."""
        names = [shown(matrix.rows[row], _NAME) for row in rows]
        margin = max(map(_width, [*names, matrix.row_noun])) + _GAP
        widths = [
            max(
                _width(shown(name, _NAME)), *(len(matrix.squares[row][column].text) for row in rows)
            )
            for column, name in enumerate(matrix.columns)
        ]
        for number, part in enumerate(_parts(widths, max(self.look.width - margin, 1))):
            if number:
                yield ""
            heads = [_padded(shown(matrix.columns[at], _NAME), widths[at]) for at in part]
            yield self._dim(f"{_padded(matrix.row_noun, margin)}{(' ' * _GAP).join(heads)}")
            for row, name in zip(rows, names, strict=True):
                cells = [self._square(matrix.squares[row][at], widths[at]) for at in part]
                yield f"{_padded(name, margin)}{(' ' * _GAP).join(cells)}"

    def _square(self, square: Square, width: int) -> str:
        painted = self._paint(square.text, _TONES[square.tone], bold=square.tone == "bad")
        return painted + " " * (width - len(square.text))

    def _counts(self, matrix: Matrix) -> Iterator[str]:
        """Yield the counts of words in each column, best first."""
        words = list(matrix.words)[::-1]
        names = [shown(name, _NAME) for name in matrix.columns]
        margin = max(map(_width, [*names, matrix.column_noun])) + _GAP
        width = max(len(f"{len(matrix.rows):,}"), *map(len, words)) + _GAP
        heads = "".join(f"{word:>{width}s}" for word in words)
        yield self._dim(f"{_padded(matrix.column_noun, margin)}{heads}")
        for column, name in enumerate(names):
            found = matrix.count(column)
            cells = [
                self._paint(f"{found[word]:>{width},}", _TONES[matrix.words[word]])
                if found[word]
                else self._dim(f"{0:>{width}}")
                for word in words
            ]
            yield f"{_padded(name, margin)}{''.join(cells)}"

    def _findings(self) -> Iterator[str]:
        listed = kinds(self.document.findings)
        if not self.look.verbose:
            listed = [kind for kind in listed if kind.level != "info"]
        most = len(listed) if self.look.verbose else _MOST
        for kind in listed[:most]:
            yield from self._summed_up(kind) if self.is_large else self._kind(kind)
            yield ""
        if len(listed) > most:
            yield f"… and {len(listed) - most:,} more kinds of findings; -v shows all"
            yield ""

    def _head(self, kind: FindingGroup) -> str:
        level = self._paint(f"{kind.level}[{kind.code}]", _LEVELS[kind.level], bold=True)
        return f"{level} {self._bold(kind.name)}"

    def _kind(self, kind: FindingGroup) -> Iterator[str]:
        """Yield each place, then the advice for all of them."""
        yield self._head(kind)
        most = len(kind.items) if self.look.verbose else _MOST
        for item in kind.items[:most]:
            yield from self._item(item)
        if len(kind.items) > most:
            yield f"  … and {len(kind.items) - most:,} more; -v shows all"
        yield from self._advice(kind)

    def _item(self, item: Gathered) -> Iterator[str]:
        targets = ", ".join(shown(name, _NAME) for name in item.targets)
        about = [shown(item.finding.subject, _NAME), self._places(item)]
        if targets:
            about.append(f"for {targets}")
        yield f"  {'  '.join(part for part in about if part)}"
        yield f"    {shown(item.finding.message, _LONGEST)}"

    def _places(self, item: Gathered) -> str:
        return self._dim("  ".join(shown(place, _LONGEST) for place in item.places))

    def _summed_up(self, kind: FindingGroup) -> Iterator[str]:
        """Yield the number of findings and an example."""
        subjects = kind.subjects
        examples = ", ".join(shown(name, _NAME) for name in subjects[:_EXAMPLES])
        left = len(subjects) - _EXAMPLES
        more = f" and {left:,} more" if left > 0 else ""
        yield f"{self._head(kind)} x{len(kind.items):,}"
        yield f"  {examples}{more}"
        first = kind.items[0]
        yield f"    {self._places(first)}"
        yield f"    {shown(first.finding.message, _LONGEST)}"
        yield from self._advice(kind)

    def _advice(self, kind: FindingGroup) -> Iterator[str]:
        for label, texts in (
            ("remedy", kind.remedies),
            ("source", kind.shared("sources")),
            ("answer", kind.shared("quotes")),
        ):
            most = len(texts) if self.look.verbose else _EXAMPLES
            for text in texts[:most]:
                yield f"  {self._dim(f'{label}:')} {shown(text, _LONGEST)}"
            if len(texts) > most:
                yield f"  … and {len(texts) - most:,} more like this; -v shows all"

    def _totals(self) -> str:
        hidden = self.document.counts()["info"] and not self.look.verbose
        lists = " (-v shows all)" if hidden or self.is_large else ""
        return f"{self._bold(self.document.totals())}{lists}"


def _width(text: str) -> int:
    """Return the width on a terminal, in columns."""
    if text.isascii():
        return len(text)
    return sum(
        0 if combining(char) else 1 + (east_asian_width(char) in {"W", "F"}) for char in text
    )


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def _parts(widths: Sequence[int], room: int) -> Iterator[list[int]]:
    """Yield groups of columns that fit beside each other, at least one each."""
    part: list[int] = []
    used = 0
    for column, width in enumerate(widths):
        if part and used + width > room:
            yield part
            part, used = [], 0
        part.append(column)
        used += width + _GAP
    if part:
        yield part
