"""Q109: more parameters than a model fills in reliably."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import JsonObject

_MOST: Final = 25
_AT: Final = Pointer(("inputs", "properties"))


def _look(subject: Subject) -> Iterator[Hit]:
    members = subject.schema.get("properties")
    if isinstance(members, dict) and len(members) > _MOST:
        yield Hit(_AT, f"the tool has {len(members)} parameters")


def _of(count: int) -> JsonObject:
    return {
        "name": "report",
        "description": "Writes a report.",
        "inputSchema": {
            "type": "object",
            "properties": {
                f"part_{number}": {"type": "string", "description": "A part."}
                for number in range(count)
            },
        },
    }


RULE = Rule(
    code="Q109",
    name="too-many-parameters",
    level="info",
    says="a tool has too many parameters",
    why="Models leave out or confuse parameters when there are dozens, and some providers limit "
    "their number.",
    remedy="split the tool by task, or group related parameters in objects",
    wrong=(_of(_MOST + 1),),
    right=(_of(3),),
    look=_look,
)
