"""What tools did that a provider ran itself, for models of other providers."""

from __future__ import annotations

from typing import Final

from toolcanon.formats.vercel.ui_reading import tool_name
from toolcanon.formats.wire.codec import dump
from toolcanon.formats.wire.spoken import Rename, answered, ran, texts_in
from toolcanon.ir.conversation import Native
from toolcanon.jsonio.types import Json

_TEXT: Final = frozenset({"text"})


def say_native(part: Native, rename: Rename) -> str | None:
    """The words of a part that only this format has; None where it has none."""
    del rename
    value = part.value
    if not isinstance(value, dict):
        return None
    if part.type == "tool-call":
        return ran(value.get("toolName"), value.get("input", value.get("args")))
    if part.type == "tool-result":
        output = value.get("output", value.get("result"))
        return answered(value.get("toolName"), _said(output))
    name = tool_name(value)
    if name is None:
        return None
    outcome = answered(name, [*_words(value.get("output")), value.get("errorText")])
    return "\n".join(filter(None, [ran(name, value.get("input")), outcome]))


def _said(output: Json) -> list[str]:
    """The words of an output: its value, or the texts of its content."""
    if not isinstance(output, dict) or not isinstance(output.get("type"), str):
        return _words(output)
    if output["type"] == "content":
        return list(texts_in(output.get("value"), _TEXT))
    return _words(output.get("value"))


def _words(value: Json) -> list[str]:
    return [] if value is None else [value if isinstance(value, str) else dump(value)]
