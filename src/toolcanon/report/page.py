"""One HTML page with everything in it: the heat map, the findings, what the codes mean.

It loads nothing, and its content security policy allows only its own script.

Nothing is loaded: no fonts, no images. The script filters and expands; all content is readable
without it.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Final

from toolcanon.diagnostics import Level
from toolcanon.report.document import (
    LEVELS,
    Look,
    Matrix,
    ReportDocument,
    Square,
    counted,
    our_version,
)
from toolcanon.report.tool_view import FindingGroup, Gathered, gathered, kinds
from toolcanon.text.display import Tone, escaped

STYLE: Final = """
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #fff; --line: #dfe3e8; --soft: #eef1f4;
  --text: #1b2430; --dim: #566173; --link: #0b57b0; --focus: #0b57b0;
  --good: #dcf3e3; --good-text: #0e4f24; --good-bar: #34a25b;
  --fair: #fdedbf; --fair-text: #634300; --fair-bar: #e0a100;
  --bad: #fddad6; --bad-text: #860f07; --bad-bar: #d93a2b;
  --unsure: #e4e5ee; --unsure-text: #3a3c55; --unsure-bar: #8a8da6;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1318; --card: #171c23; --line: #2b333e; --soft: #1f262f;
    --text: #e4e8ee; --dim: #9aa6b5; --link: #7db8ff; --focus: #7db8ff;
    --good: #13361f; --good-text: #97e5ae; --good-bar: #3fae66;
    --fair: #40310a; --fair-text: #f6d67c; --fair-bar: #d9a520;
    --bad: #4c1713; --bad-text: #ffb9b0; --bad-bar: #e5574a;
    --unsure: #2b2d3c; --unsure-text: #c8cadf; --unsure-bar: #8185a3;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
header, main, footer { max-width: 82rem; margin: 0 auto; padding: 0 1.5rem; }
header { padding-top: 2rem; }
footer { padding-block: 1rem 2.5rem; color: var(--dim); font-size: .85rem; }
h1 { margin: 0; font-size: 1.5rem; letter-spacing: -.01em; }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.1rem; }
h3 { margin: 0; font-size: .95rem; }
p { margin: .25rem 0; }
code, .mono { font-family: var(--mono); font-size: .9em; overflow-wrap: anywhere; }
code, .pill, .mono { unicode-bidi: isolate; }
code, tbody th, summary h3 { white-space: pre-wrap; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 3px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; padding: .4rem .8rem; background: var(--card); z-index: 9; }
.about { color: var(--dim); }
.totals { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1rem 0 0; padding: 0; }
.totals li {
  list-style: none; padding: .3rem .8rem; border: 1px solid var(--line); border-radius: 99px;
  background: var(--card); color: var(--dim); font-size: .9rem;
}
.totals b { color: var(--text); font-variant-numeric: tabular-nums; }
.totals .error, .totals .warning { border-color: transparent; }
.totals .error, .totals .error b { background: var(--bad); color: var(--bad-text); }
.totals .warning, .totals .warning b { background: var(--fair); color: var(--fair-text); }
.cards { display: grid; gap: .75rem; margin-top: 1.5rem;
  grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)); }
.card { padding: .8rem 1rem; border: 1px solid var(--line); border-radius: 10px;
  background: var(--card); }
.card svg { display: block; width: 100%; height: 8px; margin: .55rem 0 .45rem; border-radius: 4px; }
.card p { margin: 0; color: var(--dim); font-size: .85rem; font-variant-numeric: tabular-nums; }
rect.g { fill: var(--good-bar); } rect.f { fill: var(--fair-bar); }
rect.b { fill: var(--bad-bar); } rect.u { fill: var(--unsure-bar); }
.bar { display: flex; flex-wrap: wrap; gap: .6rem 1.25rem; align-items: center;
  margin-bottom: .75rem; color: var(--dim); font-size: .875rem; }
.legend { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; }
.legend span { padding: .1rem .6rem; border-radius: 5px; }
.controls { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: center;
  margin-left: auto; }
.controls[hidden] { display: none; }
.controls label { display: flex; gap: .4rem; align-items: center; }
input[type=search] { width: 15rem; padding: .35rem .7rem; border: 1px solid var(--dim);
  border-radius: 7px; background: var(--card); color: var(--text); font: inherit; }
.scroll { max-height: 75vh; overflow: auto; border: 1px solid var(--line); border-radius: 10px;
  background: var(--card); }
table { border-collapse: separate; border-spacing: 0; width: 100%; font-size: .875rem; }
th { font-weight: 600; text-align: left; background: var(--soft); }
thead th { position: sticky; top: 0; z-index: 2; padding: .6rem .75rem; white-space: nowrap;
  border-bottom: 1px solid var(--line); }
tbody th { position: sticky; left: 0; z-index: 1; max-width: 24rem; padding: .3rem .75rem;
  background: var(--card); font: .85rem/1.5 var(--mono); overflow-wrap: anywhere;
  border-right: 1px solid var(--line); border-bottom: 1px solid var(--line); }
thead th:not(:first-child) { width: 9rem; min-width: 6.5rem; }
thead th:first-child { left: 0; width: 20rem; z-index: 3; border-right: 1px solid var(--line); }
td { padding: .3rem .75rem; border: 1px solid var(--card); white-space: nowrap; }
td a { display: block; margin: -.3rem -.75rem; padding: .3rem .75rem; color: inherit;
  text-decoration-color: color-mix(in srgb, currentColor 45%, transparent);
  text-underline-offset: 3px; }
