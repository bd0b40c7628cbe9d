"""Which tools may or must be called: a word, one tool, or a list of allowed ones.

A choice spelled in another way than ours keeps its spelling, as long as it says the same.
"""

from __future__ import annotations

from typing import Final

from toolcanon.formats.openai.parts import ID
from toolcanon.formats.wire.codec import extras_of, noted
from toolcanon.ir.conversation import ChoiceMode, ToolChoice
from toolcanon.jsonio.types import Json, JsonObject

_WORDS: Final[dict[str, ChoiceMode]] = {
    "auto": "auto",
    "none": "none",
    "required": "required",
    "any": "required",  # of compatible servers
}
_AS: Final = "as"
LEGACY: Final = "legacy"
"""The choice of ``function_call``, before there were tools."""


def read_choice(value: Json) -> ToolChoice | None:
    """A choice, or None when it is about something else."""
    choice = _read(value)
    if choice is not None and _write(choice) != value:
        choice.extras = extras_of(ID, {}, {_AS: value})
    return choice


def read_legacy_choice(value: Json) -> ToolChoice | None:
    """The same for ``function_call``."""
    name = value.get("name") if isinstance(value, dict) and len(value) == 1 else None
    choice = ToolChoice("tool", [name]) if isinstance(name, str) else None
    if value in ("auto", "none"):
        choice = ToolChoice(_WORDS[value])
    if choice is not None:
        choice.extras = extras_of(ID, {}, {LEGACY: True})
    return choice


def _read(value: Json) -> ToolChoice | None:
    if isinstance(value, str):
        return ToolChoice(_WORDS[value]) if value in _WORDS else None
    if not isinstance(value, dict):
        return None
    if value.get("type") == "allowed_tools" and isinstance(value.get("allowed_tools"), dict):
        return _read_subset(value["allowed_tools"])
    name = _name(value)
    return None if name is None else ToolChoice("tool", [name])


def _name(value: Json) -> str | None:
    if not isinstance(value, dict):
        return None
    kind = value.get("type", "function")
    inner = value.get(kind) if kind in ("function", "custom") else None
    name = inner.get("name") if isinstance(inner, dict) else None
    return name if isinstance(name, str) else None


def _read_subset(allowed: JsonObject) -> ToolChoice | None:
    tools, mode = allowed.get("tools"), allowed.get("mode")
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
        return _function(choice.names[0])
    if choice.mode == "subset":
        mode = "required" if choice.is_required else "auto"
        tools = [_function(name) for name in choice.names]
        return {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": tools}}
    return "required" if choice.mode == "tool" else choice.mode


def _function(name: str) -> JsonObject:
    return {"type": "function", "function": {"name": name}}


def is_legacy_choice(choice: ToolChoice) -> bool:
    """Whether ``function_call`` can and did say it."""
    return choice.mode in ("auto", "none", "tool") and LEGACY in noted(choice.extras, ID)


def write_legacy_choice(choice: ToolChoice) -> Json:
    """The value of ``function_call``."""
    return {"name": choice.names[0]} if choice.mode == "tool" and choice.names else choice.mode
