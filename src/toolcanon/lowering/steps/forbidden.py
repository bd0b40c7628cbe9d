"""Leave out optional members that may have no value: ``false``, ``{"not": {}}``, ``enum: []``.

Why: a target that rejects such a schema would be sent a member that takes anything instead.
Tag: EXACT; WIDENED where the object takes other members, since one of that name is allowed then.

Only an object that states everything about its members is rewritten: beside a union, a condition
or a reference, and in a branch, another schema may declare the member.
"""

from __future__ import annotations

from typing import Final

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect, Support
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.step import Glance, Step, StepExample, StepNode

_OTHERS: Final = "additionalProperties"
_OPEN: Final = frozenset({_OTHERS, "patternProperties", "propertyNames"})
_DECLARING: Final = frozenset(
    {"allOf", "anyOf", "oneOf", "if", "dependentSchemas", "$ref", "$dynamicRef"}
)
_IN_PLACE: Final = _DECLARING | {"then", "else", "not", "$defs", "definitions"}


def rewrite_forbidden(node: JsonObject, site: StepNode) -> JsonObject:
    members, dialect = node["properties"], site.dialect
    if not dialect.closed and not _IN_PLACE.isdisjoint(map(str, site.at)):
        return node
    required = node.get("required") or ()
    gone = [
        name
        for name, schema in members.items()
        if name not in required and _is_forbidden(schema, dialect)
    ]
    if not gone:
        return node
    site.run.follow()
    out = {**node, "properties": {name: members[name] for name in members if name not in gone}}
    is_shut = node.get(_OTHERS) is False
    is_exact = is_shut or _OPEN.isdisjoint(node)
    for name in gone:
        effect = Effect.EXACT if is_exact else Effect.WIDENED
        site.log.append(("L234", effect, site.member(name), members[name], None))
    if not out["properties"] and dialect.closed and _OPEN.isdisjoint(node):
        out[_OTHERS] = False  # as for an object that has members
        site.lose("L222", _OTHERS, None, False)
    return out


def _is_forbidden(schema: Json, dialect: Dialect) -> bool:
    """Whether a schema allows no value, in a way that the target rejects."""
    if schema is False:
        return not dialect.booleans
    if schema.__class__ is not dict:
        return False
    if "enum" in schema and not schema["enum"]:
        return not dialect.empty_enums or (dialect.typed and "type" not in schema)
    return "not" in schema and schema["not"] in ({}, True) and _refuses_not(dialect)


def _refuses_not(dialect: Dialect) -> bool:
    return dialect.support("not") is Support.REJECTED


def glance_forbidden(dialect: Dialect, keys: frozenset[str]) -> Glance | bool:
    del keys

    def has_forbidden(node: JsonObject) -> bool:
        for schema in node["properties"].values():  # of every object, so most are let out here
            if schema.__class__ is dict and "enum" not in schema and "not" not in schema:
                continue
            if _is_forbidden(schema, dialect):
                return True
        return False

    return has_forbidden


STEP = Step(
    id="forbidden-members",
    codes=("L222", "L234"),
    needed=lambda dialect: (
        not (dialect.booleans and dialect.empty_enums) or dialect.typed or _refuses_not(dialect)
    ),
    meets=lambda _dialect, kinds, keys: (
        "properties" in keys and "object" in kinds and keys.isdisjoint(_DECLARING)
    ),
    rewrite=rewrite_forbidden,
    glance=glance_forbidden,
    examples=(
        StepExample(
            before={"type": "object", "properties": {"a": {"type": "string"}, "b": False}},
            after={"type": "object", "properties": {"a": {"type": "string"}}},
            args={"a": "x"},
            wire_args={"a": "x"},
            dialect="booleans=False",
        ),
    ),
)
