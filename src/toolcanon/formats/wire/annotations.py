"""Hints about behaviour under ``annotations``, as the Model Context Protocol spells them."""

from __future__ import annotations

from typing import Final

from toolcanon.formats.wire.extras import SPELLING
from toolcanon.ir import STATED_HINTS, CanonicalTool, stated_hints
from toolcanon.jsonio.types import JsonObject

ANNOTATIONS: Final = "annotations"
HINTS: Final = {
    "readOnlyHint": "read_only",
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "open_world",
}


def read_annotations(left: JsonObject, said: JsonObject, noted: JsonObject) -> None:
    """The four hints go where every format looks; ``title`` and the rest stay as they are."""
    stated = left[ANNOTATIONS]
    if not isinstance(stated, dict):
        return
    del left[ANNOTATIONS]
    if not stated:
        noted.setdefault(SPELLING, {})[ANNOTATIONS] = stated
        return
    hints: dict[str, bool] = {}
    rest: JsonObject = {}
    for key, value in stated.items():
        name = HINTS.get(key)
        if name is not None and value.__class__ is bool:
            hints[name] = value
        else:
            rest[key] = value
    if hints:
        said[STATED_HINTS] = hints
    if rest:
        left[ANNOTATIONS] = rest


def write_annotations(
    tool: CanonicalTool, own: JsonObject, out: JsonObject, *, verbatim: bool
) -> None:
    """The way back."""
    hints = stated_hints(tool)
    more = own.get(ANNOTATIONS)
    more = more if isinstance(more, dict) else {}
    if hints or more:
        annotations = {key: hints[name] for key, name in HINTS.items() if name in hints}
        annotations |= {
            key: value
            for key, value in more.items()
            if verbatim or (key not in HINTS and (key != "title" or isinstance(value, str)))
        }
        if annotations:
            out[ANNOTATIONS] = annotations
