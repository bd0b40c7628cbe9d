"""The fast lane: a plain function tool goes straight from one envelope into another.

Most definitions say nothing that both the source and the target have a word for except name,
description and arguments. Whether that is so follows from the keys present and from the tables the
formats publish (``Plain``), so it is decided once for each set of keys. Whatever is unusual in the
values themselves returns None, and the definition takes the ordinary road through a canonical tool,
as do losses, receipts and everything else that is asked for later. Tests hold both roads to the
same result.
"""

from __future__ import annotations

from typing import NamedTuple

from toolcanon.conversion.detect import best_match, candidates
from toolcanon.formats.wire import Plain, PlainForm, Target
from toolcanon.jsonio import LONGEST_NAME
from toolcanon.jsonio.types import JsonObject
from toolcanon.naming import alias
from toolcanon.registry import builtin_formats
from toolcanon.schema.keywords import TYPES
from toolcanon.schema.modern import modern

_MOST_SHAPES = 4096
_ALWAYS_WRITTEN = frozenset({"name", "description", "inputs"})


class _Lane(NamedTuple):
    """How to read the basics of every definition with the same keys."""

    form: PlainForm
    whole: bool
    """Only the basics may be present: source and target are one format, and nothing may go."""
    verbatim: bool
    """Whether it serves verbatim conversions: a format's other shapes would not come back."""
    inner_shapes: dict[tuple[str, ...], bool]


_lanes: dict[tuple[str | None, ...], _Lane | None] = {}
_UNKNOWN = _Lane(PlainForm(inputs=""), whole=False, verbatim=False, inner_shapes={})


def plain_item(definition: JsonObject, target: Target, verbatim: bool) -> JsonObject | None:  # noqa: C901, FBT001, PLR0911
    """The definition in the target's format, or None when it needs the ordinary road."""
    plain = target.plain
    kind = definition.get("type")
    if plain is None or (kind is not None and kind.__class__ is not str):
        return None
    shape = (target.id, kind, *definition)
    lane = _lanes.get(shape, _UNKNOWN)
    if lane is _UNKNOWN:
        lane = _learn(shape, definition, target, plain)
    if lane is None or (verbatim and not lane.verbatim):
        return None
    form = lane.form
    inner = definition
    if form.inside is not None:
        inner = definition[form.inside]
        if inner.__class__ is not dict or not _known_inside(lane, inner, plain):
            return None
    name, schema, description = inner["name"], inner[form.inputs], inner.get("description")
    if (
        name.__class__ is not str
        or schema.__class__ is not dict
        or not 0 < len(name) <= LONGEST_NAME
        or not (description if description.__class__ is str else "description" not in inner)
    ):
        return None
    kind = schema.get("type")
    if kind != "object":
        # An upper-case word would have told another format, and "any" leaves nothing to write.
        if verbatim or kind.__class__ is not str or not kind.islower() or kind in TYPES:
            return None
        schema = modern(schema)
        if not schema:
            return None
    if form.odd is not None and form.odd in schema:
        return None
    strict = inner.get("strict") if "strict" in form.reads else None
    if strict.__class__ is not bool and "strict" in inner and "strict" in form.reads:
        return None
    policy = target.names
    if not (verbatim or policy is None or policy.allows(name)):
        name = alias(name, policy)
    return plain.write(name, description or "", schema, strict)


def _known_inside(lane: _Lane, inner: JsonObject, plain: Plain) -> bool:
    shapes = lane.inner_shapes
    shape = tuple(inner)
    if shape not in shapes:
        if len(shapes) >= _MOST_SHAPES:
            shapes.clear()
        shapes[shape] = _suffices(lane.form, inner, plain, whole=lane.whole)
    return shapes[shape]


def _learn(
    shape: tuple[str | None, ...], definition: JsonObject, target: Target, plain: Plain
) -> _Lane | None:
    if len(_lanes) >= _MOST_SHAPES:  # hostile input must not grow it without end
        _lanes.clear()
    lane = _lanes[shape] = _find(definition, target, plain)
    return lane


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
            and _suffices(form, inner, plain, whole=whole)
        ):
            return _Lane(form, whole, not whole or form is found.plain.forms[0], {})
    return None


def _tells_otherwise(definition: JsonObject, form: PlainForm) -> bool:
    """Whether some value, rather than the keys alone, could make it another form or format.

    Formats look only at definitions that have one of their keys; so the choice is certain
    when the form's own keys are all they can look at, and built-in formats agree on those.
    """
    own = {"name", "description", "type", form.inputs, form.inside}
    for other in candidates(definition):
        if other.id not in builtin_formats() or other.signals & (definition.keys() - own):
            return True
    return False


def _suffices(form: PlainForm, inner: JsonObject, plain: Plain, *, whole: bool) -> bool:
    """Nothing beside the basics (and strictness) says anything that the target could say."""
    if "name" not in inner or form.inputs not in inner:
        return False
    if whole:
        return inner.keys() <= {
            "name",
            "description",
            form.inputs,
            *({"strict"} & form.reads.keys()),
        }
    said = {form.reads[key] for key in inner if key in form.reads} - {"strict"}
    return said.isdisjoint(plain.writes | _ALWAYS_WRITTEN)