td a:hover { text-decoration-color: currentColor; }
tbody tr:hover th { background: var(--soft); }
.g { background: var(--good); color: var(--good-text); }
.f { background: var(--fair); color: var(--fair-text); }
.b { background: var(--bad); color: var(--bad-text); font-weight: 600; }
.u { background: var(--unsure); color: var(--unsure-text); }
.tool { margin-bottom: .6rem; border: 1px solid var(--line); border-radius: 10px;
  background: var(--card); content-visibility: auto; contain-intrinsic-size: auto 3rem; }
summary { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; padding: .6rem 1rem;
  cursor: pointer; border-radius: 10px; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary::before { content: "\\25b8"; width: .8rem; color: var(--dim); }
[open] > summary::before { content: "\\25be"; }
summary:hover { background: var(--soft); }
summary h3 { flex: 1; font-family: var(--mono); overflow-wrap: anywhere; }
.pill { padding: .05rem .55rem; border-radius: 99px; background: var(--soft); color: var(--dim);
  font-size: .8rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
.pill.error, .level.error { background: var(--bad); color: var(--bad-text); }
.pill.warning, .level.warning { background: var(--fair); color: var(--fair-text); }
.list { padding: 0 1rem .4rem 2.3rem; scroll-margin-top: 4rem; }
.finding { padding: .65rem 0 .75rem; border-top: 1px solid var(--line); }
.finding > p { max-width: 60rem; overflow-wrap: anywhere; }
.head { display: flex; flex-wrap: wrap; gap: .25rem .55rem; align-items: baseline;
  color: var(--dim); font-size: .85rem; }
.head b { color: var(--text); }
.head code { color: var(--text); }
.level { padding: 0 .5rem; border-radius: 5px; background: var(--soft); color: var(--text); }
.small { color: var(--dim); font-size: .85rem; }
.small b { color: var(--text); font-weight: 600; }
.list:target, .finding:target { outline: 2px solid var(--focus); outline-offset: -2px;
  border-radius: 8px; }
div.tool { padding: 0 1rem; }
.finding:first-child { border-top: 0; }
details .finding:first-child { border-top: 1px solid var(--line); }
.clear { padding: 1rem; border: 1px solid var(--line); border-radius: 10px;
  background: var(--good); color: var(--good-text); }
@media print {
  body { background: none; font-size: 10pt; }
  .skip, .controls { display: none !important; }
  .scroll { max-height: none; overflow: visible; border: 0; }
  thead th, tbody th { position: static; }
  tr, .finding { break-inside: avoid; }
  .tool { content-visibility: visible; border: 0; }
  .tool::details-content { content-visibility: visible; block-size: auto; }
  td, .card svg, .level, .pill, .legend span { print-color-adjust: exact; }
}
"""

SCRIPT: Final = """
"use strict";
(() => {
  const box = document.getElementById("filter");
  const only = document.getElementById("only");
  const total = document.getElementById("shown");
  const rows = [...document.querySelectorAll("tr[data-n]")];
  const groups = [...document.querySelectorAll("details[data-n]")];
  const texts = new Map();
  for (const part of [...rows, ...groups]) {
    const n = part.dataset.n;
    texts.set(n, (texts.get(n) || "") + " " + part.textContent.toLowerCase());
  }
  const filter = () => {
    const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
    const fits = (part) => words.every((word) => texts.get(part.dataset.n).includes(word));
    let left = 0;
    for (const row of rows) {
      row.hidden = !fits(row) || (only.checked && !row.classList.contains("t"));
      left += row.hidden ? 0 : 1;
    }
    for (const group of groups) group.hidden = !fits(group);
    if (total) total.textContent = `${left} of ${rows.length} shown`;
  };
  const unfold = () => {
    const at = location.hash && document.getElementById(location.hash.slice(1));
    const group = at && at.closest("details");
    if (group) { group.hidden = false; group.open = true; at.scrollIntoView(); }
  };
  if (box) {
    box.closest("[hidden]").hidden = false;
    box.addEventListener("input", filter);
    only.addEventListener("change", filter);
    box.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { box.value = ""; filter(); }
    });
    document.addEventListener("keydown", (event) => {
      const free = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (event.key === "/" && free && document.activeElement !== box) {
        event.preventDefault();
        box.focus();
      }
    });
    filter();
  }
  addEventListener("hashchange", unfold);
  addEventListener("beforeprint", () => groups.forEach((group) => { group.open = true; }));
  unfold();
})();
"""


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


def html_report(document: ReportDocument, look: Look) -> str:
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


def _head(document: ReportDocument) -> Iterator[str]:
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


def _top(document: ReportDocument) -> Iterator[str]:
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


def _sizes(document: ReportDocument) -> Iterator[str]:
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


def _by_subject(document: ReportDocument) -> dict[str, list[Gathered]]:
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


def _findings(document: ReportDocument, subjects: dict[str, list[Gathered]]) -> Iterator[str]:
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


def _codes(document: ReportDocument, subjects: dict[str, list[Gathered]]) -> Iterator[str]:
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


def _examples(kind: FindingGroup, links: dict[str, int]) -> str:
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
