"""Read UIMessages, which pages keep and display.

A tool part has a call and its result, a message of the assistant several steps. Each step becomes a
message with the calls and one with their results; notes identify the original message.
"""

from __future__ import annotations

from typing import Any, Final

from toolcanon.formats.vercel.media import read_media, read_ui_media
from toolcanon.formats.vercel.older import INVOKED, OLDER, newer, note_older, with_parts
from toolcanon.formats.vercel.outputs import read_value, settle
from toolcanon.formats.vercel.reading import denial, mark_waiting, read_input
from toolcanon.formats.vercel.spelling import (
    AFTER,
    CONTENT,
    DENIAL,
    DENIED,
    DYNAMIC,
    ID,
    INPUT,
    LAYOUT,
    MORE,
    OUTPUT,
    RAW,
    ROLE,
    STATE,
    STEERING,
    STEPS,
    VOID,
    has_id,
    read_id,
)
from toolcanon.formats.wire.codec import NOT_JSON, NOTES, dump, extras_of, noted, rest
from toolcanon.ir.conversation import (
    Call,
    Extras,
    Message,
    Native,
    Part,
    Reasoning,
    Result,
    Text,
)
from toolcanon.jsonio.types import Json, JsonObject

ROLES: Final = frozenset({"system", "user", "assistant"})
STATES: Final = frozenset(
    """input-streaming input-available approval-requested approval-responded output-available
    output-error output-denied""".split()
)
_OPEN: Final = frozenset({"input-streaming", "input-available"})
_DYNAMIC: Final = "dynamic-tool"
_TOOL: Final = "tool-"
_STEP: Final = {"type": "step-start"}
_MESSAGE: Final = frozenset({"role", "parts"})
_TEXT: Final = frozenset({"type", "text", "state"})
_CALL: Final = frozenset({"type", "toolCallId", "state", "input", "output", "errorText"})
_STEERED: Final = frozenset({"type", "parts"})


class UiReader:
    """Reads message after message, and keeps the calls that wait for an approval."""

    def __init__(self, model: str | None) -> None:
        self._model = model
        self.waiting: list[Call] = []
        self.open: list[Call] = []
        """Calls of the last step so far without a result: their tools may still run."""

    def read(self, message: JsonObject) -> list[Message]:
        """Return the messages of one UI message."""
        role: Any = message.get("role")
        notes: JsonObject = {LAYOUT: "ui"}
        if "parts" not in message and isinstance(message.get(INVOKED), list):
            notes[OLDER] = [message["content"]] if "content" in message else []
            message = with_parts(message)
        known = _MESSAGE
        if not isinstance(role, str) or role not in ROLES:
            notes[ROLE] = [role] if "role" in message else []
            role = "user"
        given = message.get("parts")
        if not isinstance(given, list):
            given = []
            notes[CONTENT] = None
            if "parts" in message:
                known -= {"parts"}
        if role == "assistant":
            read = _Steps(self).read(given)
        else:
            read = [Message(role, [self.part(part) for part in given])]
        self.open = _open_calls(read)
        left = rest(message, known)
        for number, one in enumerate(read):
            more = (one.extras or {}).get(NOTES, {})
            if number:
                one.extras = {ID: {NOTES: {LAYOUT: "ui", MORE: True, **more}}}
            else:
                one.extras = extras_of(ID, left, {**notes, **more})
        return read

    def part(self, given: Json) -> Part:
        """Read any part but those of tools."""
        if not isinstance(given, dict):
            return Native(ID, "", given)
        part, was = newer(given)
        found: Part | None = None
        match part.get("type"):
            case "text" if isinstance(part.get("text"), str):
                found = Text(part["text"], _shown(part))
            case "reasoning" if isinstance(part.get("text"), str):
                extras = _shown(part)
                found = Reasoning(part["text"], provider=ID, model=self._model, extras=extras)
            case "file":
                found = read_ui_media(part) if "url" in part else read_media(part)
        if found is None:
            return _native(given)
        if was is not None:
            note_older(found, was)
        return found

    def tool(self, part: JsonObject) -> tuple[Call, Result | None] | None:
        """Read a tool part as a call and its result; None for an unknown shape."""
        name, state = tool_name(part), part.get("state")
        if not isinstance(state, str) or state not in STATES:
            return None
        if name is None or not has_id(part) or NOTES in part:
            return None
        call_id, spelled = read_id(part)
        if part.get("providerExecuted") is True:
            return None
        is_dynamic = part["type"] == _DYNAMIC
        left = rest(part, _CALL | {"toolName"} if is_dynamic else _CALL)
        given = _with_input(part, state)
        call = read_input(Call(name, None, call_id), given, left, spelled)
        notes = {**(call.extras or {}).get(ID, {}).get(NOTES, {}), STATE: state}
        if is_dynamic:
            notes[DYNAMIC] = True
        if given is not part:
            notes[RAW] = [None] if "input" in part else []
        odd: JsonObject = {key: part[key] for key in ("output", "errorText") if key in part}
        result = _read_result(call, part, odd, spelled)
        if result is None and state.startswith("output"):
            return None
        if state == "input-streaming":  # incomplete arguments must not be used as complete ones
            raw, so_far = part.get("rawInput"), part.get("input")
            call.text = raw if isinstance(raw, str) else "" if so_far is None else dump(so_far)
            call.arguments, call.problem, call.is_text = None, NOT_JSON, False
            notes[INPUT] = [so_far] if "input" in part else []
        call.extras = extras_of(ID, {**left, **odd}, notes)
        approval = part.get("approval")
        if state.startswith("approval") and isinstance(approval, dict):
            if approval.get("approved") is False:
                result = denial(call, approval.get("reason"))
            elif isinstance(approval.get("id"), str):
                self.waiting.append(call)
        return call, result

    def finish(self) -> None:
        """Mark calls that wait for an approval, or at the end of a page for their tool."""
        for call in self.open:
            mark_waiting(call, "ui")
        for call in self.waiting:
            mark_waiting(call)


