"""The fast lane: a plain function tool goes straight from one envelope into another.

Most definitions say nothing that both the source and the target have a word for except name,
description, arguments, strictness and output schema. Whether that is so follows from the keys
present and from the tables the formats publish (``Plain``), so it is decided once for each set of
keys. Whatever is unusual in the values themselves returns None, and the definition takes the
ordinary road through a canonical tool, as do losses, receipts and everything else that is asked
for later. Tests hold both roads to the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import count
from typing import NamedTuple, TypeAlias

import orjson

from toolcanon.conversion.bound import Quota, excess_of, is_small
from toolcanon.conversion.choice import AUTO, Choice
from toolcanon.conversion.detect import CERTAIN, best_match, candidates
from toolcanon.dialect import Dialect
from toolcanon.formats.wire import Format, Plain, PlainForm, Target
from toolcanon.jsonio import LONGEST_NAME
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering import Lowered, lower_cached
from toolcanon.naming import alias
from toolcanon.registry import builtin_formats, registry
from toolcanon.schema.modern import replaced_words

Lower: TypeAlias = Callable[[JsonObject, Dialect], Lowered]
Glance: TypeAlias = Callable[[JsonObject], bool | None]
_MOST_SHAPES = 4096
_numbers = count()
_dumps = orjson.dumps
_new = tuple.__new__  # a named tuple's own constructor costs twice as much
_ALWAYS_WRITTEN = frozenset({"name", "description", "inputs"})
_CARRIED = frozenset({"strict", "outputs"})  # what a lane takes along beside these


class _Basics(NamedTuple):
    """What a set of keys says beside name and arguments."""

    described: bool
    strict: bool
    outputs: str | None
    others: tuple[str, ...]
    """Keys that are not carried along."""
    number: int
    """One for each set of keys, outside and inside, that was learned."""


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


class Passed(NamedTuple):
    """What came out at the other end of a lane."""

    item: JsonObject
    name: str
    """The tool's own."""
    is_same: bool
    """Whether its schema goes out as it is."""
    is_renamed: bool
    sort: tuple[object, ...]
    """The keys it came by, whether it was renamed, how strict it was, whether it says nothing."""
    form: PlainForm
    others: tuple[str, ...]
    """Keys that stay behind."""
    lowered: Lowered | None
    """What became of the schema, where it was lowered and nothing else was."""

    @property
    def words(self) -> int | None:
        """How many words for types were replaced in its schema; None if anything else was."""
        lowered = self.lowered
        if self.is_same:
            return 0
        if lowered is None or lowered.log or lowered.document is not None:
            return None
        return replaced_words(lowered.upgrade_of, lowered.schema)

    @property
    def asks_strict(self) -> bool:
        """Whether the tool itself asks to be strict."""
        return bool(self.sort[2])

    @property
    def needs_restore(self) -> bool | None:
        """Whether calls come back in other names or arguments; None if that is to be seen."""
        if self.lowered is None:
            return self.is_renamed if self.is_same else None
        return self.is_renamed or self.lowered.document is not None


_lanes: dict[tuple[str | None, ...], _Lane | None] = {}
_UNKNOWN = _Lane(PlainForm(inputs=""), whole=False, verbatim=False, basics=None, known={})


