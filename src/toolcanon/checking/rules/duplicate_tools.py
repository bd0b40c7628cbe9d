"""Q107: the same tool under two names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.jsonio import Pointer
from toolcanon.text import safe


def _compare(subjects: Sequence[Subject]) -> Iterator[tuple[int, Hit]]:
    seen: dict[str, list[Subject]] = {}
    for number, subject in enumerate(subjects):
        text = " ".join(subject.tool.description.split())
        if not text or not subject.is_function:
            continue
        alike = seen.setdefault(text, [])
        same = next((one for one in alike if one.tool.inputs == subject.tool.inputs), None)
        if same is None:
            alike.append(subject)
        else:
            what = "occurs twice" if same.name == subject.name else f"repeats {safe(same.name)}"
            yield number, Hit(Pointer(("name",)), f"{safe(subject.name)} {what}: the same "
                              "description and the same parameters")  # fmt: skip


_SCHEMA = {"type": "object", "properties": {"id": {"type": "string", "description": "A user's."}}}

RULE = Rule(
    code="Q107",
    name="duplicate-tools",
    level="warning",
    says="two tools have the same description and parameters",
    why="A model cannot choose between them, and every request pays for both.",
    remedy="keep one of them, or state how they differ",
    wrong=(
        {"name": "get_user", "description": "Looks up a user.", "inputSchema": _SCHEMA},
        {"name": "fetch_user", "description": "Looks up a user.", "inputSchema": _SCHEMA},
    ),
    right=(
        {"name": "get_user", "description": "Looks up a user.", "inputSchema": _SCHEMA},
        {"name": "block_user", "description": "Locks a user out.", "inputSchema": _SCHEMA},
    ),
    compare=_compare,
)
