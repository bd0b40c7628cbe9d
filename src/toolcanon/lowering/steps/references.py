"""Steps on definitions and references.

Why: targets follow local references, only those into the root's definitions, or none; some refuse
recursion. Past the limit of unrolling the value travels as JSON text.
Tag: EXACT; WIDENED for JSON text and for references that lead nowhere.

Why: the target reads them only at the root, under one keyword, or not at all.
Tag: EXACT. Nothing that is referred to goes away.
"""

from __future__ import annotations

from typing import Final

from orjson import loads

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect
from toolcanon.jsonio.canonical import dumps_exactly, loads_exactly
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.any_value import ANY_REF, ANY_TEXT, is_scalar
from toolcanon.lowering.step import Op, Step, StepExample, StepNode, Trouble, without
from toolcanon.schema.algebra.conjunction import Conjunction, conjoin
from toolcanon.schema.keywords import ANNOTATIONS
from toolcanon.schema.malformed import comes_back
from toolcanon.schema.references import ReferenceTarget
from toolcanon.schema.resources import as_part

_HOLDERS: Final = ("$defs", "definitions")


def rewrite_definitions(node: JsonObject, site: StepNode) -> JsonObject:
    if not (site.run.tracks or _moves(site.dialect)):
        return node
    for key in _HOLDERS:
        if key in node:
            site.run.set_aside.append((site.place(key), node[key]))
    return without(node, *_HOLDERS)


def _moves(dialect: Dialect) -> bool:
    """Return whether definitions cannot stay where they are, whatever they hold."""
    return not (dialect.references.keep and dialect.references.anywhere)


DEFINITIONS_STEP = Step(
    id="definitions",
    codes=("L203",),
    needed=lambda dialect: _moves(dialect) or not dialect.references.any_recursion,
    meets=lambda _dialect, _kinds, keys: not keys.isdisjoint(_HOLDERS),
    rewrite=rewrite_definitions,
    examples=(
        StepExample(
            before={"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}},
                    "$defs": {"a": {"type": "string"}}},
            after={"type": "object", "properties": {"a": {"type": "string"}}},
            args={"a": "x"},
            wire_args={"a": "x"},
            dialect="references.keep=False",
        ),
    ),
)  # fmt: skip


_HOLDING: Final = ("$schema", "$id", "$defs", "definitions")
"""What belongs to the place of a reference, not to what it leads to."""


def rewrite_references(node: JsonObject, site: StepNode) -> JsonObject:
    key = "$ref" if "$ref" in node else "$dynamicRef"
    ref, run = node[key], site.run
    found = run.find(ref)
    circular = found is not None and _is_circular(key, found, site)
    if len(node) == 1 and run.is_written(ref) and not circular:
        return node
    rules = site.dialect.references
    at_root = site.is_root and site.dialect.root_object
    if found is None or circular or run.is_meaningless(found.pointer):
        if rules.keep and rules.unresolved and not (found and at_root):
            return node
        # What a cycle of references accepts is undefined, so nothing proves that it is anything.
        site.lose("L204", key, ref, None)
        return without(node, key)
    siblings = without(node, key)
    if at_root:
        return _inlined(key, ref, siblings, found, site)
    if rules.keep and rules.anywhere and not run.tracks and ref != ANY_REF:
        led = run.moved(ref, found)
        if led != ref:
            site.lose("L202", key, ref, led)
            node, ref = {**node, key: led}, led
        if rules.siblings or all(name.startswith("$") for name in siblings):
            return node
        if "anyOf" not in siblings:  # whose place the reference takes
            site.lose("L202", key, ref, None)
            return {**siblings, "anyOf": [{key: ref}]}
    if rules.keep and ANNOTATIONS.issuperset(siblings) and not run.is_refused(found.pointer):
        return _kept(ref, siblings, found, site)
    return _inlined(key, ref, siblings, found, site)


def _is_circular(key: str, found: ReferenceTarget, site: StepNode) -> bool:
    """Return whether a composition applies the same reference to the same value again."""
    if site.run.is_any(found.pointer):
        return False
    holder = site.place(key)[:-1]
    return comes_back(site.run.references, found, holder, key)


