"""Text that is present and not displayed: behind blanks, in comments, in invisible markup.

A list in a narrow window shows the beginning of a text. Text behind a screen of blanks, in a
comment or in markup that renders as nothing is read by the model alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple


class Unshown(NamedTuple):
    """How a text is hidden, and the text."""

    how: str
    words: str


_EMPTINESS: Final = re.compile(r"\s{40,}")
_WIDEST: Final = 200
_MOST_EMPTY_LINES: Final = 20
_MARKDOWN_COMMENT: Final = re.compile(
    r"^[ \t]{0,3}\[(?://|comment|_metadata_[^\]]{0,20})\]:\s?#?\s?[(\"'](.{0,2000}?)[)\"']",
    re.MULTILINE,
)
_UNSEEN_STYLE: Final = re.compile(
    r"<[a-z][^<>]{0,200}?(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden"
    r"|font-size\s{0,3}:\s{0,3}0(?:px|pt|em|%)?\s{0,3}[;\"']|opacity\s{0,3}:\s{0,3}0\s{0,3}[;\"']"
    r"|color\s{0,3}:\s{0,3}(?:transparent|white|#fff(?:fff)?)\b|\shidden[\s>=])[^<>]{0,200}>"
    r"([^<]{0,500})",
    re.IGNORECASE,
)
_BETWEEN: Final = (("<!--", "-->", "in a comment"), ("<details", "</details>", "in a fold"))
_LINK: Final = re.compile(r"(!?)\[([^\[\]\n]{0,200})\]\((https?://[^)\s]{1,600})")
_SHOWN_HOST: Final = re.compile(
    r"\s*(?:https?://|www\.)((?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,12})(?:[/:?#]|\s*$)", re.IGNORECASE
)
_HOST: Final = re.compile(r"https?://(?:[^/@\s]{0,100}@)?([^/:?#)\s]+)", re.IGNORECASE)
_FILLED: Final = re.compile(r"\?.*[{$<\[]")
_WORDS: Final = re.compile(r"[^\W\d_]{2,}")
_FEWEST_WORDS: Final = 3
_ENOUGH: Final = 500


def unshown(text: str) -> Iterator[Unshown]:
    """Yield the parts of a text that its layout hides."""
    for match in _EMPTINESS.finditer(text):
        run, behind = match.group(), text[match.end() :]
        if behind and (len(run) >= _WIDEST or run.count("\n") >= _MOST_EMPTY_LINES):
            yield Unshown(f"behind {len(run):,} blanks", behind)
            break
    if "<" in text:
        yield from _marked_up(text)
    if "]:" in text:
        for match in _MARKDOWN_COMMENT.finditer(text):
            yield Unshown("in a Markdown comment", match[1])
    if "](" in text:
        yield from _linked(text)


def may_hide(text: str) -> bool:
    """Precheck whether anything can be hidden."""
    return "<" in text or "](" in text or "]:" in text or " " * 40 in text or not text.isprintable()


def _marked_up(text: str) -> Iterator[Unshown]:
    for opening, closing, how in _BETWEEN:
        end = 0
        while (start := text.find(opening, end)) >= 0:
            end = text.find(closing, start)
            end = len(text) if end < 0 else end
            if _has_words(text[start + len(opening) : end]):
                yield Unshown(how, text[start + len(opening) : end].strip())
    for match in _UNSEEN_STYLE.finditer(text):
        if _has_words(match[1]):
            yield Unshown("in invisible markup", match[1].strip())


def _linked(text: str) -> Iterator[Unshown]:
    """Yield links that display another host than they lead to, and images with data in the URL."""
    for match in _LINK.finditer(text):
        if match[1]:
            if _FILLED.search(match[3]):
                yield Unshown("in the address of an image", match[3])
            continue
        shown, leads = _SHOWN_HOST.match(match[2]), _HOST.match(match[3])
        if shown and leads and _site(shown[1]) != _site(leads[1]):
            yield Unshown(f"behind a link that displays {shown[1]}", match[3])


def _has_words(text: str) -> bool:
    return len(_WORDS.findall(text, 0, _ENOUGH)) >= _FEWEST_WORDS


def _site(host: str) -> str:
    return ".".join(host.lower().rstrip(".").split(".")[-2:])
