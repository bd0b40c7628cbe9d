"""Patterns of names that a target does not take become a rule for all further members.

Why: dropped as a keyword, they would take their members along where the object is closed.
Tag: EXACT where a pattern matches every name, otherwise WIDENED: names are no longer looked at.
"""

from __future__ import annotations

from typing import Final

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect, Support
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.notes import with_notes
from toolcanon.lowering.step import Example, Glance, Site, Step, without
from toolcanon.lowering.steps.keywords import is_plain
from toolcanon.lowering.steps.maps import EVERY, declared_members, either, values_of

_KEYWORD: Final = "patternProperties"
_OTHERS: Final = "additionalProperties"


def rewrite(node: JsonObject, site: Site) -> JsonObject:
    if not _is_refused(node, site.dialect):
        return node
    patterns: JsonObject = node[_KEYWORD]
    site.run.follow()
    said = node.get(_OTHERS)
    others = None if said is True or said == {} else said
    out = without(node, _KEYWORD, _OTHERS)
    if node.get("properties") or node.get("required"):
        declared = node.get("properties") or {}
        out["properties"] = declared_members(node, declared, patterns, others, site)
    is_exact = EVERY.issuperset(patterns)
    if others is not None or not EVERY.isdisjoint(patterns):
        values = values_of(patterns, others, site)
        value: Json = either(values) if values else False
        site.merge(value, values)
        out[_OTHERS] = value
        is_exact = is_exact or value is False
    elif said is not None:
        out[_OTHERS] = said
    site.lose("L228", _KEYWORD, patterns, None, Effect.EXACT if is_exact else Effect.WIDENED)
    return out if is_exact else with_notes(out, [site.remark(_KEYWORD, patterns)])


def _is_refused(node: JsonObject, dialect: Dialect) -> bool:
    patterns = node[_KEYWORD]
    if not patterns:
        return False
    if dialect.support(_KEYWORD) is Support.REJECTED:
        return True
    most = dialect.name_patterns
    if most is not None and (len(patterns) > most or "anyOf" in node):
        return True
    return dialect.plain_patterns and not all(is_plain(text, dialect) for text in patterns)


def _needed(dialect: Dialect) -> bool:
    refuses = dialect.support(_KEYWORD) is Support.REJECTED
    return dialect.maps and (refuses or dialect.plain_patterns or dialect.name_patterns is not None)


def glance(dialect: Dialect, keys: frozenset[str]) -> Glance:
    del keys
    return lambda node: _is_refused(node, dialect)


STEP = Step(
    id="name-patterns",
    codes=("L228", "L236"),
    needed=_needed,
    meets=lambda _dialect, _kinds, keys: _KEYWORD in keys,
    rewrite=rewrite,
    glance=glance,
    examples=(
        Example(
            before={"type": "object", "patternProperties": {"^a": {"type": "integer"}},
                    "additionalProperties": False},
            after={"type": "object", "additionalProperties": {"type": "integer"},
                   "description": '(patternProperties: {"^a":{"type":"integer"}})'},
            args={"a": 1},
            wire_args={"a": 1},
            dialect="keywords.patternProperties=REJECTED",
        ),
        Example(
            before={"type": "object", "patternProperties": {"^a": {"type": "integer"}, "b$": {}},
                    "additionalProperties": {"type": "string"}},
            after={"type": "object", "additionalProperties": {"anyOf": [
                       {"type": "integer"}, {}, {"type": "string"}]},
                   "description": '(patternProperties: {"^a":{"type":"integer"},"b$":{}})'},
            args={"a": 1},
            wire_args={"a": 1},
            dialect="name_patterns=1",
        ),
    ),
)  # fmt: skip
