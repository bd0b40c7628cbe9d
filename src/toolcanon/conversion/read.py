"""From a payload to canonical tools."""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias

from toolcanon.conversion.detect import (
    SURE,
    THRESHOLD,
    ToolLocation,
    best_match,
    by_name,
    contents,
    in_common,
    scores,
)
from toolcanon.conversion.predicted_losses import facts
from toolcanon.conversion.sdk_objects import plain, plain_throughout
from toolcanon.errors import NoTools, UnreadableTool, WrongFormat, nearest
from toolcanon.formats.wire import Format, Match
from toolcanon.formats.wire.unread_parameters import (
    instead_of_a_tool,
    takes_nothing,
    unread_parameters,
)
from toolcanon.ir import CanonicalTool, Kind
from toolcanon.jsonio import Pointer, snapshot
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.registry import get_format, registry

_ROOT = Pointer()
_FUNCTION = Kind.FUNCTION
_NO_INPUTS: Final[JsonObject] = {}

Reading: TypeAlias = tuple[list[CanonicalTool], bool]
"""The tools found, and whether the payload was one tool by itself."""


class _Expected(NamedTuple):
    """The format as far as it is known: given by the caller, or implied by the place."""

    forced: Format | None = None
    hint: Format | None = None
    target: str | None = None
    """The target of the tools; it decides about their format only where nothing else does."""
    freeze: bool = False
    """Whether definitions are copied as they are read; the caller freezes those that are not."""


def read_payload(
    payload: Any,
    source: str | None = None,
    target: str | None = None,
    freeze: bool = False,  # noqa: FBT001, FBT002 - asked for all, and keywords cost
) -> Reading:
    """Read every tool of a payload, in the given format or in the detected one.

    Where several providers have built-in tools of one name, the target's own format is preferred.
    """
    if source is None and payload.__class__ is dict:  # nearly every call
        tool = _read_plainly(payload, freeze)
        if tool is not None:
            return [tool], True
    expected = _Expected(None if source is None else get_format(source), None, target, freeze)
    given = plain(payload)
    try:
        return _read_any(given, expected)
    except (NoTools, UnreadableTool, WrongFormat):
        whole = plain_throughout(given)
        if whole is given:
            raise
        return _read_any(whole, expected)  # live objects are inside


def _read_plainly(definition: JsonObject, freeze: bool) -> CanonicalTool | None:  # noqa: FBT001
    """Read one definition of a clear format; None leaves it to the general path."""
    found, match = best_match(definition)
    if match.score <= THRESHOLD or match.many:
        return None
    packed = snapshot(definition) if freeze else None
    try:
        tool = found.read(definition)
        inputs = tool.__dict__.get("inputs")
        if not inputs or not inputs.get("properties"):
            _refuse_unread(tool, definition, _ROOT)
    except (NoTools, UnreadableTool):
        return None
    return tool if packed is None else tool.freeze(definition, packed)


def _read_any(payload: Json, expected: _Expected) -> Reading:
    if isinstance(payload, dict):
        return _read_object(payload, expected, _ROOT)
    if isinstance(payload, list):
        return _read_list(payload, expected, _ROOT), False
    raise NoTools(f"{_word(payload)} is neither an object nor a list")


def _read_list(items: list[Json], expected: _Expected, at: Pointer) -> list[CanonicalTool]:
    tools: list[CanonicalTool] = []
    is_open = expected.forced is None and expected.hint is None
    has_bare = False  # a built-in tool has no schema
    for index, item in enumerate(items):
        tool = _read_plainly(item, expected.freeze) if is_open and item.__class__ is dict else None
        if tool is not None:
            tools.append(tool)
            has_bare = has_bare or "inputs" not in tool.__dict__
            continue
        has_bare = True
        definition = item if item.__class__ is dict else plain(item)
        place = at / index
        if isinstance(definition, list):
            tools.extend(_read_list(definition, expected, place))
        elif isinstance(definition, dict):
            tools.extend(_read_object(definition, expected, place)[0])
        else:
            raise NoTools(f"{_word(definition)} is neither an object nor a list", str(place))
    return _of_one_provider(tools, items, expected, at) if is_open and has_bare else tools


