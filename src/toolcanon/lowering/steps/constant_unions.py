"""A union of constants becomes an enum.

Why: it says the same in one keyword. Grammars count unions, and models were seen to answer with
values outside such a union.
Tag: EXACT. What branches say of their values goes into the description.
"""

from __future__ import annotations

from typing import Final

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.notes import shown, with_notes
from toolcanon.lowering.step import Example, Site, Step, without
from toolcanon.schema.values import has_type, identity, types_of

_UNIONS: Final = ("anyOf", "oneOf")
_BESIDE: Final = frozenset({"type", "enum", "const"})
_LISTING: Final = frozenset({"const", "enum", "type", "description", "title", "default"})


def rewrite(node: JsonObject, site: Site) -> JsonObject:
    for key in _UNIONS:
        branches = node.get(key)
        if not branches or not _values(branches[0]):  # as of most
            continue
        listed = [_values(branch) for branch in branches]
        if not all(listed):
            continue
        values: dict[Json, Json] = {}
        for part in listed:
            for value in part:
                if key == "oneOf" and identity(value) in values:
                    return node  # a value of two branches is refused
                values[identity(value)] = value
        notes = [
            f"{shown(part[0])}: {branch['description']}"
            for part, branch in zip(listed, branches, strict=True)
            if len(part) == 1 and isinstance(branch.get("description"), str)
        ]
        site.lose("L238", key, branches, None)
        return with_notes({**without(node, key), "enum": list(values.values())}, notes)
    return node


def _values(branch: Json) -> list[Json]:
    """The values of a branch that does nothing but list them; nothing for any other."""
    if branch.__class__ is not dict or not branch.keys() <= _LISTING:
        return []
    values: list[Json] = [branch["const"]] if "const" in branch else branch.get("enum") or []
    if not values:
        return []
    types = types_of(branch)
    return [value for value in values if not types or has_type(value, types)]


STEP = Step(
    id="constant-unions",
    codes=("L238",),
    needed=lambda dialect: dialect.typed,
    meets=lambda _dialect, _kinds, keys: keys.isdisjoint(_BESIDE) and not keys.isdisjoint(_UNIONS),
    rewrite=rewrite,
    examples=(
        Example(
            before={"anyOf": [{"const": "a", "description": "first"}, {"const": "b"}]},
            after={"enum": ["a", "b"], "type": "string", "description": "(a: first)"},
            args="a",
            wire_args="a",
            dialect="typed=True",
        ),
    ),
)