def plain_item(  # noqa: C901, PLR0911, PLR0912, PLR0913, PLR0917 - the hottest path
    definition: JsonObject,
    target: Target,
    choice: Choice,
    lower: Lower = lower_cached,
    told: str | None = None,  # the type of the schema, where that may tell more than the keys
    glance: Glance | None = None,  # which of the schemas that the loader read need no lowering
) -> Passed | None:
    """The definition in the target's format, or None when it needs the ordinary road."""
    plain, verbatim, kind = target.plain, choice.verbatim, definition.get("type")
    if plain is None or (kind is not None and kind.__class__ is not str):
        return None
    shape = (target.id, kind, told, *definition)
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
    described, is_strict, output_key, others, number = basics
    own, schema, description, strict, outputs = inner["name"], inner[form.inputs], "", None, None
    if own.__class__ is not str or not 0 < len(own) <= LONGEST_NAME:
        return None
    if described:
        description = inner["description"]
        if description.__class__ is not str or (verbatim and not description):
            return None
    if is_strict and (strict := inner["strict"]).__class__ is not bool:
        return None
    name, write, is_same, lowered, asked = own, plain.write, False, None, strict
    if output_key is not None:
        outputs = inner[output_key]
        if outputs.__class__ is not dict or outputs.get("type") != "object":
            return None
    if schema.__class__ is not dict or form.odd in schema:
        return None
    if form.within is not None:
        if len(schema) != 1 or schema.get(form.within).__class__ is not dict:
            return None
        schema = schema[form.within]
    if not verbatim:
        kind, dialect = schema.get("type"), choice.plain
        if strict or choice.mode:
            dialect, strict = _strictly(choice, plain)
        if dialect is None or kind.__class__ is not str:
            return None
        if told is None and not kind.islower():  # it may tell another format
            return plain_item(definition, target, choice, lower, kind)
        if not strict and glance is not None and outputs is None and glance(schema):
            is_same = True
        else:
            if (made := _lowered(schema, outputs, dialect, lower)) is None:
                return None
            schema, outputs, is_same, lowered = made
        write = plain.apart.get(dialect.id, write)
    elif schema.get("type") != "object":
        return None
    if not (verbatim or target.names is None or target.names.allows(name)):
        name = alias(name, target.names)
    sort = (number, is_renamed := name != own, asked, not description)
    item = write(name, description, schema, strict, outputs)
    return _new(Passed, (item, own, is_same, is_renamed, sort, form, others, lowered))


def _strictly(choice: Choice, plain: Plain) -> tuple[Dialect | None, bool]:
    """The dialect of a tool that is to be strict, and whether it will be; None where that is open.

    A target without a strict mode does not hear that a tool asks for it, unless it hands such
    words on.
    """
    if choice.mode == AUTO:
        return None, False
    if choice.strict is not None and choice.plain is not None:
        return choice.strict, True
    return None if choice.mode or "strict" in plain.writes else choice.plain, False


def _lowered(
    stated: JsonObject, outputs: JsonObject | None, dialect: Dialect, lower: Lower
) -> tuple[JsonObject, JsonObject | None, bool, Lowered | None] | None:
    """Both schemas, and what ``Passed`` says of the first; None where a strict tool is too much."""
    lowered = lower(stated, dialect)
    if dialect.strict:
        if outputs is not None or not _fits_alone(lowered, dialect):
            return None
        return lowered.schema, None, False, lowered
    if outputs is not None:
        return lowered.schema, lower_cached(outputs, dialect, False).schema, False, None
    if dialect.limits.schema_bytes is not None:  # what is too long is told, however little was done
        return lowered.schema, None, False, None
    return lowered.schema, None, lowered.schema is stated and not lowered.log, lowered


def _fits_alone(lowered: Lowered, dialect: Dialect) -> bool:
    """Whether a strict tool is within every limit, where it is the only one of its request."""
    known: bool | None = lowered.memo.get("fits alone")
    if known is None:
        known = is_small(lowered.schema, dialect, alone=True) or (
            excess_of(lowered.measures, dialect) is None and Quota(dialect).excess(lowered) is None
        )
        lowered.memo["fits alone"] = known
    return known


def kin_of(definition: JsonObject, passed: Passed) -> tuple[object, ...]:
    """The same for all definitions that lose the same beside their schema."""
    sort, form, others = passed.sort, passed.form, passed.others
    inside = form.inside
    is_wrapped = inside is not None and len(definition) > 2  # noqa: PLR2004 - by more than its type
    if not (others or is_wrapped):
        return sort
    inner = definition if inside is None else definition[inside]
    told = [_told(inner[key]) for key in others]
    if is_wrapped:
        told += [_told(definition[key]) for key in definition if key != inside]
    return (sort, *told)


def _told(value: Json) -> object:
    """A value of a key that stays behind: what is lost may depend on it."""
    if value.__class__ is str:
        return bool(value)
    try:
        return _dumps(value)
    except TypeError:
        return object()  # unlike any other


def _learn(
    shape: tuple[str | None, ...], definition: JsonObject, target: Target, plain: Plain
) -> _Lane | None:
    if len(_lanes) >= _MOST_SHAPES:  # hostile input must not grow it without end
        _lanes.clear()
    lane = _find(definition, target, plain)
    if lane is None and any(_tells_inside(definition.get(key), ()) for key in _wrappers()):
        return None  # others with the same keys outside may fare better
    if lane is not None and shape[2] is None and _tells_by_type(definition, lane.form):
        return lane  # others with the same keys may be another format's
    _lanes[shape] = lane
    return lane


