"""Which tools may or must be called: a word, one tool, or a list of allowed ones.

A choice spelled in another way than ours keeps its spelling, as long as it says the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from toolcanon.formats.wire.codec import Told, extras_of, noted
from toolcanon.ir.conversation import ChoiceMode, Conversation, ToolChoice
from toolcanon.jsonio.types import Json, JsonObject

_ALLOWED: Final = "allowed_tools"
_AS: Final = "as"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """How one format spells them."""

    id: str
    words: Mapping[str, ChoiceMode]
    read_name: Callable[[JsonObject], str | None]
    """The name in a choice of one tool."""
    write_name: Callable[[str], JsonObject]
    is_nested: bool = False
    """Whether a list of allowed tools stands in an object of its own."""

    def read(self, value: Json) -> ToolChoice | None:
        """A choice, or None when it is about something else."""
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
        """The name of a listed tool; None for one that only this provider has."""
        return self.read_name(tool) if isinstance(tool, dict) else None

    def write(self, choice: ToolChoice) -> Json:
        """The value of a choice."""
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


def can_choose(conversation: Conversation, format_id: str, told: Told) -> bool:
    """Whether a choice may be written: one among no tools is refused, and so told."""
    if conversation.tools or conversation.format == format_id:
        return True
    if conversation.tool_choice is not None:
        told.lose("L316", ("tool_choice",), conversation.tool_choice.mode)
    if conversation.parallel_calls is not None:
        told.lose("L317", ("parallel_calls",), conversation.parallel_calls)
    return False
