"""S113: a hint that the name or the description contradicts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.infer import infer, parameter_words
from toolcanon.ir import stated_hints
from toolcanon.jsonio import Pointer
from toolcanon.text import safe

_SHOWN: Final = 40
_PROMISES: Final = {"read_only": True, "destructive": False, "idempotent": True}
"""The value of a hint that makes hosts trust a tool; the other one makes them ask more often."""


def _look(subject: Subject) -> Iterator[Hit]:
    tool = subject.tool
    hints = stated_hints(tool)
    if not hints:
        return
    parameters = parameter_words(subject.schema)
    for found in infer(tool.name, tool.description, hints, parameters).contradictions:
        evidence = found.evidence
        verb = "have" if evidence.field == "parameters" else "has"
        yield Hit(
            Pointer(("hints", found.hint)),
            f"{found.hint} is {str(found.stated).lower()}, but the {evidence.field} {verb} the "
            f"word {safe(evidence.word, _SHOWN)!r}",
            level=None if _PROMISES.get(found.hint) is found.stated else "info",
        )


RULE = Rule(
    code="S113",
    name="hint-contradicts-words",
    level="warning",
    says="a hint contradicts the name or the description",
    why="Hosts run read-only tools without asking. A hint is an unverified claim; when the "
    "tool's own text contradicts it, one of them is wrong.",
    remedy="correct the hint, or the text",
    wrong=(
        {
            "name": "delete_user",
            "description": "Deletes a user.",
            "annotations": {"readOnlyHint": True},
        },
        {
            "name": "drop_table",
            "description": "Drops a table.",
            "annotations": {"readOnlyHint": False, "destructiveHint": False},
        },
    ),
    right=(
        {
            "name": "delete_user",
            "description": "Deletes a user.",
            "annotations": {"readOnlyHint": False, "destructiveHint": True},
        },
        {
            "name": "list_users",
            "description": "Lists users.",
            "annotations": {"readOnlyHint": True},
        },
    ),
    look=_look,
)
