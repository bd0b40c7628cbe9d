"""The style and script of the page, constants so that their digests are fixed.

Nothing is loaded: no fonts, no images. The script filters and expands; all content is readable
without it.
"""

from __future__ import annotations

from typing import Final

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
  const said = document.getElementById("shown");
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
    if (said) said.textContent = `${left} of ${rows.length} shown`;
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
