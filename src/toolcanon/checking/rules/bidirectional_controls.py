"""S102: controls that change the direction of text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.checking.texts import TextAt
from toolcanon.text.invisible import described

_NAMES: Final = frozenset({"name", "parameter"})
_CONTROL: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def _look(subject: Subject) -> Iterator[Hit]:
    for text in subject.unusual:
        if text.role in _NAMES and (match := _CONTROL.search(text.text)):
            yield _turned(text, match.start())  # texts of some scripts need them, names do not
    for text, found in subject.hidden:
        place = next((run.start for run in found if run.kind == "direction"), None)
        if place is not None and text.role not in _NAMES:
            yield _turned(text, place)


def _turned(text: TextAt, place: int) -> Hit:
    what = described(text.text[place])
    return Hit(
        text.at, f"{what} at character {place + 1:,} changes the order in which it is displayed"
    )


RULE = Rule(
    code="S102",
    name="bidirectional-controls",
    level="error",
    says="a text is displayed in another order than it is read",
    why="Direction controls let a reviewer see another text than the model reads. Marks and "
    "closed embeddings in right-to-left text are not reported; overrides always are.",
    remedy="remove the controls",
    wrong=({"name": "pay", "description": "Pays \u202e000,1\u202c euros."},),
    right=({"name": "pay", "description": "\u05e9\u05dc\u05d5\u05dd\u200f! 1,000"},),
    look=_look,
)
