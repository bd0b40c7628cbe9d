"""Compare members of objects and items of lists, and find the places below."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final

from toolcanon.drift.contract.containment_queries import (
    Divergence,
    Questions,
    Step,
    Twin,
    Version,
    is_open,
    path_words,
)
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.algebra.containment import Contained
from toolcanon.schema.algebra.normal.terms import Term, alike, matches
from toolcanon.schema.keywords import ANNOTATIONS
from toolcanon.schema.references import Place
from toolcanon.schema.values import is_anything, listed, table

_OBJECT: Final = frozenset({"properties", "required", "additionalProperties", "patternProperties"})
_ARRAY: Final = frozenset({"items", "prefixItems"})
MEMBERS: Final = _OBJECT | _ARRAY
_JOINED: Final = frozenset({"anyOf", "oneOf", "if", "not", "dependentSchemas", "then", "else"})
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_ALIKE: Final = 0.6
_TELLING: Final = 12
"""Equal texts shorter than this are no evidence of a renamed member."""


def members(twin: Twin, queries: Questions) -> Iterator[Divergence]:
    """Yield the members that were added, removed or renamed, or whose presence is required."""
    if twin.says(_ARRAY):
        yield from _items(twin, queries)
    if not twin.says(_OBJECT):
        return
    before, after = _names(twin.before), _names(twin.after)
    removed = {
        name: queries.without(twin.path, name)
        for name in before
        if not _is_known(name, twin.after, after)
    }
    removed = {name: answer for name, answer in removed.items() if is_open(answer)}
    new = [name for name in after if not _is_known(name, twin.before, before)]
    renamed = _renamed(twin, list(removed), new)
    for name, answer in removed.items():
        yield _removed(twin, name, answer, renamed.get(name))
    for name in new:
        if name not in renamed.values():
            yield from _new(twin, queries, name)
    yield from _required(twin, queries, removed, renamed)
    yield from _patterns(twin, queries)
    yield from _others(twin, queries)


def _names(version: Version) -> dict[str, None]:
    """Return the declared members, including those declared in unions and conditions."""
    if _JOINED.isdisjoint(version.said):
        return version.names
    return version.declared.names


def _is_known(name: str, version: Version, names: dict[str, None]) -> bool:
    return name in names or any(matches(pattern, name) for pattern in version.patterns)


def _removed(twin: Twin, name: str, answer: Contained, now: str | None) -> Divergence:
    words = _member(twin, name)
    was = _place(twin.before, name)
    if now is None:
        return Divergence("property-removed", words, was, None, _schema(twin.before, name), None,
                          answer, answer)  # fmt: skip
    return Divergence("property-renamed", words, was, _place(twin.after, now), name, now, answer,
                      answer)  # fmt: skip


def _new(twin: Twin, queries: Questions, name: str) -> Iterator[Divergence]:
    schema = _schema(twin.after, name)
    widened = narrowed = None
    others = twin.before.others
    if others is not None and not queries.closes:
        widened = queries.widened((*twin.path, ("properties", name)), others)
    elif schema is not None and _could_be(name, twin):
        # Undeclared members were accepted: this one may have stricter constraints now.
        narrowed = queries.narrowed((*twin.path, ("properties", name)), schema)
        if is_open(narrowed):
            yield Divergence("type-narrowed", _member(twin, name), twin.before.place,
                             _place(twin.after, name), None, None, narrowed)  # fmt: skip
            return
    if queries.closes and name in twin.before.required:
        return  # it was required before: its declaration is no change for callers
    yield Divergence("property-added", _member(twin, name), None, _place(twin.after, name), None,
                     schema, narrowed, widened)  # fmt: skip


def _could_be(name: str, twin: Twin) -> bool:
    """Return whether callers may have sent a member that was not declared."""
    before = twin.before
    if before.others is not None or name in before.required:
        return before.others is not False
    return not twin.is_root and before.declared.is_free(root=False)


def _required(
    twin: Twin, queries: Questions, removed: dict[str, Contained], renamed: dict[str, str]
) -> Iterator[Divergence]:
    before, after = twin.before.required, twin.after.required
    reported = {new for old, new in renamed.items() if old in before}
    for name, place in after.items():
        if name in before or name in reported:
            continue
        answer = queries.narrowed(twin.path, {"required": [name]})
        if is_open(answer):
            schema = _schema(twin.after, name)
            has_default = schema.__class__ is dict and "default" in schema
            yield Divergence(
                "required-added", _member(twin, name), _place(twin.before, name), place, None, name,
                answer, is_soft=has_default, hint="it has a default" if has_default else "",
            )  # fmt: skip
    for name, place in before.items():
        if name in after or name in removed:
            continue
        answer = queries.widened(twin.path, {"required": [name]})
        if is_open(answer):
            yield Divergence("required-removed", _member(twin, name), place,
                             _place(twin.after, name), name, None, None, answer)  # fmt: skip


def _renamed(twin: Twin, removed: list[str], new: list[str]) -> dict[str, str]:
    """Pair members of the same shape with a similar name or description."""
    found: dict[str, str] = {}
    for old in removed:
        before = _schema(twin.before, old)
        fits = [
            name for name in new
            if name not in found.values() and _has_shape(before, _schema(twin.after, name))
        ]  # fmt: skip
        scores = {name: _likeness(twin, old, name) for name in fits}
        best = max(scores, key=lambda name: scores[name], default=None)
        if best is not None and scores[best] >= _ALIKE:
            found[old] = best
    return found


def _likeness(twin: Twin, old: str, new: str) -> float:
    one, other = _plain(old), _plain(new)
    if one == other or one.startswith(other) or other.startswith(one):
        return 1.0
    texts = [_schema(version, name) for version, name in ((twin.before, old), (twin.after, new))]
    said = [text.get("description") if text.__class__ is dict else None for text in texts]
    if said[0] == said[1] and said[0].__class__ is str and len(said[0]) >= _TELLING:
        return 1.0
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _plain(name: str) -> str:
    """Return a name without its style: ``perPage`` and ``per_page`` are equal."""
    return "".join(_WORD.findall(name)).lower() or name


def _has_shape(one: Json, other: Json) -> bool:
    return one is not None and alike(_bare(one), _bare(other))


def _bare(schema: Json) -> Json:
    if schema.__class__ is not dict:
        return schema
    return {key: value for key, value in schema.items() if key not in ANNOTATIONS}


def _patterns(twin: Twin, queries: Questions) -> Iterator[Divergence]:
    before, after = twin.before.patterns, twin.after.patterns
    for pattern, term in before.items():
        if pattern not in after:
            answer = queries.narrowed(twin.path, {"patternProperties": {pattern: False}})
            if is_open(answer):
                yield Divergence("pattern-properties-removed", _member(twin, "*"), term[0].at, None,
                                 pattern, None, answer, answer)  # fmt: skip
    for pattern, term in after.items():
        if pattern not in before:
            answer = queries.narrowed(twin.path, {"patternProperties": {pattern: term[0].schema}})
            name = "pattern-properties-narrowed" if is_open(answer) else "pattern-properties-added"
            yield Divergence(name, _member(twin, "*"), None, term[0].at, None, pattern,
                             answer if is_open(answer) else None)  # fmt: skip


def _others(twin: Twin, queries: Questions) -> Iterator[Divergence]:
    """Compare what is accepted for undeclared members."""
    before, after = twin.before.others, twin.after.others
    if alike(before, after) or (before.__class__ is dict and after.__class__ is dict):
        return
    key = "additionalProperties"
    is_closing = after is False or before is None
    narrowed = widened = None
    # Callers send declared members; an explicit `additionalProperties` declares all names.
    if (
        is_closing
        and queries.closes
        and (before is not None or twin.before.declared.is_free(root=twin.is_root))
    ):
        names, patterns = _names(twin.before), twin.before.patterns
        known = (tuple(names | _names(twin.after)), tuple({**patterns, **twin.after.patterns}))
        narrowed = queries.narrowed((*twin.path, (key, known)), after)
    if not is_closing and not queries.closes and before is not False:
        known = (tuple(_names(twin.before)), tuple(twin.before.patterns))
        widened = queries.widened((*twin.path, (key, known)), before)
    name = "additional-properties-closed" if is_closing else "additional-properties-opened"
    was, at = (_said(version, key) for version in (twin.before, twin.after))
    yield Divergence(name, twin.words, was, at, before, after,
                     narrowed if is_open(narrowed) else None,
                     widened if is_open(widened) else None)  # fmt: skip


def _items(twin: Twin, queries: Questions) -> Iterator[Divergence]:
    """Compare items of lists, except where both have schemas for each: see ``below_members``."""
    before, after = _arrays(twin.before), _arrays(twin.after)
    if before == after or (before[0] == after[0] and before[1] and after[1]):
        return
    new, old = _array(twin.after), _array(twin.before)
    narrowed = queries.narrowed(twin.path, new) if new else None
    widened = queries.widened(twin.path, old) if old else None
    was, at = _said(twin.before, "items"), _said(twin.after, "items")
    if is_open(narrowed):
        yield Divergence("items-narrowed", twin.words, was, at, old or None, new, narrowed)
    if is_open(widened):
        yield Divergence("items-widened", twin.words, was, at, old, new or None, None, widened)


def _arrays(version: Version) -> tuple[int, bool]:
    """Return the number of positional items, and whether there is a schema for the others."""
    prefix = max((len(listed(spot.schema, "prefixItems")) for spot in version.nodes), default=0)
    return prefix, any(not is_anything(value) for value in version.values("items"))


def _array(version: Version) -> JsonObject:
    found: JsonObject = {}
    for key in ("prefixItems", "items"):
        said = version.first(key)
        if said is not None and not is_anything(said.value):
            found[key] = said.value
    return found


def below_members(twin: Twin, queries: Questions) -> Iterator[Twin]:
    """Yield the places below that both versions have and that differ."""
    for step, one, other in _steps(twin.before, twin.after, queries):
        if not queries.is_same(one, other):
            yield twin.below(step, one, other)


def _steps(
    before: Version, after: Version, queries: Questions
) -> Iterator[tuple[Step, Term, Term]]:
    for name in _changed(before, after, queries):
        yield ("properties", name), before.member(name), after.member(name)
    for pattern, term in before.patterns.items():
        if pattern in after.patterns:
            yield ("patternProperties", pattern), term, after.patterns[pattern]
    if before.others.__class__ is dict and after.others.__class__ is dict:
        known = (tuple(_names(after)), tuple(after.patterns))
        key = "additionalProperties"
        yield (key, known), _terms(before, key), _terms(after, key)
    if _ARRAY.isdisjoint(before.said) or _ARRAY.isdisjoint(after.said):
        return
    (prefix, has_old), (same, has_new) = _arrays(before), _arrays(after)
    if prefix == same:
        for index in range(prefix):
            yield ("prefixItems", index), _indexed(before, index), _indexed(after, index)
        if has_old and has_new:
            yield ("items", prefix), _terms(before, "items"), _terms(after, "items")


def _changed(before: Version, after: Version, queries: Questions) -> Iterator[str]:
    """Yield the members that both versions have, without those that are obviously equal."""
    if len(before.nodes) != 1 or len(after.nodes) != 1:
        yield from (name for name in before.names if name in after.names)
        return
    old, new = (table(version.nodes[0].schema, "properties") for version in (before, after))
    for name, schema in old.items():
        if name in new and not queries.is_same_schema(schema, new[name]):
            yield name


def _terms(version: Version, key: str) -> Term:
    return tuple(said.spot.below(key) for said in version.said.get(key, ()))


def _indexed(version: Version, index: int) -> Term:
    found = version.said.get("prefixItems", ())
    return tuple(said.spot.below("prefixItems", index) for said in found if index < len(said.value))


def _member(twin: Twin, name: str) -> str:
    return path_words((*twin.path, ("properties", name)))


def _place(version: Version, name: str) -> Place | None:
    term = version.member(name)
    return term[0].at if term else None


def _schema(version: Version, name: str) -> Json:
    term = version.member(name)
    return term[0].schema if term else None


def _said(version: Version, key: str) -> Place | None:
    said = version.first(key)
    return None if said is None else said.place(key)
