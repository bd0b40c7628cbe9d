"""Validation of untrusted values against untrusted schemas, with its cost counted first.

Always as 2020-12, never over the network, with a regex engine of linear time, and only when the
work is bounded. A schema that cannot be compiled is judged without the patterns that are to blame,
or not at all; a judge never guesses.

A dozen lines of schema can ask for more checks than there are atoms (references that double at
every step). Validators run them faithfully, so the checks are counted first.

``lenient_judge`` judges a schema that no validator accepts. What cannot be read is omitted and
reported: malformed keywords, dangling references, patterns that no linear engine runs. The rest
counts. What is left is never stricter than the readable part of the given schema: where an omission
would turn a yes into a no (below ``not`` and the like), more is omitted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final, TypeAlias

import jsonschema_rs
import orjson

from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import ANNOTATIONS, POSITIONS, Position
from toolcanon.schema.malformed import Omission, sound
from toolcanon.schema.references import DEFINITIONS, REFERENCES, Place, References, has_references
from toolcanon.schema.resources import by_place
from toolcanon.text import safe

CEILING: Final = 10**12
"""Stands for more than anyone would do."""

_LARGEST_VALUE = 5_000_000
_METASCHEMAS = ("https://json-schema.org/draft/", "http://json-schema.org/draft")
_METASCHEMA_BRANCHING = 4  # vocabularies that check the same member of a schema


def extent(value: Json) -> tuple[int, int]:
    """Return the number of values in a value, itself included, and their depth."""
    count = depth = 0
    level = [value]
    while level and count <= _LARGEST_VALUE:
        count += len(level)
        depth += 1
        below: list[Json] = []
        for item in level:
            if item.__class__ is dict:
                below.extend(item.values())
            elif item.__class__ is list:
                below.extend(item)
        level = below
    return count, depth


class Effort:
    """Checks needed along any one path from the root of a value to a leaf."""

    def __init__(self, document: JsonObject) -> None:
        self._document = document
        self._references = References(document)
        self._known: dict[tuple[int, int], int] = {}

    def along(self, depth: int) -> int:
        """Return the cost for values nested that deep."""
        try:
            return self._cost(self._document, depth)
        except RecursionError:
            return CEILING

    def _cost(self, node: Json, depth: int) -> int:
        if not isinstance(node, dict):
            return 1
        key = (id(node), depth)
        known = self._known.get(key)
        if known is not None:
            return known
        self._known[key] = CEILING  # a second visit is a cycle on one value
        here = self._in_place(node, depth)
        below = self._below(node, depth - 1) if depth > 1 else 0
        if "unevaluatedProperties" in node or "unevaluatedItems" in node:
            here *= 2  # what was evaluated has to be found out again
        cost = self._known[key] = min(CEILING, 1 + _listed(node) + here + below)
        return cost

    def _in_place(self, node: JsonObject, depth: int) -> int:
        total = 0
        for word in ("allOf", "anyOf", "oneOf"):
            total += sum(self._cost(item, depth) for item in _items(node.get(word)))
        for word in ("if", "then", "else", "not"):
            if word in node:
                total += self._cost(node[word], depth)
        total += sum(self._cost(v, depth) for v in _values(node.get("dependentSchemas")))
        for word in REFERENCES:
            if word in node:
                total += self._referred(node, node[word], depth)
        return total

    def _referred(self, node: JsonObject, reference: Json, depth: int) -> int:
        if not isinstance(reference, str):
            return CEILING
        found = self._references.find_exactly(reference, node)
        if found is not None:
            return self._cost(found.schema, depth)
        if reference.startswith(_METASCHEMAS):
            return int(min(CEILING, _METASCHEMA_BRANCHING ** min(depth, 32) * 8))
        return CEILING  # a validator may find what we do not, and then we know nothing

    def _below(self, node: JsonObject, depth: int) -> int:
        def cost(word: str) -> int:
            return self._cost(node[word], depth) if word in node else 0

        named = max((self._cost(v, depth) for v in _values(node.get("properties"))), default=0)
        named += sum(self._cost(v, depth) for v in _values(node.get("patternProperties")))
        placed = max((self._cost(v, depth) for v in _items(node.get("prefixItems"))), default=0)
        names = self._cost(node["propertyNames"], 1) if "propertyNames" in node else 0
        members = max(named, cost("additionalProperties")) + cost("unevaluatedProperties") + names
        items = max(placed, cost("items")) + cost("contains") + cost("unevaluatedItems")
        return max(members, items)


def _listed(node: JsonObject) -> int:
    return sum(len(_items(node.get(word))) // 8 for word in ("enum", "required"))


def _items(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _values(value: Json) -> list[Json]:
    return list(value.values()) if isinstance(value, dict) else []


Schema: TypeAlias = JsonObject | bool
_dumps = orjson.dumps

_MOST_PROBLEMS: Final = 20
_LONGEST_MESSAGE: Final = 300
_AFFORDABLE: Final = 20_000_000  # checks, about half a second
_EXPLAINABLE: Final = 250_000  # the same when every failure is written down
_REGEX_BYTES: Final = 1 << 19
_SHALLOW: Final = 4

_PATTERNS: Final = jsonschema_rs.RegexOptions(size_limit=_REGEX_BYTES, dfa_size_limit=_REGEX_BYTES)

# Below these a laxer schema is a stricter one, so nothing can be left out there.
_TURNING: Final = frozenset({"not", "if", "oneOf", "contains"})
_SHARED: Final = frozenset({"$defs", "definitions"})


@dataclass(frozen=True, slots=True)
class Problem:
    """One reason why a value is rejected."""

    at: Pointer
    keyword: str
    message: str


class Judge:
    """Decides whether values fit one schema."""

    __slots__ = ("_effort", "_flat", "_validator", "skipped")

    def __init__(
        self,
        validator: jsonschema_rs.Validator | None,
        skipped: tuple[Pointer, ...] = (),
        effort: Effort | None = None,
        flat: int = CEILING,
    ) -> None:
        self._validator = validator
        self._effort = effort
        self._flat = flat  # a cheap bound that holds where there are no references
        self.skipped = skipped
        """What was left out: patterns that no linear engine can run, and see ``lenient``."""

    @property
    def judged(self) -> bool:
        """Whether the schema could be compiled."""
        return self._validator is not None

    @property
    def is_bounded(self) -> bool:
        """Whether the work is bounded at least for values that are not deep."""
        if self._flat < CEILING or self._effort is None:
            return True
        return self._effort.along(_SHALLOW) < CEILING

    def having_skipped(self, places: Sequence[Pointer]) -> Judge:
        """Return the judge with places that were skipped before."""
        return Judge(self._validator, (*places, *self.skipped), self._effort, self._flat)

    def accepts(self, value: Json) -> bool | None:
        """Return whether the value fits; None when that is not judged."""
        if self._validator is None:
            return None
        try:  # every value takes a character to write; asked of every call, hence written out
            is_small = self._flat < CEILING and self._flat * len(_dumps(value)) <= _AFFORDABLE
        except TypeError:  # orjson writes no integers beyond 64 bits, lone surrogates, depth
            is_small = False
        if not (is_small or self._within(_AFFORDABLE, value)):
            return None
        try:
            return self._validator.is_valid(value)
        except Exception:  # noqa: BLE001 - lone surrogates, depth: each has an error of its own
            return None

    def problems(self, value: Json) -> list[Problem]:
        """Return the first reasons of a rejection; empty when the value fits or is not judged."""
        if self._validator is None or self.accepts(value) is not False:
            return []
        if not self._within(_EXPLAINABLE, value):
            return [Problem(Pointer(), "", "does not fit, and saying why is too much work")]
        try:
            return [
                Problem(
                    Pointer(error.instance_path),
                    error.kind.name,
                    safe(error.message, _LONGEST_MESSAGE),
                )
                for error in islice(self._validator.iter_errors(value), _MOST_PROBLEMS)
            ]
        except Exception:  # noqa: BLE001 - as above
            return []

    def _within(self, budget: int, value: Json) -> bool:
        count, depth = extent(value)
        if self._flat * count <= budget:
            return True
        return self._effort is None or self._effort.along(depth) * count <= budget


def judge(schema: Schema) -> Judge:
    """Return the judge of a schema.

    >>> judge({"type": "integer", "minimum": 1}).accepts(0)
    False
    >>> judge({"type": "colour"}).accepts("red") is None
    True
    """
    try:
        text = orjson.dumps(schema)
    except TypeError:  # orjson writes no integers beyond 64 bits, lone surrogates or great depth
        return _made(schema, CEILING)
    return _judge_of(text)


@lru_cache(maxsize=128)
def _judge_of(text: bytes) -> Judge:
    flat = CEILING if b'Ref"' in text or b'"$ref"' in text else text.count(b",") + text.count(b"{")
    return _made(orjson.loads(text), flat + 1)


def _made(schema: Schema, flat: int) -> Judge:
    if isinstance(schema, bool):
        return Judge(_compiled(schema), flat=1)
    if schema.__class__ is not dict:
        return Judge(None)
    schema = {word: value for word, value in schema.items() if word != "$schema"}
    effort = Effort(schema)
    validator = _compiled(schema)
    if validator is not None:
        return Judge(validator, (), effort, flat)
    try:
        trimmed = _Trimmed(schema)
    except RecursionError:
        return Judge(None)
    if not trimmed.skipped or trimmed.turned:
        return Judge(None, tuple(trimmed.skipped))
    return Judge(_compiled(trimmed.schema), tuple(trimmed.skipped), effort, flat)


def _compiled(schema: Schema) -> jsonschema_rs.Validator | None:
    try:
        return jsonschema_rs.Draft202012Validator(
            schema,
            validate_formats=False,
            retriever=_refuse,
            pattern_options=_PATTERNS,
        )
    except Exception:  # noqa: BLE001 - whatever it is that cannot be compiled, it is not judged
        return None


def _refuse(uri: str) -> Json:
    raise LookupError(uri)


def is_readable(schema: Schema) -> bool:
    """Return whether a schema can be compiled unchanged."""
    return _compiled(schema) is not None


@lru_cache(maxsize=512)
def _is_runnable(pattern: str) -> bool:
    return is_readable({"pattern": pattern})


class _Trimmed:
    """A schema without the patterns that cannot be run, never stricter than it was."""

    def __init__(self, schema: JsonObject) -> None:
        self.skipped: list[Pointer] = []
        self._turns = False
        self.schema = self._node(schema, ())

    @property
    def turned(self) -> bool:
        """Whether something was left out that could turn a yes into a no."""
        return any(
            _TURNING.intersection(at) or (self._turns and _SHARED.intersection(at))
            for at in self.skipped
        )

    def _node(self, node: Json, at: tuple[str | int, ...]) -> Json:
        if not isinstance(node, dict):
            return node
        out: JsonObject = {}
        for word, value in node.items():
            here = (*at, word)
            position = POSITIONS.get(word)
            self._turns |= word in _TURNING
            if word == "pattern" and isinstance(value, str) and not _is_runnable(value):
                self.skipped.append(Pointer(here))
            elif word == "patternProperties" and isinstance(value, dict):
                out[word] = dict(self._patterns(value, here))
            elif position is Position.SCHEMA_MAP and isinstance(value, dict):
                out[word] = {name: self._node(item, (*here, name)) for name, item in value.items()}
            elif position is not None and isinstance(value, list):
                out[word] = [self._node(item, (*here, i)) for i, item in enumerate(value)]
            else:
                out[word] = value if position is None else self._node(value, here)
        return out

    def _patterns(self, table: JsonObject, at: tuple[str | int, ...]) -> Iterator[tuple[str, Json]]:
        lost = False
        for pattern, item in table.items():
            if _is_runnable(pattern):
                yield pattern, self._node(item, (*at, pattern))
            else:
                self.skipped.append(Pointer((*at, pattern)))
                lost = True
        if lost and "" not in table:
            yield "", True  # every name may have matched, so no name is undeclared


Verdict: TypeAlias = bool | None
VerdictJudge: TypeAlias = Callable[[Json], Verdict]


def every(verdicts: Iterable[Verdict]) -> Verdict:
    found: Verdict = True
    for verdict in verdicts:
        if verdict is False:
            return False
        found = found and verdict
    return found


def judge_of(schema: JsonObject) -> VerdictJudge:
    """Return a validator's verdict, where it is the same whether formats are asserted or not."""
    try:
        judges = [
            jsonschema_rs.Draft202012Validator(
                schema,
                validate_formats=formats,
                pattern_options=jsonschema_rs.RegexOptions(),  # linear time, whatever the pattern
                offline=True,
            )
            for formats in (False, True)
        ]
    except ValueError:
        return lambda _value: None

    def verdict(value: Json) -> Verdict:
        try:
            plain, strict = (judge.is_valid(value) for judge in judges)
        except ValueError:
            return None
        return plain if plain == strict else None

    return verdict


@lru_cache(maxsize=256)
def pattern_judge(pattern: str) -> VerdictJudge:
    return judge_of({"pattern": pattern})


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
        return own if own.judged else _build_tolerant_judge(schema)
    # A large one that can be compiled has more to it than references that go in circles.
    return own if own.judged and len(text) > _LARGEST else _lenient_judge_of(text)


@lru_cache(maxsize=128)
def _lenient_judge_of(text: bytes) -> Judge:
    return _build_tolerant_judge(orjson.loads(text))


def _build_tolerant_judge(schema: Schema) -> Judge:
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
