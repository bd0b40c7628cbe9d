"""Keywords beside a union whose branches are put under keys of their own.

Such keywords speak of the whole value, which stands under the key now. So they go along, and so do
the operations on what they declare.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.step import Record
from toolcanon.schema.conjunction import conjoin
from toolcanon.schema.keywords import ANNOTATIONS
from toolcanon.schema.references import DEFINITIONS, Place

_STAYING: Final = frozenset({*ANNOTATIONS, *DEFINITIONS, "nullable"})


class Tagged(NamedTuple):
    """A written union, its keyword, where it is, and the key of each branch that has one."""

    keyword: str
    at: Place
    keys: dict[int, str]


def into_branches(
    node: JsonObject, lens: JsonObject, union: Tagged, log: list[Record]
) -> tuple[JsonObject, JsonObject]:
    """The written node and its lens, with what stands beside the union in each of its branches."""
    said = {
        key: value for key, value in node.items() if key != union.keyword and key not in _STAYING
    }
    if said.keys() <= {"type"} and said.get("type", "object") == "object":
        return node, lens
    moved = {key: value for key, value in lens.items() if key != "anyOf"}
    branches, lenses = list(node[union.keyword]), list(lens["anyOf"])
    for index, branch in enumerate(branches):
        key = union.keys.get(index)
        if key is None:
            continue
        inner = _joined(branch["properties"][key], said, union.at, log)
        branches[index] = {**branch, "properties": {key: inner}}
        if moved:
            lenses[index] = _with_lens(lenses[index], key, moved)
    rest = {key: value for key, value in node.items() if key not in said}
    return {**rest, union.keyword: branches}, {"anyOf": lenses}


def _joined(branch: Json, said: JsonObject, at: Place, log: list[Record]) -> Json:
    if branch.__class__ is not dict:
        return said if branch is True else branch
    if "$ref" in branch:
        log.extend(("L207", None, at, {key: value}, None) for key, value in said.items())
        return branch
    both = conjoin([branch, said])
    log.extend(("L207", None, at, {key: value}, None) for key, value in both.residue)
    return both.schema


def _with_lens(entry: JsonObject, key: str, moved: JsonObject) -> JsonObject:
    """The entry of a branch, which also does what is done to the members beside the union."""
    lens = entry["lens"]
    inner = (lens.get("properties") or {}).get(key) or {}
    joined = {**moved, **inner}
    if "properties" in moved and "properties" in inner:
        joined["properties"] = {**moved["properties"], **inner["properties"]}
    return {**entry, "lens": {**lens, "properties": {key: joined}}}
