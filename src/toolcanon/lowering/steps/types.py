"""Schemas that do not say their type get one.

Why: a grammar must know what to expect. The keywords present tell it; where there are none, any
JSON value is meant, and that is spelled out. A target without maps must know an object by its
type, or what the others of its members are would be lost.
Tag: EXACT for values of an enum and for "anything"; NARROWED where a keyword told the type, since
such a keyword says nothing of values of other types.
"""

from __future__ import annotations

from typing import Final

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect
from toolcanon.jsonio.types import JsonObject
from toolcanon.lowering.anything import ANY_REF
from toolcanon.lowering.step import Example, Site, Step
from toolcanon.schema.keywords import ANNOTATIONS, APPLIES
from toolcanon.schema.values import type_of

_SAYS: Final = frozenset({"type", "anyOf", "oneOf", "allOf", "$ref"})
_OTHERS: Final = ("additionalProperties", "patternProperties")


def rewrite(node: JsonObject, site: Site) -> JsonObject:
    values = [node["const"]] if "const" in node else node.get("enum")
    if values:
        kinds = list(dict.fromkeys(type_of(value) for value in values))
        if "number" in kinds and "integer" in kinds:
            kinds.remove("integer")
        kind = kinds[0] if len(kinds) == 1 else kinds
        site.lose("L215", "type", None, kind, Effect.EXACT)
        return {"type": kind, **node}
    if not site.dialect.typed:
        if site.dialect.maps or not any(node.get(key).__class__ is dict for key in _OTHERS):
            return node
        site.lose("L215", "type", None, "object", Effect.EXACT if site.is_root else None)
        return {"type": "object", **node}
    told = [key for key in node if key in APPLIES]
    if told or "format" in node:
        kind = max(APPLIES[told[0]]) if told else "string"  # number before integer
        site.lose("L215", "type", None, kind, Effect.EXACT if site.is_root else Effect.NARROWED)
        return {"type": kind, **node}
    said = {key: value for key, value in node.items() if key in ANNOTATIONS}
    site.lose("L216", None, node, None)
    for key, value in node.items():
        if key == "enum":  # which has no values, or there would be a type
            site.lose("L228", key, value, None)
        elif key not in ANNOTATIONS:
            site.lose("L229", key, value, None)
    site.restart = True
    return {**said, "$ref": ANY_REF}


def _needed(dialect: Dialect) -> bool:
    return dialect.typed or dialect.enum_typed or not dialect.maps


def _meets(dialect: Dialect, kinds: frozenset[str], keys: frozenset[str]) -> bool:
    del kinds
    if not keys.isdisjoint(_SAYS):
        return False
    return (
        dialect.typed
        or (dialect.enum_typed and not keys.isdisjoint(("enum", "const")))
        or not (dialect.maps or keys.isdisjoint(_OTHERS))
    )


STEP = Step(
    id="types",
    codes=("L215", "L216", "L228", "L229"),
    needed=_needed,
    meets=_meets,
    rewrite=rewrite,
    examples=(
        Example(
            before={"enum": ["a", "b"]},
            after={"type": "string", "enum": ["a", "b"]},
            args="a",
            wire_args="a",
            dialect="typed=True",
        ),
    ),
)
