"""Steps on the root of a schema and on types.

Why: a provider calls a function with named arguments.
Tag: EXACT. A root without a type is the schema of the arguments nevertheless.

Why: gateways drop them; a tool has a name and a description of its own.
Tag: HINT_LOST.

Why: a grammar needs a type. The keywords present determine it; where there are none, any JSON
value is valid, and that is written out. A target without maps must recognize an object by its
type, or the schema of its other members would be lost.
Tag: EXACT for values of an enum and for "anything"; NARROWED where a keyword determined the type,
since a keyword does not restrict values of other types.

Why: some targets accept one type for each schema, and a flag for null. A type that no listed value
has is not written.
Tag: EXACT; WIDENED when no listed value is of any of the types (see ``enums``).
"""

from __future__ import annotations

from typing import Final

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.any_value import ANY_REF
from toolcanon.lowering.definitions import WRAPPED
from toolcanon.lowering.step import Op, Step, StepExample, StepNode, Trouble, without
from toolcanon.lowering.steps.enums import agreeing, distinct
from toolcanon.schema.algebra.constraints import NULL, with_null
from toolcanon.schema.keywords import ANNOTATIONS, APPLIES, TYPES
from toolcanon.schema.values import has_type, type_of, types_of

_KEY: Final = WRAPPED
_HOPS: Final = 16
_REFUSED: Final = ("anyOf", "oneOf", "allOf", "enum", "const")


def rewrite_root(node: JsonObject, site: StepNode) -> JsonObject:
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


def _is_named(node: JsonObject, site: StepNode) -> bool:
    """Return whether a root without a type still describes objects and nothing else."""
    branches = [branch for key in ("anyOf", "oneOf", "allOf") for branch in node.get(key) or ()]
    return _lists_objects(node) and all(_takes_objects(branch, site) for branch in branches)


def _lists_objects(schema: JsonObject) -> bool:
    """Return whether the values that a schema lists, if any, are objects."""
    values = [*(schema.get("enum") or ()), *([schema["const"]] if "const" in schema else ())]
    return all(isinstance(value, dict) for value in values)


def _takes_objects(branch: Json, site: StepNode) -> bool:
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


