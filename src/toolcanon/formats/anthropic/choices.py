"""Which tools may or must be called, with the switch for parallel calls inside."""

from __future__ import annotations

from typing import Final

from toolcanon.formats.anthropic.spelling import ID
from toolcanon.formats.wire.codec import (
    Told,
    extras_of,
    foreign_keys,
    has_foreign,
    leftovers,
    noted,
    rest,
)
from toolcanon.ir.conversation import ChoiceMode, Conversation, ToolChoice
from toolcanon.jsonio.types import Json, JsonObject

_SWITCH: Final = "disable_parallel_tool_use"
_KNOWN: Final = frozenset({"type", "name", _SWITCH})
_MODES: Final[dict[str, ChoiceMode]] = {
    "auto": "auto",
    "any": "required",
    "none": "none",
    "tool": "tool",
}
_WORDS: Final = {mode: word for word, mode in _MODES.items()}


def read_choice(choice: Json) -> tuple[ToolChoice, bool | None] | None:
    """The choice, and whether calls may be parallel; None for no shape we know."""
    if not isinstance(choice, dict):
        return None
    word, name, is_single = choice.get("type"), choice.get("name"), choice.get(_SWITCH)
    mode = _MODES.get(word) if isinstance(word, str) else None
    if mode is None or (mode == "tool") != isinstance(name, str):
        return None
    if is_single is not None and not isinstance(is_single, bool):
        return None
    known = _KNOWN
    if mode == "none" or is_single is None:  # said to no effect: kept as it stands
        known, is_single = known - {_SWITCH}, None
    if mode != "tool":
        known -= {"name"}
    notes = {_SWITCH: False} if is_single is False else None
    extras = extras_of(ID, rest(choice, known), notes)
    names = [name] if isinstance(name, str) else []
    return ToolChoice(mode, names, extras=extras), None if is_single is None else not is_single


def write_choice(conversation: Conversation, told: Told) -> JsonObject | None:
    choice = conversation.tool_choice
    parallel = conversation.parallel_calls
    if choice is None:
        if parallel is not False or not conversation.tools:
            return None
        return {"type": "auto", _SWITCH: True}
    out = _write_mode(choice, told)
    if parallel is False and out["type"] != "none":
        out[_SWITCH] = True
    elif parallel is True and _SWITCH in noted(choice.extras, ID):
        out[_SWITCH] = False  # the default, but it was said
    if has_foreign(choice.extras, ID):
        told.lose("L308", ("tool_choice",), foreign_keys(choice.extras, ID))
    out.update(leftovers(choice.extras, ID))
    return out


def _write_mode(choice: ToolChoice, told: Told) -> JsonObject:
    if choice.mode == "subset" and not choice.names:
        return {"type": "none"}  # of which nothing is left
    if choice.mode == "subset":
        is_one = choice.is_required and len(choice.names) == 1
        if not is_one:
            told.lose("L316", ("tool_choice",), choice.names)
            return {"type": "any" if choice.is_required else "auto"}
    elif choice.mode != "tool":
        return {"type": _WORDS[choice.mode]}
    if not choice.names:
        told.lose("L316", ("tool_choice",))
        return {"type": "any"}
    return {"type": "tool", "name": choice.names[0]}
