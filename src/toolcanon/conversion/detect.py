"""Detection of formats, and of the places where a payload holds its tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from toolcanon.conversion.sdk_objects import plain
from toolcanon.errors import InputError
from toolcanon.formats.wire import Format, Match
from toolcanon.formats.wire.unread_parameters import is_call
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.registry import get_format, registry


class ToolLocation(NamedTuple):
    """A place that should hold a tool or a list of tools, and the formats that have tools there."""

    at: Pointer
    value: Json
    formats: tuple[str, ...]


@cache
def _paths() -> dict[tuple[str, ...], tuple[str, ...]]:
    paths: dict[tuple[str, ...], tuple[str, ...]] = {}
    for item in registry().formats.values():
        for path in item.containers:
            paths[path] = (*paths.get(path, ()), item.id)
    return paths


def contents(body: JsonObject) -> list[ToolLocation]:
    """Return every place of a body that holds tools, in the order of the formats' tables."""
    return [
        ToolLocation(at, value, formats)
        for path, formats in _paths().items()
        for at, value in _follow(body, path, Pointer())
    ]


def text_of_tools(body: JsonObject) -> str | None:
    """Return the key under which tools are given as the text of a list or object; None for none."""
    for key, *below in _paths():
        value = body.get(key)
        if not below and isinstance(value, str) and value.lstrip()[:1] in {"[", "{"}:
            return key
    return None


def _follow(value: Json, path: tuple[str, ...], at: Pointer) -> Iterator[tuple[Pointer, Json]]:
    if not path:
        if isinstance(value, (list, dict)):
            yield at, value
    elif path[0] == "*":
        if isinstance(value, list):
            for index, item in enumerate(value):
                yield from _follow(item, path[1:], at / index)
    elif isinstance(value, dict) and path[0] in value:
        yield from _follow(value[path[0]], path[1:], at / path[0])


FALLBACK = "raw"
THRESHOLD = 0.1
CERTAIN = 1.0
SURE = 0.9
_PARAMETERS = "parameters"
_MOST_SHAPES = 4096
_LONGEST_SHAPE = 4096  # characters
_MOST_WRAPPERS = 16  # deeper nesting is not a payload
_shapes: dict[tuple[str, ...], tuple[Format, ...]] = {}


class Detection(NamedTuple):
    """The detected format, with the score and the evidence of every format that matched.

    >>> detect({"name": "f", "inputSchema": {"type": "object"}}).format
    'mcp'
    """

    format: str
    """The id of the format with the highest score; "raw" where none is recognized."""
    confidence: dict[str, float]
    """The score of each format that matched, from 0 to 1."""
    evidence: dict[str, str]
    """The reason for each score: the keys that were found."""

    @property
    def candidates(self) -> tuple[str, ...]:
        """Every format that matched as well, best first; more than one means ambiguity."""
        scores = self.confidence
        return tuple(
            sorted((f for f in scores if scores[f] >= THRESHOLD), key=lambda f: -scores[f])
        )


def detect(payload: Any) -> Detection:
    """Return the format of one tool, a list, a wrapper or a request body. Never raises on JSON."""
    if payload.__class__ is dict:
        found = _detect_one(payload)
        if found.confidence[found.format] > THRESHOLD:
            return found
    try:
        return _detect_all(_definitions(plain(payload), 0))
    except InputError:  # not JSON, or JSON that the loader rejects
        return _detect_all([])


def _detect_one(definition: JsonObject) -> Detection:
    confidence, best = _blank().copy(), FALLBACK
    top = THRESHOLD
    evidence: dict[str, str] = {}
    for candidate in candidates(definition):
        match = candidate.sniff(definition)
        if match is not None:
            name = candidate.id
            confidence[name], evidence[name] = match.score, match.evidence
            if match.score > top:
                best, top = name, match.score
    evidence[FALLBACK] = "any JSON object"
    return Detection(best, confidence, evidence)


@cache
def _blank() -> dict[str, float]:
    return dict.fromkeys(registry().formats, 0.0) | {FALLBACK: THRESHOLD}


def _detect_all(definitions: list[JsonObject]) -> Detection:
    """Return the average over several definitions; without any, the format is raw."""
    if not definitions:
        return Detection(FALLBACK, dict(_blank()), {})
    single = [_detect_one(definition) for definition in definitions]
    confidence = {
        name: round(sum(found.confidence[name] for found in single) / len(single), 4)
        for name in _blank()
    }
    evidence: dict[str, str] = {}
    for found in single:
        evidence = found.evidence | evidence
    best = max(confidence, key=lambda name: (confidence[name], -get_format(name).rank))
    if len({found.format for found in single}) > 1:
        whole = in_common(definitions)
        best = best if whole is None else whole.id
    return Detection(best, confidence, evidence)


