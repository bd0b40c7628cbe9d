"""Q101: a tool without a description."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.jsonio import Pointer

_AT: Final = Pointer(("description",))


def _look(subject: Subject) -> Iterator[Hit]:
    if subject.is_function and not subject.tool.description.strip():
        yield Hit(_AT, "the tool has no description")


RULE = Rule(
    code="Q101",
    name="description-missing",
    level="warning",
    says="a tool has no description",
    why="A model chooses tools by their descriptions. With a name alone it guesses when to call "
    "the tool and what it returns.",
    remedy="state in one or two sentences what it does, when to use it and what it returns",
    wrong=({"name": "list_users", "inputSchema": {"type": "object"}},),
    right=(
        {
            "name": "list_users",
            "description": "Lists the users of a team, the newest first.",
            "inputSchema": {"type": "object"},
        },
    ),
    look=_look,
)
