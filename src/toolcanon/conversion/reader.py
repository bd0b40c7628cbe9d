"""From a payload to canonical tools."""

from __future__ import annotations

from typing import Any, TypeAlias

from toolcanon.conversion.containers import contents
from toolcanon.conversion.detect import THRESHOLD, best_match, scores
from toolcanon.conversion.plain import plain
from toolcanon.errors import NoTools, UnreadableTool, WrongFormat
from toolcanon.formats.wire import Format, Match
from toolcanon.ir import CanonicalTool, Kind
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.registry import get_format

_SURE = 0.9
_ROOT = Pointer()


Reading: TypeAlias = tuple[list[CanonicalTool], bool]
"""The tools found, and whether the payload was one tool by itself."""


def read_payload(payload: Any, source: str | None = None) -> Reading:
    """Read everything a payload holds, in the format named or in the one found."""
    if source is None and payload.__class__ is dict:  # nearly every call: one plain definition
        found, match = best_match(payload)
        if match[0] > THRESHOLD and not match[2]:
            try:
                return [found.read(payload)], True
            except UnreadableTool as error:
                raise _explained(error, payload, None, _ROOT) from None
    if payload.__class__ is not dict and payload.__class__ is not list:
        payload = plain(payload)
    forced = None if source is None else get_format(source)
    if payload.__class__ is dict:
        return _read_object(payload, forced, _ROOT)
    if isinstance(payload, list):
        return _read_list(payload, forced, _ROOT), False
    raise NoTools(f"a {type(payload).__name__} is neither an object nor a list")


def _read_list(items: list[Json], forced: Format | None, at: Pointer) -> list[CanonicalTool]:
    tools: list[CanonicalTool] = []
    for index, item in enumerate(items):
        definition = item if item.__class__ is dict else plain(item)
        place = at / index
        if isinstance(definition, list):
            tools.extend(_read_list(definition, forced, place))
        elif isinstance(definition, dict):
            tools.extend(_read_object(definition, forced, place)[0])
        else:
            found = type(definition).__name__
            raise NoTools(f"a {found} is neither an object nor a list", str(place))
    return tools


def _read_object(definition: JsonObject, forced: Format | None, at: Pointer) -> Reading:
    match: Match | None
    if forced is None:
        found, match = best_match(definition)
    else:
        found, match = forced, forced.sniff(definition)
    if match is None or match.score <= THRESHOLD:
        inside = _read_body(definition, forced, at)
        if inside is not None:
            return inside, False
    try:
        if match is not None and match.many and found.spread is not None:
            return found.spread(definition), False
        tool = found.read(definition)
    except UnreadableTool as error:
        raise _explained(error, definition, forced, at) from None
    if forced is not None:
        _refuse_other_format(tool, definition, forced, at)
    return [tool], True


def _read_body(body: JsonObject, forced: Format | None, at: Pointer) -> list[CanonicalTool] | None:
    hits = contents(body)
    if not hits:
        return None
    tools: list[CanonicalTool] = []
    for hit in hits:
        known = forced
        if known is None and len(hit.formats) == 1:  # nobody else keeps tools there
            known = get_format(hit.formats[0])
        place = Pointer((*at, *hit.at))
        if isinstance(hit.value, dict):
            tools.extend(_read_object(hit.value, known, place)[0])
        else:
            tools.extend(_read_list(hit.value, known, place))
    return tools


def _explained(
    error: UnreadableTool, definition: JsonObject, forced: Format | None, at: Pointer
) -> UnreadableTool | NoTools | WrongFormat:
    """The error with its place in the payload, or the better one behind it."""
    other = _other_format(definition, forced)
    if forced is not None and other is not None:
        return WrongFormat(forced.id, other, str(at))
    if forced is None and not any(match.score > THRESHOLD for _, match in scores(definition)):
        keys = ", ".join(sorted(map(str, definition))[:6]) or "none"
        return NoTools(f"an object of no known format (keys: {keys})", str(at))
    return UnreadableTool(error.format, f"{at}{error.at}", error.reason)


def _refuse_other_format(
    tool: CanonicalTool, definition: JsonObject, forced: Format, at: Pointer
) -> None:
    """A tool read in the wrong format has lost its parameters: say so instead."""
    if tool.kind is Kind.FUNCTION and not tool.inputs and forced.sniff(definition) is None:
        other = _other_format(definition, forced)
        if other is not None:
            raise WrongFormat(forced.id, other, str(at))


def _other_format(definition: JsonObject, forced: Format | None) -> str | None:
    found, match = best_match(definition)
    sure = match.score >= _SURE and (forced is None or found.id != forced.id)
    return found.id if sure else None
