"""The first glance: does a schema go out exactly as it stands?

What ``quick`` asks at each keyword is said here as a JSON Schema for schemas, one for each dialect,
and left to a validator that is not written in Python: a third of the time. It says yes only where
``quick`` hands back the schema itself, which a test holds it to; where it says no, nothing is
known.

It is for values that the loader read: the validator trusts the stack to hold them, and would take a
tuple for a list.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, TypeAlias

import jsonschema_rs

from toolcanon.dialect import Dialect
from toolcanon.dialect.names import NamePolicy
from toolcanon.jsonio.types import JsonObject
from toolcanon.lowering.quick import (
    BOUND,
    CONST,
    COUNT,
    ENUM,
    FACTOR,
    FINE,
    FLAG,
    FORMAT,
    LABEL,
    LIST,
    MAP,
    REQUIRED,
    SCHEMA,
    TEXT,
    TYPE,
    UNIONS,
    VALUES,
    acts_of,
    never,
    quick,
    rewrites_members,
)
from toolcanon.schema.drafts import LATEST_MARK, OLDER
from toolcanon.schema.keywords import TYPES

Glance: TypeAlias = Callable[[JsonObject], bool | None]
"""Whether nothing need be done; otherwise nothing is known."""

_Rule: TypeAlias = dict[str, Any]
_NODE: Final[_Rule] = {"$ref": "#/$defs/node"}
_OF_OBJECTS: Final = ("properties", "required", "additionalProperties")


@lru_cache(maxsize=128)
def unchanged(dialect: Dialect) -> Glance:
    """The glance made for a dialect; it has nothing to offer where names have to be compared."""
    if quick(dialect) is never or not dialect.maps or dialect.nested_members:
        return never
    return _glance(dialect)


@lru_cache(maxsize=128)
def only_open(dialect: Dialect) -> Glance:
    """The same for a dialect that wants objects closed: whether that is all that is to be done.

    Whether every required member is declared is for others to see.
    """
    if not dialect.closed or rewrites_members(dialect) or dialect.nested_members:
        return never
    return _glance(dialect)


def _glance(dialect: Dialect) -> Glance:
    rule = {"$defs": {"node": _node(dialect)}, **_NODE}
    if dialect.members is not None:
        rule["properties"] = {"properties": {"propertyNames": _name(dialect.members)}}
    linear = jsonschema_rs.RegexOptions()
    fits = jsonschema_rs.Draft202012Validator(rule, pattern_options=linear).is_valid
    refused = frozenset() if dialect.root_unions else UNIONS
    if not dialect.root_remarks:
        refused |= {"title", "description"}

    def glance(schema: JsonObject) -> bool:
        if schema.get("type") != "object" or not refused.isdisjoint(schema):
            return False
        if not schema.get("properties"):  # it may be a mere map of members
            return False
        try:
            return fits(schema)
        except ValueError:  # half a surrogate pair, a key that is no text
            return False

    return glance


def _node(dialect: Dialect) -> _Rule:
    """What a schema may say anywhere; a boolean has none of these keys."""
    table = acts_of(dialect)
    node: _Rule = {
        "type": ["object", "boolean"] if dialect.booleans else "object",
        "properties": {key: _value(act, dialect) for key, act in table.items()},
        "additionalProperties": False,
    }
    if dialect.typed:
        node["required"] = ["type"]
    some = {"properties": {"properties": {"minProperties": 1}}, "required": ["properties"]}
    bound: _Rule = {"array": {"required": ["items"]}} if dialect.items else {}
    bound |= {"object": some} if dialect.closed_unless_said or dialect.closed else {}
    if bound:
        node["allOf"] = [{"if": _of_type(kind), "then": rule} for kind, rule in bound.items()]
    beside: _Rule = {}
    if dialect.closed:
        node["properties"]["additionalProperties"] = {"const": False}
        beside |= dict.fromkeys(_OF_OBJECTS, _of_type("object"))
    if is_picky(dialect):
        beside |= {"enum": _of_type("string"), "const": {"required": ["type"]}}
    if beside:
        node["dependentSchemas"] = beside
    return node


def _of_type(kind: str) -> _Rule:
    return {"properties": {"type": {"const": kind}}, "required": ["type"]}


def is_picky(dialect: Dialect) -> bool:
    """Whether not every value may stand in an enum."""
    return dialect.enum_strings or dialect.enum_typed or dialect.enum_primitives


def _value(act: int, dialect: Dialect) -> _Rule | bool:
    """What the value of a keyword has to be like."""
    picky = is_picky(dialect)
    text, shapes = {"type": "string"}, [] if picky else ["object", "array"]
    rules: dict[int, _Rule | bool] = {
        FINE: True,
        TYPE: {"enum": sorted(TYPES)},
        TEXT: text,
        BOUND: {"type": "number"},
        COUNT: {"type": "integer", "minimum": 0},
        FACTOR: {"type": "number", "exclusiveMinimum": 0},
        FLAG: {"type": "boolean"},
        VALUES: {"type": "array"},
        LABEL: {**text, "pattern": LATEST_MARK, "not": {"pattern": "|".join(OLDER)}},
        SCHEMA: _NODE,
        LIST: {"type": "array", "minItems": 1, "items": _NODE},
        MAP: {
            "type": "object",
            "additionalProperties": _NODE,
            "minProperties": int(not dialect.empty_properties),
        },
        REQUIRED: {"type": "array", "items": text, "uniqueItems": True},
        ENUM: {"type": "array", "items": {**text, "minLength": 1} if picky else True},
        CONST: {"type": ["string", "number", "boolean", *shapes]},
        FORMAT: {"enum": sorted(dialect.formats or ())},
    }
    return rules.get(act, False)


def _name(policy: NamePolicy) -> _Rule:
    """What a name has to be like; plain ASCII means the same to every engine."""
    if not policy.chars.isascii() or "\\" in policy.chars + policy.first:
        return {"enum": []}
    first, more = policy.first or policy.chars, policy.room - 1
    rule: _Rule = {"pattern": f"^[{first}][{policy.chars}]{{0,{more}}}$"}
    return rule | ({"not": {"enum": sorted(policy.reserved)}} if policy.reserved else {})
