"""A list of types becomes a union; null is said the way the target says it.

Why: some targets take one type for each schema, and a flag for null.
Tag: EXACT.
"""

from __future__ import annotations

from typing import Final

from toolcanon.dialect import Dialect
from toolcanon.jsonio.types import JsonObject
from toolcanon.lowering.step import Example, Site, Step, without
from toolcanon.schema.keywords import ANNOTATIONS, APPLIES
from toolcanon.schema.nulls import NULL
from toolcanon.schema.values import has_type

_SHAPED: Final = frozenset({"object", "array"})
_SHARED: Final = ANNOTATIONS | {"type"}


def rewrite(node: JsonObject, site: Site) -> JsonObject:
    types = node["type"]
    if types.__class__ is not list:
        return node
    kinds = [kind for kind in types if kind != "null"]
    if "number" in kinds and "integer" in kinds:
        kinds.remove("integer")
    has_null = "null" in types
    if not kinds:
        site.lose("L217", "type", types, "null")
        return {**node, "type": "null"}
    values = node.get("enum")
    if len(kinds) == 1:
        out = {**node, "type": kinds[0]}
    else:
        said = {key: value for key, value in node.items() if key in ANNOTATIONS}
        out = {"anyOf": [_branch(node, kind) for kind in kinds], **said}
    if has_null and (values is None or None in values):
        out = _with_null(out, site.dialect)
    elif values is not None and len(kinds) == 1 and None in values:
        out["enum"] = [value for value in values if value is not None]
    if "type" not in out:
        for branch in out["anyOf"]:
            if len(branch) > 1:  # else nothing of it can be told anywhere
                site.run.place(branch, site.at)
    site.lose("L217" if len(kinds) > 1 else "L218", "type", types, out.get("type"))
    return out


def _with_null(out: JsonObject, dialect: Dialect) -> JsonObject:
    if not dialect.nullable:
        said = {key: value for key, value in out.items() if key in ANNOTATIONS}
        rest = without(out, *said)
        if "enum" in rest and all(value is None for value in rest["enum"]):
            return {"type": "null", **said}
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
    """What the node says of values of one type."""
    out: JsonObject = {"type": kind}
    for key, value in node.items():
        if key in _SHARED or kind not in APPLIES.get(key, (kind,)):
            continue
        out[key] = [v for v in value if has_type(v, {kind})] if key == "enum" else value
    return {**out, "enum": out["enum"]} if out.get("enum") else without(out, "enum")


def _is_many(dialect: Dialect, kinds: frozenset[str], keys: frozenset[str]) -> bool:
    del keys
    if dialect.type_lists:  # only what is rewritten by its shape needs a schema of its own
        return len(kinds - {"null"}) > 1 and not kinds.isdisjoint(_SHAPED)
    return len(kinds) > 1


STEP = Step(
    id="type-lists",
    codes=("L217", "L218"),
    needed=lambda dialect: not (dialect.type_lists and dialect.maps),
    meets=_is_many,
    rewrite=rewrite,
    examples=(
        Example(
            before={"type": ["string", "integer"], "minLength": 1, "minimum": 2},
            after={"anyOf": [{"type": "string", "minLength": 1},
                             {"type": "integer", "minimum": 2}]},
            args=3,
            wire_args=3,
            dialect="type_lists=False",
        ),
    ),
)  # fmt: skip
