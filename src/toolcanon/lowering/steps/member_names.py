"""Members get names that the target allows.

Why: some providers check the names of parameters, and one bad name fails the whole request.
Tag: EXACT.
"""

from __future__ import annotations

from typing import Final

from toolcanon.dialect import Dialect
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.step import Example, Glance, Op, Site, Step, Trouble
from toolcanon.naming import aliases

_MOST_NAMES: Final = 50_000


def rewrite(node: JsonObject, site: Site) -> JsonObject:
    members = node["properties"]
    policy = site.dialect.members
    if policy is None or not (site.is_root or site.dialect.nested_members):
        return node
    if all(map(policy.allows, members)):
        return node
    names = {
        own: written
        for own, written in zip(members, aliases(list(members), policy), strict=True)
        if own != written
    }
    at = site.place("properties")
    for own, written in names.items():
        site.log.append(("L226", None, (at, own), own, written))
    site.op("rename", names=names)
    if site.is_root:
        site.run.renamed = names
    out = {**node, "properties": {names.get(key, key): held for key, held in members.items()}}
    if "required" in node:
        out["required"] = [names.get(name, name) for name in node["required"]]
    if "dependentRequired" in node:
        out["dependentRequired"] = {
            names.get(key, key): [names.get(name, name) for name in held]
            for key, held in node["dependentRequired"].items()
        }
    return out


def apply(value: Json, op: JsonObject, troubles: list[Trouble]) -> Json:
    del troubles
    names = op["names"]
    if value.__class__ is not dict:
        return value
    return {names.get(key, key): held for key, held in value.items()}


def restore(value: Json, op: JsonObject, troubles: list[Trouble]) -> Json:
    del troubles
    if value.__class__ is not dict:
        return value
    names = {written: own for own, written in op["names"].items()}
    return {names.get(key, key): held for key, held in value.items()}


def glance(dialect: Dialect) -> Glance:
    """Names repeat from tool to tool, so legal ones are remembered."""
    policy = dialect.members
    legal: set[str] = set()

    def has_illegal(node: JsonObject) -> bool:
        members = node["properties"]
        if legal.issuperset(members):
            return False
        if policy is None or not all(map(policy.allows, members)):
            return True
        if len(legal) < _MOST_NAMES:
            legal.update(members)
        return False

    return has_illegal


STEP = Step(
    id="member-names",
    codes=("L226",),
    needed=lambda dialect: dialect.members is not None,
    meets=lambda _dialect, _kinds, keys: "properties" in keys,
    rewrite=rewrite,
    glance=glance,
    ops=(Op(name="rename", apply=apply, restore=restore, needs=(("names", dict),)),),
    examples=(
        Example(
            before={"type": "object", "properties": {"a b": {"type": "string"}}},
            after={"type": "object", "properties": {"a_b": {"type": "string"}}},
            args={"a b": "x"},
            wire_args={"a_b": "x"},
            dialect="members=a-z_",
        ),
    ),
)
