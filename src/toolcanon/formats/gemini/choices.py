"""``functionCallingConfig`` and the choice of tools."""

from __future__ import annotations

from typing import Final

from toolcanon.formats.gemini.spelling import ID, SPELLED, pick
from toolcanon.formats.wire.codec import NOTES, extras_of, leftovers, noted
from toolcanon.ir.conversation import ToolChoice
from toolcanon.jsonio.types import JsonObject

NAMES: Final = "allowedFunctionNames"
_MODE: Final = "mode"


def read_choice(config: JsonObject) -> ToolChoice | None:
    """What the model may call; None when the config does not say it in a way we know."""
    word = config.get(_MODE)
    key = pick(config, NAMES)
    names = config[key] if key else []
    if not isinstance(word, str) or NOTES in config or not _are_names(names):
        return None
    choice = _meaning(word, names)
    if choice is None:
        return None
    notes: JsonObject = {}
    if word != _word(choice):
        notes[_MODE] = word
    if key not in {None, NAMES}:
        notes[SPELLED] = key
    taken = {_MODE, key} if choice.names else {_MODE}  # a list to no effect stays where it is
    left = {name: value for name, value in config.items() if name not in taken}
    choice.extras = extras_of(ID, left, notes)
    return choice


def write_choice(choice: ToolChoice) -> JsonObject:
    """The config; everything that a choice can say has a word here."""
    notes = noted(choice.extras, ID)
    config: JsonObject = dict(leftovers(choice.extras, ID))
    word = notes.get(_MODE, "")
    same = _meaning(word, choice.names)
    is_kept = same is not None and (same.mode, same.is_required) == (
        choice.mode,
        choice.is_required,
    )
    config[_MODE] = word if is_kept else _word(choice)
    if choice.names and choice.mode in {"tool", "subset"}:
        config[notes.get(SPELLED, NAMES)] = list(choice.names)
    return config


def _meaning(word: str, names: list[str]) -> ToolChoice | None:
    mode = word.upper()
    if mode == "NONE":
        return ToolChoice("none")
    if mode == "ANY":
        if not names:
            return ToolChoice("required")
        if len(names) == 1:
            return ToolChoice("tool", list(names))
        return ToolChoice("subset", list(names), is_required=True)
    if mode in {"AUTO", "VALIDATED", "MODE_UNSPECIFIED"}:
        return ToolChoice("subset", list(names)) if names else ToolChoice("auto")
    return None


def _word(choice: ToolChoice) -> str:
    if choice.mode == "subset":
        if not choice.names:
            return "NONE"  # without names every tool would be allowed
        return "ANY" if choice.is_required else "VALIDATED"
    return {"auto": "AUTO", "none": "NONE"}.get(choice.mode, "ANY")


def _are_names(names: object) -> bool:
    return isinstance(names, list) and all(isinstance(name, str) for name in names)
