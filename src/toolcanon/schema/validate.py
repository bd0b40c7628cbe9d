"""Validation of untrusted values against untrusted schemas, with its cost counted first.

Always as 2020-12, never over the network, with a regex engine of linear time, and only when the
work is bounded. A schema that cannot be compiled is judged without the patterns that prevent it, or
not at all; a judge never guesses. A dozen lines of schema can need more checks than there are atoms
(references that double at every step), and validators run them all, so the cost is counted first.
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
from toolcanon.schema.keywords import POSITIONS, Position
from toolcanon.schema.references import REFERENCES, References
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
