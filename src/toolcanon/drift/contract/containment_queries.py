"""Places of both versions paired, and questions about containment there.

A constraint is a fragment of a schema at a place. It is checked alone, nested to its place with
nothing else around it, so that the answer and the witness are about this one constraint. A version
that rejects what the fragment rejects is at least as strict, so the witness holds for the whole
schema; it is validated against the whole all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.algebra.containment import Contained, answered
from toolcanon.schema.algebra.containment.answer import closed
from toolcanon.schema.algebra.containment.engine import ContainmentEngine
from toolcanon.schema.algebra.containment.protocol import Declared, ValuePlace
from toolcanon.schema.algebra.normal.terms import (
    NormalFormBudget,
    OpenedTerm,
    Spent,
    Term,
    TermDocument,
    TermNode,
    alike,
    opened,
)
from toolcanon.schema.algebra.normal.unions import cells_of
from toolcanon.schema.cached_property import kept
from toolcanon.schema.keywords import ANNOTATIONS, POSITIONS, Position
from toolcanon.schema.references import REFERENCES, Place, has_references
from toolcanon.schema.values import is_anything, table

Step: TypeAlias = tuple[str, Any]
"""A keyword, and the name, the number or the schemas that it needs."""
Path: TypeAlias = tuple[Step, ...]

_MOST: Final = 48
_TOO_MANY: Final = Contained("unknown", None, "there are too many changes to prove each of them")
_YES: Final = Contained("yes")
_HOME: Final = "whole"
_REMARKS: Final = ANNOTATIONS | {"$schema"}


class Questions:
    """Two versions of a schema, and the containment queries between them."""

    def __init__(self, before: Json, after: Json, *, closes: bool) -> None:
        self.before = TermDocument(before)
        self.after = TermDocument(after)
        self.closes = closes
        self._left = _MOST

    def narrowed(self, path: Path, fragment: Json, *, proves: bool | None = None) -> Contained:
        """Return whether a constraint of the new version holds for all values of the old one.

        A proof is searched where a difference is breaking: here for arguments, below for results.
        For the other side there is none, unless ``proves`` is set.
        """
        is_proven = self.closes if proves is None else proves
        values = self._values_before if is_proven else self.before
        return self._answer(values, probe(self.after, path, fragment), is_proven=is_proven)

    def widened(self, path: Path, fragment: Json, *, proves: bool | None = None) -> Contained:
        """Return whether a constraint of the old version holds for all values of the new one."""
        is_proven = not self.closes if proves is None else proves
        values = self._values_after if is_proven else self.after
        return self._answer(values, probe(self.before, path, fragment), is_proven=is_proven)

    def without(self, path: Path, name: str) -> Contained:
        """Return whether a removed member was never used; a *no* has a witness.

        For arguments it is a call that uses the member, for results one that lacks it.
        """
        if self.closes:
            return self.narrowed(path, {"properties": {name: False}})
        return self.widened(path, {"required": [name]})

    def omitted(self, path: Path) -> Contained:
        """Return whether a member was required before; a *no* is a call without it."""
        return self.narrowed(path[:-1], {"required": [path[-1][1]]})

    def used(self, path: Path) -> Contained:
        """Return whether no value was possible at a place before; a *no* is a call with one."""
        return self.narrowed(path, False)

    def whole(self) -> Contained:
        """Return whether every old value, or every new result, is still valid."""
        if self.closes:
            return answered(self.before, self.after, "inputs")
        return answered(self.after, self.before, "outputs")

    def beyond(self) -> Contained:
        """Return the opposite of ``whole``: whether no further values or results are valid."""
        if self.closes:
            return answered(self.after, self.before, "inputs")
        return answered(self.before, self.after, "outputs")

    def is_same(self, one: Term, other: Term) -> bool:
        """Return whether two terms are equal in keywords and values."""
        return len(one) == len(other) and all(
            self.is_same_schema(spot.schema, counterpart.schema)
            for spot, counterpart in zip(one, other, strict=True)
        )

    def is_same_schema(self, one: Json, other: Json) -> bool:
        """Return whether two schemas are equal in keywords and values."""
        return alike(one, other) and (self.same_references or not has_references(one))

    def is_same_demand(self, one: JsonObject, other: JsonObject) -> bool:
        """Return whether two fragments have equal constraints, apart from annotations."""
        if not alike(one, other) and not same_demands(one, other):
            return False
        return self.same_references or not has_references(one)

    @kept
    def same_references(self) -> bool:
        """Whether the same reference resolves to the same schema in both versions."""
        if not (self.before.refers or self.after.refers):
            return True  # the most common case, and cheap to detect
        one, other = self.before.definitions, self.after.definitions
        return one is not None and other is not None and alike(one, other)

    @kept
    def _values_before(self) -> TermDocument:
        return TermDocument(closed(self.before.root, maps=True)) if self.closes else self.before

    @kept
    def _values_after(self) -> TermDocument:
        return TermDocument(closed(self.after.root, maps=True)) if self.closes else self.after

    def _answer(self, values: TermDocument, asked: Json, *, is_proven: bool) -> Contained:
        """Return the answer, with both read as outputs: objects are closed only as written."""
        self._left -= 1
        if self._left < 0:
            return _TOO_MANY
        if is_proven:
            return answered(values, TermDocument(asked), "outputs")
        try:
            found = ContainmentEngine(
                values, TermDocument(asked), "outputs", NormalFormBudget()
            ).root()
        except (Spent, RecursionError):
            return Contained("unknown", None, "comparing them exceeds the work limit")
        return Contained("unknown", None, found[0].reason) if found else _YES


def probe(home: TermDocument, path: Path, fragment: Json) -> Json:
    """Return a schema with one constraint at one place, and no other."""
    found = fragment
    for keyword, what in reversed(path):
        found = _NESTS[keyword](what, found)
    if found.__class__ is not dict or not home.refers or not has_references(found):
        return found
    known = home.definitions
    if known is not None:
        return {**found, **known}
    return {**_moved(found), "$defs": {_HOME: _moved(home.root)}}


def _properties(name: str, inner: Json) -> JsonObject:
    return {"properties": {name: inner}}


def _prefix(index: int, inner: Json) -> JsonObject:
    return {"prefixItems": [*[True] * index, inner]}


def _items(first: int, inner: Json) -> JsonObject:
    return {"prefixItems": [True] * first, "items": inner} if first else {"items": inner}


def _patterned(pattern: str, inner: Json) -> JsonObject:
    return {"patternProperties": {pattern: inner}}


def _others(known: tuple[tuple[str, ...], tuple[str, ...]], inner: Json) -> JsonObject:
    names, patterns = known
    return {
        "properties": dict.fromkeys(names, True),
        "patternProperties": dict.fromkeys(patterns, True),
        "additionalProperties": inner,
    }


def _branch(others: tuple[Json, ...], inner: Json) -> JsonObject:
    return {"anyOf": [inner, *others]}


_NESTS: Final[dict[str, Callable[[Any, Json], JsonObject]]] = {
    "properties": _properties,
    "prefixItems": _prefix,
    "items": _items,
    "patternProperties": _patterned,
    "additionalProperties": _others,
    "anyOf": _branch,
}


def same_demands(one: Json, other: Json) -> bool:
    """Return whether two schemas have equal constraints, without annotations at any depth."""
    if one.__class__ is not dict or other.__class__ is not dict:
        return alike(one, other)
    demands = [key for key in one if key not in _REMARKS]
    if len(demands) != sum(key not in _REMARKS for key in other):
        return False
    return all(key in other and _same_value(key, one[key], other[key]) for key in demands)


def _same_value(key: str, one: Json, other: Json) -> bool:
    """Compare the value of a keyword: a schema, a list or a map of them, or a plain value."""
    if alike(one, other):  # the most common case
        return True
    position = POSITIONS.get(key)
    if position is None or one.__class__ is not other.__class__:
        return False
    if position is Position.SCHEMA_MAP and one.__class__ is dict:
        return one.keys() == other.keys() and all(
            alike(inner, other[name]) or same_demands(inner, other[name])
            for name, inner in one.items()
        )
    if one.__class__ is list:
        return len(one) == len(other) and all(map(same_demands, one, other))
    return same_demands(one, other)


def _moved(schema: Json) -> Json:
    """Return a schema whose references begin one level deeper."""
    if schema.__class__ is not dict:
        return schema
    out: JsonObject = {}
    for key, value in schema.items():
        position = POSITIONS.get(key)
        if key in REFERENCES and value.__class__ is str and (value + "/").startswith("#/"):
            out[key] = f"#/$defs/{_HOME}{value[1:]}"
        elif position is Position.SCHEMA_MAP and value.__class__ is dict:
            out[key] = {name: _moved(inner) for name, inner in value.items()}
        elif position is not None and value.__class__ is list:
            out[key] = [_moved(inner) for inner in value]
        else:
            out[key] = _moved(value) if position is not None else value
    return out


def path_words(path: Path) -> str:
    """Return a place as a readable path.

    >>> path_words((("properties", "rows"), ("items", 0), ("properties", "id")))
    'rows[].id'
    """
    words = ""
    for keyword, what in path:
        if keyword == "properties":
            words += f".{what}" if words else str(what)
        elif keyword in {"items", "prefixItems"}:
            words += "[]" if keyword == "items" else f"[{what}]"
        elif keyword in {"additionalProperties", "patternProperties"}:
            words += ".*" if words else "*"
    return words


def local(value: Json, path: Path) -> Json:
    """Return the value at a place of a value. Raises LookupError if there is none."""
    found = value
    for keyword, what in path:
        if keyword == "properties" and found.__class__ is dict:
            found = found[what]
        elif keyword in {"items", "prefixItems"} and found.__class__ is list:
            found = found[what] if keyword == "prefixItems" else found[-1]
        elif keyword != "anyOf":
            raise LookupError(keyword)
    return found


_NEUTRAL: Final[dict[str, tuple[Json, ...]]] = {
    "minLength": (0,),
    "minItems": (0,),
    "minProperties": (0,),
    "uniqueItems": (False,),
    "pattern": ("",),
    "required": ([],),
    "dependentRequired": ({},),
    "dependentSchemas": ({},),
    "multipleOf": (),
}
"""Values of keywords that constrain nothing."""


class StatedKeyword(NamedTuple):
    """A keyword's value, and the schema that contains it."""

    value: Json
    spot: TermNode

    def place(self, key: str) -> Place:
        return (*self.spot.at, key)


