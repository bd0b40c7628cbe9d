"""ModelMessages and UIMessages read.

Tools that a provider runs itself, requests for approval and the answers to them are ``Native``. A
denied call without a result gets one that states the denial: other formats require a result, and
the SDK makes the same one.

A tool part has a call and its result, a message of the assistant several steps. Each step becomes a
message with the calls and one with their results; notes identify the original message.
"""

from __future__ import annotations

from typing import Any, Final

from toolcanon.errors import NotAConversation
from toolcanon.formats.vercel.media import (
    AFTER,
    CONTENT,
    DENIAL,
    DENIED,
    DYNAMIC,
    IMPLIED,
    INPUT,
    KINDS,
    LAYOUT,
    LIST,
    MORE,
    OUTPUT,
    RAW,
    ROLE,
    STATE,
    STEERING,
    STEPS,
    VOID,
    Layout,
    has_id,
    read_id,
    read_media,
    read_ui_media,
)
from toolcanon.formats.vercel.older import INVOKED, OLDER, newer, note_older, with_parts
from toolcanon.formats.vercel.outputs import read_output, read_value, settle
from toolcanon.formats.vercel.tools import AWAITS, ID, RESPONSE
from toolcanon.formats.wire.codec import (
    NOT_JSON,
    NOT_OBJECT,
    NOTES,
    dump,
    extras_of,
    noted,
    read_arguments,
    rest,
)
from toolcanon.formats.wire.odd_members import note_odd
from toolcanon.ir.conversation import Call, Extras, Message, Native, Part, Reasoning, Result, Text
from toolcanon.jsonio.types import Json, JsonObject

MODEL_ROLES: Final = frozenset({"system", "user", "assistant", "tool"})
_MODEL_MESSAGE: Final = frozenset({"role", "content"})
_MODEL_TEXT: Final = frozenset({"type", "text"})
_MODEL_CALL: Final = frozenset({"type", "toolCallId", "toolName", "input"})
_RESULT: Final = frozenset({"type", "toolCallId", "toolName", "output"})