def _kept(ref: str, siblings: JsonObject, found: ReferenceTarget, site: StepNode) -> JsonObject:
    written = site.run.keep(found)
    if ref not in {written, ANY_REF}:
        site.lose("L202", "$ref", ref, written)
    elif siblings and ref != ANY_REF:
        site.lose("L202", "$ref", ref, None)
    if not siblings:
        return {"$ref": written}
    # Behind a union of one, because nothing may stand beside the reference itself.
    return {**siblings, "anyOf": [{"$ref": written}]}


def _inlined(
    key: str, ref: str, siblings: JsonObject, found: ReferenceTarget, site: StepNode
) -> JsonObject:
    run, is_any = site.run, ref == ANY_REF
    may = run.may_enter(found.pointer, found.schema)
    if not may and (is_any or not is_scalar(found.schema, run.target)):
        return _as_text(key, ref, siblings, found, site)
    target = loads(ANY_TEXT) if is_any else as_part(found.schema, found.pointer)
    run.enter(found.pointer)
    site.entered = [*(site.entered or ()), found.pointer]
    if not is_any:
        site.lose("L201", key, ref, None)
    origins = site.homes({key: ref, **siblings})
    site.origins = origins if siblings else None
    site.at = found.pointer
    site.restart = True
    if not siblings:
        whole: JsonObject = target
        return whole
    if ANNOTATIONS.issuperset(siblings):
        return {**target, **siblings}
    kept: JsonObject = {name: siblings[name] for name in _HOLDING if name in siblings}
    rest = without(siblings, *kept)
    if not rest:
        return {**target, **kept}
    if "$ref" in target or "allOf" in target:
        site.run.follow().place(rest, site.at, site.homes(rest))
        site.origins = {**origins, "allOf": origins[key]}
        return {**kept, "allOf": [rest, target]}
    merged: Conjunction = conjoin([rest, target])
    if merged.residue:
        site.run.follow().place(rest, site.at, site.homes(rest))
        site.leave_out("L207", merged.residue, [rest, target], site.place(key))
    site.become(rest, merged.schema, [target])
    site.origins = {**origins, **(site.origins or {})}
    if merged.residue:
        more = site.extend(merged.schema, [rest, target])
        members = more.schema.get("properties") or {}
        site.adopt(merged.schema, {name: members[name] for name in members if name in more.names})
        return {**more.schema, **kept}
    return {**merged.schema, **kept}


def _as_text(
    key: str, ref: str, siblings: JsonObject, found: ReferenceTarget, site: StepNode
) -> JsonObject:
    said = {name: value for name, value in siblings.items() if name in {"description", "title"}}
    for name, value in siblings.items():
        if name not in said:
            site.lose("L229", name, value, None)
    if site.run.is_any(found.pointer):
        text = "any JSON value, as JSON text"
    else:
        text = f"{found.pointer[-1] if found.pointer else 'the whole'} as JSON text"
        site.lose("L205", key, ref, {"type": "string"}, Effect.WIDENED)
    described = f"{said['description']} ({text})" if said.get("description") else text
    site.op("json")
    return {**said, "type": "string", "description": described}


def apply(value: Json, op: JsonObject, troubles: list[Trouble]) -> Json:
    del op, troubles
    return dumps_exactly(value)


def restore(value: Json, op: JsonObject, troubles: list[Trouble]) -> Json:
    del op, troubles
    if value.__class__ is not str:
        return value
    try:
        return loads_exactly(value)
    except ValueError:
        return value  # a model that forgot the quotes; the validator will say if that is wrong


REFERENCES_STEP = Step(
    id="references",
    codes=("L201", "L202", "L204", "L205", "L207", "L229"),
    needed=lambda _dialect: True,
    meets=lambda _dialect, _kinds, keys: "$ref" in keys or "$dynamicRef" in keys,
    rewrite=rewrite_references,
    ops=(Op(name="json", apply=apply, restore=restore),),
    examples=(
        StepExample(
            before={"type": "object", "properties": {"a": {"$ref": "#/properties/b"},
                                                     "b": {"type": "string"}}},
            after={"type": "object", "properties": {"a": {"type": "string"},
                                                    "b": {"type": "string"}}},
            args={"a": "x"},
            wire_args={"a": "x"},
            dialect="references.keep=False",
        ),
    ),
)  # fmt: skip