_said: Final = partial(tuple.__new__, StatedKeyword)
"""Makes pairs without a Python call: a comparison has many."""


class Version:
    """The schemas of one version at a place."""

    def __init__(self, term: Term, budget: NormalFormBudget) -> None:
        self.term = term
        self._budget = budget

    @kept
    def opened(self) -> OpenedTerm:
        return opened(self.term, self._budget)

    @property
    def nodes(self) -> Term:
        return self.opened.nodes

    @kept
    def said(self) -> dict[str, list[StatedKeyword]]:
        """The values of each keyword, in order, without those that constrain nothing."""
        found: dict[str, list[StatedKeyword]] = {}
        for spot in self.nodes:
            for key, value in spot.schema.items():
                if key in _NEUTRAL and _is_neutral(key, value):
                    continue
                if key in found:
                    found[key].append(_said((value, spot)))
                else:
                    found[key] = [_said((value, spot))]
        return found

    def first(self, key: str) -> StatedKeyword | None:
        """Return the first value of a keyword; further ones come from references."""
        found = self.said.get(key)
        return found[0] if found else None

    def values(self, key: str) -> list[Json]:
        return [said.value for said in self.said.get(key, ())]

    @kept
    def names(self) -> dict[str, None]:
        """The declared members, without those in unions."""
        found: dict[str, None] = {}
        for spot in self.nodes:
            found |= dict.fromkeys(table(spot.schema, "properties"))
        return found

    def member(self, name: str) -> Term:
        """Return the schemas of a member; empty if it is not declared."""
        return tuple([spot.below("properties", name) for spot in self.nodes
                      if name in table(spot.schema, "properties")])  # fmt: skip

    @kept
    def patterns(self) -> dict[str, Term]:
        found: dict[str, list[TermNode]] = {}
        for spot in self.nodes:
            for name in table(spot.schema, "patternProperties"):
                found.setdefault(name, []).append(spot.below("patternProperties", name))
        return {name: tuple(spots) for name, spots in found.items()}

    @kept
    def declared(self) -> Declared:
        """The declarations of members anywhere, including branches of unions."""
        return ValuePlace(self.term, self._budget).declared

    @kept
    def required(self) -> dict[str, Place]:
        """The required members, and where each is required."""
        found: dict[str, Place] = {}
        for said in self.said.get("required", ()):
            names = said.value if said.value.__class__ is list else ()
            for index, name in enumerate(names):
                if name.__class__ is str:
                    found.setdefault(name, (*said.place("required"), index))
        return found

    @kept
    def others(self) -> Json:
        """The schema of undeclared members; None where it is not stated."""
        stated = [v for v in self.values("additionalProperties") if not is_anything(v)]
        return False if False in stated else stated[0] if stated else None

    @kept
    def kinds(self) -> frozenset[str]:
        """The possible types of values."""
        return frozenset(cell.kind for cell in cells_of(self.term, self._budget))

    @property
    def place(self) -> Place:
        return self.term[0].at if self.term else ()


