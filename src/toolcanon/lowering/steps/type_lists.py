"""A list of types becomes a union; null is said the way the target says it.

Why: some targets take one type for each schema, and a flag for null. Of types that no listed value
has, nothing is written.
Tag: EXACT; WIDENED when no listed value is of any of the types (see ``enums``).
"""

from __future__ import annotations

from typing import Final

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.step import Example, Site, Step, without
from toolcanon.lowering.steps.enums import agreeing, distinct
from toolcanon.schema.keywords import ANNOTATIONS, APPLIES, TYPES
from toolcanon.schema.nulls import NULL, with_null
from toolcanon.schema.values import has_type

_SHAPED: Final = frozenset({"object", "array"})
_SHARED: Final = ANNOTATIONS | {"type"}


def rewrite(node: JsonObject, site: Site) -> JsonObject:
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
            if len(branch) > 1:  # else nothing of it can be told anywhere
                origins = site.homes(branch) if site.origins else None
                site.run.follow().place(branch, site.at, origins)
    site.lose(code, "type", types, out.get("type"))
    return out


def _met(kinds: list[str], values: list[Json] | None) -> list[str]:
    """The types that values may have, of these."""
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
    """What the node says of values of one type."""
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


STEP = Step(
    id="type-lists",
    codes=("L214", "L217", "L218", "L228", "L234"),
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