class ModelReader:
    """Reads message after message, and keeps the calls so far."""

    def __init__(self, model: str | None) -> None:
        self._model = model
        self._hosted: set[str] = set()
        """Ids of calls that the provider runs."""
        self.calls: dict[str, Call] = {}
        self.asked: dict[str, str] = {}
        """The call of each approval."""
        self.answered: set[str] = set()
        self.denials: list[tuple[Message, Call, JsonObject]] = []
        self.waiting: list[Call] = []
        """Approved calls without a result, since the last message of the user."""

    def read(self, message: JsonObject) -> Message:
        role: Any = message.get("role")
        notes: JsonObject = {}
        if not isinstance(role, str) or role not in MODEL_ROLES:
            notes[ROLE] = [role] if "role" in message else []
            role = "user"
        content = message.get("content")
        known, parts = _MODEL_MESSAGE, list[Part]()
        if isinstance(content, str):
            parts = [Text(content)]
        elif isinstance(content, list):
            parts = [self._part(part, role) for part in content]
            if (
                len(parts) == 1 and isinstance(parts[0], Text) and parts[0].extras is None
            ) or not parts:
                notes[CONTENT] = LIST
        elif isinstance(content, dict) and isinstance(content.get("type"), str):
            parts = [self._part(content, role)]
            is_bare = len(content) == len(_MODEL_TEXT) and parts[0].__class__ is Text
            note_odd(notes, "content", content, content["text"] if is_bare else [content])
        elif "content" in message:
            known -= {"content"}
            notes[CONTENT] = None
        else:
            notes[CONTENT] = None
        extras = extras_of(ID, rest(message, known), notes) or {ID: {}}
        read = Message(role, parts, None, extras)
        self._denied(read)
        return read

    def _part(self, given: Json, role: str) -> Part:
        if not isinstance(given, dict):
            return Native(ID, "", given)
        part, was = newer(given)
        kind = part.get("type")
        found: Part | None = None
        match kind:
            case "text" if isinstance(part.get("text"), str):
                found = Text(part["text"], extras_of(ID, rest(part, _MODEL_TEXT)))
            case "reasoning" if isinstance(part.get("text"), str):
                extras = extras_of(ID, rest(part, _MODEL_TEXT))
                found = Reasoning(part["text"], provider=ID, model=self._model, extras=extras)
            case "tool-call" if role != "system":  # which can only have text
                found = self._call(part)
            case "tool-result" if role != "system":
                found = self._result(part, role)
            case str() if kind in KINDS:
                found = read_media(part)
            case "tool-approval-request":  # kept as it is
                self._ask(part)
        if found is not None:
            if was is not None:
                note_older(found, was)
            return found
        own_id = part.get("approvalId", part.get("toolCallId"))
        return Native(ID, str(kind or ""), given, own_id if isinstance(own_id, str) else None)

    def _call(self, part: JsonObject) -> Call | None:
        name = part.get("toolName")
        if not has_id(part) or not isinstance(name, str) or NOTES in part:
            return None
        call_id, notes = read_id(part)
        if part.get("providerExecuted") is True:
            self._hosted.add(call_id or "")
            return None
        call = read_input(Call(name, None, call_id), part, rest(part, _MODEL_CALL), notes)
        if call_id is not None:
            self.calls[call_id] = call
        return call

    def _result(self, part: JsonObject, role: str) -> Result | None:
        name = part.get("toolName")
        call_id, spelled = read_id(part)
        if not has_id(part) or (role == "assistant" and (call_id or "") in self._hosted):
            return None
        known = _RESULT
        if not isinstance(name, str):
            name, known = None, known - {"toolName"}
        call = self.calls.get(call_id or "")
        result = Result(call_id, name=name, is_text=call is not None and call.is_text)
        notes = read_output(result, part.get("output"))
        if notes is None:
            return None
        self.answered.add(call_id or "")
        return settle(result, rest(part, known), {**notes, **spelled})

    def _ask(self, part: JsonObject) -> None:
        approval, (call_id, _) = part.get("approvalId"), read_id(part)
        if isinstance(approval, str) and call_id is not None:
            self.asked[approval] = call_id
            if call_id in self.calls:
                self.waiting.append(self.calls[call_id])

    def _denied(self, message: Message) -> None:
        """Note the calls that the user denied."""
        for part in message.parts:
            if isinstance(part, Native) and part.type == RESPONSE and isinstance(part.value, dict):
                call = self.calls.get(self.asked.get(part.id or "", ""))
                if call is not None and part.value.get("approved") is False:
                    self.denials.append((message, call, part.value))

    def finish(self) -> None:
        """Add results that follow from denials, and mark calls that wait for an approval."""
        for message, call, response in self.denials:
            if call.id not in self.answered:
                self.answered.add(call.id or "")
                message.parts.append(denial(call, response.get("reason")))
        for call in self.waiting:
            if call.id not in self.answered:
                mark_waiting(call)


def read_input(call: Call, part: JsonObject, left: JsonObject, spelled: JsonObject) -> Call:
    """Return the call with its arguments: any value; a text for a free-text tool."""
    notes = dict(spelled)
    value = part.get("input")
    if isinstance(value, str):
        call.text = value
        call.arguments, problem = read_arguments(value)
        if problem is not None:
            call.arguments, call.is_text = None, True
        else:
            notes[INPUT] = "text"
    else:
        call.arguments = value
        if not isinstance(value, dict):
            call.problem = NOT_OBJECT
            notes[INPUT] = [value] if "input" in part else []
    call.extras = extras_of(ID, left, notes)
    return call


def denial(call: Call, reason: Json) -> Result:
    """Return the result of a call that the user denied, where none is written."""
    words = reason if isinstance(reason, str) else None
    notes: JsonObject = {DENIED: words, IMPLIED: True}
    content: list[Any] = [Text(DENIAL if words is None else words)]
    return Result(call.id, content, call.name, True, call.is_text, {ID: {NOTES: notes}})


def mark_waiting(call: Call, where: bool | Layout = True) -> None:  # noqa: FBT001, FBT002
    """Mark a call whose result is still to come, from the user or from the tool after approval.

    ``where`` is the layout in which that is so, if not in all of them.
    """
    kept = call.extras or {}
    call.extras = {**kept, ID: {**kept.get(ID, {}), AWAITS: where}}


def checked(messages: Json, at: str) -> list[JsonObject]:
    """Return a list of objects; ``at`` is the place of the list, for errors."""
    if not isinstance(messages, list):
        raise NotAConversation(at, "messages must be a list")
    for index, message in enumerate(messages):
        if not isinstance(message, dict):
            raise NotAConversation(f"{at}/{index}", "a message must be an object")
    return messages


UI_ROLES: Final = frozenset({"system", "user", "assistant"})
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
        if not isinstance(role, str) or role not in UI_ROLES:
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
