"""Arguments as models write them, repaired as far as the schema states what is meant.

Nothing is guessed: a value changes only where the schema rejects it and accepts the new one, and
every change is reported. The branch of a union is selected by what no repair changes: values of
members that distinguish branches, members that are present, members that are absent.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from typing import Final, NamedTuple

import orjson

from toolcanon.diagnostics import CODES, Repair
from toolcanon.errors import LimitExceeded
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.canonical import dumps_exactly
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.algebra.conjunction import conjoin
from toolcanon.schema.algebra.constraints import takes_null
from toolcanon.schema.references import References
from toolcanon.schema.values import (
    has_type,
    identity,
    listed,
    same,
    strings_in,
    table,
    type_of,
    types_of,
)

_UNIONS: Final = ("anyOf", "oneOf")
_SPREAD: Final = ("$ref", "allOf")
_MOST_OPTIONS: Final = 200
_MOST_WORK: Final = 200_000
_HOLDERS: Final[frozenset[type]] = frozenset({dict, list})
_NUMBER: Final = re.compile(r"-?(0|[1-9]\d{0,17})(\.\d{1,17})?([eE][+-]?\d{1,3})?")
_WORDS: Final = {"true": True, "false": False}
_DEEPEST: Final = 200


class _SchemaPath(NamedTuple):
    """One path through a schema: what was visited, what remains, and references followed."""

    parts: tuple[JsonObject, ...]
    ahead: tuple[Json, ...]
    followed: frozenset[str] = frozenset()


class Alternatives:
    """The plain schemas that the schemas of one document consist of."""

    def __init__(self, root: JsonObject) -> None:
        self._references = References(root)
        self._known: dict[int, tuple[Json, list[JsonObject]]] = {}  # the object keeps its id
        self._words: dict[int, tuple[Json, frozenset[Hashable] | None]] = {}
        self._left = _MOST_WORK

    def find(self, ref: Json) -> Json:
        """Return the target of a reference; None where there is none."""
        found = self._references.find(ref) if isinstance(ref, str) else None
        return None if found is None else found.schema

    def of(self, schemas: Sequence[Json]) -> list[JsonObject]:
        """Return the plain schemas behind any of some; empty where there are too many to search."""
        found: list[JsonObject] = []
        for schema in schemas:
            known = self._known.get(id(schema))
            if known is None:
                known = self._known[id(schema)] = schema, self._spread(schema)
            if not known[1]:
                return []
            found += known[1]
        self._left -= len(found) - 1
        return found if self._left > 0 else []

    def fitting(self, value: Json, options: list[JsonObject]) -> list[JsonObject]:
        """Return the options that a value may follow: of its type, not excluded by its members."""
        found = [o for o in options if not types_of(o) or has_type(value, types_of(o))]
        if len(found) == 1 or value.__class__ is not dict:
            return found
        meant = [option for option in found if self._says(option, value)] or found
        if len(meant) > 1:
            meant = [option for option in meant if self._has_room(option, value)]
        return meant if self._left > 0 else []

    def _says(self, option: JsonObject, value: JsonObject) -> bool:
        """Return whether every constant of an option includes the member of the value."""
        declared = table(option, "properties")
        for name, member in value.items():
            self._left -= 1
            if name in declared and member.__class__ not in _HOLDERS:
                words = self._words_of(declared[name])
                if words is not None and identity(member) not in words:
                    return False
        return True

    def _has_room(self, option: JsonObject, value: JsonObject) -> bool:
        """Return whether no member is missing or undeclared, which no repair would change."""
        declared = table(option, "properties")
        required = strings_in(option.get("required"))
        self._left -= 1 + len(required)
        for name in required:
            if value.get(name) is None and (
                name not in value or not takes_null(declared.get(name, True), self.find)
            ):
                return False
        closed = option.get("additionalProperties") is False and "patternProperties" not in option
        return not closed or declared.keys() >= value.keys()

    def _words_of(self, schema: Json) -> frozenset[Hashable] | None:
        """Return the only values a schema accepts, where it lists them."""
        known = self._words.get(id(schema))
        if known is None:
            known = self._words[id(schema)] = schema, self._listed(schema)
        return known[1]

    def _listed(self, schema: Json) -> frozenset[Hashable] | None:
        words: set[Hashable] = set()
        options = self.of([schema])
        for option in options:
            if "const" in option:
                words.add(identity(option["const"]))
            elif option.get("enum").__class__ is list:
                words.update(map(identity, option["enum"]))
            else:
                return None
        return frozenset(words) if options else None

    def _spread(self, schema: Json) -> list[JsonObject]:
        found: list[JsonObject] = []
        ways = [_SchemaPath((), (schema,))]
        while ways:
            way = ways.pop()
            self._left -= 1 + len(way.ahead) + len(way.followed) // 64
            if self._left < 0 or len(found) == _MOST_OPTIONS:
                return []
            if way.ahead:
                ways += reversed(list(self._next(way)))
            elif len(way.parts) < 2:  # noqa: PLR2004 - nothing to merge
                found.append(way.parts[0] if way.parts else {})
            else:
                self._left -= sum(len(part) + len(table(part, "properties")) for part in way.parts)
                try:
                    found.append(conjoin(way.parts).schema)
                except LimitExceeded:
                    return []
        return found

    def _next(self, way: _SchemaPath) -> Iterator[_SchemaPath]:
        """Yield the paths after one step: the first remaining schema, or each of its branches."""
        (schema, *rest), followed = way.ahead, way.followed
        if schema is False:
            return
        node = schema if schema.__class__ is dict else {}
        ref = node.get("$ref")
        if isinstance(ref, str):
            if ref not in followed:
                followed |= {ref}
                rest.append(self.find(ref))
            elif not (way.parts or rest or len(node) > 1):
                return  # a branch that only leads back to its union
        parts = node.get("allOf")
        rest += parts if parts.__class__ is list else ()
        unions = [key for key in _UNIONS if node.get(key).__class__ is list and node[key]]
        own = {key: value for key, value in node.items() if key not in {*_SPREAD, *unions}}
        met = (*way.parts, own) if own else way.parts
        if not unions:
            yield _SchemaPath(met, tuple(rest), followed)
            return
        rest += [{key: node[key]} for key in unions[1:]]
        for branch in node[unions[0]]:
            yield _SchemaPath(met, (branch, *rest), followed)


def mended(value: Json, schema: JsonObject, repairs: list[Repair]) -> Json:
    """Return the value with every certain repair by the schema; the input is not changed."""
    made: list[Repair] = []
    try:
        found = _Mender(schema, made).value(value, [schema], Pointer())
    except RecursionError:
        return value
    repairs += made
    return found


def repair(code: str, at: Pointer, before: Json, after: Json) -> Repair:
    return Repair(code, CODES[code].name, at, before, after)


class _Mender:
    """One value, walked along its schema."""

    def __init__(self, root: JsonObject, repairs: list[Repair]) -> None:
        self._alternatives = Alternatives(root)
        self._repairs = repairs

    def value(self, value: Json, schemas: Sequence[Json], at: Pointer) -> Json:
        """Repair a value that may follow any of some schemas."""
        options = self._alternatives.of(schemas)
        if not options or len(at) > _DEEPEST:
            return value
        if all(types_of(option) for option in options):  # else one of them accepts every type
            types = frozenset().union(*map(types_of, options))
            if not (has_type(value, types) or any(_lists(option, value) for option in options)):
                value = self._converted(value, types, at)
        if value.__class__ is dict:
            return self._members(value, self._alternatives.fitting(value, options), at)
        if value.__class__ is list:
            return self._items(value, self._alternatives.fitting(value, options), at)
        return value

    def _converted(self, value: Json, types: frozenset[str], at: Pointer) -> Json:
        code, new = "R004", value
        if value.__class__ is str:
            text = value.strip()
            if types & {"object", "array"} and text[:1] in ("{", "["):
                code, new = "R002", _parsed(text)
            elif types & {"integer", "number"} and _NUMBER.fullmatch(text):
                new = _parsed(text)
            elif "boolean" in types and text.lower() in _WORDS:
                new = _WORDS[text.lower()]
        elif "string" in types and type_of(value) in ("integer", "number", "boolean"):
            code, new = "R005", dumps_exactly(value)
        if new is value or not has_type(new, types):
            return value
        self._repairs.append(repair(code, at, value, new))
        return new

    def _members(self, value: JsonObject, options: list[JsonObject], at: Pointer) -> JsonObject:
        out: JsonObject = {}
        for name, member in value.items():
            if member is None and options and all(self._is_unused(name, o) for o in options):
                self._repairs.append(repair("R003", at / name, None, None))
                continue
            below = _each([_member(option, name) for option in options])
            out[name] = self.value(member, below, at / name) if below else member
        return out

    def _is_unused(self, name: str, option: JsonObject) -> bool:
        """Return whether null can only mean that a member is absent."""
        declared = table(option, "properties")
        return (
            name in declared
            and name not in (option.get("required") or ())
            and not takes_null(declared[name], self._alternatives.find)
        )

    def _items(self, value: list[Json], options: list[JsonObject], at: Pointer) -> list[Json]:
        out: list[Json] = []
        below: Sequence[Json] = ()
        most = max((len(listed(option, "prefixItems")) for option in options), default=0)
        for index, item in enumerate(value):
            if index <= most:  # all later items have one schema
                below = _each([_item(option, index) for option in options])
            out.append(self.value(item, below, at / index) if below else item)
        return out


def _member(option: JsonObject, name: str) -> Json:
    """Return the schema of a member; None for names that match patterns, which are not repaired."""
    declared = table(option, "properties")
    if name in declared:
        return declared[name]
    return True if "patternProperties" in option else option.get("additionalProperties", True)


def _item(option: JsonObject, index: int) -> Json:
    first = listed(option, "prefixItems")
    return first[index] if index < len(first) else option.get("items", True)


def _each(schemas: list[Json]) -> list[JsonObject]:
    """Return the schemas a value may follow, each once; empty where one accepts anything."""
    if any(schema.__class__ is not dict and schema is not False for schema in schemas):
        return []
    return list({id(schema): schema for schema in schemas if schema is not False}.values())


def _lists(option: JsonObject, value: Json) -> bool:
    """Return whether a value is in the enum, also with another type than the declared one."""
    return any(item == value and same(item, value) for item in listed(option, "enum"))


def _parsed(text: str) -> Json:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
