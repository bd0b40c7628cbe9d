"""Steps on ``allOf`` and conditions.

Why: if/then/else and dependent schemas cannot be decoded by a grammar. The members they declare
become optional members of the object, so that no parameter is lost. The same goes for those under
which recursion would be written out, and for rules about some of the items or members: no lens
finds there what becomes text.
Tag: WIDENED, the condition itself no longer binds.

Why: targets that decode by grammar, and older ones, know no conjunction. Where recursion has to be
written out, what becomes text must stand where a lens finds it.
Tag: EXACT where the parts can be merged; WIDENED by each keyword that cannot.
"""

from __future__ import annotations

from typing import Final

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect, Support
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.members import declared
from toolcanon.lowering.notes import with_notes
from toolcanon.lowering.step import Step, StepExample, StepNode, without
from toolcanon.lowering.unions import union
from toolcanon.schema.algebra.conjunction import Conjunction, conjoin
from toolcanon.schema.keywords import ANNOTATIONS
from toolcanon.schema.references import Place

_MOST_PARTS: Final = 256
_HOPS: Final = 32
_CONDITION: Final = ("if", "then", "else")


def rewrite_all_of(node: JsonObject, site: StepNode) -> JsonObject:
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


def _with_left_out(
    merged: Conjunction, flat: list[Json], said_at: Place, site: StepNode
) -> JsonObject:
    """Return the merged schema with the members that only its left-out parts declare."""
    if site.dialect.support("if") is Support.REJECTED:
        merged = _without_condition(merged)
    found = site.extend(merged.schema, flat)
    # The condition's rule for a required member now holds without the condition.
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


def _at_root(site: StepNode) -> bool:
    return site.is_root and not site.dialect.root_unions


