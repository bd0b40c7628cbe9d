"""A null among the branches of a union becomes the flag beside the type.

Why: the target says null by ``nullable: true``.
Tag: EXACT; WIDENED where null was the only branch and the type beside it forbids null.
"""

from __future__ import annotations

from toolcanon.diagnostics import Effect
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.step import Example, Site, Step, without
from toolcanon.schema.keywords import ANNOTATIONS


def rewrite(node: JsonObject, site: Site) -> JsonObject:
    branches = node["anyOf"]
    held = [branch for branch in branches if not _is_null(branch)]
    if len(held) == len(branches):
        return _alone(node, held, site) if len(held) == 1 else node
    never = "null" not in node.get("type", "null")
    # Nothing was right if it asked for a null of another type.
    effect = Effect.WIDENED if never and not held else None
    site.lose("L218", "anyOf", branches, held, effect)
    if not held:
        return {**without(node, "anyOf"), "type": "null"}
    if never:
        return {**node, "anyOf": held}
    if len(held) == 1:
        only = _alone(node, held, site)
        if only is not node:
            return {**only, "nullable": True}
    # On a branch, since some who pass schemas on drop what stands beside a union.
    first = held[0]
    if first.__class__ is dict and first.keys() != {"$ref"}:
        made = {**first, "nullable": True}
        if site.known_homes is not None:
            site.known_homes.succeed(first, made)
        return {**node, "anyOf": [made, *held[1:]]}
    return {**node, "anyOf": held, "nullable": True}


def _alone(node: JsonObject, held: list[Json], site: Site) -> JsonObject:
    """A union of one is that one, if nothing but annotations stands beside it."""
    (only,) = held
    beside = without(node, "anyOf")
    if only.__class__ is not dict or beside.keys() - ANNOTATIONS - {"nullable"}:
        return node
    site.restart = True
    if len(held) == len(node["anyOf"]):
        site.lose("L218", "anyOf", node["anyOf"], None)
    site.enter("anyOf", next(i for i, one in enumerate(node["anyOf"]) if one is only), only, beside)
    return {**only, **beside}


def _is_null(branch: Json) -> bool:
    if branch.__class__ is not dict:
        return False
    kind = branch.get("type", "null")
    if kind in ("null", ["null"]) and "type" in branch:
        return True
    # One of another type is not even null.
    return "null" in kind and (branch.get("enum") == [None] or branch.get("const", ...) is None)


STEP = Step(
    id="null-branches",
    codes=("L218",),
    needed=lambda dialect: dialect.nullable,
    meets=lambda _dialect, _kinds, keys: "anyOf" in keys,
    rewrite=rewrite,
    examples=(
        Example(
            before={"anyOf": [{"type": "string"}, {"type": "null"}], "description": "d"},
            after={"type": "string", "description": "d", "nullable": True},
            args=None,
            wire_args=None,
            dialect="nullable=True",
        ),
    ),
)
