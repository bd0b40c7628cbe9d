"""Read content blocks as parts. Unknown shapes stay whole, as ``Native``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from toolcanon.formats.anthropic.media import read_media, read_search
from toolcanon.formats.anthropic.spelling import ID
from toolcanon.formats.wire.blocks import CONTENT, INPUT, STRING, UNANSWERABLE, message_reader
from toolcanon.formats.wire.codec import NOT_OBJECT, NOTES, extras_of, rest
from toolcanon.formats.wire.odd import ABSENT, json_text, note_odd, note_type, take_id, text_of
from toolcanon.ir.conversation import (
    Call,
    Data,
    Native,
    Part,
    Reasoning,
    Result,
    Text,
)
from toolcanon.jsonio.types import Json, JsonObject

_TEXT: Final = frozenset({"type", "text"})
_THINKING: Final = frozenset({"type", "thinking", "signature"})
_REDACTED: Final = frozenset({"type", "data"})
_CALL: Final = frozenset({"type", "id", "name", "input"})
_RESULT: Final = frozenset({"type", "tool_use_id", "content", "is_error"})


def _read_text(block: JsonObject, model: str | None) -> Text | None:
    del model
    text = block.get("text")
    if text.__class__ is not str:
        made, notes = text_of(text), dict[str, Json]()
        note_odd(notes, "text", block.get("text", ABSENT), made.text)
        return Text(made.text, extras_of(ID, rest(block, _TEXT), notes))
    if len(block) == 2:  # noqa: PLR2004 - type and text only: the most common case
        return Text(text)
    return Text(text, extras_of(ID, rest(block, _TEXT)))


def _read_thinking(block: JsonObject, model: str | None) -> Reasoning | None:
    text, seal = block.get("thinking"), block.get("signature")
    if not isinstance(text, str):
        return None
    left = rest(block, _THINKING)
    if "signature" in block and not isinstance(seal, str):
        left["signature"], seal = seal, None
    return Reasoning(text, seal, provider=ID, model=model, extras=extras_of(ID, left))


def _read_redacted(block: JsonObject, model: str | None) -> Reasoning | None:
    if not isinstance(block.get("data"), str):
        return None
    extras = extras_of(ID, rest(block, _REDACTED))
    return Reasoning(None, block["data"], is_hidden=True, provider=ID, model=model, extras=extras)


def _read_call(block: JsonObject, model: str | None) -> Call | None:
    del model
    call_id, name, arguments = block.get("id"), block.get("name"), block.get("input")
    if name.__class__ is not str:
        return None
    if arguments.__class__ is dict and NOTES not in block and call_id.__class__ is str:
        extras = None if len(block) == 4 else extras_of(ID, rest(block, _CALL))  # noqa: PLR2004
        return Call(name, arguments, call_id, None, None, False, None, extras)
    notes: JsonObject = {}
    call_id = take_id(block, "id", notes)
    if call_id is None:
        notes[UNANSWERABLE] = True
    if not isinstance(arguments, dict):
        notes[INPUT] = [block["input"]] if "input" in block else []
    extras = extras_of(ID, rest(block, _CALL), notes)
    problem = None if isinstance(arguments, dict) else NOT_OBJECT
    return Call(name, arguments, call_id, problem=problem, extras=extras)


def read_result(block: JsonObject, model: str | None = None) -> Result:
    """Read a tool's result; its content is a text, blocks, or absent."""
    call_id, content, is_error = (
        block.get("tool_use_id"),
        block.get("content"),
        block.get("is_error"),
    )
    notes: JsonObject = {}
    if call_id.__class__ is not str:
        call_id = take_id(block, "tool_use_id", notes)
    parts: list[Part] = []
    if content.__class__ is str:
        parts, notes[CONTENT] = [Text(content)], STRING
    elif content is not None:
        values = read_odd_result(content, model)
        if values is None:
            parts = [read_part(block, model, _WITHIN) for block in content]
        else:
            parts = values
            note_odd(notes, CONTENT, content, json_text(content))
    elif "content" in block:
        note_odd(notes, CONTENT, None)
    else:
        notes[CONTENT] = None
    if is_error is not True and is_error is not False:
        if "is_error" in block:
            note_odd(notes, "is_error", is_error)
        is_error = None
    if not notes and _RESULT.issuperset(block):
        return Result(call_id, parts, None, is_error)  # type: ignore[arg-type]
    extras = extras_of(ID, rest(block, _RESULT), notes)
    return Result(call_id, parts, None, is_error, False, extras)  # type: ignore[arg-type]


def read_odd_result(content: Json, model: str | None = None) -> list[Part] | None:
    """Return the parts of a result whose content is no list of blocks; None for such a list.

    A single block counts as a list of one; anything else is a value, as a whole.
    """
    if isinstance(content, list):
        return None if all(map(_is_block, content)) else [Data(content)]
    part = read_part(content, model, _WITHIN) if _is_block(content) else None
    return [Data(content) if part is None or isinstance(part, Native) else part]


def _is_block(value: Json) -> bool:
    return isinstance(value, dict) and isinstance(value.get("type"), str)


_Reader: TypeAlias = Callable[[JsonObject, str | None], Part | None]
_READERS: Final[dict[str, _Reader]] = {
    "text": _read_text,
    "tool_use": _read_call,
    "tool_result": read_result,
    "thinking": _read_thinking,
    "redacted_thinking": _read_redacted,
    "image": read_media,
    "document": read_media,
    "search_result": read_search,
}


_KNOWN: Final = frozenset({*_READERS, "server_tool_use", "mcp_tool_use"})
_WITHIN: Final = {key: _READERS[key] for key in ("text", "image", "document", "search_result")}
"""Blocks that a result can have."""


def read_part(
    block: Json, model: str | None, readers: Mapping[str, _Reader] = MappingProxyType(_READERS)
) -> Part:
    if not isinstance(block, dict):
        return Native(ID, "", block)
    kind = block.get("type")
    if kind.__class__ is not str:
        return Native(ID, "", block)
    reader = readers.get(kind)
    part = reader(block, model) if reader is not None else None
    if part is not None:
        return part
    own_id = block.get("id", block.get("tool_use_id"))
    return Native(ID, kind, block, own_id if isinstance(own_id, str) else None)


def read_parts(content: list[Json], model: str | None) -> list[Part]:
    parts = [read_part(block, model) for block in content]
    for number, part in enumerate(parts):
        if part.__class__ is Native and part.type not in _KNOWN:
            parts[number] = _read_unknown(part, content) or part
    return parts


def _read_unknown(part: Native, content: list[Json]) -> Call | None:
    """Return a call of an unknown type with id, name and input, unless it is a provider's call."""
    block = part.value
    if not isinstance(block, dict) or not isinstance(block.get("input"), dict):
        return None
    if not part.type or part.id is None or part.id != block.get("id"):
        return None
    if any(isinstance(each, dict) and each.get("tool_use_id") == part.id for each in content):
        return None
    call = _read_call(block, None)
    if call is not None:
        note_type(call, ID, part.type, "tool_use")
    return call


read_message: Final = message_reader(ID, read_parts, _is_block, takes_text=True, is_typed=True)
