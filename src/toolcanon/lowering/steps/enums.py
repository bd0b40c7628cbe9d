"""Steps on ``const``, ``enum`` and keywords that a target rejects.

Why: some targets take only strings in an enum, some no objects and lists; all that check types
want the values to agree with the type beside them. Some refuse an enum without values.
Tag: EXACT, each value has its own word; WIDENED when no value ever agreed with the type, or when
there is no value.

Why: several targets know enum and not const.
Tag: EXACT.

Why: one unknown keyword fails the whole request.
Tag: WIDENED for a constraint that decided anything, HINT_LOST for annotations and formats.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable
from functools import lru_cache
from typing import Final

import orjson

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect, Support
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.notes import as_text, described, note
from toolcanon.lowering.step import Glance, Op, Step, StepExample, StepNode, Trouble, without
from toolcanon.schema.algebra.constraints import is_implied
from toolcanon.schema.keywords import ANNOTATIONS, APPLIES, POSITIONS
from toolcanon.schema.validate import judge
from toolcanon.schema.values import has_type, identity, same, type_of, types_of


def rewrite_const(node: JsonObject, site: StepNode) -> JsonObject:
    value = node["const"]
    dialect = site.dialect
    if dialect.support("const") is not Support.REJECTED and value.__class__ not in (dict, list):
        return node
    site.lose("L212", "const", value, None)
    out: JsonObject = {}
    for key, held in node.items():
        if key == "const":
            out["enum"] = [value]
        elif key != "enum":
            out[key] = held
    site.rename(node, "const", "enum")
    return out


CONST_STEP = Step(
    id="const-as-enum",
    codes=("L212",),
    needed=lambda dialect: dialect.support("const") is Support.REJECTED or dialect.enum_primitives,
    meets=lambda _dialect, _kinds, keys: "const" in keys,
    rewrite=rewrite_const,
    examples=(
        StepExample(
            before={"type": "string", "const": "a"},
            after={"type": "string", "enum": ["a"]},
            args="a",
            wire_args="a",
            dialect="keywords.const=REJECTED",
        ),
    ),
)


_EMPTY = "(empty)"


def rewrite_enums(node: JsonObject, site: StepNode) -> JsonObject:
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
    if dialect.enum_strings and None in values:  # null keeps its own spelling
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


def _without_values(node: JsonObject, site: StepNode) -> JsonObject:
    """Drop an enum without valid values, since no call could be made."""
    site.lose("L228", "enum", [], None)
    return without(node, "enum")


_KEPT = frozenset(
    {"type", "enum", "nullable", "title", "description", "default", "examples", "deprecated"}
)


def distinct(values: list[Json]) -> list[Json]:
    """Return each value once."""
    found: dict[Hashable, Json] = {}
    for value in values:
        found.setdefault(identity(value), value)
    return list(found.values())


def agreeing(node: JsonObject, site: StepNode) -> JsonObject:
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
    """Return a unique text for each value: strings stay unless another value looks the same."""
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
    """Return whether values are equal as JSON: true is not 1."""
    return one == other and same(one, other)


def _needed(dialect: Dialect) -> bool:
    picky = dialect.enum_strings or dialect.enum_primitives or dialect.enum_typed
    return picky or not dialect.empty_enums


def glance_enums(dialect: Dialect, keys: frozenset[str]) -> Glance:
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

ENUMS_STEP = Step(
    id="enum-values",
    codes=("L213", "L214", "L218", "L228", "L234"),
    needed=_needed,
    meets=lambda _dialect, _kinds, keys: "enum" in keys,
    rewrite=rewrite_enums,
    glance=glance_enums,
    ops=(Op(name="words", apply=apply, restore=restore, needs=(("table", list),)),),
    examples=(
        StepExample(
            before={"type": "integer", "enum": [1, 2]},
            after={"type": "string", "enum": ["1", "2"]},
            args=2,
            wire_args="2",
            dialect="enum_strings=True",
        ),
        StepExample(
            before={"type": "string", "enum": []},
            after={"type": "string"},
            dialect="empty_enums=false",
        ),
    ),
)


_SILENT: Final = ANNOTATIONS - {"default", "examples"}
_STRUCTURAL: Final = frozenset(
    "type properties items required enum anyOf $ref $defs definitions description".split()
)
"""What other steps answer for; here they are left alone."""
_LAID_OUT: Final = POSITIONS.keys() - {"properties", "items"}
"""Keywords that may lead to schemas which go with them, or to other steps."""
_ITEMS: Final = frozenset({"contains", "unevaluatedItems"})
_EXACT, _WIDENED, _HINT_LOST = Effect.EXACT, Effect.WIDENED, Effect.HINT_LOST
_BY_VALUE: Final = frozenset({"contains", "format", "pattern", "minItems"})
_BOUNDS: Final = frozenset("minimum maximum exclusiveMinimum exclusiveMaximum multipleOf".split())
_LENGTHS: Final = frozenset({"minLength", "maxLength"})
_ASSERTING: Final = frozenset({"not", "if", "const", "oneOf", "allOf", "dependencies"})
_WORTH: Final = frozenset({*APPLIES, "default", "examples", "format", "not", "const", "oneOf"})
_VACUOUS: Final[dict[str, tuple[Json, ...]]] = {
    "minLength": (0,),
    "minItems": (0,),
    "minProperties": (0,),
    "minContains": (0,),
    "uniqueItems": (False,),
    "pattern": ("", ".*", "^.*$"),
    "dependentRequired": ({},),
    "patternProperties": ({},),
    "propertyNames": (True, {}, {"type": "string"}),
    "contains": (),
    "unevaluatedProperties": (True, False, {}),
    "unevaluatedItems": (True, False, {}),
    "items": (True, {}),
}
_LOOKS_AROUND: Final = re.compile(r"\(\?(?:[=!]|<[=!])|\\[1-9]|\\[bB]|\(\?P=")
_LITERAL: Final = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]", re.DOTALL)
_ANCHOR: Final = re.compile(r"[\^$]")


def rewrite_keywords(node: JsonObject, site: StepNode) -> JsonObject:
    dialect = site.dialect
    rejected, settled = _settled(dialect)
    refused = [*rejected.intersection(node)]
    if len(refused) != 1 or not settled.issuperset(node):
        refused = [
            key
            for key in node
            if key in rejected or (key not in settled and _is_refused(key, node, dialect))
        ]
    if not refused:
        return node
    out = node.copy()
    for key in refused:
        del out[key]
    remarks: list[str] = []
    for key in refused:
        value = node[key]
        code, effect = _worth(key, value, node, out)
        site.lose(code, key, value, None, effect)
        if effect is not _EXACT and key in _WORTH:
            if key in POSITIONS:
                remark = site.remark(key, value)
            else:
                remark = note(key, value if site.ops is None else _as_written(key, value, site.ops))
            if remark is not None:
                remarks.append(remark)
    if "items" in out and not _ITEMS.isdisjoint(refused):  # no parameter of an item is lost
        spoken = {key: node[key] for key in ("contains", "unevaluatedItems") if key in refused}
        out = site.extend(out, [spoken]).schema
    return described(out, remarks) if remarks else out


@lru_cache(maxsize=64)
def _settled(dialect: Dialect) -> tuple[frozenset[str], frozenset[str]]:
    """Return the keywords that are always rejected, and those whose value does not matter."""
    rejected = dialect.rejected - _STRUCTURAL
    taken = frozenset(dialect.keywords) - dialect.rejected - _BY_VALUE - _sized(dialect)
    return rejected, rejected | taken | _STRUCTURAL


def _as_written(key: str, value: Json, ops: list[JsonObject]) -> Json:
    """Return a default, or examples, as what was made of this node has values."""
    if key not in {"default", "examples"}:
        return value
    from toolcanon.lowering.lens import VERSION, Lens  # noqa: PLC0415 - which knows all steps

    apply = Lens({"version": VERSION, "root": {"ops": ops}}).apply
    return [apply(item) for item in value] if key == "examples" else apply(value)


def _is_refused(key: str, node: JsonObject, dialect: Dialect) -> bool:
    """Return whether a keyword that no other step answers for has to go."""
    if dialect.support(key) is Support.REJECTED:
        return True
    value = node[key]
    if key == "contains":  # alone it would ask for one item at least
        return node.get("minContains") == 0 and dialect.support("minContains") is Support.REJECTED
    if key == "format":
        return dialect.formats is not None and value not in dialect.formats
    if key == "pattern":
        return dialect.plain_patterns and not is_plain(value, dialect)
    if key == "minItems":
        return dialect.largest_minimum_items is not None and value > dialect.largest_minimum_items
    return _is_too_great(key, value, node, dialect)


def _is_too_great(key: str, value: Json, node: JsonObject, dialect: Dialect) -> bool:
    """Return whether a number is more than the dialect takes under this keyword."""
    if key in _BOUNDS:
        return dialect.largest_bound is not None and abs(value) > dialect.largest_bound
    if key in _LENGTHS and "pattern" in node:
        most = dialect.lengths_beside_pattern
        if most is None or value <= most[key == "maxLength"]:
            return False
        return not _is_refused("pattern", node, dialect)
    return False


def is_plain(pattern: str, dialect: Dialect) -> bool:
    if _LOOKS_AROUND.search(pattern):
        return False
    return dialect.anchors or not _ANCHOR.search(_LITERAL.sub("", pattern))


def _worth(key: str, value: Json, node: JsonObject, left: JsonObject) -> tuple[str, Effect]:
    if key == "format":
        return "L230", _HINT_LOST
    about = APPLIES.get(key)
    if about is None:
        return ("L228", _WIDENED) if key in _ASSERTING else ("L229", _HINT_LOST)
    if key in {"contentEncoding", "contentMediaType", "contentSchema"}:
        return "L229", _HINT_LOST
    types = types_of(node)
    repeats = key == "minContains" and value == 1 and "contains" in left
    if repeats or (types and types.isdisjoint(about)) or _is_vacuous(key, value, node):
        return "L228", _EXACT
    if _decides(key, value, node, left):
        return "L228", _WIDENED
    return "L228", _EXACT


def _decides(key: str, value: Json, node: JsonObject, left: JsonObject) -> bool:
    """Return whether a keyword may reject a value beside it: false only where that is proved."""
    rivals = {name: left[name] for name in left if APPLIES.get(name) == APPLIES[key]}
    if "type" in node:
        rivals["type"] = node["type"]
    values = [left["const"]] if "const" in left else left.get("enum")
    if values is None:
        return not is_implied(key, value, rivals)
    rule, rest = judge({key: value}), judge(rivals)
    return any(rest.accepts(item) is not False and not rule.accepts(item) for item in values)


def _is_vacuous(key: str, value: Json, node: JsonObject) -> bool:
    """Return whether a constraint never rejected a value."""
    if any(
        value == known and value.__class__ is known.__class__ for known in _VACUOUS.get(key, ())
    ):
        return True
    if key in {"minContains", "maxContains"}:
        return "contains" not in node
    if key == "contains":
        return node.get("minContains") == 0 and "maxContains" not in node
    return False


def _meets(dialect: Dialect, kinds: frozenset[str], keys: frozenset[str]) -> bool:
    del kinds
    rejected, settled = _settled(dialect)
    loose = keys - settled
    return not keys.isdisjoint(rejected) or (
        any(dialect.support(key) is Support.REJECTED for key in loose)
        or (dialect.formats is not None and "format" in loose)
        or (dialect.plain_patterns and "pattern" in loose)
        or (dialect.largest_minimum_items is not None and "minItems" in loose)
        or not loose.isdisjoint(_sized(dialect))
    )


def _sized(dialect: Dialect) -> frozenset[str]:
    """Return the keywords whose numbers the dialect limits."""
    bounds = frozenset() if dialect.largest_bound is None else _BOUNDS
    return bounds if dialect.lengths_beside_pattern is None else bounds | _LENGTHS


def glance_keywords(dialect: Dialect, keys: frozenset[str]) -> Glance | bool:
    """Return whether a keyword is rejected; for most that does not depend on the value."""
    rejected, settled = _settled(dialect)
    by_value = keys - settled
    if not keys.isdisjoint(rejected):
        return True
    return lambda node: any(_is_refused(key, node, dialect) for key in by_value)


KEYWORDS_STEP = Step(
    id="keywords",
    codes=("L228", "L229", "L230"),
    needed=lambda _dialect: True,
    meets=_meets,
    rewrite=rewrite_keywords,
    glance=glance_keywords,
    keeps=lambda dialect, keys: dialect.root_remarks and _LAID_OUT.isdisjoint(keys),
    examples=(
        StepExample(
            before={"type": "integer", "minimum": 1, "description": "How many."},
            after={"type": "integer", "description": "How many. (minimum: 1)"},
            args=2,
            wire_args=2,
            dialect="keywords.minimum=REJECTED",
        ),
    ),
)
