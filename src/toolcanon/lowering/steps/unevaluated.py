"""What is said of unevaluated members or items is said of additional ones.

Why: the target does not keep count of what was evaluated.
Tag: EXACT where what counts as evaluated is the same for every value: declared here, in every part
of a conjunction, behind a reference. Where it depends on the value the keyword goes: WIDENED.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect, Support
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.notes import with_notes
from toolcanon.lowering.step import Example, Site, Step, without
from toolcanon.schema.values import size_of

_MEMBERS: Final = "unevaluatedProperties"
_ITEMS: Final = "unevaluatedItems"
_DEPENDING: Final = ("anyOf", "oneOf")
_SINGLE: Final = ("if", "then", "else")
_SMALL: Final = 16


class _Kind(NamedTuple):
    """Members or items: which words evaluate some, which all of them."""

    keyword: str
    some: tuple[str, ...]
    all: tuple[str, ...]


_KINDS: Final = (
    _Kind(_MEMBERS, ("properties", "patternProperties"), ("additionalProperties", _MEMBERS)),
    _Kind(_ITEMS, ("prefixItems", "contains"), ("items", _ITEMS)),
)


class _Unknown(Exception):
    """It depends on the value."""


def rewrite(node: JsonObject, site: Site) -> JsonObject:
    for kind in _KINDS:
        if kind.keyword in node and (
            _is_refused(kind.keyword, site.dialect) or _is_idle(kind, node, site.dialect)
        ):
            node = _without_count(node, kind, site)
    return node


def _without_count(node: JsonObject, kind: _Kind, site: Site) -> JsonObject:
    value = node[kind.keyword]
    out = without(node, kind.keyword)
    welcome = value is True or value == {}
    if welcome and kind.keyword == _MEMBERS and not (site.dialect.maps or kind.all[0] in node):
        site.lose("L245", kind.keyword, value, None)
        return {**out, kind.all[0]: True}  # which matters where others cannot be said
    if welcome or kind.all[0] in node:
        site.lose("L228", kind.keyword, value, None, Effect.EXACT)
        return out
    try:
        found = _Evaluated(kind, site.run.target)
        found.collect(out)
        twice = not _is_refused("contains", site.dialect)
        if kind.keyword == _ITEMS and twice and size_of(out.get("contains")) > _SMALL:
            raise _Unknown  # it would have to be written twice
    except _Unknown:
        if kind.keyword == _MEMBERS and not site.dialect.maps:
            return node  # to be told in each branch, and by the step for maps
        site.lose("L228", kind.keyword, value, None)
        return with_notes(out, [site.note(kind.keyword, value)])
    if found.everything:
        site.lose("L228", kind.keyword, value, None, Effect.EXACT)
        return out
    site.run.follow()
    if kind.keyword == _ITEMS:
        new: JsonObject = {"items": value}
        if "contains" in out:
            new = {"items": {"anyOf": [out["contains"], value]}}
    else:
        new = {
            key: {**dict.fromkeys(names, _ANY), **(out.get(key) or {})}
            for key, names in found.members.items()
            if names
        }
        new["additionalProperties"] = value
    site.lose("L245", kind.keyword, value, None)
    return {**out, **new}


_ANY: Final[JsonObject] = {}


class _Evaluated:
    """What a schema evaluates whenever it accepts a value."""

    def __init__(self, kind: _Kind, find: Callable[[Json], Json]) -> None:
        self.everything = False
        self.members: dict[str, dict[str, None]] = {key: {} for key in kind.some}
        self._kind = kind
        self._find = find
        self._seen: set[int] = set()

    def collect(self, schema: Json, *, inner: bool = False) -> None:
        if schema.__class__ is not dict or id(schema) in self._seen:
            return
        self._seen.add(id(schema))
        self.everything |= any(key in schema for key in self._kind.all)
        for key in self._kind.some:
            if key not in schema:
                continue
            if inner and self._kind.keyword == _ITEMS:
                raise _Unknown  # places of two lists would have to be counted together
            if schema[key].__class__ is dict:
                self.members[key] |= dict.fromkeys(schema[key])
        for part in schema.get("allOf") or ():
            self.collect(part, inner=True)
        for key in ("$ref", "$dynamicRef"):
            if key in schema:
                target = self._find(schema[key])
                if key == "$dynamicRef" or target is None:
                    raise _Unknown
                self.collect(target, inner=True)
        depending = [schema[key] for key in _SINGLE if key in schema]
        depending += [part for key in _DEPENDING for part in schema.get(key) or ()]
        depending += (schema.get("dependentSchemas") or {}).values()
        for part in depending:
            self._must_be_silent(part)

    def _must_be_silent(self, schema: Json) -> None:
        """A schema that may or may not apply must not evaluate anything."""
        if schema.__class__ is not dict or id(schema) in self._seen:
            return
        own = _Evaluated(self._kind, self._find)
        own._seen = {*self._seen}
        own.collect(schema, inner=True)
        if own.everything or any(own.members.values()):
            raise _Unknown


def _is_refused(keyword: str, dialect: Dialect) -> bool:
    return dialect.support(keyword) is Support.REJECTED


def _is_idle(kind: _Kind, node: JsonObject, dialect: Dialect) -> bool:
    """Whether a word will be added for all items, after which none is unevaluated."""
    return kind.keyword == _ITEMS and dialect.items and kind.all[0] not in node


def _needed(dialect: Dialect) -> bool:
    return dialect.items or any(_is_refused(kind.keyword, dialect) for kind in _KINDS)


STEP = Step(
    id="unevaluated",
    codes=("L228", "L245"),
    needed=_needed,
    meets=lambda _dialect, _kinds, keys: _MEMBERS in keys or _ITEMS in keys,
    rewrite=rewrite,
    examples=(
        Example(
            before={"type": "object", "properties": {"a": {"type": "string"}},
                    "allOf": [{"properties": {"b": {"type": "string"}}}],
                    "unevaluatedProperties": False},
            after={"type": "object", "properties": {"b": {}, "a": {"type": "string"}},
                   "allOf": [{"properties": {"b": {"type": "string"}}}],
                   "additionalProperties": False},
            args={"a": "x", "b": "y"},
            wire_args={"a": "x", "b": "y"},
            dialect="keywords.unevaluatedProperties=REJECTED",
        ),
    ),
)  # fmt: skip