class Twin(NamedTuple):
    """The same place in both versions."""

    path: Path
    before: Version
    after: Version
    budget: NormalFormBudget

    @property
    def words(self) -> str:
        return path_words(self.path)

    @property
    def is_root(self) -> bool:
        """Whether it is the whole schema, or a branch of it."""
        return all(keyword == "anyOf" for keyword, _ in self.path)

    def below(self, step: Step, before: Term, after: Term) -> Twin:
        """Return a place below this one."""
        versions = Version(before, self.budget), Version(after, self.budget)
        return Twin((*self.path, step), *versions, self.budget)

    def says(self, keywords: frozenset[str]) -> bool:
        """Return whether one of the keywords is in either version here."""
        return not (keywords.isdisjoint(self.before.said) and keywords.isdisjoint(self.after.said))


def _is_neutral(key: str, value: Json) -> bool:
    values = _NEUTRAL.get(key)
    return values is not None and value is not True and value in values


class Divergence(NamedTuple):
    """A difference, independent of whether the schema is of arguments or of results."""

    name: str
    """The name of the change without its side: ``required-added``."""
    path: str
    """The place as a readable path: ``rows[].id``; empty for the whole."""
    was: Place | None = None
    at: Place | None = None
    before: Json = None
    after: Json = None
    narrowed: Contained | None = None
    """Whether all values of the old version are valid; a *no* has its witness. None: unchecked."""
    widened: Contained | None = None
    """Whether all values of the new version were valid before."""
    is_soft: bool = False
    """Whether it is less severe than others of its kind."""
    is_union: bool = False
    """Whether it is about a union as a whole; its branches may explain it better."""
    hint: str = ""

    @property
    def counts(self) -> bool:
        """Whether accepted values differ, certainly or possibly."""
        found = (self.narrowed, self.widened)
        return any(answer is not None and answer.answer != "yes" for answer in found)


def is_open(answer: Contained | None) -> bool:
    """Return whether an answer is no or unknown."""
    return answer is not None and answer.answer != "yes"
