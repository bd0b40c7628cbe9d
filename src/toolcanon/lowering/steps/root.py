"""Arguments are an object: any other root is wrapped into one.

Why: a provider calls a function with named arguments.
Tag: EXACT. A root that does not say its type describes the arguments all the same.
"""

from __future__ import annotations

from typing import Final

from toolcanon.dialect import Dialect
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.definitions import WRAPPED
from toolcanon.lowering.step import Example, Op, Site, Step, Trouble, without
from toolcanon.schema.values import types_of

_KEY: Final = WRAPPED
_HOPS: Final = 16
_REFUSED: Final = ("anyOf", "oneOf", "allOf", "enum", "const")


def rewrite(node: JsonObject, site: Site) -> JsonObject:
    dialect = site.dialect
    types = types_of(node)
    refused = any(key in node for key in _REFUSED) and (
        not dialect.root_unions or (not types and not _is_named(node, site))
    )
    if refused or (types and types != {"object"}) or "$ref" in node:
        site.lose("L208", None, node, None)
        site.op("wrap", key=_KEY)
        site.run.wrapped_root = True
        defs: JsonObject = {
            key: node[key] for key in ("$schema", "$defs", "definitions") if key in node
        }
        inner = without(node, "$id", *defs)
        if "$id" in node:  # or references from inside would not lead out to the definitions
            site.lose("L229", "$id", node["$id"], None)
        site.run.follow().place(inner, site.at, site.origins)
        wrapped: JsonObject = {"type": "object", "properties": {_KEY: inner}, "required": [_KEY]}
        wrapped |= defs
        return {**wrapped, "additionalProperties": False} if dialect.closed else wrapped
    out = node
    if not types:
        out = {"type": "object", **node}
        site.lose("L235", "type", None, "object")
    if dialect.root_properties and "properties" not in out:
        out = {**out, "properties": {}}
        site.lose("L235", "properties", None, {})
    return out


def _is_named(node: JsonObject, site: Site) -> bool:
    """Whether a root without a type still describes objects and nothing else."""
    branches = [branch for key in ("anyOf", "oneOf", "allOf") for branch in node.get(key) or ()]
    return _lists_objects(node) and all(_takes_objects(branch, site) for branch in branches)


def _lists_objects(schema: JsonObject) -> bool:
    """Whether the values that a schema lists, if any, are objects."""
    values = [*(schema.get("enum") or ()), *([schema["const"]] if "const" in schema else ())]
    return all(isinstance(value, dict) for value in values)


def _takes_objects(branch: Json, site: Site) -> bool:
    for _ in range(_HOPS):
        if branch.__class__ is not dict or "$ref" not in branch:
            break
        branch = site.run.target(branch["$ref"])
    kinds = types_of(branch)
    if branch.__class__ is dict and not _lists_objects(branch):
        return False
    return not kinds or kinds == {"object"}


def apply(value: Json, op: JsonObject, troubles: list[Trouble]) -> Json:
    del troubles
    return {op["key"]: value}


def restore(value: Json, op: JsonObject, troubles: list[Trouble]) -> Json:
    if value.__class__ is dict and op["key"] in value:
        return value[op["key"]]
    troubles.append(Trouble((), f"an object with {op['key']!r} was expected"))
    return value


def _needed(dialect: Dialect) -> bool:
    return dialect.root_object


STEP = Step(
    id="root-object",
    codes=("L208", "L229", "L235"),
    needed=_needed,
    meets=lambda dialect, kinds, keys: kinds != {"object"}
    or "$ref" in keys
    or (not dialect.root_unions and not keys.isdisjoint(_REFUSED))
    or (dialect.root_properties and "properties" not in keys),
    rewrite=rewrite,
    root_only=True,
    ops=(Op(name="wrap", apply=apply, restore=restore, needs=(("key", str),)),),
    examples=(
        Example(
            before={"type": "array", "items": {"type": "string"}},
            after={"type": "object",
                   "properties": {"input": {"type": "array", "items": {"type": "string"}}},
                   "required": ["input"]},
            args=["x"],
            wire_args={"input": ["x"]},
            dialect="root_object=True",
        ),
    ),
)  # fmt: skip