def _open_calls(read: list[Message]) -> list[Call]:
    step = read[-2] if read[-1].role == "tool" and len(read) > 1 else read[-1]
    return [call for call in step.calls if noted(call.extras, ID).get(STATE) in _OPEN]


def _read_result(
    call: Call, part: JsonObject, odd: JsonObject, spelled: JsonObject
) -> Result | None:
    """Return the result in a tool part; its keys are removed from ``odd``."""
    result = Result(call.id, name=call.name, is_text=call.is_text)
    notes = dict(spelled)
    match part["state"]:
        case "output-available" if "output" in odd:
            result.content, is_content = read_value(odd.pop("output"))
            if is_content:
                notes[OUTPUT] = CONTENT
        case "output-available":  # a tool without a result: JSON omits undefined
            notes[OUTPUT] = VOID
        case "output-error" if isinstance(odd.get("errorText"), str):
            result.content, result.is_error = [Text(odd.pop("errorText"))], True
        case "output-error" if "errorText" not in odd:
            notes[OUTPUT], result.is_error = VOID, True
        case "output-denied":
            approval = part.get("approval")
            reason = approval.get("reason") if isinstance(approval, dict) else None
            words = reason if isinstance(reason, str) else None
            result.content, result.is_error = [Text(DENIAL if words is None else words)], True
            notes[DENIED] = words
        case _:
            return None
    return settle(result, {}, notes)


def _with_input(part: JsonObject, state: str) -> JsonObject:
    """Return the part with the unreadable arguments of a failed call, which have another key.

    The SDK uses them from there, too (convert-to-model-messages.ts, 7.0.170).
    """
    raw = part.get("rawInput")
    if state != "output-error" or raw is None or part.get("input") is not None:
        return part
    return {**part, "input": raw}


class _Steps:
    """The steps of an answer: text and calls of the model, then the results."""

    def __init__(self, reader: UiReader) -> None:
        self._reader = reader
        self._read: list[Message] = []
        self._parts: list[Part] = []
        self._results: list[Part] = []
        self._marks = 0
        self._older: Json = None
        """The step of the older invocation before, which ends with the next one, or with text."""

    def read(self, parts: list[Json]) -> list[Message]:
        for part in parts:
            if part == _STEP:
                self._end()
                self._marks += 1
                continue
            if _is_steering(part):
                self._end()
                self._steer(part)
                continue
            found = self._tool(part) if isinstance(part, dict) else None
            if found is None:
                if (
                    self._older is not None
                    and isinstance(part, dict)
                    and part.get("type") == "text"
                ):
                    self._end()
                self._parts.append(self._reader.part(part))
                continue
            call, result = found
            self._parts.append(call)
            if result is not None:
                self._results.append(result)
        self._end()
        if not self._read:
            self._read.append(Message("assistant", []))
        if self._marks:
            last = self._read[-1]
            kept = (last.extras or {}).get(NOTES, {})
            last.extras = {NOTES: {**kept, AFTER: self._marks}}
        return self._read

    def _tool(self, given: JsonObject) -> tuple[Call, Result | None] | None:
        part, was = newer(given)
        found = self._reader.tool(part)
        if found is not None and isinstance(was, list):
            step = was[0].get("step", 0)
            if self._older is not None and self._older != step:
                self._end()
            self._older = step
            note_older(found[0], was)
        return found

    def _end(self) -> None:
        """End the current step, if there is one; the reader of the message adds its notes."""
        if not self._parts:
            return
        notes = {STEPS: self._marks} if self._marks else {}
        self._marks = 0
        self._read.append(Message("assistant", self._parts, None, {NOTES: notes}))
        if self._results:
            self._read.append(Message("tool", self._results))
        self._parts, self._results, self._older = [], [], None

    def _steer(self, part: JsonObject) -> None:
        notes: JsonObject = {STEERING: rest(part, _STEERED)}
        if self._marks:
            notes[STEPS], self._marks = self._marks, 0
        said = [self._reader.part(inner) for inner in part["parts"]]
        self._read.append(Message("user", said, None, {NOTES: notes}))


def _shown(part: JsonObject) -> Extras:
    """Return the other fields of a text; whether it is complete matters only for display."""
    notes = {STATE: part[STATE]} if STATE in part else None
    return extras_of(ID, rest(part, _TEXT), notes)


def _is_steering(part: Json) -> bool:
    is_one = isinstance(part, dict) and part.get("type") == "steering-message"
    return is_one and isinstance(part.get("parts"), list)


def tool_name(part: JsonObject) -> str | None:
    """Return the name of the tool of a part; None for other parts."""
    kind, name = part.get("type"), part.get("toolName")
    if kind == _DYNAMIC:
        return name if isinstance(name, str) else None
    if isinstance(kind, str) and kind.startswith(_TOOL) and len(kind) > len(_TOOL):
        return kind.removeprefix(_TOOL)
    return None


def _native(part: JsonObject) -> Native:
    kind = part.get("type")
    own_id = part.get("toolCallId", part.get("sourceId", part.get("id")))
    found = own_id if isinstance(own_id, str) else None
    return Native(ID, kind if isinstance(kind, str) else "", part, found)
