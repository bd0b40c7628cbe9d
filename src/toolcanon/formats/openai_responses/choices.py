"""Which tools may or must be called: a word, one tool, or a list of allowed ones.

A choice spelled in another way than ours keeps its spelling, as long as it says the same. A choice
of a built-in tool is a setting like others.
"""

from __future__ import annotations

from typing import Final

from toolcanon.formats.openai_responses.parts import ID
from toolcanon.formats.wire.codec import extras_of, noted
from toolcanon.ir.conversation import ChoiceMode, ToolChoice
from toolcanon.jsonio.types import Json, JsonObject

_WORDS: Final[dict[str, ChoiceMode]] = {"auto": "auto", "none": "none", "required": "required"}
_AS: Final = "as"


def read_choice(value: Json) -> ToolChoice | None:
    """A choice, or None when it is about something else."""
    choice = _read(value)
    if choice is not None and _write(choice) != value:
        choice.extras = extras_of(ID, {}, {_AS: value})
    return choice


def _read(value: Json) -> ToolChoice | None:
    if isinstance(value, str):
        return ToolChoice(_WORDS[value]) if value in _WORDS else None
    if not isinstance(value, dict):
        return None
    if value.get("type") == "allowed_tools":
        return _read_subset(value)
    name = _name(value)
    return None if name is None else ToolChoice("tool", [name])


def _name(value: Json) -> str | None:
    if not isinstance(value, dict) or value.get("type") not in ("function", "custom"):
        return None
    name = value.get("name")
    return name if isinstance(name, str) else None


def _read_subset(value: JsonObject) -> ToolChoice | None:
    tools, mode = value.get("tools"), value.get("mode")
    if not isinstance(tools, list) or mode not in ("auto", "required"):
        return None
    names = [_name(tool) for tool in tools]
    found = [name for name in names if name is not None]
    return ToolChoice("subset", found, mode == "required") if len(found) == len(names) else None


def write_choice(choice: ToolChoice) -> Json:
    """The value of ``tool_choice``."""
    said = noted(choice.extras, ID).get(_AS)
    if said is not None:
        known = _read(said)
        if known is not None and _says(known) == _says(choice):
            return said
    return _write(choice)


def _says(choice: ToolChoice) -> tuple[str, list[str], bool]:
    return choice.mode, choice.names, choice.is_required


def _write(choice: ToolChoice) -> Json:
    if choice.mode == "tool" and choice.names:
        return {"type": "function", "name": choice.names[0]}
    if choice.mode == "subset":
        mode = "required" if choice.is_required else "auto"
        tools = [{"type": "function", "name": name} for name in choice.names]
        return {"type": "allowed_tools", "mode": mode, "tools": tools}
    return "required" if choice.mode == "tool" else choice.mode
