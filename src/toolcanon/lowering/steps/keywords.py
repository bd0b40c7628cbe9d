"""Keywords that a target refuses go; what they said goes into the description.

Why: one unknown keyword fails the whole request.
Tag: WIDENED for a constraint that decided anything, HINT_LOST for annotations and formats.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect, Support
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.notes import described, note
from toolcanon.lowering.step import Example, Glance, Site, Step
from toolcanon.schema.implied import is_implied
from toolcanon.schema.judge import judge
from toolcanon.schema.keywords import ANNOTATIONS, APPLIES, POSITIONS
from toolcanon.schema.values import types_of

_SILENT: Final = ANNOTATIONS - {"default", "examples"}
_STRUCTURAL: Final = frozenset(
    "type properties items required enum anyOf $ref $defs definitions description".split()
)
"""What other steps answer for; here they are left alone."""
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


def rewrite(node: JsonObject, site: Site) -> JsonObject:
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
    """Keywords that are refused whatever they say, and those with which no value matters."""
    rejected = dialect.rejected - _STRUCTURAL
    taken = frozenset(dialect.keywords) - dialect.rejected - _BY_VALUE - _sized(dialect)
    return rejected, rejected | taken | _STRUCTURAL


def _as_written(key: str, value: Json, ops: list[JsonObject]) -> Json:
    """A default, or examples, as what was made of this node has values."""
    if key not in {"default", "examples"}:
        return value
    from toolcanon.lowering.lens import VERSION, Lens  # noqa: PLC0415 - which knows all steps

    apply = Lens({"version": VERSION, "root": {"ops": ops}}).apply
    return [apply(item) for item in value] if key == "examples" else apply(value)


def _is_refused(key: str, node: JsonObject, dialect: Dialect) -> bool:
    """Whether a keyword that no other step answers for has to go."""
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
    """Whether a number is more than the dialect takes under this keyword."""
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
    """Whether a keyword may refuse what passes beside it: no only where that is proved."""
    rivals = {name: left[name] for name in left if APPLIES.get(name) == APPLIES[key]}
    if "type" in node:
        rivals["type"] = node["type"]
    values = [left["const"]] if "const" in left else left.get("enum")
    if values is None:
        return not is_implied(key, value, rivals)
    rule, rest = judge({key: value}), judge(rivals)
    return any(rest.accepts(item) is not False and not rule.accepts(item) for item in values)


def _is_vacuous(key: str, value: Json, node: JsonObject) -> bool:
    """Whether a constraint never refused anything."""
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
    loose = keys - _STRUCTURAL
    return (
        any(dialect.support(key) is Support.REJECTED for key in loose)
        or (dialect.formats is not None and "format" in loose)
        or (dialect.plain_patterns and "pattern" in loose)
        or (dialect.largest_minimum_items is not None and "minItems" in loose)
        or not loose.isdisjoint(_sized(dialect))
    )


def _sized(dialect: Dialect) -> frozenset[str]:
    """Keywords whose numbers the dialect limits."""
    bounds = frozenset() if dialect.largest_bound is None else _BOUNDS
    return bounds if dialect.lengths_beside_pattern is None else bounds | _LENGTHS


def glance(dialect: Dialect, keys: frozenset[str]) -> Glance | bool:
    """Most keywords are refused whatever they say, or never."""
    loose = keys - _STRUCTURAL
    if any(dialect.support(key) is Support.REJECTED for key in loose):
        return True
    by_value = [key for key in loose if key in _BY_VALUE or key in _sized(dialect)]
    return lambda node: any(_is_refused(key, node, dialect) for key in by_value)


STEP = Step(
    id="keywords",
    codes=("L228", "L229", "L230"),
    needed=lambda _dialect: True,
    meets=_meets,
    rewrite=rewrite,
    glance=glance,
    examples=(
        Example(
            before={"type": "integer", "minimum": 1, "description": "How many."},
            after={"type": "integer", "description": "How many. (minimum: 1)"},
            args=2,
            wire_args=2,
            dialect="keywords.minimum=REJECTED",
        ),
    ),
)
