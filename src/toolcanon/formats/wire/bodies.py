"""Request and response bodies: choices of tools, settings, stop reasons, usage.

A choice with another spelling than ours keeps its spelling while its meaning stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from toolcanon.formats.wire.blocks import UNANSWERABLE
from toolcanon.formats.wire.codec import (
    NOTES,
    WriteLog,
    extras_of,
    foreign_keys,
    has_foreign,
    leftovers,
    noted,
)
from toolcanon.ir.conversation import (
    Answer,
    Call,
    Candidate,
    ChoiceMode,
    Conversation,
    Extras,
    Native,
    Reasoning,
    Stop,
    StopReason,
    Text,
    ToolChoice,
)
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.text import safe_json

_ALLOWED: Final = "allowed_tools"
_AS: Final = "as"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceSpelling:
    """The spelling of choices in one format."""

    id: str
    words: Mapping[str, ChoiceMode]
    read_name: Callable[[JsonObject], str | None]
    """The name in a choice of one tool."""
    write_name: Callable[[str], JsonObject]
    is_nested: bool = False
    """Whether a list of allowed tools is in an object of its own."""

    def read(self, value: Json) -> ToolChoice | None:
        """Return a choice, or None when it is about something else."""
        choice = self._read(value)
        if choice is not None and self._write(choice) != value:
            choice.extras = extras_of(self.id, {}, {_AS: value})
        return choice

    def _read(self, value: Json) -> ToolChoice | None:
        if isinstance(value, str):
            return ToolChoice(self.words[value]) if value in self.words else None
        if not isinstance(value, dict):
            return None
        if value.get("type") == _ALLOWED:
            return self._read_subset(value.get(_ALLOWED) if self.is_nested else value)
        name = self.read_name(value)
        return None if name is None else ToolChoice("tool", [name])

    def _read_subset(self, allowed: Json) -> ToolChoice | None:
        if not isinstance(allowed, dict):
            return None
        tools, mode = allowed.get("tools"), allowed.get("mode")
        if not isinstance(tools, list) or mode not in ("auto", "required"):
            return None
        names = [name for tool in tools if (name := self._name(tool)) is not None]
        return ToolChoice("subset", names, mode == "required")

    def _name(self, tool: Json) -> str | None:
        """Return the name of a listed tool; None for one that only this provider has."""
        return self.read_name(tool) if isinstance(tool, dict) else None

    def write(self, choice: ToolChoice) -> Json:
        """Return the value of a choice."""
        said = noted(choice.extras, self.id).get(_AS)
        if said is not None:
            known = self._read(said)
            if known is not None and _says(known) == _says(choice):
                return said
            if known is not None and known.mode == choice.mode == "subset":
                return self._write(choice, [t for t in self._listed(said) if not self._name(t)])
        return self._write(choice)

    def _listed(self, said: JsonObject) -> list[Json]:
        tools: list[Json] = (said[_ALLOWED] if self.is_nested else said)["tools"]
        return tools

    def _write(self, choice: ToolChoice, others: Sequence[Json] = ()) -> Json:
        if choice.mode == "tool" and choice.names:
            return self.write_name(choice.names[0])
        if choice.mode == "subset":
            mode = "required" if choice.is_required else "auto"
            tools = [*map(self.write_name, choice.names), *others]
            allowed = {"mode": mode, "tools": tools}
            if self.is_nested:
                return {"type": _ALLOWED, _ALLOWED: allowed}
            return {"type": _ALLOWED, **allowed}
        return "required" if choice.mode == "tool" else choice.mode


def _says(choice: ToolChoice) -> tuple[str, list[str], bool]:
    return choice.mode, choice.names, choice.is_required


def can_choose(conversation: Conversation, format_id: str, told: WriteLog) -> bool:
    """Return whether a choice may be written; without tools it is rejected, and reported."""
    if conversation.tools or conversation.format == format_id:
        return True
    if conversation.tool_choice is not None:
        told.lose("L316", ("tool_choice",), conversation.tool_choice.mode)
    if conversation.parallel_calls is not None:
        told.lose("L317", ("parallel_calls",), conversation.parallel_calls)
    return False


def restore_settings(
    out: JsonObject, conversation: Conversation, format_id: str, told: WriteLog
) -> None:
    """Put settings of this format back in their place, and report those of others."""
    for key, value in leftovers(conversation.extras, format_id).items():
        out.setdefault(key, value)
    report_settings(conversation, format_id, told)


def report_settings(conversation: Conversation, format_id: str, told: WriteLog) -> None:
    """Report the settings of other formats, which are left out."""
    if has_foreign(conversation.extras, format_id):
        told.lose("L318", ("extras",), foreign_keys(conversation.extras, format_id))


_CALLS: Final = frozenset(
    """functionCall item.custom_tool_call item.function_call tool_calls tool_calls.custom
    tool_calls.function tool_use toolUse""".split()
)
"""What calls are on the wire. A codec that could not read one left it as it came."""
_OPEN_CALLS: Final = frozenset({"in_progress", "incomplete"})
_UNFINISHED: Final = frozenset({"queued", "in_progress", "cancelled", "failed"})


class Stops:
    """The reasons why a model stopped, in one provider's words; of several the first is written."""

    __slots__ = ("_reasons", "_words")

    def __init__(self, reasons: dict[str, StopReason]) -> None:
        self._reasons = reasons
        self._words = {reason: word for word, reason in reversed(reasons.items())}

    def read(self, word: str) -> Stop:
        return Stop(self._reasons.get(word, "unknown"), word)

    def write(self, stop: Stop, told: WriteLog, *, is_ours: bool) -> str:
        """Return the provider's own word while it has the same meaning, otherwise the usual one."""
        known = self._reasons.get(stop.word or "", "unknown" if is_ours else None)
        if stop.word is not None and known == stop.reason:
            return stop.word
        word = self._words.get(stop.reason)
        if word is None:
            word = self._words["end"]
            told.lose("L321", ("candidates", 0, "stop"), stop.word or stop.reason, word)
        return word


