"""Enum values that a target cannot hold become words.

Why: some targets take only strings in an enum, some no objects and lists; all that check types
want the values to agree with the type beside them. Some refuse an enum without values.
Tag: EXACT, each value has its own word; WIDENED when no value ever agreed with the type, or when
there is no value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

import orjson

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.notes import as_text
from toolcanon.lowering.step import Example, Glance, Op, Site, Step, Trouble, without
from toolcanon.schema.judge import judge
from toolcanon.schema.values import has_type, identity, same, type_of, types_of

_EMPTY = "(empty)"


def rewrite(node: JsonObject, site: Site) -> JsonObject:
    node = agreeing(node, site)
    values: list[Json] = node.get("enum") or []
    dialect = site.dialect
    if not values:
        return node if dialect.empty_enums or "enum" not in node else _without_values(node, site)
    if dialect.nullable and all(value is None for value in values):
        site.lose("L218", "enum", values, None)
        return {**without(node, "enum"), "type": "null"}
    if dialect.enum_strings:
        plain = [value for value in values if value is not None]
        if all(value.__class__ is str and value for value in plain):
            return node
    elif not (dialect.enum_primitives and any(v.__class__ in (dict, list) for v in values)):
        return node
    else:
        plain = values
    plain = distinct(plain)
    words = _words(plain)
    table = [[value, word] for value, word in zip(plain, words, strict=True)]
    out = {**node, "type": "string", "enum": words}
    if dialect.enum_strings and None in values:  # null keeps its own way of being said
        out["type"], out["enum"] = ["string", "null"], [*words, None]
    for key, value in node.items():
        if key not in _KEPT:
            rule = judge({key: value})
            holds = all(rule.accepts(item) is not False for item in plain)
            site.lose("L228", key, value, None, Effect.EXACT if holds else Effect.WIDENED)
    out = {key: value for key, value in out.items() if key in _KEPT}
    site.lose("L213", "enum", values, words)
    if out["type"] != node.get("type"):
        site.lose("L213", "type", node.get("type"), out["type"])
    site.op("words", table=table)
    return out


def _without_values(node: JsonObject, site: Site) -> JsonObject:
    """An enum that allows nothing gives way, since no call could be made."""
    site.lose("L228", "enum", [], None)
    return without(node, "enum")


_KEPT = frozenset(
    {"type", "enum", "nullable", "title", "description", "default", "examples", "deprecated"}
)


def distinct(values: list[Json]) -> list[Json]:
    """Each value once."""
    found: dict[Hashable, Json] = {}
    for value in values:
        found.setdefault(identity(value), value)
    return list(found.values())


def agreeing(node: JsonObject, site: Site) -> JsonObject:
    """Values of the declared type only; if there are none, the type gives way.

    Null alone is none: it stands for a member that was left out.
    """
    types = types_of(node)
    values: list[Json] = node["enum"]
    fitting = [value for value in values if has_type(value, types)] if types else values
    if len(fitting) == len(values):
        return node
    if any(value is not None for value in fitting):
        fitting = distinct(fitting)
        site.lose("L234", "enum", values, fitting)
        return {**node, "enum": fitting}
    if site.is_root:  # arguments stay an object, come what may
        site.lose("L228", "enum", values, None)
        return without(node, "enum")
    kinds = list(dict.fromkeys(type_of(value) for value in values))
    site.lose("L214", "type", node["type"], kinds[0] if len(kinds) == 1 else kinds)
    return {**without(node, "type"), "type": kinds[0] if len(kinds) == 1 else kinds}


def _words(values: list[Json]) -> list[str]:
    """A word for each value, no two alike: strings as they are unless another looks the same."""
    plain = [as_text(value) or _EMPTY for value in values]
    times = Counter(plain)
    found: dict[str, None] = {}
    for value, word in zip(values, plain, strict=True):
        own = word
        if times[word] > 1 and value.__class__ is str:
            own = orjson.dumps(value).decode()
        while own in found:
            own += "_"
        found[own] = None
    return list(found)


def apply(value: Json, op: JsonObject, troubles: list[Trouble]) -> Json:
    del troubles
    for known, word in op["table"]:
        if _same(known, value):
            return word
    return value


def restore(value: Json, op: JsonObject, troubles: list[Trouble]) -> Json:
    del troubles
    for known, word in op["table"]:
        if word == value:
            return known
    return value


def _same(one: Json, other: Json) -> bool:
    """Equal as JSON: true is not 1."""
    return one == other and same(one, other)


def _needed(dialect: Dialect) -> bool:
    picky = dialect.enum_strings or dialect.enum_primitives or dialect.enum_typed
    return picky or not dialect.empty_enums


def glance(dialect: Dialect, keys: frozenset[str]) -> Glance:
    del keys
    only_strings = dialect.enum_strings
    takes_none = dialect.empty_enums

    def needs_a_look(node: JsonObject) -> bool:
        values, kind = node["enum"], node.get("type")
        if not values:
            return not takes_none
        classes = set(map(type, values))
        others = classes.difference(*map(_classes_of, kind if kind.__class__ is list else (kind,)))
        if others or not only_strings:
            return bool(others)
        return str not in classes or not classes <= _TEXTS or "" in values

    return needs_a_look


_NULL = frozenset({type(None)})
_TEXTS = _NULL | {str}
_classes_of = {
    **dict.fromkeys((None, "object", "array"), frozenset[type]()),
    "string": frozenset({str}),
    "boolean": frozenset({bool}),
    "integer": frozenset({int}),
    "number": frozenset({int, float}),
    "null": _NULL,
}.__getitem__
"""What values of a type surely are; some floats are integers, too."""

STEP = Step(
    id="enum-values",
    codes=("L213", "L214", "L218", "L228", "L234"),
    needed=_needed,
    meets=lambda _dialect, _kinds, keys: "enum" in keys,
    rewrite=rewrite,
    glance=glance,
    ops=(Op(name="words", apply=apply, restore=restore, needs=(("table", list),)),),
    examples=(
        Example(
            before={"type": "integer", "enum": [1, 2]},
            after={"type": "string", "enum": ["1", "2"]},
            args=2,
            wire_args="2",
            dialect="enum_strings=True",
        ),
        Example(
            before={"type": "string", "enum": []},
            after={"type": "string"},
            dialect="empty_enums=false",
        ),
    ),
)