def _flatten(
    rest: JsonObject, parts: list[Json], flat: list[Json], site: StepNode, seen: dict[str, bool]
) -> str | None:
    """Return all parts without references and conjunctions, the node's own keywords first.

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


ALL_OF_STEP = Step(
    id="all-of",
    codes=("L206", "L207"),
    needed=lambda dialect: dialect.support("allOf") is Support.REJECTED
    or not dialect.root_unions
    or not dialect.references.any_recursion,
    meets=lambda _dialect, _kinds, keys: "allOf" in keys,
    rewrite=rewrite_all_of,
    examples=(
        StepExample(
            before={"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}},
                              {"required": ["a"]}]},
            after={"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
            args={"a": "x"},
            wire_args={"a": "x"},
            dialect="keywords.allOf=REJECTED",
        ),
    ),
)  # fmt: skip


_KEYWORDS: Final = ("if", "then", "else", "dependentSchemas", "not")
_NAMED: Final = ("patternProperties", "unevaluatedProperties")
_SOME: Final = frozenset({*_NAMED, "contains", "unevaluatedItems"})
_LOOKED_AT: Final = _SOME.union(_KEYWORDS)
_OTHERS: Final = "additionalProperties"
_BRANCHING: Final = ("if", "then", "else")


def rewrite_conditions(node: JsonObject, site: StepNode) -> JsonObject:
    if not _SOME.isdisjoint(node):
        node = _for_all(node, site)
    gone = {
        key
        for key in _KEYWORDS
        if key in node
        and (
            _is_refused(key, site.dialect)
            or (key == "not" and _at_root(site))
            or site.run.is_unrolled({key: node[key]})
        )
    }
    if not gone.isdisjoint(_BRANCHING):  # one condition, of which no part means anything alone
        gone.update(_BRANCHING)
    refused = [key for key in _KEYWORDS if key in gone and key in node]
    if not refused:
        return node
    site.run.follow()
    out = without(node, *refused)
    found = site.extend(out, [{key: node[key] for key in refused if key != "not"}])
    members = found.schema.get("properties") or {}
    if found.schema is not out:
        new = {name: members[name] for name in members if name in found.names}
        site.adopt(out, new)
        out = found.schema
    bare = "if" in node and node.keys().isdisjoint(("then", "else"))
    loose = "if" not in node
    # A member that was declared only under a condition was free wherever that did not hold.
    stated = {*(node.get("required") or ()), *declared({"allOf": [node.get("if")]}, _nowhere)}
    binding = (
        found.binding or found.frees or any(members[name] != {} for name in stated & found.names)
    )
    decides = Effect.WIDENED | (Effect.NARROWED if binding else Effect.EXACT)
    # Members that only a closed object declares could not be sent.
    shut = bool(found.names) and node.get("additionalProperties") is False
    said = {
        key
        for key in ("then", "else")
        if key in refused and not shut and _only_declares(node[key], out)
    }
    remarks = []
    for key in refused:
        silent = (bare and not shut and key == "if") or (loose and key in {"then", "else"})
        silent |= node[key] is False if key == "not" else node[key] in ({}, True)
        silent |= key in said or (
            key == "if" and not shut and node.keys() & {"then", "else"} <= said
        )
        site.lose("L210", key, node[key], None, Effect.EXACT if silent else decides)
        if not silent:
            remarks.append(site.note(key, node[key]))
    return with_notes(out, remarks)


def _for_all(node: JsonObject, site: StepNode) -> JsonObject:
    """Return a node without rules for some items or members, where recursion would be unrolled.

    Schemas of members with given names are replaced by one for all others, if there is one.
    """
    dialect = site.dialect
    gone = {
        key: node[key]
        for key in node
        if key in _SOME
        and not _is_refused(key, dialect)  # or others see to it
        and (dialect.maps or key not in _NAMED)
        and site.run.is_unrolled({key: node[key]})
    }
    if not gone:
        return node
    site.run.follow()
    out = without(node, *gone)
    if "contains" in gone:
        gone |= {key: out.pop(key) for key in ("minContains", "maxContains") if key in out}
    others = out.get(_OTHERS, True)
    if _NAMED[0] in gone and others is not True and others != {}:
        said = [*gone[_NAMED[0]].values(), others]
        held = [schema for schema in said if schema is not False]
        out[_OTHERS] = union(held, site.merge) if held else False
        site.lose("L228", _OTHERS, others, out[_OTHERS])
    for key, value in gone.items():
        site.lose("L228", key, value, None)
    return with_notes(out, [site.note(key, value) for key, value in gone.items()])


def _only_declares(part: Json, out: JsonObject) -> bool:
    """Return whether everything in a part is now part of the object's members."""
    members = out.get("properties") or {}
    return (
        part.__class__ is dict
        and part.keys() == {"properties"}
        and all(members.get(name) == schema for name, schema in part["properties"].items())
    )


def _nowhere(ref: Json) -> Json:
    del ref


def _is_refused(key: str, dialect: Dialect) -> bool:
    return dialect.support(key) is Support.REJECTED


CONDITIONS_STEP = Step(
    id="conditions",
    codes=("L210", "L228"),
    needed=lambda dialect: any(_is_refused(key, dialect) for key in _KEYWORDS)
    or not dialect.root_unions
    or not dialect.references.any_recursion,
    meets=lambda _dialect, _kinds, keys: not keys.isdisjoint(_LOOKED_AT),
    rewrite=rewrite_conditions,
    examples=(
        StepExample(
            before={"type": "object", "properties": {"a": {"type": "string"}},
                    "if": {"required": ["a"]},
                    "then": {"properties": {"b": {"type": "string"}}, "required": ["b"]}},
            after={"type": "object",
                   "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                   "description": '(if: {"required":["a"]}; then: '
                                  '{"properties":{"b":{"type":"string"}},"required":["b"]})'},
            args={"a": "x", "b": "y"},
            wire_args={"a": "x", "b": "y"},
            dialect="keywords.if=REJECTED",
        ),
    ),
)  # fmt: skip