def only_candidate(answer: Answer, told: WriteLog) -> Candidate:
    """Return the first, where there is room for one."""
    if len(answer.candidates) > 1:
        told.lose("L320", ("candidates",), len(answer.candidates), 1)
    return answer.candidates[0] if answer.candidates else Candidate()


def tell_extras(answer: Answer, candidate: Candidate, format_id: str, told: WriteLog) -> None:
    """Report keys of another provider that go no further."""
    for place, extras in (((), answer.extras), (("candidates", 0), candidate.extras)):
        if has_foreign(extras, format_id):
            told.lose("L308", (*place, "extras"), foreign_keys(extras, format_id))


def write_usage(out: JsonObject, answer: Answer, told: WriteLog, *, is_ours: bool) -> None:
    """Write the usage as the provider counted it, to its own format only."""
    if answer.usage is None:
        return
    if is_ours:
        out["usage"] = answer.usage
    else:
        told.lose("L308", ("usage",), answer.usage)


def why_unusable(answer: Answer) -> str | None:
    """Return why no call of an answer can be run although it is not an error; None if one can.

    Otherwise its calls would be missed, and a loop would end as if the model were done.
    """
    if not answer.candidates:
        return f"it has no candidate{_remarks(answer.extras)}"
    said = _said(answer.extras)
    if said.get("status") in _UNFINISHED:
        why = f": {_shown(said['error'])}" if said.get("error") else ""
        return f"the response is not finished, its status is {said['status']}{why}"
    if answer.calls and said.get("stop_reason", "") is None:
        return "it is not finished: it has no reason why the model stopped"
    for message in answer.messages:
        for part in message.parts:
            if isinstance(part, Native) and part.type in _CALLS:
                return f"it has a call without a name or an id: {_shown(part.value)}"
    for call in answer.calls:
        if call.id is None and any(UNANSWERABLE in kept.get(NOTES, {}) for kept in _kept(call)):
            return f"it has a call without a name or an id: {_shown(call.name)}"
    if not all(call.name for call in answer.calls):
        return "it has a call without a name"
    stop = answer.stop
    if stop is not None and stop.reason == "bad_call":  # however whole a call in it may look
        why = _remarks(answer.candidates[0].extras)
        return f"the model's call of a tool is not readable ({stop.word}){why}"
    is_missing = stop is not None and stop.reason == "tool_call" and not answer.calls
    return "it stopped for a call of a tool, but has no call" if is_missing else None


def _kept(call: Call) -> list[JsonObject]:
    return list((call.extras or {}).values())


def why_spoilt(call: Call, answer: Answer) -> Literal["length", "filter"] | None:
    """Return why a call must not be run: cut by a limit or a filter, it may look complete.

    A limit cuts the last call, unless text of the model follows it, and every call that the
    provider itself marks as not finished.
    """
    reason = None if answer.stop is None else answer.stop.reason
    if reason == "filter":
        return "filter"
    if _said(call.extras).get("status") in _OPEN_CALLS:
        return "length"
    return "length" if reason == "length" and _is_last(call, answer) else None


def _is_last(call: Call, answer: Answer) -> bool:
    """Return whether no content follows a call; signatures and blank texts are none."""
    for message in reversed(answer.messages):
        for part in reversed(message.parts):
            if part is call:
                return True
            if not isinstance(part, (Text, Reasoning)) or (part.text and not part.text.isspace()):
                return False
    return False


def _said(extras: Extras) -> JsonObject:
    return {
        key: value for own in (extras or {}).values() for key, value in own.items() if key != NOTES
    }


def _remarks(extras: Extras) -> str:
    said = _said(extras)
    return f": {_shown(said)}" if said else ""


def _shown(value: Json) -> str:
    return safe_json(value, indent=None)
