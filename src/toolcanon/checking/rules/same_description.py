"""Q108: different tools with the same description."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.jsonio import Pointer
from toolcanon.text import safe


def _compare(subjects: Sequence[Subject]) -> Iterator[tuple[int, Hit]]:
    first: dict[str, Subject] = {}
    for number, subject in enumerate(subjects):
        text = "".join(filter(str.isalnum, subject.tool.description)).casefold()
        if not text:
            continue
        other = first.setdefault(text, subject)
        if other is not subject and other.tool.inputs != subject.tool.inputs:
            yield number, Hit(Pointer(("description",)), f"{safe(subject.name)} has the same "
                              f"description as {safe(other.name)}")  # fmt: skip


RULE = Rule(
    code="Q108",
    name="same-description",
    level="warning",
    says="two different tools have the same description",
    why="A model cannot distinguish them, and chooses by chance.",
    remedy="state in each how it differs, and when to use the other",
    wrong=(
        {
            "name": "find_file",
            "description": "Finds files.",
            "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
        },
        {
            "name": "grep",
            "description": "Finds files.",
            "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
        },
    ),
    right=(
        {
            "name": "find_file",
            "description": "Finds files by name.",
            "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
        },
        {
            "name": "grep",
            "description": "Finds files by what is in them.",
            "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
        },
    ),
    compare=_compare,
)
