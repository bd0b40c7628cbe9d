"""Descriptions from docstrings in the Google, NumPy and Sphinx styles.

The style is recognised: a section is underlined (NumPy), ends in a colon with an indented block
below it (Google), or is a field between colons (Sphinx). Everything else is text. Sections about
anything but parameters, returns or errors stay in the text, since a model may use them.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

_PARAMETERS: Final = "parameters"
_RETURNS: Final = "returns"
_RAISES: Final = "raises"

_SECTIONS: Final = {
    "args": _PARAMETERS,
    "arguments": _PARAMETERS,
    "attributes": _PARAMETERS,
    "keyword args": _PARAMETERS,
    "keyword arguments": _PARAMETERS,
    "other parameters": _PARAMETERS,
    "parameters": _PARAMETERS,
    "params": _PARAMETERS,
    "raises": _RAISES,
    "exceptions": _RAISES,
    "return": _RETURNS,
    "returns": _RETURNS,
    "yield": _RETURNS,
    "yields": _RETURNS,
}
_FIELDS: Final = {
    **dict.fromkeys(
        ("param", "parameter", "arg", "argument", "key", "keyword", "kwarg", "ivar", "var"),
        _PARAMETERS,
    ),
    **dict.fromkeys(("return", "returns", "yield", "yields"), _RETURNS),
    **dict.fromkeys(("raise", "raises", "except", "exception"), _RAISES),
    **dict.fromkeys(("type", "rtype", "ytype", "vartype", "meta"), ""),  # types are in the code
}
_UNDERLINE: Final = re.compile(r"[-=~]{3,}\s*$")
_NAMES: Final = re.compile(r"[`*\w][\w.`*, ]*")
_TYPE_ENDS: Final = re.compile(r"\)\s*:")
_TYPE: Final = re.compile(r"[\w.]+(\[[^:]*\])?( *\| *[\w.]+(\[[^:]*\])?)*: +")
_LONGEST_TYPE: Final = 120
_ON_ITS_OWN: Final = re.compile(r"[-*+•] |\d+[.)] |>>> |```|\|")


@dataclass(frozen=True, slots=True)
class Docstring:
    """The parts of a docstring."""

    summary: str = ""
    """The first paragraph."""
    text: str = ""
    """The rest, without the sections below."""
    parameters: dict[str, str] = field(default_factory=dict)
    returns: str = ""
    raises: dict[str, str] = field(default_factory=dict)

    @property
    def description(self) -> str:
        """Return summary and text."""
        return f"{self.summary}\n\n{self.text}" if self.text else self.summary


@dataclass(slots=True)
class _Found:
    """The parts read so far."""

    text: list[str] = field(default_factory=list)
    parameters: dict[str, str] = field(default_factory=dict)
    raises: dict[str, str] = field(default_factory=dict)
    returns: str = ""

    def add(self, kind: str, names: str, lines: list[str]) -> None:
        joined = _joined(lines)
        if kind == _RETURNS:
            self.returns = f"{self.returns}\n{joined}".strip()
        elif kind:
            table = self.parameters if kind == _PARAMETERS else self.raises
            for name in names.split(","):
                table[name.strip(" `*")] = joined


def parse(docstring: str | None) -> Docstring:
    r"""Read a docstring of any style.

    >>> parse("Find it.\n\nArgs:\n    query: What to look for.").parameters
    {'query': 'What to look for.'}
    """
    if not docstring or not docstring.strip():
        return Docstring()
    lines = inspect.cleandoc(docstring).splitlines()
    if _is_header(lines[0]) and not any(map(_is_header, lines[1:])):  # cleandoc dedented it
        lines[1:] = [f" {line}" for line in lines[1:]]
    found = _Found()
    at = 0
    while at < len(lines):
        at = _numpy(lines, at, found) or _google(lines, at, found) or _sphinx(lines, at, found)
    summary, _, text = "\n".join(found.text).strip().partition("\n\n")
    return Docstring(summary, text.strip(), found.parameters, found.returns, found.raises)


def _numpy(lines: list[str], at: int, found: _Found) -> int:
    """Return the end of a NumPy section that begins here; 0 if none does."""
    kind = _SECTIONS.get(lines[at].strip().lower())
    if kind is None or not _is_underlined(lines, at) or _indent(lines[at]):
        return 0
    end = at + 2
    while end < len(lines) and not _is_underlined(lines, end):
        end += 1
    items = list(_items(lines[at + 2 : end]))
    for head, body in items:
        if kind == _RETURNS:
            found.add(kind, "", body or [head])
        else:
            found.add(kind, head.partition(":")[0], body)
    return end


def _google(lines: list[str], at: int, found: _Found) -> int:
    """Return the end of a Google section that begins here; 0 if none does."""
    head, colon, rest = lines[at].partition(":")
    kind = _SECTIONS.get(head.strip().lower())
    if kind is None or not colon or _indent(head):
        return 0
    end = at + 1
    while end < len(lines) and (_indent(lines[end]) or not lines[end].strip()):
        end += 1
    block = inspect.cleandoc("\n" + "\n".join(lines[at + 1 : end])).splitlines()
    if kind == _RETURNS:
        joined = _joined([rest, *block])
        typed = _TYPE.match(joined[:_LONGEST_TYPE])
        found.add(kind, "", [joined[typed.end() :] if typed else joined])
        return end
    if rest.strip() or not block:
        return 0
    name, said_lines = "", list[str]()
    for first, body in _items(block):
        names, text = _item(first)
        if names:
            name, said_lines = names, [text, *body]
        else:  # a line with too little indentation
            said_lines += [first, *body]
        if name:
            found.add(kind, name, said_lines)
    return end


def _sphinx(lines: list[str], at: int, found: _Found) -> int:
    """Return the end of a Sphinx field that begins here, or of one line of text."""
    head, colon, text = lines[at][1:].partition(":")
    words = head.split()
    kind = _FIELDS.get(words[0].lower()) if words and lines[at][0] in ":@" else None
    if kind is None or not colon or text[:1].strip():
        found.text.append(lines[at])
        return at + 1
    end = at + 1
    while end < len(lines) and (_indent(lines[end]) or not lines[end].strip()):
        end += 1
    found.add(kind, words[-1], [text, *lines[at + 1 : end]])
    return end


def _item(line: str) -> tuple[str, str]:
    """Return names and text of ``name (type): text``; no names for another line."""
    match = _NAMES.match(line)
    rest = line[match.end() :] if match else ""
    if match and rest.startswith("("):
        typed = _TYPE_ENDS.search(rest)
        rest = rest[typed.end() - 1 :] if typed else ""
    if not match or not rest.startswith(":") or rest[1:2].strip():
        return "", ""
    return match[0], rest[1:]


def _is_header(line: str) -> bool:
    return line.endswith(":") and line[:-1].strip().lower() in _SECTIONS


def _is_underlined(lines: list[str], at: int) -> bool:
    below = at + 1
    return bool(lines[at].strip()) and below < len(lines) and bool(_UNDERLINE.match(lines[below]))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _items(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield lines without indentation, each with the indented ones below it."""
    head: str | None = None
    body: list[str] = []
    for line in lines:
        if line.strip() and not _indent(line):
            if head is not None:
                yield head, body
            head, body = line, []
        else:
            body.append(line)
    if head is not None:
        yield head, body


def _joined(lines: list[str]) -> str:
    """Join wrapped lines; paragraphs and lists stay apart."""
    out = ""
    apart = False
    for line in map(str.strip, lines):
        if not line:
            apart = bool(out)
            continue
        if out:
            out += "\n\n" if apart else "\n" if _ON_ITS_OWN.match(line) else " "
        out, apart = out + line, False
    return out
