"""S101: invisible characters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.checking.texts import TextAt
from toolcanon.text import safe
from toolcanon.text.invisible import Hidden, described

_SHOWN: Final = 200
_BLANKS: Final = frozenset("\u00a0\u1680\u202f\u205f\u3000") | {
    chr(point) for point in range(0x2000, 0x200B)
}
_KINDS: Final = frozenset({"invisible", "private"})
_NAMES: Final = frozenset({"name", "parameter"})


def _look(subject: Subject) -> Iterator[Hit]:
    for text, found in subject.hidden:
        runs = [run for run in found if run.kind in _KINDS]
        if runs:
            yield _unseen(text, runs)
    for text in subject.unusual:
        blanks = _BLANKS.intersection(text.text) if text.role in _NAMES else None
        if blanks:
            yield Hit(text.at, f"{described(min(blanks))} in a name looks like a blank")


def _unseen(text: TextAt, runs: list[Hidden]) -> Hit:
    first = runs[0]
    count = sum(run.end - run.start for run in runs)
    more = f", and {count - 1:,} more invisible characters" if count > 1 else ""
    carries = "".join(run.carries for run in runs)
    says = f", which spell: {safe(carries, _SHOWN)!r}" if carries.strip() else ""
    what = described(text.text[first.start])
    is_slight = all(run.kind == "private" or _is_typing(text.text, run) for run in runs)
    return Hit(text.at, f"{what} at character {first.start + 1:,}{more}{says}",
               level="warning" if is_slight else None)  # fmt: skip


def _is_typing(text: str, run: Hidden) -> bool:
    """Return whether an editor left them: soft hyphens within words, a byte order mark in front."""
    found = text[run.start : run.end]
    if found == "\ufeff":
        return run.start == 0
    return (
        found == "\xad" and text[max(0, run.start - 1) : run.end + 1].replace(found, "").isalpha()
    )


RULE = Rule(
    code="S101",
    name="invisible-characters",
    level="error",
    says="a text has invisible characters",
    why="A reviewer approves what is displayed; a model reads every character. Whole sentences "
    "can be written in tags and selectors. Joiners, marks and selectors that scripts and "
    "emoji need are not reported.",
    remedy="remove the characters, and find out who added them",
    wrong=(
        {"name": "ping", "description": "Pings a host.\U000e0048\U000e0069"},
        {"name": "pi\u200bng", "description": "Pings a host."},
    ),
    right=(
        {"name": "ping", "description": "Pings a host \U0001f469\u200d\U0001f4bb."},
        {"name": "salaam", "description": "\u0645\u06cc\u200c\u0631\u0648\u0645"},
    ),
    look=_look,
)
