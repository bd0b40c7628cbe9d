"""Is one schema contained in another? Yes, no with a witness, or unknown with the reason.

A witness is accepted by one schema and rejected by the other, and as small as possible. Candidates
come from the comparison, from examples in the schema, and from the sampler. None counts before a
validator that shares no code with the comparison has checked it on both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, TypeAlias

import jsonschema_rs

from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.algebra.containment.engine import ContainmentEngine, Reading
from toolcanon.schema.algebra.containment.protocol import OTHERS, Failure, Step, ValuePlace
from toolcanon.schema.algebra.normal.terms import (
    NormalFormBudget,
    Spent,
    TermDocument,
    TermNode,
    alike,
)
from toolcanon.schema.algebra.normal.unions import type_words
from toolcanon.schema.cached_property import kept
from toolcanon.schema.keywords import IN_PLACE, OTHER_MEMBERS, POSITIONS, TYPES, Position
from toolcanon.schema.references import DEFINITIONS, REFERENCES, is_walked
from toolcanon.schema.sampling import sample
from toolcanon.schema.validate import Effort, Judge, judge
from toolcanon.schema.values import is_anything, listed, table

_APPLYING: Final = IN_PLACE | {"$ref", "$dynamicRef"}
_AS_THEY_ARE: Final = frozenset({"propertyNames", "contains", "contentSchema"})
_LEAVES: Final = TYPES - {"object"}
_LEADING: Final = frozenset(POSITIONS) | {"$ref", "$dynamicRef"}
_LAST: Final = 10**9  # an item without a positional schema


def closed(schema: Json, *, maps: bool, lenient: bool = False) -> Json:
    """Return the schema without undeclared members.

    With ``maps``, objects without declared members below the root, and explicitly open ones, stay
    open. A member of a branch is allowed only with that branch, or always if ``lenient``. Raises
    ``Spent`` where a reference leads out of what can be rewritten.

    >>> closed({"type": "object", "properties": {"a": {}}}, maps=True)
    {'type': 'object', 'properties': {'a': {}}, 'additionalProperties': False}
    """
    closer = _Closer(maps=maps, lenient=lenient)
    root = TermNode(schema, (), TermDocument(schema))
    return closer.place(root, ValuePlace((root,), closer.budget))


class _Closer:
    def __init__(self, *, maps: bool, lenient: bool) -> None:
        self.budget = NormalFormBudget()
        self._maps = maps
        self._lenient = lenient

    def place(self, spot: TermNode, site: ValuePlace) -> Json:
        """Return the schema for a place of values."""
        schema = spot.schema
        if schema is True:
            return True if self._maps and not site.is_root else {"additionalProperties": False}
        if schema.__class__ is not dict:
            return schema
        out = self.node(spot, site)
        kinds = type_words(schema.get("type"))
        if kinds is not None and "object" not in kinds:
            return out
        declared = site.declared
        if declared.mapped or (self._maps and site.is_free):
            return out
        if declared.needed and schema.get("additionalProperties") is not False:
            own = dict.fromkeys(declared.needed, True)
            out = {**out, "properties": {**own, **table(out, "properties")}}
        alone = len(site.nodes) == 1 and schema.keys().isdisjoint(_APPLYING)
        if alone and is_anything(schema.get("additionalProperties", True)):
            return {**out, "additionalProperties": False}
        here = ValuePlace((spot,), self.budget, site)
        if self._lenient or len(here.nodes) < len(site.nodes):  # other schemas declare members, too
            return {**out, "allOf": [*listed(out, "allOf"), declared.closing()]}
        return {**out, "unevaluatedProperties": False}

    def node(self, spot: TermNode, site: ValuePlace) -> Json:
        """Return a schema with everything below it closed; the site is that of the value."""
        schema = spot.schema
        if schema.__class__ is not dict:
            return schema
        for key in REFERENCES:
            found = spot.home.find(schema[key], schema) if key in schema else None
            if found is not None and not is_walked(found.pointer):
                raise Spent  # it would not be visited, and would stay open
        out: JsonObject = {}
        for key, value in schema.items():
            position = POSITIONS.get(key)
            if (
                position is None
                or key in _AS_THEY_ARE
                or (key in OTHER_MEMBERS and is_anything(value))
            ):
                out[key] = value
            elif position is Position.SCHEMA_MAP and value.__class__ is dict:
                out[key] = {
                    name: inner
                    if _is_leaf(inner)
                    else self._below(key, spot.below(key, name), site)
                    for name, inner in value.items()
                }
            elif value.__class__ is list:
                out[key] = [self._below(key, spot.below(key, at), site) for at in range(len(value))]
            else:
                out[key] = self._below(key, spot.below(key), site)
        return out

    def _below(self, key: str, spot: TermNode, site: ValuePlace) -> Json:
        """Return a schema in a keyword: of the same value, of another, or not applied here."""
        if key in DEFINITIONS:
            return self.node(spot, ValuePlace((spot,), self.budget, site))
        if key in IN_PLACE:
            return self.node(spot, site)
        return self.place(spot, site.step(_step(key, spot.at[-1])))


def _is_leaf(schema: Json) -> bool:
    """Return whether it has a type without members, and nothing is below it."""
    if schema.__class__ is not dict:
        return False
    kind = schema.get("type")
    return kind.__class__ is str and kind in _LEAVES and _LEADING.isdisjoint(schema)


def _step(key: str, last: str | int) -> Step:
    if key == "prefixItems":
        return ("items", last)
    if key == "items":
        return ("items", _LAST)
    return (key, last) if key in {"properties", "patternProperties"} else OTHERS


Answer: TypeAlias = Literal["yes", "no", "unknown"]

_MOST_TRIES: Final = 200  # steps of shrinking
_MOST_SAMPLES: Final = 48
_MOST_PLACES: Final = 200
_WORK: Final = 12_000
_MOST_CANDIDATES: Final = 60
_ROOT: Final = Pointer()


class Validators:
    """Validators of both sides, built for the first candidate."""

    def __init__(self, one: Json, other: Json, *, closes: bool) -> None:
        self._one = one
        self._other = other
        self._closes = closes

    def proves(self, value: Json, *, formats: bool = False) -> bool:
        """Return whether a value is certainly accepted by one side and rejected by the other."""
        one, other = self._asserting if formats else self._judges
        is_proven = other.accepts(value) is False and not one.skipped and one.accepts(value) is True
        return is_proven and (not self._closes or self._is_refused(value))

    def refutes(self, value: Json) -> bool:
        """Return the same for a value that the comparison did not suggest."""
        return self.proves(value) and (not self._closes or self._strict.accepts(value) is True)

    def _is_refused(self, value: Json) -> bool:
        """Return whether it is rejected for more than members that neither side declares."""
        return self._strict.accepts(value) is True or judge(self._other).accepts(value) is False

    def sampled(self) -> Iterator[Json]:
        """Yield examples from the schema, then generated ones."""
        schema = closed(self._one, maps=False) if self._closes else self._one
        yield from _given(schema)
        if schema.__class__ in (dict, bool):
            yield from sample(schema, most=_MOST_SAMPLES)

    @kept
    def _texts(self) -> tuple[Json, Json]:
        if not self._closes:
            return self._one, self._other
        return closed(self._one, maps=True), closed(self._other, maps=False, lenient=True)

    @kept
    def _judges(self) -> tuple[Judge, Judge]:
        one, other = self._texts
        return judge(one), judge(other)

    @kept
    def _strict(self) -> Judge:
        return judge(closed(self._one, maps=False))

    @kept
    def _asserting(self) -> tuple[Judge, Judge]:
        one, other = self._texts
        return _asserting(one), _asserting(other)


def _asserting(schema: Json) -> Judge:
    """Return a validator that asserts formats."""
    plain = judge(schema)
    if plain.skipped or not plain.judged or schema.__class__ is not dict:
        return plain
    try:
        validator = jsonschema_rs.Draft202012Validator(
            {key: said for key, said in schema.items() if key != "$schema"},
            validate_formats=True,
            offline=True,
            pattern_options=jsonschema_rs.RegexOptions(),
        )
    except ValueError:
        return plain
    return Judge(validator, (), Effort(schema))


def _given(schema: Json) -> Iterator[Json]:
    """Yield defaults and examples of the whole, and of single members."""
    if schema.__class__ is not dict:
        return
    yield from _said(schema)
    members = schema.get("properties")
    if members.__class__ is dict:
        for name, inner in list(members.items())[:_MOST_PLACES]:
            yield from ({name: value} for value in _said(inner))


def _said(schema: Json) -> Iterator[Json]:
    if schema.__class__ is dict:
        if "default" in schema:
            yield schema["default"]
        examples = schema.get("examples")
        if examples.__class__ is list:
            yield from examples[:4]


def shrink(value: Json, keeps: Callable[[Json], bool]) -> Json:
    """Return the smallest value found by steps from a value, each of which ``keeps`` accepts.

    >>> shrink({"a": [1, 2, 3], "b": "long"}, lambda v: len(v.get("a", ())) > 1)
    {'a': [0, 0]}
    """
    tries = _MOST_TRIES
    again = True
    while again:
        again = False
        for smaller in _smaller(value):
            tries -= 1
            if tries < 0:
                return value
            if keeps(smaller):
                value = smaller
                again = True
                break
    return value


def _smaller(value: Json) -> Iterator[Json]:
    """Yield values that are simpler in one respect, the largest steps first."""
    if value.__class__ is dict:
        yield from ({k: v for k, v in value.items() if k != name} for name in reversed(list(value)))
        for name, inner in value.items():
            yield from ({**value, name: less} for less in _smaller(inner))
    elif value.__class__ is list:
        for at in range(len(value) - 1, -1, -1):
            yield [*value[:at], *value[at + 1 :]]
        for at, inner in enumerate(value):
            yield from ([*value[:at], less, *value[at + 1 :]] for less in _smaller(inner))
    elif value.__class__ is str:
        yield from _shorter(value)
    elif value.__class__ is float or (value.__class__ is int and abs(value) > 1):
        yield from (n for n in (0, 1, -1, int(value) if abs(value) < 2**53 else 0)
                    if _weight(n) < _weight(value))  # fmt: skip
    elif value == 1 and value.__class__ is int:
        yield 0


def _shorter(text: str) -> Iterator[str]:
    if text:
        yield ""
        yield from (plain for plain in ("x",) if len(text) > 1)
        yield text[: len(text) // 2]
        yield text[:-1]


def _weight(number: float) -> tuple[int, float]:
    return len(repr(number)), abs(number)


@dataclass(frozen=True, slots=True)
class Contained:
    """The answer; a *no* has a witness, and an *unknown* a reason."""

    answer: Answer
    witness: Json = None
    """A value of one schema that the other rejects; it may be ``null``, so check ``answer``."""
    reason: str = ""
    at: Pointer = _ROOT
    """The keyword of the other schema that rejects it, or that could not be proved."""


_YES: Final = Contained("yes")


def contained(
    one: Json, other: Json, *, reading: Reading = "plain", budget: int = _WORK
) -> Contained:
    """Return whether every value of one schema is valid for the other. Both are 2020-12.

    ``inputs`` are read by declared members: objects are closed on both sides, unless they have a
    schema for other members. ``outputs`` stay open. In both, bounds of safe integers are ignored.
    For inputs pass the old schema and the new one, for outputs the new one and the old.

    >>> found = contained({"type": "integer", "minimum": 0}, {"exclusiveMinimum": 0})
    >>> found.answer, found.witness, found.at
    ('no', 0, Pointer('/exclusiveMinimum'))
    """
    return answered(TermDocument(one), TermDocument(other), reading, budget)


def answered(
    one: TermDocument, other: TermDocument, reading: Reading, budget: int = _WORK
) -> Contained:
    """Answer for documents with several queries, whose intermediate results are kept."""
    if alike(one.root, other.root):
        return _YES
    engine = ContainmentEngine(one, other, reading, NormalFormBudget(budget))
    try:
        found = engine.root()
        if not found:
            return _YES
        return _proven(found, Validators(one.root, other.root, closes=reading == "inputs"))
    except (Spent, RecursionError):
        return Contained("unknown", None, "comparing them exceeds the work limit")


def _proven(found: list[Failure], validators: Validators) -> Contained:
    """Return no for the first candidate that proves it, else unknown."""
    tried = 0
    for one in found:
        formats = one.at[-1:] == ("format",)
        for value in one.values:
            tried += 1
            if tried <= _MOST_CANDIDATES and validators.proves(value, formats=formats):
                least = shrink(value, partial(validators.proves, formats=formats))
                return Contained("no", least, one.reason, Pointer(one.at))
    for value in validators.sampled():
        if validators.refutes(value):
            least = shrink(value, validators.refutes)
            return Contained("no", least, found[0].reason, Pointer(found[0].at))
    return Contained("unknown", None, f"unproven: {found[0].reason}", Pointer(found[0].at))
