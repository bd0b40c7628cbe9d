"""Write UIMessages from messages of any format.

Everything between two messages of the user is one message of the assistant: step after step, each
call with its result in one part.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass
from typing import Final

from toolcanon.formats.vercel.media import (
    AFTER,
    CONTENT,
    DENIED,
    DYNAMIC,
    IMPLIED,
    MORE,
    OUTPUT,
    RAW,
    ROLE,
    STATE,
    STEERING,
    STEPS,
    TOOL_CALL_ID,
    VOID,
    described,
    kept,
    left_of,
    read_id,
    said_in_words,
    spelled_id,
    wire_name,
    write_input,
    write_ui_file,
)
from toolcanon.formats.vercel.older import (
    ABOUT,
    OLDER,
    REPEATED,
    as_it_was,
    is_older,
    older_tool,
    without_parts,
)
from toolcanon.formats.vercel.outputs import asked, is_denial, write_output_text, write_value
from toolcanon.formats.vercel.tools import ID, REQUEST, RESPONSE
from toolcanon.formats.wire.codec import WriteLog, foreign_keys, has_foreign, noted, rest
from toolcanon.formats.wire.results import Place
from toolcanon.formats.wire.turns import CallIds
from toolcanon.ir.conversation import (
    Call,
    Media,
    Message,
    Native,
    Part,
    Result,
)
from toolcanon.jsonio.types import Json, JsonObject

_METADATA: Final = "providerMetadata"
_DENIED: Final = "output-denied"
_STEP: Final = {"type": "step-start"}
_ABOUT: Final = ABOUT - {"id"}


@dataclass(slots=True)
class _Tool:
    """A tool part that was written."""

    part: JsonObject
    state: str
    """Its original state, if it was read from this layout."""
    home: list[Json] | None
    """The parts of its message."""


class _Tools:
    """The tool parts of one id, which several calls may share."""

    __slots__ = ("_answered", "_others", "last")

    def __init__(self) -> None:
        self.last: _Tool | None = None
        self._answered: deque[_Tool] = deque()
        """Those that had a result when they were read, and do not have it yet."""
        self._others: deque[_Tool] = deque()

    def add(self, tool: _Tool) -> None:
        (self._answered if tool.state.startswith("output") else self._others).append(tool)
        self.last = tool

    def take(self) -> _Tool | None:
        """Return the part that the next result belongs to."""
        waiting = self._answered or self._others
        return waiting.popleft() if waiting else self.last


class UiWriter:
    """Collects messages; the last one of the assistant may still grow."""

    def __init__(
        self, told: WriteLog, place: Place = ("messages",), *, keeps_older: bool = True
    ) -> None:
        self._told, self._place, self._keeps_older = told, place, keeps_older
        self._ids = CallIds(told)
        self._tools: defaultdict[str, _Tools] = defaultdict(_Tools)
        """Tool parts by the ids of their calls."""
        self._approvals: dict[str, JsonObject] = {}
        self._group: list[Json] | None = None
        """The parts of the open message of the assistant."""
        self._is_answered = True
        """Whether the next content of the model is a new step."""
        self._unnamed: list[JsonObject] = []
        self._last = ""
        """The role of the previous message from this layout."""
        self._older: dict[int, Json] = {}
        """Parts and messages that were read from an older form, and their notes."""
        self.out: list[Json] = []

    def add(self, message: Message, index: int, *, mine: bool) -> None:
        """Add a message; ``mine`` if it was read from this layout."""
        at = (*self._place, index)
        if mine:
            self._own(message, at)
            return
        if message.name is not None:
            self._told.lose("L314", (*at, "name"), message.name)
        if has_foreign(message.extras, ID) or left_of(message.extras).keys() - {"id"}:
            self._told.lose("L308", at, foreign_keys(message.extras, ""))
        results = [part for part in message.parts if isinstance(part, Result)]
        calls = [part for part in message.parts if isinstance(part, Call)]
        if message.role == "assistant" or calls:
            if message.role != "assistant":
                self._told.lose("L310", at, message.role, "assistant")
            self._open()
            self._answer(message.parts, at, mine=False)
            return
        role = "system" if message.role in {"system", "developer"} else "user"
        made: list[Json] = []
        for number, part in enumerate(message.parts):
            made += self._part(part, (*at, "parts", number), mine=False)
        if made or not (message.parts or results):
            if message.role == "tool":
                self._told.lose("L310", at, "tool", "user")
            self._start(role, made)
            self._name(message)

    def _start(self, role: str, parts: list[Json]) -> JsonObject:
        made: JsonObject = {"role": role, "parts": parts}
        self._unnamed.append(made)
        self.out.append(made)
        self._group = parts if role == "assistant" else None
        self._is_answered = True
        return made

    def _name(self, message: Message) -> None:
        """Give the message its id, also an older one without parts."""
        own_id = left_of(message.extras).get("id")
        if isinstance(own_id, str):
            self._unnamed.pop()["id"] = own_id

    def _open(self) -> list[Json]:
        """Return the parts of the assistant's message, with the mark of a new step if needed."""
        if self._group is None:
            self._start("assistant", [])
        assert self._group is not None  # noqa: S101 - made just now
        if self._is_answered:
            self._group.append(dict(_STEP))
            self._is_answered = False
        return self._group

    def _answer(self, parts: list[Part], at: Place, *, mine: bool) -> None:
        for number, part in enumerate(parts):
            made = self._part(part, (*at, "parts", number), mine=mine)
            if self._group is not None:
                self._group += made

    def _own(self, message: Message, at: Place) -> None:
        """Write it as it was: a message, or another step of the one before."""
        notes = noted(message.extras, ID)
        if MORE in notes and self._group is not None:
            parts = self._group
        else:
            is_answer = message.role in {"assistant", "tool"} or STEERING in notes
            role = "assistant" if is_answer else message.role
            parts = self._restart(message, role, at)
        self._is_answered = True
        marks = notes.get(STEPS, 0)
        if not self._keeps_older and MORE in notes and self._last == "tool":
            marks = marks or 1  # older ones number their steps
        self._last = message.role
        parts += [dict(_STEP) for _ in range(marks)]
        written: list[Json] = []
        for number, part in enumerate(message.parts):
            mine = self._keeps_older or not is_older(part)
            made = self._part(part, (*at, "parts", number), mine=mine)
            made = as_it_was(part, made) if mine else made
            if STEERING in notes:
                written += made
            else:
                parts += made
        if STEERING in notes:
            parts.append({"type": "steering-message", "parts": written, **notes[STEERING]})
        parts += [dict(_STEP) for _ in range(notes.get(AFTER, 0))]
        if not parts and CONTENT in notes and self.out[-1].get("parts") is parts:
            del self.out[-1]["parts"]
            self.out[-1].update(left_of(message.extras))

    def _restart(self, message: Message, role: str, at: Place) -> list[Json]:
        notes, parts = noted(message.extras, ID), list[Json]()
        made: JsonObject = {"role": role}
        if ROLE in notes and message.role == "user":
            made = {"role": notes[ROLE][0]} if notes[ROLE] else {}
        made["parts"] = parts
        left = left_of(message.extras)
        if not self._keeps_older:
            left = rest(left, REPEATED)
            if not _ABOUT.isdisjoint(left):
                self._told.lose(
                    "L308", at, {ID: {key: left[key] for key in sorted(left.keys() & _ABOUT)}}
                )
                left = rest(left, _ABOUT)
        made.update(left)
        if MORE in notes:
            self._unnamed.append(made)
        if OLDER in notes and self._keeps_older:
            self._older[id(made)] = notes[OLDER]
        self.out.append(made)
        self._group = parts if role == "assistant" else None
        return parts

    def _part(self, part: Part, at: Place, *, mine: bool) -> list[Json]:
        told = self._told
        match part:
            case Call():
                return self._call(part, at, mine=mine)
            case Result():
                return self._result(part, at)
            case Media():
                return [write_ui_file(part, told, at, mine=mine) or described(part, told, at)]
            case Native():
                return self._native(part, at, mine=mine)
        words = said_in_words(part, told, at)
        if words is None:
            return []
        keys = kept(part, told, at, mine=mine, options=_METADATA)
        notes = noted(part.extras, ID)
        if mine and STATE in notes:
            keys[STATE] = notes[STATE]
        return [{**words, **keys}]

    def _native(self, part: Native, at: Place, *, mine: bool) -> list[Json]:
        if part.format == ID and mine:
            return [part.value]
        value = part.value
        if part.format == ID and isinstance(value, dict):
            asks = self._tools[read_id(value)[0] or ""].last
            if part.type == REQUEST and asks is not None:
                tool = asks.part
                tool["approval"], tool["state"] = asked(value), "approval-requested"
                self._approvals[str(value.get("approvalId"))] = tool
                return []
            found = self._approvals.get(str(value.get("approvalId")))
            if part.type == RESPONSE and found is not None:
                said = {key: value[key] for key in ("approved", "reason") if key in value}
                found["approval"] = {**found["approval"], **said}
                if found["state"] == "approval-requested":
                    found["state"] = "approval-responded"
                return []
        self._told.lose("L307", at, part.value)
        return []

    def _call(self, call: Call, at: Place, *, mine: bool) -> list[Json]:
        notes = noted(call.extras, ID)
        name = wire_name(call, self._told, at)
        spelled = spelled_id(call.extras, call.id) if mine and self._keeps_older else None
        call_id = self._ids.of_call(call, at) if spelled is None else call.id or ""
        out: JsonObject = {"type": f"tool-{name}"}
        if DYNAMIC in notes and mine:
            out = {"type": "dynamic-tool", "toolName": name}
        state = notes.get(STATE, "") if mine else ""
        out.update({TOOL_CALL_ID: call_id} if spelled is None else spelled)
        out["state"] = "input-available" if state.startswith("output") or not state else state
        out.update(write_input(call, self._told, at, mine=mine))
        out.update(kept(call, self._told, at, mine=mine, options="callProviderMetadata"))
        if mine and RAW in notes and out.get("input") == out.get("rawInput"):
            del out["input"]
            out.update({"input": None} if notes[RAW] else {})
        self._tools[call_id].add(_Tool(out, state, self._group))
        if mine and OLDER in notes:
            self._older[id(out)] = notes[OLDER]
        return [out]

    def _result(self, result: Result, at: Place) -> list[Json]:
        """Write a result to the part of its call, or to a new one if there is none."""
        self._is_answered = True
        notes = noted(result.extras, ID)
        if IMPLIED in notes:
            return []
        spelled = spelled_id(result.extras, result.call_id) if self._keeps_older else None
        call_id = self._ids.of_result(result, at) if spelled is None else result.call_id or ""
        tool = self._tools[call_id].take()
        made: list[Json] = []
        if tool is None:
            part = {"type": f"tool-{result.name or ''}", "toolCallId": call_id, "input": None}
            tool = _Tool(part, "", None)
            self._told.lose("L309", at)
            made = [part]
            if self._group is None:
                self._start("assistant", [])
        elif tool.home is not self._group:
            self._told.lose("L309", at)
        self._fill(tool, result, at)
        kept(result, self._told, at, mine=True, options=_METADATA)
        if made and self._group is not None:
            self._group += made
        return []

    def _fill(self, tool: _Tool, result: Result, at: Place) -> None:
        """Set state and output; an approval is kept if it fits them."""
        part, notes = tool.part, noted(result.extras, ID)
        approval = part.get("approval")
        approved = approval.get("approved") if isinstance(approval, dict) else None
        was_denied = approved is False or tool.state == _DENIED
        if result.is_error and was_denied and DENIED in notes and is_denial(result, notes[DENIED]):
            part["state"] = _DENIED
            return
        state = "output-error" if result.is_error else "output-available"
        if tool.state != state:  # fields of another state
            part.pop("errorText", None)
            part.pop("output", None)
            if approval is not None and approved is not True:
                self._told.lose("L308", at, part.pop("approval"))
        part["state"] = state
        if notes.get(OUTPUT) == VOID and not result.content and tool.state == state:
            return
        if result.is_error:
            part["errorText"] = write_output_text(result, self._told, at)
        else:
            part["output"] = write_value(result, self._told, at)

    def finish(self) -> list[Json]:
        """Return all messages, with unique ids for those without one."""
        taken = {message.get("id") for message in self.out}
        numbers = {id(message): number for number, message in enumerate(self.out)}
        for message in self._unnamed:
            made = f"msg_{numbers[id(message)]}"
            while made in taken:
                made += "_"
            taken.add(made)
            message["id"] = made
        return [self._as_it_was(message) for message in self.out] if self._older else self.out

    def _as_it_was(self, message: JsonObject) -> JsonObject:
        """Return the message with its tools in the older form they were read from."""
        parts = message.get("parts")
        if not isinstance(parts, list):
            return message
        for number, part in enumerate(parts):
            if id(part) in self._older:
                parts[number] = older_tool(part, self._older[id(part)]) or part
        said = self._older.get(id(message))
        return message if said is None else without_parts(message, said)
