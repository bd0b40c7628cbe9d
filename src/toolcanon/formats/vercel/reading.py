"""Read ModelMessages, which models get.

Tools that a provider runs itself, requests for approval and the answers to them are ``Native``. A
denied call without a result gets one that states the denial: other formats require a result, and
the SDK makes the same one.
"""

from __future__ import annotations

from typing import Any, Final

from toolcanon.errors import NotAConversation
from toolcanon.formats.vercel.media import KINDS, read_media
from toolcanon.formats.vercel.older import newer, note_older
from toolcanon.formats.vercel.outputs import read_output, settle
from toolcanon.formats.vercel.spelling import (
    AWAITS,
    CONTENT,
    DENIAL,
    DENIED,
    ID,
    IMPLIED,
    INPUT,
    LIST,
    RESPONSE,
    ROLE,
    Layout,
    has_id,
    read_id,
)
from toolcanon.formats.wire.codec import NOT_OBJECT, NOTES, extras_of, read_arguments, rest
from toolcanon.formats.wire.odd import note_odd
from toolcanon.ir.conversation import (
    Call,
    Message,
    Native,
    Part,
    Reasoning,
    Result,
    Text,
)
from toolcanon.jsonio.types import Json, JsonObject

ROLES: Final = frozenset({"system", "user", "assistant", "tool"})
_MESSAGE: Final = frozenset({"role", "content"})
_TEXT: Final = frozenset({"type", "text"})
_CALL: Final = frozenset({"type", "toolCallId", "toolName", "input"})
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
        if not isinstance(role, str) or role not in ROLES:
            notes[ROLE] = [role] if "role" in message else []
            role = "user"
        content = message.get("content")
        known, parts = _MESSAGE, list[Part]()
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
            is_bare = len(content) == len(_TEXT) and parts[0].__class__ is Text
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
                found = Text(part["text"], extras_of(ID, rest(part, _TEXT)))
            case "reasoning" if isinstance(part.get("text"), str):
                extras = extras_of(ID, rest(part, _TEXT))
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
        call = read_input(Call(name, None, call_id), part, rest(part, _CALL), notes)
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
