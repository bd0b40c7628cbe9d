"""C213: a definition that was repaired in reading."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.formats.wire.extras import BESIDE, KEYS, NOTES, TEXT, notes
from toolcanon.jsonio import Pointer
from toolcanon.text import safe

_LONGEST: Final = 60


def _look(subject: Subject) -> Iterator[Hit]:
    for format_id, own in subject.tool.__dict__.get("extras", {}).items():
        noted = notes(own)
        at = Pointer(("extras", format_id, NOTES))
        for key in noted.get(TEXT, ()):
            yield Hit(at / TEXT / key, f"{_shown(key)} is a text; it was read as the JSON in it")
        for key, names in noted.get(BESIDE, {}).items():
            beside = ", ".join(map(_shown, names))
            yield Hit(at / BESIDE / key, f"{beside} beside {_shown(key)} was read as a part of it")
        for key, other in noted.get(KEYS, {}).items():
            yield Hit(at / KEYS / key, f"{_shown(other)} was read as {_shown(key)}")


def _shown(key: object) -> str:
    return safe(str(key), _LONGEST)


RULE = Rule(
    code="C213",
    name="reading-repaired",
    level="info",
    says="the reader repaired a definition",
    why="It does not follow its format. The meaning was clear, so it was read, but other readers "
    "may reject it or miss a part of it.",
    remedy="follow the format; converting it to its own format does",
    wrong=(
        {
            "name": "greet",
            "description": "Says hello.",
            "inputSchema": '{"type": "object", "properties": {"name": {"type": "string"}}}',
        },
        {
            "name": "greet",
            "description": "Says hello.",
            "title": "Greet",
            "input_schema": {"type": "object", "properties": {"name": {"type": "string"}}},
        },
        {
            "name": "greet",
            "description": "Says hello.",
            "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
            "required": ["name"],
        },
    ),
    right=(
        {
            "name": "greet",
            "description": "Says hello.",
            "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
        },
    ),
    look=_look,
)
