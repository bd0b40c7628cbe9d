"""A rule for names of members becomes a list or a pattern of members.

Why: the target has no rules for names by themselves.
Tag: EXACT. Rules that are neither a pattern nor a list are left to the step for keywords.
"""

from __future__ import annotations

from typing import Final

from toolcanon.dialect import Dialect, Support
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.step import Example, Site, Step, without
from toolcanon.schema.keywords import ANNOTATIONS

_KEYWORD: Final = "propertyNames"
_SAYABLE: Final = ANNOTATIONS | {"type", "pattern", "enum", "const", "format"}


def rewrite(node: JsonObject, site: Site) -> JsonObject:
    rule = node[_KEYWORD]
    parts = _parts(rule)
    if not parts:
        return node
    site.lose("L246", _KEYWORD, rule, None)
    out = without(node, _KEYWORD)
    out["allOf"] = [*(out.get("allOf") or ()), *parts]
    return out


def _parts(rule: Json) -> list[JsonObject]:
    """What has to hold of the object; nothing where that cannot be told in this way."""
    if rule is False or (rule.__class__ is dict and rule == {"not": {}}):
        return [{"maxProperties": 0}]
    if rule.__class__ is not dict or not rule.keys() <= _SAYABLE:
        return []
    kind = rule.get("type", "string")
    if kind != "string" and "string" not in kind:
        return [{"maxProperties": 0}]
    parts: list[JsonObject] = []
    if "pattern" in rule:
        parts.append({"patternProperties": {rule["pattern"]: {}}})
    for values in (rule.get("enum"), [rule["const"]] if "const" in rule else None):
        if values is not None:
            names: JsonObject = {name: {} for name in values if isinstance(name, str)}
            parts.append({"properties": names})
    return [{**part, "additionalProperties": False} for part in parts]


def _needed(dialect: Dialect) -> bool:
    return dialect.maps and dialect.support(_KEYWORD) is Support.REJECTED


STEP = Step(
    id="property-names",
    codes=("L246",),
    needed=_needed,
    meets=lambda _dialect, _kinds, keys: _KEYWORD in keys,
    rewrite=rewrite,
    examples=(
        Example(
            before={"type": "object", "additionalProperties": {"type": "integer"},
                    "propertyNames": {"pattern": "^a"}},
            after={"type": "object", "additionalProperties": {"type": "integer"},
                   "allOf": [{"patternProperties": {"^a": {}}, "additionalProperties": False}]},
            args={"a": 1},
            wire_args={"a": 1},
            dialect="keywords.propertyNames=REJECTED",
        ),
    ),
)  # fmt: skip
