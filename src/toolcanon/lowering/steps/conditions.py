"""Conditions are told, and what they declare is kept.

Why: if/then/else and dependent schemas cannot be decoded by a grammar. The members they declare
become optional members of the object, so that no parameter is lost. The same goes for those under
which recursion would be written out, and for rules about some of the items or members: no lens
finds there what becomes text.
Tag: WIDENED, the condition itself no longer binds.
"""

from __future__ import annotations

from typing import Final

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect, Support
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.declared import declared
from toolcanon.lowering.folding import union
from toolcanon.lowering.notes import with_notes
from toolcanon.lowering.step import Example, Site, Step, without

_KEYWORDS: Final = ("if", "then", "else", "dependentSchemas", "not")
_NAMED: Final = ("patternProperties", "unevaluatedProperties")
_SOME: Final = frozenset({*_NAMED, "contains", "unevaluatedItems"})
_LOOKED_AT: Final = _SOME.union(_KEYWORDS)
_OTHERS: Final = "additionalProperties"
_BRANCHING: Final = ("if", "then", "else")


def rewrite(node: JsonObject, site: Site) -> JsonObject:
    if not _SOME.isdisjoint(node):
        node = _for_all(node, site)
    unrolled = _unrolled(node, site)
    refused = [
        key
        for key in _KEYWORDS
        if key in node
        and (_is_refused(key, site.dialect) or key in unrolled or (key == "not" and _at_root(site)))
    ]
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
    # What a closed object declares only there, nobody could send.
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


def _for_all(node: JsonObject, site: Site) -> JsonObject:
    """A node without rules for some items or members under which recursion would be written out.

    What is said of members by their names is said of all others instead, if anything is.
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


def _unrolled(node: JsonObject, site: Site) -> set[str]:
    """The keywords under which recursion would have to be written out; a condition as a whole."""
    found: set[str] = {
        key for key in _KEYWORDS if key in node and site.run.is_unrolled({key: node[key]})
    }
    return found if found.isdisjoint(_BRANCHING) else found.union(_BRANCHING)


def _only_declares(part: Json, out: JsonObject) -> bool:
    """Whether all a part says is said of the object's members now."""
    members = out.get("properties") or {}
    return (
        part.__class__ is dict
        and part.keys() == {"properties"}
        and all(members.get(name) == schema for name, schema in part["properties"].items())
    )


def _nowhere(ref: Json) -> Json:
    del ref


def _at_root(site: Site) -> bool:
    return site.is_root and not site.dialect.root_unions


def _is_refused(key: str, dialect: Dialect) -> bool:
    return dialect.support(key) is Support.REJECTED


STEP = Step(
    id="conditions",
    codes=("L210", "L228"),
    needed=lambda dialect: any(_is_refused(key, dialect) for key in _KEYWORDS)
    or not dialect.root_unions
    or not dialect.references.any_recursion,
    meets=lambda _dialect, _kinds, keys: not keys.isdisjoint(_LOOKED_AT),
    rewrite=rewrite,
    examples=(
        Example(
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
