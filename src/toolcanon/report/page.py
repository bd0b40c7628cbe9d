"""One self-contained HTML page: the heat map, the findings, the meanings of codes.

It loads nothing, and its content security policy allows only its own script.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Final

from toolcanon.diagnostics import Level
from toolcanon.report.document import LEVELS, Document, Matrix, Square, counted, our_version
from toolcanon.report.gathered import Gathered, Kind, gathered, kinds
from toolcanon.report.look import Look
from toolcanon.report.page_assets import SCRIPT, STYLE
from toolcanon.text.markup import Tone, escaped

_OPEN: Final = 20
"""Tools with findings are expanded at first if there are no more than this."""
_WORDY: Final = 300
"""Findings show their remedy in place if there are no more than this; else by code only."""
_NAME: Final = 200
_LONGEST: Final = 2000
_SOURCES: Final = 12
_EXAMPLES: Final = 12
_CLASSES: Final[dict[Tone, str]] = {"good": "g", "fair": "f", "bad": "b", "unsure": "u"}
_UNNAMED: Final = "everything"


def html_report(document: Document, look: Look) -> str:
    """Return the page."""
    del look
    parts = [*_head(document), *_top(document)]
    parts.append("<main>")
    subjects = _by_subject(document)
    if document.matrix is not None:
        parts += _cards(document.matrix)
        parts += _heat_map(document.matrix, subjects)
    by_tool, by_code = _findings(document, subjects), _codes(document, subjects)
    for section in (by_tool, by_code) if len(subjects) <= _OPEN else (by_code, by_tool):
        parts += section
    parts.append("</main>")
    parts.append(f"<footer>Written by toolcanon {our_version()}; nothing was sent.</footer>")
    parts.append(f"<script>{SCRIPT}</script>")
    return "\n".join([*parts, "</body>", "</html>", ""])


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _head(document: Document) -> Iterator[str]:
    policy = (
        f"default-src 'none'; style-src {_digest(STYLE)}; script-src {_digest(SCRIPT)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    about = f": {escaped(document.about, _NAME)}" if document.about else ""
    yield "<!doctype html>"
    yield '<html lang="en">'
    yield "<head>"
    yield '<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="referrer" content="no-referrer">'
    yield f"<title>{escaped(document.title, _NAME)}{about}</title>"
    yield '<link rel="icon" href="data:,">'  # or browsers request one from the server
    yield f"<style>{STYLE}</style>"
    yield "</head>"


def _top(document: Document) -> Iterator[str]:
    yield "<body>"
    yield '<a class="skip" href="#findings">Skip to the findings</a>'
    yield "<header>"
    yield f"<h1>{escaped(document.title, _NAME)}</h1>"
    if document.about:
        yield f'<p class="about"><code>{escaped(document.about, _LONGEST)}</code></p>'
    yield '<ul class="totals">'
    yield from (f"<li>{item}</li>" for item in _sizes(document))
    for level, count in document.counts().items():
        tone = level if count else "none"
        yield f'<li class="{tone}">{_bold(counted(count, level))}</li>'
    if document.suppressed:
        yield f"<li>{_bold(f'{document.suppressed:,} suppressed')}</li>"
    yield "</ul>"
    yield "</header>"


def _sizes(document: Document) -> Iterator[str]:
    if document.subjects:
        yield _bold(counted(len(document.subjects), document.noun))
    if document.matrix is not None:
        yield _bold(counted(len(document.matrix.columns), document.matrix.column_noun))


def _bold(text: str) -> str:
    number, _, noun = text.partition(" ")
    return f"<b>{number}</b> {escaped(noun)}"


def _cards(matrix: Matrix) -> Iterator[str]:
    """Yield a card for each column: a bar and the counts of its words."""
    yield f'<section class="cards" aria-label="Each {escaped(matrix.column_noun)}">'
    for column, name in enumerate(matrix.columns):
        found = {word: count for word, count in matrix.count(column).items() if count}
        best_first = dict(reversed(found.items()))
        words = " · ".join(f"{count:,} {escaped(word)}" for word, count in best_first.items())
        yield '<div class="card">'
        yield f"<h3>{escaped(name, _NAME)}</h3>"
        yield '<svg viewBox="0 0 1000 8" preserveAspectRatio="none" aria-hidden="true">'
        yield "".join(_bar(matrix, best_first))
        yield f"</svg><p>{words}</p></div>"
    yield "</section>"


def _bar(matrix: Matrix, counts: dict[str, int]) -> Iterator[str]:
    total, done = sum(counts.values()), 0
    for word, count in counts.items():
        start, done = done, done + count
        left, right = (1000 * at // total for at in (start, done))
        kind = _CLASSES[matrix.words[word]]
        yield f'<rect class="{kind}" x="{left}" width="{right - left}" height="8"/>'


def _heat_map(matrix: Matrix, subjects: dict[str, list[Gathered]]) -> Iterator[str]:
    rows, columns = matrix.row_noun, matrix.column_noun
    title = f"{rows.capitalize()}s and {columns}s"
    linked = {name: number for number, name in enumerate(subjects)}
    yield f"<section><h2>{escaped(title)}</h2>"
    yield '<div class="bar"><div class="legend">'
    for word, tone in list(matrix.words.items())[::-1]:
        yield f'<span class="{_CLASSES[tone]}">{escaped(word)}</span>'
    yield "</div>"
    yield '<div class="controls" hidden>'
    yield '<label><input type="checkbox" id="only"> hide what is ok</label>'
    yield '<label>Filter <input type="search" id="filter" placeholder="name, code, words …">'
    yield "</label>"
    yield '<output id="shown" for="filter only"></output></div></div>'
    yield f'<div class="scroll" tabindex="0" role="region" aria-label="{escaped(title)}"><table>'
    heads = "".join(f'<th scope="col">{escaped(name, _NAME)}' for name in matrix.columns)
    yield f'<thead><tr><th scope="col">{escaped(rows)}{heads}</thead>'
    yield "<tbody>"
    for number, (name, squares) in enumerate(zip(matrix.rows, matrix.squares, strict=True)):
        trouble = any(square.tone != "good" for square in squares)
        kind = ' class="t"' if trouble else ""
        cells = "".join(_cell(square, linked.get(name)) for square in squares)
        yield f'<tr data-n="{number}"{kind}><th scope="row">{escaped(name, _NAME)}{cells}'
    yield "</tbody></table></div>"
    if matrix.footnote and matrix.has_marks:
        yield f'<p class="small">* {escaped(matrix.footnote)}</p>'
    yield "</section>"


def _cell(square: Square, link: int | None) -> str:
    note = f' title="{escaped(square.note)}"' if square.note else ""
    kind = _CLASSES[square.tone]
    word = escaped(square.text)
    if link is None or (square.tone == "good" and not square.is_marked):
        return f'<td class="{kind}"{note}>{word}'
    return f'<td class="{kind}"><a href="#t{link}"{note}>{word}</a>'


def _by_subject(document: Document) -> dict[str, list[Gathered]]:
    """Return findings by subject, in the order of the report; each list worst first."""
    found: dict[str, list[Gathered]] = {}
    for item in gathered(document.findings):
        found.setdefault(item.finding.subject, []).append(item)
    rank = {name: number for number, name in enumerate(document.subjects)}
    last = len(rank)
    names = sorted(found, key=lambda name: (_worst(found[name]), rank.get(name, last)))
    for items in found.values():
        items.sort(key=lambda item: LEVELS.index(item.finding.level))
    return {name: found[name] for name in names}


def _worst(items: Sequence[Gathered]) -> int:
    return min(LEVELS.index(item.finding.level) for item in items)


def _findings(document: Document, subjects: dict[str, list[Gathered]]) -> Iterator[str]:
    yield f'<section id="findings"><h2>Findings by {escaped(document.noun)}</h2>'
    if not subjects:
        yield '<p class="clear">No findings.</p>'
    is_wordy = len(document.findings) <= _WORDY
    opened = " open" if len(subjects) <= _OPEN else ""
    numbers = {name: number for number, name in enumerate(document.subjects)}
    for number, (name, items) in enumerate(subjects.items()):
        row = numbers.get(name, f"x{number}")
        pills = "".join(_pills(items))
        yield f'<details class="tool" data-n="{row}"{opened}>'
        yield f"<summary><h3>{escaped(name, _NAME) or _UNNAMED}</h3>{pills}</summary>"
        yield f'<div class="list" id="t{number}">'
        yield from (_finding(item, is_wordy=is_wordy) for item in items)
        yield "</div></details>"
    yield "</section>"


def _pills(items: Sequence[Gathered]) -> Iterator[str]:
    for level in LEVELS:
        count = sum(item.finding.level == level for item in items)
        if count:
            yield f'<span class="pill {level}">{counted(count, level)}</span>'


def _finding(item: Gathered, *, is_wordy: bool) -> str:
    found = item.finding
    targets = "".join(f'<span class="pill">{escaped(name, _NAME)}</span>' for name in item.targets)
    code = escaped(found.code)
    link = f'<a class="mono" href="#{code}">{code}</a>'
    places = "".join(f"<code>{escaped(place, _LONGEST)}</code>" for place in item.places)
    head = f"{_badge(found.level)}{link}<b>{escaped(found.name)}</b>{targets}{places}"
    parts = [f'<p class="head">{head}</p>', f"<p>{escaped(found.message, _LONGEST)}</p>"]
    if is_wordy:
        parts.append(_line("Remedy", [found.remedy] if found.remedy else []))
        parts.append(_line("Provider answers", item.quotes))
    return f'<div class="finding">{"".join(parts)}</div>'


def _line(label: str, texts: Sequence[str]) -> str:
    """Return a label and its texts; empty without texts."""
    if not texts:
        return ""
    left = len(texts) - _SOURCES
    more = f" … and {left:,} more" if left > 0 else ""
    joined = "; ".join(escaped(text, _LONGEST) for text in texts[:_SOURCES])
    return f'<p class="small"><b>{label}</b> {joined}{more}</p>'


def _codes(document: Document, subjects: dict[str, list[Gathered]]) -> Iterator[str]:
    """Yield the meaning of each code, the facts of its findings, and their subjects."""
    found = kinds(document.findings)
    if not found:
        return
    links = {name: number for number, name in enumerate(subjects)}
    seen: set[str] = set()
    yield '<section><h2>Findings by code</h2><div class="tool list">'
    for kind in found:
        meaning = document.meaning(kind.items[0].finding)
        anchor = "" if kind.code in seen else f' id="{escaped(kind.code)}"'
        seen.add(kind.code)
        count = counted(len(kind.items), "finding")
        says = f"{meaning.says[:1].upper()}{meaning.says[1:]}."
        yield f'<div class="finding"{anchor}><p class="head">{_badge(kind.level)}'
        yield f"<code>{escaped(kind.code)}</code><b>{escaped(meaning.name)}</b>"
        yield f'<span class="pill">{count}</span></p>'
        yield f"<p>{escaped(says)} {escaped(meaning.why)}</p>"
        yield _line("Remedy", [meaning.remedy] if meaning.remedy else [])
        yield _line("Sources", kind.shared("sources"))
        yield f"{_examples(kind, links)}</div>"
    yield "</div></section>"


def _examples(kind: Kind, links: dict[str, int]) -> str:
    names = [name for name in kind.subjects if name]
    left = len(names) - _EXAMPLES
    more = f" and {left:,} more" if left > 0 else ""
    joined = ", ".join(
        f'<a class="mono" href="#t{links[name]}">{escaped(name, _NAME)}</a>'
        for name in names[:_EXAMPLES]
    )
    return f'<p class="small"><b>In</b> {joined}{more}</p>' if joined else ""


def _badge(level: Level) -> str:
    return f'<span class="level {level}">{level}</span>'