ROOT_STEP = Step(
    id="root-object",
    codes=("L208", "L229", "L235"),
    needed=_needed,
    meets=lambda dialect, kinds, keys: kinds != {"object"}
    or "$ref" in keys
    or (not dialect.root_unions and not keys.isdisjoint(_REFUSED))
    or (dialect.root_properties and "properties" not in keys),
    rewrite=rewrite_root,
    root_only=True,
    ops=(Op(name="wrap", apply=apply, restore=restore, needs=(("key", str),)),),
    examples=(
        StepExample(
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


_WORDS: Final = ("title", "description")


def rewrite_root_words(node: JsonObject, site: StepNode) -> JsonObject:
    for word in _WORDS:
        if word in node:
            site.lose("L229", word, node[word], None)
    return without(node, *_WORDS)


ROOT_WORDS_STEP = Step(
    id="root-words",
    codes=("L229",),
    needed=lambda dialect: not dialect.root_remarks,
    meets=lambda _dialect, _kinds, keys: not keys.isdisjoint(_WORDS),
    rewrite=rewrite_root_words,
    root_only=True,
    examples=(
        StepExample(
            before={"type": "object", "title": "T", "properties": {"a": {"title": "A"}}},
            after={"type": "object", "properties": {"a": {"title": "A"}}},
            args={"a": 1},
            wire_args={"a": 1},
            dialect="root_remarks=False",
        ),
    ),
)


_SAYS: Final = frozenset({"type", "anyOf", "oneOf", "allOf", "$ref"})
_OTHERS: Final = ("additionalProperties", "patternProperties")


def rewrite_types(node: JsonObject, site: StepNode) -> JsonObject:
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


def _types_needed(dialect: Dialect) -> bool:
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


TYPES_STEP = Step(
    id="types",
    codes=("L215", "L216", "L228", "L229"),
    needed=_types_needed,
    meets=_meets,
    rewrite=rewrite_types,
    examples=(
        StepExample(
            before={"enum": ["a", "b"]},
            after={"type": "string", "enum": ["a", "b"]},
            args="a",
            wire_args="a",
            dialect="typed=True",
        ),
    ),
)


_SHAPED: Final = frozenset({"object", "array"})
_SHARED: Final = ANNOTATIONS | {"type"}


def rewrite_type_lists(node: JsonObject, site: StepNode) -> JsonObject:
    node = agreeing(node, site) if "enum" in node else node
    types = node["type"]
    if types.__class__ is not list:
        return node
    named = [kind for kind in types if kind != "null"]
    if "number" in named and "integer" in named:
        named.remove("integer")
    values = [node["const"]] if "const" in node else node.get("enum")
    has_null = "null" in types and (values is None or None in values)
    kinds = _met(named, values) or ([] if has_null else named)
    code = "L217" if len(named) != 1 else "L218"
    if not kinds:
        site.lose(code, "type", types, "null")
        return {**node, "type": "null"}
    said = {key: value for key, value in node.items() if key in ANNOTATIONS}
    if len(named) == 1:
        out = {**node, "type": kinds[0]}
    elif len(kinds) == 1:
        out = {**_branch(node, kinds[0]), **said}
    else:
        out = {"anyOf": [_branch(node, kind) for kind in kinds], **said}
    if len(named) > 1:
        for key in [key for key in node if APPLIES.get(key, TYPES).isdisjoint(kinds)]:
            site.lose("L228", key, node[key], None, Effect.EXACT)
    if has_null:
        out = _with_null(out, site.dialect)
    if "type" not in out:
        for branch in out["anyOf"]:
            if len(branch) > 1:  # otherwise none of it can be written
                origins = site.homes(branch) if site.origins else None
                site.run.follow().place(branch, site.at, origins)
    site.lose(code, "type", types, out.get("type"))
    return out


def _met(kinds: list[str], values: list[Json] | None) -> list[str]:
    """Return the types that values may have, of these."""
    if values is None:
        return kinds
    return [kind for kind in kinds if any(has_type(value, {kind}) for value in values)]


def _with_null(out: JsonObject, dialect: Dialect) -> JsonObject:
    if not dialect.nullable:
        if dialect.type_lists and "anyOf" not in out:
            return with_null(out)
        said = {key: value for key, value in out.items() if key in ANNOTATIONS}
        rest = without(out, *said)
        if "enum" in rest:
            rest["enum"] = [value for value in rest["enum"] if value is not None]
        branches = rest["anyOf"] if rest.keys() == {"anyOf"} else [rest]
        return {"anyOf": [*branches, NULL.copy()], **said}
    if "anyOf" in out:
        first, *others = out["anyOf"]
        return {**out, "anyOf": [{**first, "nullable": True}, *others]}
    out = {**out, "nullable": True}
    if "enum" in out:
        out["enum"] = [value for value in out["enum"] if value is not None]
    return out


def _branch(node: JsonObject, kind: str) -> JsonObject:
    """Return the part of the node that applies to values of one type."""
    out: JsonObject = {"type": kind}
    for key, value in node.items():
        if key in _SHARED or kind not in APPLIES.get(key, (kind,)):
            continue
        out[key] = distinct([v for v in value if has_type(v, {kind})]) if key == "enum" else value
    return {**out, "enum": out["enum"]} if out.get("enum") else without(out, "enum")


def _is_many(dialect: Dialect, kinds: frozenset[str], keys: frozenset[str]) -> bool:
    del keys
    if dialect.type_lists:  # only what is rewritten by its shape needs a schema of its own
        return len(kinds - {"null"}) > 1 and not kinds.isdisjoint(_SHAPED)
    return len(kinds) > 1


TYPE_LISTS_STEP = Step(
    id="type-lists",
    codes=("L214", "L217", "L218", "L228", "L234"),
    needed=lambda dialect: not (dialect.type_lists and dialect.maps),
    meets=_is_many,
    rewrite=rewrite_type_lists,
    examples=(
        StepExample(
            before={"type": ["string", "integer"], "minLength": 1, "minimum": 2},
            after={"anyOf": [{"type": "string", "minLength": 1},
                             {"type": "integer", "minimum": 2}]},
            args=3,
            wire_args=3,
            dialect="type_lists=False",
        ),
    ),
)  # fmt: skip
