"""Q120: an ambiguous definition that was read by guessing."""

from __future__ import annotations

from collections.abc import Iterator

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.formats.wire.extras import GUESSES, NOTES, notes
from toolcanon.jsonio import Pointer
from toolcanon.text import safe


def _look(subject: Subject) -> Iterator[Hit]:
    for format_id, own in subject.tool.__dict__.get("extras", {}).items():
        for number, guessed in enumerate(notes(own).get(GUESSES, ())):
            place, why = (safe(str(guessed[key])) for key in ("at", "why"))
            at = Pointer(("extras", format_id, NOTES, GUESSES, number))
            yield Hit(at, f"guessed at {place or '/'}: {why}")


RULE = Rule(
    code="Q120",
    name="reading-guessed",
    level="info",
    says="the reader guessed something",
    why="The definition is ambiguous or contradicts itself. The likeliest reading was taken, and "
    "the result does not show it.",
    remedy="write the definition so that it can be read in one way only",
    wrong=(
        {
            "api_name": "greet",
            "api_description": "Says hello.",
            "required_parameters": [
                {"name": "name", "type": "STRING", "description": "Whom."},
                {"name": "name", "type": "NUMBER", "description": "How often."},
            ],
        },
    ),
    right=(
        {
            "api_name": "greet",
            "api_description": "Says hello.",
            "required_parameters": [
                {"name": "name", "type": "STRING", "description": "Whom."},
                {"name": "times", "type": "NUMBER", "description": "How often."},
            ],
        },
    ),
    look=_look,
)
