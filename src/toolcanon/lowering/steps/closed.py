"""Objects are closed, or no longer say that they are, as the target has it.

Why: grammars want ``additionalProperties: false`` on every object; some targets refuse the keyword,
and some take an object for closed that does not say otherwise, so one without members has to.
Tag: EXACT where the object says nothing of other members or forbids them, because a caller sends
what is declared; NARROWED where it says that others are welcome; WIDENED where one without members
may no longer say that it has none, since below the root that is a map.
"""

from __future__ import annotations

from typing import Final

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect, Support
from toolcanon.jsonio.types import JsonObject
from toolcanon.lowering.members import dependent_names
from toolcanon.lowering.step import Example, Glance, Site, Step, without

_KEY = "additionalProperties"
_NOTHING: JsonObject = {}
_EXACT, _NARROWED = Effect.EXACT, Effect.NARROWED
_ABOUT_MEMBERS: Final = frozenset(
    "properties patternProperties required allOf anyOf oneOf $ref if dependentSchemas "
    "unevaluatedProperties enum const".split()
)


def rewrite(node: JsonObject, site: Site) -> JsonObject:
    said = node.get(_KEY)
    dialect = site.dialect
    if dialect.closed:
        if said is not False:
            site.lose("L222", _KEY, said, False, _EXACT if said is None else _NARROWED)
            node = node.copy()
            node[_KEY] = False
    elif dialect.closed_unless_said:
        if said is None and not _declares(node):
            site.lose("L222", _KEY, None, True, Effect.EXACT)
            return {**node, _KEY: True}
        return node
    elif said is not None:
        opens = said is False and not site.is_root and not node.get("properties")
        site.lose("L222", _KEY, said, None, Effect.WIDENED if opens else _effect(said))
        node = without(node, _KEY)
    members = node.get("properties", _NOTHING)
    named = node.get("required") or ()
    # A member may depend on one of the others.
    if "dependentRequired" in node and said is not False and not _lists_others(site):
        named = [*named, *dependent_names(node)]
    undeclared = [name for name in named if name not in members]
    if undeclared:
        undeclared = list(dict.fromkeys(undeclared))
        members = {**members, **{name: {} for name in undeclared}}
        # Nothing was right if it asked for what it forbids.
        effect = Effect.WIDENED if said is False else None
        site.lose("L236", "properties", None, undeclared, effect)
        node = {**node, "properties": members}
    if dialect.closed and "properties" not in node:
        site.lose("L235", "properties", None, {})
        node = {**node, "properties": {}}
    return node


def _lists_others(site: Site) -> bool:
    """Whether members that are not declared have a place among the arguments."""
    return any(op["op"] == "rest" for op in site.ops or ())


def _declares(node: JsonObject) -> bool:
    """Whether it says anything of its members, be it that there are none."""
    return not node.keys().isdisjoint(_ABOUT_MEMBERS)


def _effect(said: object) -> Effect:
    return _EXACT if said is None or said is False else _NARROWED


def _needed(dialect: Dialect) -> bool:
    return dialect.closed or dialect.closed_unless_said or dialect.support(_KEY) is Support.REJECTED


def glance(dialect: Dialect, keys: frozenset[str]) -> Glance | bool:
    """Where nothing need be said, an object has only its members to answer for."""
    if dialect.closed:
        return _closes if keys >= {_KEY, "properties"} else True
    if dialect.closed_unless_said:
        return _KEY not in keys and keys.isdisjoint(_ABOUT_MEMBERS)
    if _KEY in keys or "dependentRequired" in keys:
        return True
    return _lacks if "required" in keys else False


def _closes(node: JsonObject) -> bool:
    return node[_KEY] is not False or _lacks(node)


def _lacks(node: JsonObject) -> bool:
    """Whether some required member is not declared."""
    return "required" in node and not node.get("properties", _NOTHING).keys() >= set(
        node["required"]
    )


STEP = Step(
    id="closed-objects",
    codes=("L222", "L235", "L236"),
    needed=_needed,
    meets=lambda _dialect, kinds, _keys: "object" in kinds,
    rewrite=rewrite,
    glance=glance,
    examples=(
        Example(
            before={"type": "object", "properties": {"a": {"type": "string"}}},
            after={"type": "object", "properties": {"a": {"type": "string"}},
                   "additionalProperties": False},
            args={"a": "x"},
            wire_args={"a": "x"},
            dialect="closed=True",
        ),
        Example(
            before={"type": "object"},
            after={"type": "object", "additionalProperties": True},
            args={"a": "x"},
            wire_args={"a": "x"},
            dialect="closed_unless_said=True",
        ),
    ),
)  # fmt: skip
