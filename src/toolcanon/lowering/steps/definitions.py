"""Definitions leave their place, to be written anew as far as anything kept refers to them.

Why: the target reads them only at the root, under one keyword, or not at all.
Tag: EXACT. Nothing that is referred to goes away.
"""

from __future__ import annotations

from typing import Final

from toolcanon.dialect import Dialect
from toolcanon.jsonio.types import JsonObject
from toolcanon.lowering.step import Example, Site, Step, without

_HOLDERS: Final = ("$defs", "definitions")


def rewrite(node: JsonObject, site: Site) -> JsonObject:
    if not (site.run.tracks or _moves(site.dialect)):
        return node
    for key in _HOLDERS:
        if key in node:
            site.run.set_aside.append((site.place(key), node[key]))
    return without(node, *_HOLDERS)


def _moves(dialect: Dialect) -> bool:
    """Whether definitions cannot stay where they are, whatever they say."""
    return not (dialect.references.keep and dialect.references.anywhere)


STEP = Step(
    id="definitions",
    codes=("L203",),
    needed=lambda dialect: _moves(dialect) or not dialect.references.any_recursion,
    meets=lambda _dialect, _kinds, keys: not keys.isdisjoint(_HOLDERS),
    rewrite=rewrite,
    examples=(
        Example(
            before={"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}},
                    "$defs": {"a": {"type": "string"}}},
            after={"type": "object", "properties": {"a": {"type": "string"}}},
            args={"a": "x"},
            wire_args={"a": "x"},
            dialect="references.keep=False",
        ),
    ),
)  # fmt: skip