def _definitions(payload: Json, depth: int) -> list[JsonObject]:
    """Return the definitions inside a payload; an object that holds none is a definition itself."""
    if depth > _MOST_WRAPPERS:
        return []
    if isinstance(payload, list):
        return [inner for item in payload for inner in _definitions(plain(item), depth + 1)]
    if not isinstance(payload, dict):
        return []
    _, match = best_match(payload)
    if match.score <= THRESHOLD:
        hits = contents(payload) or by_name(payload)
        inside = [inner for hit in hits for inner in _definitions(hit.value, depth + 1)]
        if inside:
            return inside
    return [payload]


def by_name(body: JsonObject) -> list[ToolLocation]:
    """Return the tools of an object that holds only whole definitions, by name.

    Each must be of a known format and have a name of its own or parameters of its own.
    """
    hits = []
    for key, value in body.items():
        if not isinstance(value, dict):
            return []
        item = value
        if "name" not in value and isinstance(value.get(_PARAMETERS), dict):
            item = {"name": key, **value}
        found, match = best_match(item)
        if match.score <= THRESHOLD or match.many or not _says_name(item) or is_call(item):
            return []
        hits.append(ToolLocation(Pointer((key,)), item, (found.id,)))
    return hits


def _says_name(definition: JsonObject) -> bool:
    inner = definition.get("function")
    return isinstance((inner if isinstance(inner, dict) else definition).get("name"), str)


def in_common(definitions: Sequence[JsonObject], target: str | None = None) -> Format | None:
    """Return the format that recognizes every definition, and at least one with certainty.

    Where there is none, return the format of the target if that recognizes each of them.
    """
    best = {found.id: found for found, match in map(best_match, definitions) if match.score >= SURE}
    fitting = [
        found
        for found in best.values()
        if all(found.sniff(definition) is not None for definition in definitions)
    ]
    if not fitting and target is not None:
        own = get_format(target)
        return own if all(own.sniff(definition) is not None for definition in definitions) else None
    return min(fitting, key=lambda found: (found.rank, found.id), default=None)


def scores(definition: JsonObject) -> list[tuple[Format, Match]]:
    """Return every format that recognizes something, in order of rank."""
    asked = (*candidates(definition), get_format(FALLBACK))
    matches = ((candidate, candidate.sniff(definition)) for candidate in asked)
    return [(candidate, match) for candidate, match in matches if match is not None]


def best_match(definition: JsonObject) -> tuple[Format, Match]:
    """Return the format with the highest score; rank decides between equals."""
    best: tuple[Format, Match] | None = None
    top = THRESHOLD
    for candidate in _shapes.get(tuple(definition)) or candidates(definition):
        match = candidate.sniff(definition)
        if match is not None and (score := match.score) > top:
            if score == CERTAIN:  # no score is higher, and candidates come by rank
                return candidate, match
            best, top = (candidate, match), score
    return best or _fallback(definition)


def foreign_tools(tools: Json, format_id: str) -> dict[int, str]:
    """Return the places of tools that are written for another format, each with that format's id.

    A tool that no format recognizes with certainty is left out: a provider may have added it
    lately.
    """
    own = get_format(format_id)
    found: dict[int, str] = {}
    for place, tool in enumerate(tools if isinstance(tools, list) else ()):
        if tool.__class__ is not dict:
            continue
        match = own.sniff(tool)
        if match is not None and match.score == CERTAIN:
            continue
        best, certain = best_match(tool)
        if certain.score >= SURE and (match is None or match.score < certain.score):
            found[place] = best.id
    return found


def _fallback(definition: JsonObject) -> tuple[Format, Match]:
    raw = get_format(FALLBACK)
    return raw, raw.sniff(definition) or Match(THRESHOLD, "")


def candidates(definition: JsonObject) -> tuple[Format, ...]:
    """Return the formats that may match, by the keys present; remembered by shape."""
    shape = tuple(definition)
    found = _shapes.get(shape)
    if found is None:
        ranked = sorted(registry().formats.values(), key=lambda item: (item.rank, item.id))
        found = tuple(item for item in ranked if not item.signals.isdisjoint(shape)) or tuple(
            item for item in ranked if item.anywhere
        )
        if len(_shapes) >= _MOST_SHAPES:  # hostile input must not make it grow without limit
            _shapes.clear()
        if len(repr(shape)) <= _LONGEST_SHAPE:
            _shapes[shape] = found
    return found
