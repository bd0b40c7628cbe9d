"""Parts of AI SDK 3 and 4: ``args`` and ``result``, ``mimeType``, tool invocations.

They are read as their current form. A note states the older one, so that their SDK gets them back
unchanged; otherwise the current form is written.
"""

from __future__ import annotations

from typing import Final

from toolcanon.formats.vercel.tools import ID
from toolcanon.formats.wire.codec import NOTES, noted, rest
from toolcanon.ir.conversation import Native, Part
from toolcanon.jsonio.types import Json, JsonObject

OLDER: Final = "older"
"""The note of a part or a message with the fields of the older form."""
INVOKED: Final = "toolInvocations"
REPEATED: Final = frozenset({INVOKED, "content", "reasoning"})
"""Keys of a UI message that repeat its parts."""
ABOUT: Final = frozenset({"id", "createdAt", "annotations"})
"""Keys of an older UI message without parts, which looks like a ModelMessage."""
_INVOCATION: Final = "tool-invocation"
_HELD: Final = "toolInvocation"
_FAILED: Final = "isError"
_PLAIN: Final = "plain"
"""For an output that is the value itself: the other fields on failure."""
_EMPTY: Final = "empty"
"""For an output without a value: a list with it, or without."""
_VOID: Final = ({"type": "json"}, {"type": "error-json"})
_STATES: Final = {
    "partial-call": "input-streaming",
    "call": "input-available",
    "result": "output-available",
}
_OLDER_STATES: Final = {new: old for old, new in _STATES.items()}
_MEMBERS: Final = (("toolCallId", "toolCallId"), ("args", "input"), ("result", "output"))
_KNOWN: Final = frozenset({"state", "toolCallId", "toolName", "args", "result"})


def newer(part: JsonObject) -> tuple[JsonObject, Json]:
    """Return a part in its current form, and its note; None for a current one."""
    match part:
        case {"type": "tool-call", "args": _} if "input" not in part:
            return _renamed(part, "args", "input"), True
        case {"type": "tool-result"}:
            return _newer_result(part)
        case {"type": "file" | "image" | "image-data", "mimeType": _} if "mediaType" not in part:
            return _renamed(part, "mimeType", "mediaType"), True
        case {"type": "reasoning", "reasoning": str()} if "text" not in part:
            return _renamed(part, "reasoning", "text"), True
        case {"type": "tool-invocation", "toolInvocation": {"toolName": str()} as held}:
            return _newer_tool(part, held)
    return part, None


def _renamed(part: JsonObject, old: str, new: str) -> JsonObject:
    return {new if key == old else key: value for key, value in part.items()}


def _newer_result(part: JsonObject) -> tuple[JsonObject, Json]:
    """Return a result with a typed output; the value itself may be under either key.

    Without any the tool returned nothing: JSON omits undefined.
    """
    key = "output" if "output" in part or "result" not in part else "result"
    value = part.get(key)
    if key == "output":
        if _is_typed(value):
            return part, None
        if key not in part or value in _VOID:
            return part, {_EMPTY: [value] if key in part else []}
    kind = "text" if isinstance(value, str) else "json"
    output = {"type": f"error-{kind}" if part.get(_FAILED) is True else kind, "value": value}
    failed = [part[_FAILED]] if _FAILED in part else []
    left = rest(part, frozenset({key, _FAILED}))
    return {**left, "output": output}, failed if key == "result" else {_PLAIN: failed}


def _is_typed(output: Json) -> bool:
    match output:
        case {"type": "text" | "error-text", "value": str()}:
            return True
        case {"type": "json" | "error-json", "value": _} | {"type": "content", "value": [*_]}:
            return True
        case {"type": "execution-denied"}:
            return True
    return False


def _newer_tool(part: JsonObject, held: JsonObject) -> tuple[JsonObject, Json]:
    state = held.get("state")
    if not isinstance(state, str) or state not in _STATES:
        return part, None
    made: JsonObject = {
        "type": f"tool-{held['toolName']}",
        "state": _STATES[state],
    }
    for old, new in _MEMBERS:
        if old in held:
            made[new] = held[old]
    return made, [rest(held, _KNOWN), rest(part, frozenset({"type", _HELD}))]


def note_older(part: Part, said: Json) -> None:
    if not isinstance(part, Native):
        kept = part.extras or {}
        own = kept.get(ID, {})
        part.extras = {**kept, ID: {**own, NOTES: {**own.get(NOTES, {}), OLDER: said}}}


def as_it_was(part: Part, made: list[Json]) -> list[Json]:
    """Return what was written for a part in the older form that it was read from."""
    said = None if isinstance(part, Native) else noted(part.extras, ID).get(OLDER)
    return made if said is None else [_older(one, said) for one in made]


def is_older(part: Part) -> bool:
    """Return whether a part was read from an older form."""
    return not isinstance(part, Native) and OLDER in noted(part.extras, ID)


def _older(part: JsonObject, said: Json) -> JsonObject:
    match part:
        case {"type": "tool-call"}:
            return _renamed(part, "input", "args")
        case {"type": "tool-result", "output": {"type": str() as kind, "value": value, **more}}:
            if more or kind.removeprefix("error-") not in {"text", "json"}:
                return part
            return _older_result(part, kind, value, said)
        case {"type": "reasoning"}:
            return _renamed(part, "text", "reasoning")
        case {"type": "file" | "image" | "image-data"}:
            return _renamed(part, "mediaType", "mimeType")
    return part


def _older_result(part: JsonObject, kind: str, value: Json, said: Json) -> JsonObject:
    out, failed = rest(part, frozenset({"output"})), kind.startswith("error-")
    key = "result"
    if isinstance(said, dict):
        key = "output"
        if _EMPTY in said:
            was = said[_EMPTY]
            is_same = value == "" and failed is (was == [{"type": "error-json"}])
            return {**out, **({key: was[0]} if was else {})} if is_same else part
        said = said[_PLAIN]
    out[key] = value
    if said and (said[0] is True) is failed:
        return {**out, _FAILED: said[0]}
    return {**out, _FAILED: failed} if failed or said else out


def older_tool(part: JsonObject, said: list[JsonObject]) -> JsonObject | None:
    """Return a UI tool part as an invocation; None where that cannot express its state."""
    state = _OLDER_STATES.get(part["state"])
    known = {"type", "toolCallId", "state", "input", "output"}
    if state is None or not part.keys() <= known:
        return None
    held: JsonObject = {"state": state, "toolName": part["type"].removeprefix("tool-")}
    for old, new in _MEMBERS:
        if new in part:
            held[old] = part[new]
    return {"type": _INVOCATION, _HELD: {**held, **said[0]}, **said[1]}


def with_parts(message: JsonObject) -> JsonObject:
    """Return a message that lists invocations beside its text as one with parts.

    The text comes last: SDK 4 sends a model the calls and their results first.
    """
    said = message.get("content")
    parts: list[Json] = [{"type": _INVOCATION, _HELD: held} for held in message[INVOKED]]
    if isinstance(said, str) and said:
        parts.append({"type": "text", "text": said})
    return {**rest(message, frozenset({INVOKED, "content"})), "parts": parts}


def without_parts(message: JsonObject, said: Json) -> JsonObject:
    """Return the older form, if the parts are still of these kinds."""
    held: list[JsonObject] = list(message["parts"])
    words = held.pop() if held and held[-1].get("type") == "text" else None
    if not all(part.get("type") == _INVOCATION for part in held):
        return message
    out = rest(message, frozenset({"parts"}))
    if words is not None or said:
        out["content"] = words["text"] if words else said[0]
    return {**out, INVOKED: [part[_HELD] for part in held]}
