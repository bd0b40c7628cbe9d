"""Which tools may or must be called. A choice of a built-in tool is a setting like others."""

from __future__ import annotations

from typing import Final

from toolcanon.formats.openai_responses.parts import ID
from toolcanon.formats.wire.choices import Choices
from toolcanon.jsonio.types import JsonObject


def _read_name(choice: JsonObject) -> str | None:
    name = choice.get("name") if choice.get("type") in ("function", "custom") else None
    return name if isinstance(name, str) else None


CHOICES: Final = Choices(
    id=ID,
    words={"auto": "auto", "none": "none", "required": "required"},
    read_name=_read_name,
    write_name=lambda name: {"type": "function", "name": name},
)
