"""allOf becomes one schema.

Why: targets that decode by grammar, and older ones, know no conjunction. Where recursion has to be
written out, what becomes text must stand where a lens finds it.
Tag: EXACT where the parts can be merged; WIDENED by each keyword that cannot.
"""

from __future__ import annotations

from typing import Final

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Support
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.step import Example, Site, Step, without
from toolcanon.schema.conjunction import Conjunction, conjoin
from toolcanon.schema.keywords import ANNOTATIONS
from toolcanon.schema.references import Place

_MOST_PARTS: Final = 256
_HOPS: Final = 32
_CONDITION: Final = ("if", "then", "else")


def rewrite(node: JsonObject, site: Site) -> JsonObject:
    parts = node["allOf"]
    refused = site.dialect.support("allOf") is Support.REJECTED or _at_root(site)
    if not refused and not site.run.is_unrolled({"allOf": parts}):
        return node
    rest = without(node, "allOf")
    site.lose("L206", "allOf", parts, None)
    site.restart = True
    only = parts[0]
    if (
        len(parts) == 1
        and only.__class__ is dict
        and only.keys() == {"$ref"}
        and rest.keys() <= ANNOTATIONS
    ):
        site.enter("allOf", 0, only, rest)
        return {**rest, "$ref": only["$ref"]}
    site.run.follow().place(rest, site.at, site.homes(rest))
    flat: list[Json] = []
    blocked = _flatten(rest, parts, flat, site, {})
    if blocked is not None:
        site.log.append(("L207", None, site.place("allOf"), parts, {"$ref": blocked}))
        said = {key: value for key, value in rest.items() if key in ANNOTATIONS}
        return {**said, "$ref": blocked}
    merged = conjoin(flat)
    said_at = site.place("allOf")
    site.become(rest, merged.schema, flat)
    return _with_left_out(merged, flat, said_at, site) if merged.residue else merged.schema


def _with_left_out(merged: Conjunction, flat: list[Json], said_at: Place, site: Site) -> JsonObject:
    """The merged schema with the members that only its left-out parts declare."""
    if site.dialect.support("if") is Support.REJECTED:
        merged = _without_condition(merged)
    found = site.extend(merged.schema, flat)
    # What a condition said of a member that must be there now holds without the condition.
    effect = Effect.WIDENED | (Effect.NARROWED if found.binding or found.frees else Effect.EXACT)
    site.leave_out("L207", merged.residue, flat, said_at, effect)
    members = found.schema.get("properties") or {}
    site.adopt(merged.schema, {name: members[name] for name in members if name in found.names})
    return found.schema


def _without_condition(merged: Conjunction) -> Conjunction:
    """Leave out the first condition too where others are left out: all declare alike then.

    Otherwise the members of the first would count as declared, and hide what others say of them.
    """
    if not any(keyword in _CONDITION for keyword, _ in merged.residue):
        return merged
    first = [(key, merged.schema[key]) for key in _CONDITION if key in merged.schema]
    return Conjunction(without(merged.schema, *_CONDITION), [*first, *merged.residue])


def _at_root(site: Site) -> bool:
    return site.is_root and not site.dialect.root_unions


def _flatten(
    rest: JsonObject, parts: list[Json], flat: list[Json], site: Site, seen: dict[str, bool]
) -> str | None:
    """All parts without references and conjunctions, the node's own keywords first.

    The reference at which a recursion has been written out often enough, if there is one.
    """
    flat.append(rest)
    for part in parts:
        if len(flat) > _MOST_PARTS or part.__class__ is not dict:
            flat.append(part)
            continue
        open_ = part
        hops = 0
        while "$ref" in open_ and hops < _HOPS:
            ref, hops = open_["$ref"], hops + 1
            found = None if ref in seen else site.run.find(ref)
            seen[ref] = True
            beside = without(open_, "$ref")
            site.run.succeed(open_, beside)
            if found is not None and site.run.is_recursive(found.pointer):
                if not site.run.may_enter(found.pointer, found.schema):
                    return str(ref)
                site.run.enter(found.pointer)
                site.entered = [*(site.entered or ()), found.pointer]
            if found is None or found.schema.__class__ is not dict:
                site.log.append(("L207", None, site.place("allOf"), {"$ref": ref}, None))
                open_ = beside
                continue
            if beside.keys() - ANNOTATIONS:
                flat.append(beside)
                beside = {}
            led = {**without(found.schema, "$defs", "definitions"), **beside}
            site.merge(led, [found.schema, open_])
            open_ = led
        if "allOf" in open_:
            own = without(open_, "allOf")
            site.run.succeed(open_, own)
            blocked = _flatten(own, open_["allOf"], flat, site, seen)
            if blocked is not None:
                return blocked
        else:
            flat.append(open_)
    return None


STEP = Step(
    id="all-of",
    codes=("L206", "L207"),
    needed=lambda dialect: dialect.support("allOf") is Support.REJECTED
    or not dialect.root_unions
    or not dialect.references.any_recursion,
    meets=lambda _dialect, _kinds, keys: "allOf" in keys,
    rewrite=rewrite,
    examples=(
        Example(
            before={"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}},
                              {"required": ["a"]}]},
            after={"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
            args={"a": "x"},
            wire_args={"a": "x"},
            dialect="keywords.allOf=REJECTED",
        ),
    ),
)  # fmt: skip
