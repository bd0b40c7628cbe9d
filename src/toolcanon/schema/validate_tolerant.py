"""The judge of a schema that no validator compiles unchanged.

Unreadable parts are left out at their place, and reported: malformed keywords, references without a
target, patterns that no linear engine runs. All the rest counts. The remaining schema is never
stricter than the readable part of the given one, so where leaving something out would turn a yes
into a no (below ``not``, for example), more is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import orjson

from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import ANNOTATIONS, POSITIONS, Position
from toolcanon.schema.malformed import Omission, sound
from toolcanon.schema.references import (
    DEFINITIONS,
    REFERENCES,
    Place,
    References,
    has_references,
)
from toolcanon.schema.resources import by_place
from toolcanon.schema.validate import Judge, Schema, is_readable, judge

# What decides nothing, or only where references lead, which is settled here.
_PASSED: Final = DEFINITIONS | ANNOTATIONS | {
    "$anchor", "$dynamicAnchor", "$id", "$schema", "$vocabulary", "format",
}  # fmt: skip
# Keywords that reject more values without another keyword that they depend on.
_LEANING: Final = (
    ("additionalProperties", "properties"),
    ("additionalProperties", "patternProperties"),
    ("items", "prefixItems"),
    ("contains", "minContains"),
)
_LARGEST: Final = 1 << 17
_UNEVALUATED: Final = ("unevaluatedProperties", "unevaluatedItems")


def lenient_judge(schema: Schema) -> Judge:
    """Return the judge of a schema or of its readable part; ``skipped`` lists what was left out.

    >>> found = lenient_judge({"type": "object", "properties": {"a": {"$ref": "#/nowhere"}}})
    >>> found.accepts({"a": 1}), found.accepts(5), found.skipped
    (True, False, (Pointer('/properties/a/$ref'),))
    """
    own = judge(schema)
    if schema.__class__ is not dict or (own.judged and own.is_bounded):
        return own
    try:
        text = orjson.dumps(schema)
    except TypeError:  # orjson writes no integers beyond 64 bits, lone surrogates or great depth
        return own if own.judged else _made(schema)
    # A large one that can be compiled has more to it than references that go in circles.
    return own if own.judged and len(text) > _LARGEST else _lenient_judge_of(text)


@lru_cache(maxsize=128)
def _lenient_judge_of(text: bytes) -> Judge:
    return _made(orjson.loads(text))


def _made(schema: Schema) -> Judge:
    made = Judge(None)
    for careful in (False, True):  # looking at every keyword is dear and seldom needed
        try:
            read = _SchemaReading(schema, careful=careful)
        except RecursionError:
            break
        made = judge(read.schema).having_skipped(read.skipped)
        if made.judged:
            break
    return made


class _SchemaReading:
    """The readable part of one schema."""

    def __init__(self, schema: Schema, *, careful: bool) -> None:
        self.skipped: list[Pointer] = []
        self._careful = careful
        self._gone: set[Place] = set()
        self._touched: set[Place] = set()
        """Where something was left out, there or below."""
        whole = self._sound(schema, ())
        if whole.__class__ is dict:
            whole, _ = by_place(whole)
        self._references = References(whole)
        self._names: dict[Place, str] = {}
        self._waiting: list[tuple[str, Place, Json]] = []
        self.schema: JsonObject = self._node(whole, ())
        shared: JsonObject = {}
        while self._waiting:
            name, at, target = self._waiting.pop()
            shared[name] = self._node(self._sound(target, at), at)
        if shared:
            self.schema["$defs"] = shared

    def _sound(self, schema: Json, at: Place) -> Json:
        if schema.__class__ is not dict:
            return schema
        omitted: list[Omission] = []
        found = sound(schema, omitted, at)
        for place, _, now in omitted:
            self._skip(place)
            if now is None:
                self._gone.add(place)
        return found

    def _skip(self, at: Place) -> None:
        if at not in self._touched:
            self.skipped.append(Pointer(at))
        self._touched.update(at[:steps] for steps in range(len(at) + 1))

    def _node(self, node: Json, at: Place) -> Json:
        if node.__class__ is not dict:
            return node
        out: JsonObject = {}
        for word, value in node.items():
            if word not in _PASSED:
                out.update(self._keyword(word, value, node, (*at, word)))
        self._loosen(out, node, at)
        return out

    def _keyword(
        self, word: str, value: Json, node: JsonObject, at: Place
    ) -> Iterator[tuple[str, Json]]:
        position = POSITIONS.get(word)
        if word in REFERENCES:
            ref = self._led(word, value, node, at)
            if ref is not None:
                yield word, ref
        elif word == "patternProperties":
            yield word, dict(self._patterns(value, at))
        elif position is Position.SCHEMA_MAP:
            yield word, {name: self._node(item, (*at, name)) for name, item in value.items()}
        elif position is not None and value.__class__ is list:
            yield word, [self._node(item, (*at, i)) for i, item in enumerate(value)]
        elif position is not None:
            yield word, self._node(value, at)
        elif self._careful and not is_readable({word: value}):
            self._skip(at)
        else:
            yield word, value

    def _led(self, word: str, ref: str, node: JsonObject, at: Place) -> str | None:
        """Return the reference as it is written, where its whole target is in one place."""
        found = self._references.find_exactly(ref, node)
        if found is None and word == "$ref":
            found = self._references.find(ref)
        if found is None:
            if not ref.startswith("#") and is_readable({"$ref": ref}):  # one that all know
                return ref
            self._skip(at)
            return None
        if self._references.is_meaningless(found.pointer):
            return None  # it never had a target
        if not found.pointer:
            return "#"
        if found.pointer not in self._names:
            self._names[found.pointer] = str(len(self._names))
            self._waiting.append((self._names[found.pointer], *found))
        return f"#/$defs/{self._names[found.pointer]}"

    def _patterns(self, table: JsonObject, at: Place) -> Iterator[tuple[str, Json]]:
        lost = False
        for pattern, item in table.items():
            if is_readable({"pattern": pattern}):
                yield pattern, self._node(item, (*at, pattern))
            else:
                self._skip((*at, pattern))
                lost = True
        if lost and "" not in table:
            yield "", True  # every name may have matched, so no name is undeclared

    def _loosen(self, out: JsonObject, node: JsonObject, at: Place) -> None:
        """Leave out what would reject more values without what was left out."""
        for word, base in _LEANING:
            if word in out and (*at, base) in self._gone:
                self._drop(out, word, at)
        for word in ("not", "if"):
            if word in out and self._is_vague(word, node, at):
                self._drop(out, word, at)
        if "maxContains" in out and self._is_vague("contains", node, at):
            self._drop(out, "maxContains", at)
        if "oneOf" in out and self._is_vague("oneOf", node, at):
            some = {"anyOf": out["oneOf"]}
            self._drop(out, "oneOf", at)
            out["allOf"] = [*out.get("allOf", ()), some]
        for word in _UNEVALUATED:
            if word in out and (at in self._touched or has_references(node)):
                self._drop(out, word, at)

    def _is_vague(self, word: str, node: JsonObject, at: Place) -> bool:
        """Return whether a part may be laxer than it was, here or behind a reference."""
        return (*at, word) in self._touched or has_references(node.get(word, True))

    def _drop(self, out: JsonObject, word: str, at: Place) -> None:
        del out[word]
        self._skip((*at, word))
