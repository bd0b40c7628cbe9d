"""What models really send, mended as far as the schema says what was meant.

Nothing is guessed: a value changes only where the schema refuses it as it stands and takes what it
becomes. Every change is told.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import orjson

from toolcanon.conversion.alternatives import Alternatives
from toolcanon.diagnostics import CODES, Repair
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.exact import dumps_exactly
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.nulls import takes_null
from toolcanon.schema.values import has_type, listed, same, table, type_of, types_of

_NUMBER: Final = re.compile(r"-?(0|[1-9]\d{0,17})(\.\d{1,17})?([eE][+-]?\d{1,3})?")
_WORDS: Final = {"true": True, "false": False}
_DEEPEST: Final = 200


def mended(value: Json, schema: JsonObject, repairs: list[Repair]) -> Json:
    """The value as the schema wants it, as far as that is certain; the given is not changed."""
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
        """A value that may follow any of some schemas."""
        options = self._alternatives.of(schemas)
        if not options or len(at) > _DEEPEST:
            return value
        if all(types_of(option) for option in options):  # else some of them take anything
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
        """Whether null can only mean that a member is absent."""
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
            if index <= most:  # all behind are alike
                below = _each([_item(option, index) for option in options])
            out.append(self.value(item, below, at / index) if below else item)
        return out


def _member(option: JsonObject, name: str) -> Json:
    """What an option says of a member; names that match patterns are left alone."""
    declared = table(option, "properties")
    if name in declared:
        return declared[name]
    return True if "patternProperties" in option else option.get("additionalProperties", True)


def _item(option: JsonObject, index: int) -> Json:
    first = listed(option, "prefixItems")
    return first[index] if index < len(first) else option.get("items", True)


def _each(schemas: list[Json]) -> list[JsonObject]:
    """The schemas a value may follow, each once; none where one of them takes anything."""
    if any(schema.__class__ is not dict and schema is not False for schema in schemas):
        return []
    return list({id(schema): schema for schema in schemas if schema is not False}.values())


def _lists(option: JsonObject, value: Json) -> bool:
    """Whether a value stands among those that are named, be they of another type than declared."""
    return any(item == value and same(item, value) for item in listed(option, "enum"))


def _parsed(text: str) -> Json:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
