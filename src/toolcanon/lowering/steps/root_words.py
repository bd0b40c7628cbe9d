"""Title and description of the whole schema go.

Why: somebody on the way drops them; a tool has a name and a description of its own.
Tag: HINT_LOST.
"""

from __future__ import annotations

from typing import Final

from toolcanon.jsonio.types import JsonObject
from toolcanon.lowering.step import Example, Site, Step, without

_WORDS: Final = ("title", "description")


def rewrite(node: JsonObject, site: Site) -> JsonObject:
    for word in _WORDS:
        if word in node:
            site.lose("L229", word, node[word], None)
    return without(node, *_WORDS)


STEP = Step(
    id="root-words",
    codes=("L229",),
    needed=lambda dialect: not dialect.root_remarks,
    meets=lambda _dialect, _kinds, keys: not keys.isdisjoint(_WORDS),
    rewrite=rewrite,
    root_only=True,
    examples=(
        Example(
            before={"type": "object", "title": "T", "properties": {"a": {"title": "A"}}},
            after={"type": "object", "properties": {"a": {"title": "A"}}},
            args={"a": 1},
            wire_args={"a": 1},
            dialect="root_remarks=False",
        ),
    ),
)