def _of_one_provider(
    tools: list[CanonicalTool], items: list[Json], expected: _Expected, at: Pointer
) -> list[CanonicalTool]:
    """Read a list again whose built-in tools were taken for another provider's.

    A function is accepted by every provider, a built-in tool only by its own, and several have one
    of the same name, so the whole list decides. A list where a function would change stays.
    """
    if len({tool.__dict__["source_format"] for tool in tools}) < 2:  # noqa: PLR2004 - all agree
        return tools
    if not any(map(_is_builtin, tools)):
        return tools
    given = [item for item in map(plain, items) if isinstance(item, dict)]
    whole = in_common(given, expected.target) if len(given) == len(items) else None
    if whole is None:
        return tools
    try:
        again = _read_list(items, _Expected(whole), at)
    except (NoTools, UnreadableTool, WrongFormat):
        return tools
    return again if [*map(_as_function, again)] == [*map(_as_function, tools)] else tools


def _as_function(tool: CanonicalTool) -> JsonObject | None:
    """Return the fields that every provider shares; None of a built-in tool."""
    return None if _is_builtin(tool) else {**facts(tool), "extras": None}


def _is_builtin(tool: CanonicalTool) -> bool:
    return tool.__dict__.get("kind") is Kind.BUILTIN


def _word(value: Json) -> str:
    if value is None:
        return "null"
    if isinstance(value, (bool, str)):
        return "a boolean" if isinstance(value, bool) else "a text"
    return "a number" if isinstance(value, (int, float)) else f"a {type(value).__name__}"


def _read_object(definition: JsonObject, expected: _Expected, at: Pointer) -> Reading:
    forced = expected.forced
    found, match = _format_of(definition, expected)
    # A format that keeps tools in no container means every key of a document as its own.
    if (match is None or match.score <= THRESHOLD) and (forced is None or forced.containers):
        is_known = forced is not None and match is not None
        hits = contents(definition) or ([] if is_known else by_name(definition))
        inside = _read_body(hits, expected, at)
        if inside is not None:
            return inside, False
    spread = found.spread if match is not None and match.many else None
    try:
        tools = [found.read(definition)] if spread is None else spread(definition)
    except UnreadableTool as error:
        raise _explained(error, definition, forced, at) from None
    for tool in tools:
        if forced is not None and spread is None:
            _refuse_other_format(tool, definition, forced, at)
        _refuse_unread(tool, definition, at)
    return tools, spread is None


def _format_of(definition: JsonObject, expected: _Expected) -> tuple[Format, Match | None]:
    forced, hint, *_ = expected
    if forced is not None:
        return forced, forced.sniff(definition)
    found, match = best_match(definition)
    if hint is not None:  # the place is better evidence than the shape
        stated = hint.sniff(definition)
        if stated is not None and stated.score >= match.score:
            return hint, stated
        if match.score < SURE and (stated is not None or "name" in definition):
            return hint, stated or Match(SURE, "its place in the payload")
    return found, match


def _read_body(
    hits: list[ToolLocation], expected: _Expected, at: Pointer
) -> list[CanonicalTool] | None:
    if not hits:
        return None
    tools: list[CanonicalTool] = []
    for hit in hits:
        hint = get_format(hit.formats[0]) if len(hit.formats) == 1 else expected.hint
        known = expected._replace(hint=hint)  # no other format has tools there
        place = Pointer((*at, *hit.at))
        if isinstance(hit.value, dict):
            tools.extend(_read_object(hit.value, known, place)[0])
        else:
            tools.extend(_read_list(hit.value, known, place))
    return _without_repeats(tools) if len(hits) > 1 else tools


