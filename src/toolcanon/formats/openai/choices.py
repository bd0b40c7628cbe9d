"""Which tools may or must be called, in ``tool_choice`` and in the ``function_call`` of old."""

from __future__ import annotations

from typing import Final

from toolcanon.formats.openai.parts import ID
from toolcanon.formats.wire.choices import Choices
from toolcanon.formats.wire.codec import extras_of, noted
from toolcanon.ir.conversation import ToolChoice
from toolcanon.jsonio.types import Json, JsonObject

_LEGACY: Final = "legacy"
"""The choice of ``function_call``, before there were tools."""


def _read_name(choice: JsonObject) -> str | None:
    kind = choice.get("type", "function")
    inner = choice.get(kind) if kind in ("function", "custom") else None
    name = inner.get("name") if isinstance(inner, dict) else None
    return name if isinstance(name, str) else None


CHOICES: Final = Choices(
    id=ID,
    words={
        "auto": "auto",
        "none": "none",
        "required": "required",
        "any": "required",  # of compatible servers
    },
    read_name=_read_name,
    write_name=lambda name: {"type": "function", "function": {"name": name}},
    is_nested=True,
)


def read_legacy_choice(value: Json) -> ToolChoice | None:
    """The value of ``function_call``."""
    name = value.get("name") if isinstance(value, dict) and len(value) == 1 else None
    choice = ToolChoice("tool", [name]) if isinstance(name, str) else None
    if value in ("auto", "none"):
        choice = ToolChoice(value)
    if choice is not None:
        choice.extras = extras_of(ID, {}, {_LEGACY: True})
    return choice


def is_legacy_choice(choice: ToolChoice) -> bool:
    """Whether ``function_call`` can and did say it."""
    return choice.mode in ("auto", "none", "tool") and _LEGACY in noted(choice.extras, ID)


def write_legacy_choice(choice: ToolChoice) -> Json:
    """The way back."""
    return {"name": choice.names[0]} if choice.mode == "tool" and choice.names else choice.mode
