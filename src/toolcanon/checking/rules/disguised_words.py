"""S115: words with letters of another script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.text import safe
from toolcanon.text.letters import disguises

_NAMES: Final = frozenset({"name", "parameter"})
_SHOWN: Final = 40


def _look(subject: Subject) -> Iterator[Hit]:
    for text in subject.unusual:
        if text.role in _NAMES:  # S104 checks names
            continue
        found = next(disguises(text.text), None)
        if found is not None:
            spelled = found.word.encode("ascii", "backslashreplace").decode()
            yield Hit(text.at, f"{safe(spelled, _SHOWN)} is not written in Latin letters: "
                      f"{safe(found.seems, _SHOWN)!r}")  # fmt: skip


RULE = Rule(
    code="S115",
    name="disguised-words",
    level="warning",
    says="a word has letters of another script or style that look Latin",
    why="Searches do not find the word, and readers do not notice. Words of other languages, "
    "units and formulas are not reported.",
    remedy="write the word in Latin letters",
    wrong=({"name": "login", "description": "Asks for the p\u0430ssw\u043erd."},),
    right=(
        {
            "name": "login",
            "description": "\u041f\u0430\u0440\u043e\u043b\u044c (password), TNF\u03b1.",
        },
    ),
    look=_look,
)
