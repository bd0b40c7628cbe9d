"""The fast lane: a plain function tool goes straight from one envelope into another.

Most definitions say nothing that both the source and the target have a word for except name,
description, arguments, strictness and output schema. Whether that is so follows from the keys
present and from the tables the formats publish (``Plain``), so it is decided once for each set of
keys. Whatever is unusual in the values themselves returns None, and the definition takes the
ordinary road through a canonical tool, as do losses, receipts and everything else that is asked
for later. Tests hold both roads to the same result.
"""

from __future__ import annotations

from typing import NamedTuple

from toolcanon.conversion.choice import Choice
from toolcanon.conversion.detect import best_match, candidates
from toolcanon.formats.wire import Plain, PlainForm, Target
from toolcanon.jsonio import LONGEST_NAME
from toolcanon.jsonio.types import JsonObject
from toolcanon.lowering import lower_cached
from toolcanon.naming import alias
from toolcanon.registry import builtin_formats

_MOST_SHAPES = 4096
_ALWAYS_WRITTEN = frozenset({"name", "description", "inputs"})
_CARRIED = frozenset({"strict", "outputs"})  # what a lane takes along beside these


class _Basics(NamedTuple):
    """What a set of keys says beside name and arguments."""

    described: bool
    strict: bool
    outputs: str | None


class _Lane(NamedTuple):
    """How to read the basics of every definition with the same keys."""

    form: PlainForm
    whole: bool
    """Only the basics may be present: source and target are one format, and nothing may go."""
    verbatim: bool
    """Whether it serves verbatim conversions: a format's other shapes would not come back."""
    basics: _Basics | None
    """Of a flat form; a form inside a wrapper looks them up by its own keys."""
    known: dict[tuple[str, ...], _Basics | None]


_lanes: dict[tuple[str | None, ...], _Lane | None] = {}
_UNKNOWN = _Lane(PlainForm(inputs=""), whole=False, verbatim=False, basics=None, known={})


def plain_item(definition: JsonObject, target: Target, choice: Choice) -> JsonObject | None:  # noqa: C901, PLR0911, PLR0912
    """The definition in the target's format, or None when it needs the ordinary road."""
    plain = target.plain
    verbatim = choice.verbatim
    kind = definition.get("type")
    if plain is None or (kind is not None and kind.__class__ is not str):
        return None
    shape = (target.id, kind, *definition)
    lane = _lanes.get(shape, _UNKNOWN)
    if lane is _UNKNOWN:
        lane = _learn(shape, definition, target, plain)
    if lane is None:
        return None
    form, _, serves_verbatim, basics, known = lane
    inner = definition
    if form.inside is not None:
        inner = definition[form.inside]
        if inner.__class__ is not dict:
            return None
        keys = tuple(inner)
        basics = known[keys] if keys in known else _learn_keys(lane, inner, plain)
    if basics is None or (verbatim and not serves_verbatim):
        return None
    described, is_strict, output_key = basics
    name, schema, description, strict, outputs = inner["name"], inner[form.inputs], "", None, None
    if name.__class__ is not str or not 0 < len(name) <= LONGEST_NAME:
        return None
    if described:
        description = inner["description"]
        if description.__class__ is not str or not description:
            return None
    if is_strict:
        strict = inner["strict"]
        if strict.__class__ is not bool or (strict and not verbatim):
            return None
    if output_key is not None:
        outputs = inner[output_key]
        if outputs.__class__ is not dict or outputs.get("type") != "object":
            return None
    if schema.__class__ is not dict or (form.odd is not None and form.odd in schema):
        return None
    if form.within is not None:
        if len(schema) != 1 or schema.get(form.within).__class__ is not dict:
            return None
        schema = schema[form.within]
    if not verbatim:
        kind = schema.get("type")
        # Something upper-case would have told another format.
        if kind.__class__ is not str or not kind.islower():
            return None
        if choice.plain is None:
            return None
        schema = lower_cached(schema, choice.plain).schema
        if outputs is not None:
            outputs = lower_cached(outputs, choice.plain, False).schema
    elif schema.get("type") != "object":
        return None
    policy = target.names
    if not (verbatim or policy is None or policy.allows(name)):
        name = alias(name, policy)
    return plain.write(name, description, schema, strict, outputs)


def _learn(
    shape: tuple[str | None, ...], definition: JsonObject, target: Target, plain: Plain
) -> _Lane | None:
    if len(_lanes) >= _MOST_SHAPES:  # hostile input must not grow it without end
        _lanes.clear()
    lane = _lanes[shape] = _find(definition, target, plain)
    return lane


def _learn_keys(lane: _Lane, inner: JsonObject, plain: Plain) -> _Basics | None:
    if len(lane.known) >= _MOST_SHAPES:
        lane.known.clear()
    basics = _basics(lane.form, inner, plain, whole=lane.whole)
    lane.known[tuple(inner)] = basics
    return basics


def _find(definition: JsonObject, target: Target, plain: Plain) -> _Lane | None:
    """The lane for all definitions with these keys, if their format is certain from the keys."""
    found, match = best_match(definition)
    if found.plain is None or match.many:
        return None
    whole = found.id == target.id
    for form in found.plain.forms:
        inner = definition if form.inside is None else definition.get(form.inside)
        if (
            isinstance(inner, dict)
            and definition.get("type") == form.type
            and not _tells_otherwise(definition, form)
            and not (whole and form.inside and definition.keys() - {"type", form.inside})
            and (basics := _basics(form, inner, plain, whole=whole)) is not None
        ):
            return _Lane(form, whole, not whole or form is found.plain.forms[0], basics, {})
    return None


def _tells_otherwise(definition: JsonObject, form: PlainForm) -> bool:
    """Whether some value, rather than the keys alone, could make it another form or format.

    Formats look only at definitions that have one of their keys; so the choice is certain when
    the form's own keys are all they can look at, and built-in formats agree on those.
    """
    own = {"name", "description", "type", form.inputs, form.inside}
    for other in candidates(definition):
        if other.id not in builtin_formats() or other.signals & (definition.keys() - own):
            return True
    return False


def _basics(form: PlainForm, inner: JsonObject, plain: Plain, *, whole: bool) -> _Basics | None:
    """What the keys say, unless they say something that the target could say and a lane cannot."""
    if "name" not in inner or form.inputs not in inner:
        return None
    reads = {key: form.reads[key] for key in inner if key in form.reads}
    outputs = [key for key, word in reads.items() if word == "outputs"]
    beyond = set(reads.values()) - _CARRIED
    if len(outputs) > 1 or not beyond.isdisjoint(plain.writes | _ALWAYS_WRITTEN):
        return None
    carried = {key for key, word in reads.items() if word in _CARRIED}
    if whole and inner.keys() - carried - {"name", "description", form.inputs}:
        return None
    output_key = outputs[0] if outputs and "outputs" in plain.writes else None
    return _Basics("description" in inner, "strict" in reads, output_key)