def _tells_by_type(definition: JsonObject, form: PlainForm) -> bool:
    """Whether the schema has a type in capitals, which may tell another format."""
    inner = definition if form.inside is None else definition[form.inside]
    schema = inner.get(form.inputs)
    kind = schema.get("type") if isinstance(schema, dict) else None
    return isinstance(kind, str) and not kind.islower()


def _learn_keys(lane: _Lane, inner: JsonObject, plain: Plain) -> _Basics | None:
    if len(lane.known) >= _MOST_SHAPES:
        lane.known.clear()
    basics = _basics(lane.form, inner, plain, whole=lane.whole)
    lane.known[tuple(inner)] = basics
    return basics


def _find(definition: JsonObject, target: Target, plain: Plain) -> _Lane | None:
    """The lane for all definitions with these keys, if their format is certain from the keys."""
    found, match = best_match(definition)
    if found.plain is None or match.many or not plain.carries.isdisjoint(definition):
        return None
    whole = found.id == target.id
    for form in found.plain.forms:
        inner = definition if form.inside is None else definition.get(form.inside)
        if (
            isinstance(inner, dict)
            and definition.get("type") == form.type
            and not _tells_otherwise(definition, form, found, certain=match.score == CERTAIN)
            and not (whole and form.inside and definition.keys() - {"type", form.inside})
            and (basics := _basics(form, inner, plain, whole=whole)) is not None
        ):
            return _Lane(form, whole, not whole or form is found.plain.forms[0], basics, {})
    return None


def own_schema(definition: JsonObject, target: Target) -> Json:
    """The schema of a definition that is of the target's own format, as its keys alone tell.

    None of them, beside those every tool has, is of a meaning that others share.
    """
    found, match = best_match(definition)
    if found.plain is None or match.many or found.id != target.id:
        return None
    certain = match.score == CERTAIN
    for form in found.plain.forms:
        if (
            form.inside is None
            and form.within is None
            and definition.get("type") == form.type
            and form.reads.keys().isdisjoint(definition)
            and not _tells_otherwise(definition, form, found, certain=certain)
        ):
            return definition.get(form.inputs)
    return None


def _tells_otherwise(
    definition: JsonObject, form: PlainForm, found: Format, *, certain: bool
) -> bool:
    """Whether some value, rather than the keys alone, could make it another form or format.

    Formats look only at definitions that have one of their keys; so the choice is certain when
    the form's own keys are all they can look at, and built-in formats agree on those.
    """
    own = {"name", "description", "type", form.inputs, form.inside}
    for other in candidates(definition):
        if certain and other is found:  # whoever comes later is not even asked
            break
        if other.id not in builtin_formats() or other.signals & (definition.keys() - own):
            return True
    return False


@cache
def _wrappers() -> frozenset[str]:
    """The keys under which some format keeps a whole function."""
    formats = registry().formats.values()
    forms = [form for item in formats if item.plain is not None for form in item.plain.forms]
    return frozenset(form.inside for form in forms if form.inside is not None)


@cache
def _signals() -> frozenset[str]:
    return frozenset().union(*(item.signals for item in registry().formats.values()))


def _tells_inside(inner: Json, read: Iterable[str]) -> bool:
    """Whether a key inside a wrapper, beside those read, could make it another format's."""
    if not isinstance(inner, dict):
        return False
    return not _signals().isdisjoint(inner.keys() - {"name", "description", "parameters", *read})


def _basics(form: PlainForm, inner: JsonObject, plain: Plain, *, whole: bool) -> _Basics | None:
    """What the keys say, unless they say something that the target could say and a lane cannot."""
    if "name" not in inner or form.inputs not in inner or not plain.carries.isdisjoint(inner):
        return None
    if form.inside is not None and _tells_inside(inner, (form.inputs, *form.reads)):
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
    basic = {"name", "description", "strict", form.inputs, output_key}
    others = tuple(key for key in inner if key not in basic and (form.inside or key != "type"))
    return _Basics("description" in inner, "strict" in reads, output_key, others, next(_numbers))
