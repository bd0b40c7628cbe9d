"""What models really send, mended as far as the schema says what was meant.

Nothing is guessed: a value changes only where the schema refuses it as it stands and takes what it
becomes. Every change is told.
"""

from __future__ import annotations

import re
from typing import Final

import orjson

from toolcanon.diagnostics import CODES, Repair
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.nulls import takes_null
from toolcanon.schema.references import References
from toolcanon.schema.values import has_type, type_of, types_of

_NUMBER: Final = re.compile(r"-?(0|[1-9]\d{0,17})(\.\d{1,17})?([eE][+-]?\d{1,3})?")
_WORDS: Final = {"true": True, "false": False}
_UNIONS: Final = ("anyOf", "oneOf")
_MOST_OPTIONS: Final = 200
_DEEPEST: Final = 200


def mended(value: Json, schema: JsonObject, repairs: list[Repair]) -> Json:
    """The value as the schema wants it, as far as that is certain; the given is not changed."""
    return _Mender(schema, repairs).value(value, schema, Pointer())


def repair(code: str, at: Pointer, before: Json, after: Json) -> Repair:
    return Repair(code, CODES[code].name, at, before, after)


class _Mender:
    """One value, walked along its schema."""

    def __init__(self, root: JsonObject, repairs: list[Repair]) -> None:
        self._references = References(root)
        self._repairs = repairs

    def value(self, value: Json, schema: Json, at: Pointer) -> Json:
        if len(at) > _DEEPEST:
            return value
        options = self._options(schema)
        types = frozenset().union(*(types_of(option) for option in options))
        if not options or not all(types_of(option) for option in options):
            return value  # some branch takes anything
        if not has_type(value, types):
            value = self._converted(value, types, at)
        fitting = [option for option in options if has_type(value, types_of(option))]
        if len(fitting) != 1:
            return value
        if value.__class__ is dict:
            return self._members(value, fitting[0], at)
        items = fitting[0].get("items")
        if value.__class__ is list and items.__class__ is dict:
            return [self.value(item, items, at / index) for index, item in enumerate(value)]
        return value

    def _options(self, schema: Json) -> list[JsonObject]:
        """The schemas a value may follow: branches of unions, behind references, each once."""
        found: list[JsonObject] = []
        seen: set[str] = set()
        stack = [schema]
        while stack and len(found) < _MOST_OPTIONS:
            option = stack.pop()
            if option.__class__ is not dict:
                found.append({})
            elif isinstance(ref := option.get("$ref"), str):
                if ref not in seen:
                    seen.add(ref)
                    stack.append(self._find(ref))
            elif union := next((key for key in _UNIONS if key in option), None):
                stack += [] if "properties" in option else reversed(option[union])
                found += [option] if "properties" in option else []
            else:
                found.append(option)
        return found

    def _find(self, ref: Json) -> Json:
        found = self._references.find(ref) if isinstance(ref, str) else None
        return None if found is None else found.schema

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
            code, new = "R005", orjson.dumps(value).decode() if abs(value) < 2**63 else str(value)
        if new is value or not has_type(new, types):
            return value
        self._repairs.append(repair(code, at, value, new))
        return new

    def _members(self, value: JsonObject, schema: JsonObject, at: Pointer) -> JsonObject:
        declared = schema.get("properties")
        declared = declared if isinstance(declared, dict) else {}
        rest = schema.get("additionalProperties")
        required = schema.get("required") or ()
        out: JsonObject = {}
        for name, member in value.items():
            below = declared.get(name, rest)
            if (
                member is None
                and name in declared
                and name not in required
                and not takes_null(below, self._find)
            ):
                self._repairs.append(repair("R003", at / name, None, None))
                continue
            out[name] = self.value(member, below, at / name) if below.__class__ is dict else member
        return out


def _parsed(text: str) -> Json:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
