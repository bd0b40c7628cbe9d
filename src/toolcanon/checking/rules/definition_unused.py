"""Q113: definitions without a reference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.diagnostics import Fix
from toolcanon.jsonio import Pointer
from toolcanon.text import safe

_WORDS: Final = ("$defs", "definitions")
# Keywords that reach a definition in another way than by its place.
_INDIRECT: Final = frozenset({"$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor", "$id"})
_LONGEST: Final = 60
_SHOWN: Final = 3


def _look(subject: Subject) -> Iterator[Hit]:
    for word in _WORDS:
        definitions = subject.schema.get(word)
        if not isinstance(definitions, dict) or not definitions:
            continue
        used = _used(subject)
        if used is None:
            return
        idle = [name for name in definitions if (word, name) not in used]
        if not idle:
            continue
        shown = ", ".join(safe(name, _LONGEST) for name in idle[:_SHOWN])
        more = f" and {len(idle) - _SHOWN} more" if len(idle) > _SHOWN else ""
        rest = {name: held for name, held in definitions.items() if name not in idle}
        fix = Fix("remove unused definitions", rest or None, is_removal=not rest, is_safe=True)
        yield Hit(
            Pointer(("inputs", word)),
            f"{len(idle)} of {len(definitions)} definitions are not used: {shown}{more}",
            fix=fix if subject.schema is subject.tool.inputs else None,
        )


def _used(subject: Subject) -> set[tuple[str, str]] | None:
    """Return the reachable definitions; None when other ways to reach them are in use."""
    refers: dict[tuple[str, str] | None, set[tuple[str, str]]] = {}
    for at, node in subject.nodes:
        if not _INDIRECT.isdisjoint(node):
            return None
        reference = node.get("$ref")
        if not isinstance(reference, str):
            continue
        if not reference.startswith("#/") or "%" in reference or "~" in reference:
            return None
        steps = reference[2:].split("/")
        if steps[0] not in _WORDS or len(steps) == 1:
            return None  # a reference into the middle of a definition
        home = (str(at[1]), str(at[2])) if len(at) > 2 and at[1] in _WORDS else None  # noqa: PLR2004
        refers.setdefault(home, set()).add((steps[0], steps[1]))
    reached: set[tuple[str, str]] = set()
    waiting = list(refers.get(None, ()))
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += refers.get(name, ())
    return reached


RULE = Rule(
    code="Q113",
    name="definition-unused",
    level="info",
    says="a definition is not used",
    why="It is sent with every request, counts against the limits of providers, and has no effect.",
    remedy="remove unused definitions",
    wrong=(
        {
            "name": "stop",
            "description": "Stops the robot.",
            "inputSchema": {"type": "object", "$defs": {"Speed": {"type": "number"}}},
        },
    ),
    right=(
        {
            "name": "go",
            "description": "Moves the robot.",
            "inputSchema": {
                "type": "object",
                "properties": {"speed": {"$ref": "#/$defs/Speed", "description": "In m/s."}},
                "$defs": {"Speed": {"type": "number"}},
            },
        },
    ),
    look=_look,
)