def _without_repeats(tools: list[CanonicalTool]) -> list[CanonicalTool]:
    """Return the tools without repetitions: a body may repeat a deferred tool that was found."""
    kept: dict[str, CanonicalTool] = {}
    out: list[CanonicalTool] = []
    for tool in tools:
        first = kept.setdefault(tool.id, tool)
        if first is tool or _apart_from_loading(first) != _apart_from_loading(tool):
            out.append(tool)
    return out


def _apart_from_loading(tool: CanonicalTool) -> JsonObject:
    said = facts(tool)
    hints = {key: value for key, value in said.pop("hints", {}).items() if key != "deferred"}
    return {**said, "hints": hints}


def _explained(
    error: UnreadableTool, definition: JsonObject, forced: Format | None, at: Pointer
) -> UnreadableTool | NoTools | WrongFormat:
    """Return the error with its place in the payload, or the better one behind it."""
    other = _other_format(definition, forced)
    if forced is not None and other is not None and forced.sniff(definition) is None:
        return WrongFormat(forced.id, other, str(at))
    known = any(match.score > THRESHOLD for _, match in scores(definition))
    if forced is None and not known and not error.at:
        keys = ", ".join(sorted(map(str, definition))[:6]) or "none"
        reason = f"an object of no known format (keys: {keys}{_nearest_format(definition)})"
        return NoTools(reason, str(at))
    return UnreadableTool(error.format, f"{at}{error.at}", error.reason)


_COMMON: Final = frozenset({"name", "type"})
"""Keys of so many formats that they suggest none."""
_ALIKE: Final = 4
"""Letters at the beginning that a misspelled key has in common with the one that was meant."""


def _nearest_format(definition: JsonObject) -> str:
    """Return which format a definition may be meant for, by one of its keys; empty if none is."""
    formats = sorted(registry().formats.values(), key=lambda item: (item.rank, item.id))
    owners: dict[str, str] = {}
    for item in formats:
        for signal in sorted(item.signals - _COMMON):
            owners.setdefault(signal, item.id)
    keys = sorted(filter(str.isidentifier, map(str, definition)))
    for key in keys:
        if key in owners:
            return f"; the nearest format is {owners[key]}, which has {key!r}"
    for key in keys:
        near = nearest(key, list(owners))
        if near is not None and near[:_ALIKE].lower() == key[:_ALIKE].lower():
            return f"; the nearest format is {owners[near]}, which has {near!r} and not {key!r}"
    return ""


def _refuse_other_format(
    tool: CanonicalTool, definition: JsonObject, forced: Format, at: Pointer
) -> None:
    """Raise for a tool that lost its parameters because it was read in the wrong format."""
    if tool.kind is Kind.FUNCTION and not tool.inputs and forced.sniff(definition) is None:
        other = _other_format(definition, forced)
        if other is not None:
            raise WrongFormat(forced.id, other, str(at))


def _refuse_unread(tool: CanonicalTool, definition: JsonObject, at: Pointer) -> None:
    """Raise for a tool without parameters whose definition has some under an unknown key."""
    said = tool.__dict__  # not by attribute: that would create every default
    if "extras" not in said or said.get("kind", _FUNCTION) is not _FUNCTION:
        return
    if not takes_nothing(said.get("inputs", _NO_INPUTS)):
        return
    if instead := instead_of_a_tool(definition):
        raise NoTools(f"it is {instead}, not a definition", str(at))
    place = unread_parameters(tool, definition)
    if place is not None:
        reason = f"its parameters seem to stand under {place[-1]!r}, which is not read there"
        raise UnreadableTool(str(tool.source_format), f"{at}{place}", reason)


def _other_format(definition: JsonObject, forced: Format | None) -> str | None:
    found, match = best_match(definition)
    sure = match.score >= SURE and (forced is None or found.id != forced.id)
    return found.id if sure else None
