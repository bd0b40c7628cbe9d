"""Questions to the engine of containment, each about one demand of one version.

A demand is a fragment of a schema at a place. It is asked by itself, nested to its place and with
nothing else around it, so that the answer, and the witness, is about this one thing. A version
that refuses what the fragment refuses is never laxer than the fragment, so the witness holds for
the whole; the judge of the whole has the last word all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Final, TypeAlias

import orjson

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.containment import Contained, contained
from toolcanon.schema.containment.closing import closed
from toolcanon.schema.containment.engine import Engine
from toolcanon.schema.containment.witness import Court
from toolcanon.schema.keywords import ANNOTATIONS, POSITIONS, Position
from toolcanon.schema.normal.terms import Budget, Home, Spent, Term, alike
from toolcanon.schema.references import has_references
from toolcanon.schema.sampling import sample

Step: TypeAlias = tuple[str, Any]
"""A keyword, and the name, the number or the schemas that belong to it."""
Path: TypeAlias = tuple[Step, ...]

_MOST: Final = 48
_SAMPLES: Final = 8
_TOO_MANY: Final = Contained("unknown", None, "there are too many changes to prove each of them")
_YES: Final = Contained("yes")
_HOME: Final = "whole"
_REMARKS: Final = ANNOTATIONS | {"$schema"}


class Questions:
    """Two versions, asked about each other."""

    def __init__(self, before: Json, after: Json, *, closes: bool) -> None:
        self.before = Home(before)
        self.after = Home(after)
        self.closes = closes
        self._left = _MOST

    def narrowed(self, path: Path, fragment: Json, *, proves: bool | None = None) -> Contained:
        """Whether a demand of the new version holds for all values of the old one.

        Who is hurt gets a proof, here for arguments and below for results. That others are not is
        said without one, unless ``proves`` asks for it.
        """
        is_proven = self.closes if proves is None else proves
        values = self._values_before if is_proven else self.before.root
        return self._asked(values, probe(self.after, path, fragment), is_proven=is_proven)

    def widened(self, path: Path, fragment: Json, *, proves: bool | None = None) -> Contained:
        """Whether a demand of the old version holds for all values of the new one."""
        is_proven = not self.closes if proves is None else proves
        values = self._values_after if is_proven else self.after.root
        return self._asked(values, probe(self.before, path, fragment), is_proven=is_proven)

    def without(self, path: Path, name: str) -> Contained:
        """Whether a member that is gone was never there; a *no* shows who misses it.

        Arguments: a call that uses it. Results: one that lacks it.
        """
        if self.closes:
            return self.narrowed(path, {"properties": {name: False}})
        return self.widened(path, {"required": [name]})

    def omitted(self, path: Path) -> Contained:
        """Whether a member could not be left out before; a *no* is a call that does."""
        return self.narrowed(path[:-1], {"required": [path[-1][1]]})

    def used(self, path: Path) -> Contained:
        """Whether nothing could stand at a place before; a *no* is a call with something there."""
        return self.narrowed(path, False)

    def reformatted(self, path: Path, old: str, new: str) -> Contained:
        """A text of one format at a place where another one is asked for, in the way that hurts.

        Formats are asserted here alone, so candidates are made for them.
        """
        values, home = (
            (self._values_before, self.after) if self.closes else (self._values_after, self.before)
        )
        carrier = contained(values, probe(home, path, False), reading="outputs")
        if carrier.answer == "no":
            court = Court(values, probe(home, path, {"format": new}), closes=False)
            for text in sample({"type": "string", "format": old}, most=_SAMPLES).valid:
                value = placed(carrier.witness, path, text)
                if court.proves(value, formats=True):
                    return Contained("no", value, "strings of another format may be refused")
        return Contained("unknown", None, "no text was found that only one of the formats takes")

    def whole(self) -> Contained:
        """Whether all that the old version accepts, or gives, is right for the new one."""
        if self.closes:
            return contained(self.before.root, self.after.root, reading="inputs")
        return contained(self.after.root, self.before.root, reading="outputs")

    def is_same(self, one: Term, other: Term) -> bool:
        """Whether two terms say the same in the same words."""
        if len(one) != len(other):
            return False
        for spot, counterpart in zip(one, other, strict=True):
            if not alike(spot.schema, counterpart.schema):
                return False
        return self.same_references or not any(has_references(spot.schema) for spot in one)

    def is_same_demand(self, one: JsonObject, other: JsonObject) -> bool:
        """Whether two fragments demand the same, remarks apart, in the same words."""
        if not alike(one, other) and not alike(bare(one), bare(other)):
            return False
        return self.same_references or not has_references(one)

    @cached_property
    def same_references(self) -> bool:
        """Whether the same reference means the same in both versions."""
        if not any(map(_may_refer, (self.before.root, self.after.root))):
            return True  # as is most common, and found out at once
        one, other = self.before.definitions, self.after.definitions
        return one is not None and other is not None and alike(one, other)

    @cached_property
    def _values_before(self) -> Json:
        return closed(self.before.root, maps=True) if self.closes else self.before.root

    @cached_property
    def _values_after(self) -> Json:
        return closed(self.after.root, maps=True) if self.closes else self.after.root

    def _asked(self, values: Json, asked: Json, *, is_proven: bool) -> Contained:
        """The answer. Read as outputs are: nothing is closed beyond what stands there."""
        self._left -= 1
        if self._left < 0:
            return _TOO_MANY
        if is_proven:
            return contained(values, asked, reading="outputs")
        try:
            found = Engine(values, asked, "outputs", Budget()).root()
        except (Spent, RecursionError):
            return Contained("unknown", None, "comparing them takes too much work")
        return Contained("unknown", None, found[0].reason) if found else _YES


def _may_refer(schema: Json) -> bool:
    try:
        text = orjson.dumps(schema)
    except TypeError:  # huge integers and the like
        return True
    return b'"$ref"' in text or b'"$dynamicRef"' in text


def probe(home: Home, path: Path, fragment: Json) -> Json:
    """A schema that demands one thing at one place, and nothing else anywhere."""
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


def bare(schema: Json) -> Json:
    """A schema without remarks, at every depth: what is left are demands."""
    if schema.__class__ is not dict:
        return schema
    out: JsonObject = {}
    for key, value in schema.items():
        if key in _REMARKS:
            continue
        position = POSITIONS.get(key)
        if position is None:
            out[key] = value
        elif position is Position.SCHEMA_MAP and value.__class__ is dict:
            out[key] = {name: bare(inner) for name, inner in value.items()}
        elif value.__class__ is list:
            out[key] = [bare(inner) for inner in value]
        else:
            out[key] = bare(value)
    return out


def placed(value: Json, path: Path, inner: Json) -> Json:
    """A value with another one at a place that it has; the same value where it has none."""
    if not path:
        return inner
    (keyword, what), rest = path[0], path[1:]
    if keyword == "anyOf":
        return placed(value, rest, inner)
    if keyword == "properties" and value.__class__ is dict and what in value:
        return {**value, what: placed(value[what], rest, inner)}
    if keyword == "items" and value.__class__ is list and value:
        return [*value[:-1], placed(value[-1], rest, inner)]
    return value


def _moved(schema: Json) -> Json:
    """A schema whose references begin one level deeper."""
    if schema.__class__ is not dict:
        return schema
    out: JsonObject = {}
    for key, value in schema.items():
        position = POSITIONS.get(key)
        if key == "$ref" and value.__class__ is str and value.startswith("#"):
            out[key] = f"#/$defs/{_HOME}{value[1:]}"
        elif position is Position.SCHEMA_MAP and value.__class__ is dict:
            out[key] = {name: _moved(inner) for name, inner in value.items()}
        elif position is not None and value.__class__ is list:
            out[key] = [_moved(inner) for inner in value]
        else:
            out[key] = _moved(value) if position is not None else value
    return out


def path_words(path: Path) -> str:
    """A place as people name it.

    >>> path_words((("properties", "rows"), ("items", 0), ("properties", "id")))
    'rows[].id'
    """
    said = ""
    for keyword, what in path:
        if keyword == "properties":
            said += f".{what}" if said else str(what)
        elif keyword in {"items", "prefixItems"}:
            said += "[]" if keyword == "items" else f"[{what}]"
        elif keyword in {"additionalProperties", "patternProperties"}:
            said += ".*" if said else "*"
    return said


def local(value: Json, path: Path) -> Json:
    """What stands at a place of a value; raises LookupError when nothing does."""
    found = value
    for keyword, what in path:
        if keyword == "properties" and found.__class__ is dict:
            found = found[what]
        elif keyword in {"items", "prefixItems"} and found.__class__ is list:
            found = found[what] if keyword == "prefixItems" else found[-1]
        elif keyword != "anyOf":
            raise LookupError(keyword)
    return found
