"""Content blocks of messages read and written.

Unknown shapes stay whole, as ``Native``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from toolcanon.formats.bedrock.media import (
    BESIDE,
    CITED,
    GUARDED,
    ID,
    RAW,
    SERVED,
    joined,
    read_bytes,
    read_search,
    reader_of,
    write_bytes,
    write_media,
)
from toolcanon.formats.wire.blocks import (
    CONTENT,
    INPUT,
    SILENT_FAILURE,
    UNANSWERABLE,
    Pen,
    Writers,
    is_blank,
    is_usual,
    message_reader,
    write_native,
    write_odd_call,
    write_refusal,
)
from toolcanon.formats.wire.codec import MISSED, NOT_OBJECT, dump, extras_of, leftovers, noted, rest
from toolcanon.formats.wire.odd_members import (
    ABSENT,
    AS,
    WAS,
    is_same,
    note_odd,
    odd,
    put_back,
    put_back_all,
    take_id,
    text_of,
)
from toolcanon.formats.wire.results import skipped
from toolcanon.ir.conversation import (
    Call,
    Data,
    Media,
    Native,
    Part,
    Reasoning,
    Refusal,
    Result,
    Text,
)
from toolcanon.jsonio.types import Json, JsonObject

_CALL: Final = frozenset({"toolUseId", "name", "input"})
_RESULT: Final = frozenset({"toolUseId", "content", "status"})
_THOUGHT: Final = frozenset({"text", "signature"})
_USUAL: Final = "tool_result"
_STATUS: Final = {"success": False, "error": True}


def _noted(beside: JsonObject) -> JsonObject:
    """Return the notes on a block with keys beside the one of its kind."""
    return {BESIDE: beside, MISSED: beside} if beside else {}


def _read_text(value: Json, beside: JsonObject, model: str | None) -> Text | None:
    del model
    if value.__class__ is not str:
        made, notes = text_of(value), dict[str, Json]()
        note_odd(notes, "text", value, made.text)
        return Text(made.text, extras_of(ID, beside, notes))
    return Text(value, extras_of(ID, beside)) if beside else Text(value)


def _read_cited(value: Json, beside: JsonObject, model: str | None) -> Text | None:
    """Read a text with its citations: other providers get the text."""
    del model
    text = joined(value.get("content"), "") if isinstance(value, dict) else None
    if text is None:
        return None
    notes = {CITED: value}
    if value.get("citations"):
        notes[MISSED] = {"citations": value["citations"]}
    return Text(text, extras_of(ID, beside, notes))


def _read_guarded(value: Json, beside: JsonObject, model: str | None) -> Text | Media | None:
    """Read a text or an image for a guardrail."""
    if not isinstance(value, dict) or len(value) != 1:
        return None
    if "image" in value:
        image = reader_of("image")(value["image"], beside, model)
        if image is not None:
            notes = {**noted(image.extras, ID), GUARDED: True, MISSED: {GUARDED: {"image": {}}}}
            image.extras = extras_of(ID, leftovers(image.extras, ID), notes)
        return image
    inner = value.get("text")
    if not isinstance(inner, dict) or not isinstance(inner.get("text"), str):
        return None
    return Text(inner["text"], extras_of(ID, beside, {GUARDED: inner, MISSED: {GUARDED: value}}))


def _read_reasoning(value: Json, beside: JsonObject, model: str | None) -> Reasoning | None:
    if not isinstance(value, dict) or len(value) != 1:
        return None
    notes = _noted(beside)
    thought = value.get("reasoningText")
    if isinstance(thought, dict) and isinstance(thought.get("text"), str):
        seal, left = thought.get("signature"), rest(thought, _THOUGHT)
        if "signature" in thought and not isinstance(seal, str):
            left["signature"], seal = seal, None
        extras = extras_of(ID, left, notes)
        return Reasoning(thought["text"], seal, provider=ID, model=model, extras=extras)
    sealed = read_bytes(value.get("redactedContent"))
    if sealed is None:
        return None
    extras = extras_of(ID, {}, {**notes, RAW: True} if sealed[1] else notes)
    return Reasoning(None, sealed[0], is_hidden=True, provider=ID, model=model, extras=extras)


def _read_call(value: Json, beside: JsonObject, model: str | None) -> Call | None:
    """Read a call; calls of the provider's own tools stay whole."""
    del model
    if not isinstance(value, dict) or value.get("type") == SERVED:
        return None
    call_id, name, arguments = value.get("toolUseId"), value.get("name"), value.get("input")
    if name.__class__ is not str:
        return None
    is_named = call_id.__class__ is str
    if is_named and arguments.__class__ is dict and len(value) == 3 and not beside:  # noqa: PLR2004
        return Call(name, arguments, call_id)
    notes: JsonObject = _noted(beside)
    call_id = take_id(value, "toolUseId", notes)
    if call_id is None:
        notes[UNANSWERABLE] = True
    problem = None
    if not isinstance(arguments, dict):
        notes[INPUT] = [arguments] if "input" in value else []
        problem = NOT_OBJECT
    extras = extras_of(ID, rest(value, _CALL), notes)
    return Call(name, arguments, call_id, problem=problem, extras=extras)


def read_result(value: Json, beside: JsonObject, model: str | None) -> Result | None:
    """Read a tool's result; those of the provider's own tools have other types and stay whole."""
    if not isinstance(value, dict) or value.get("type", _USUAL) != _USUAL:
        return None
    call_id, content, status = value.get("toolUseId"), value.get("content"), value.get("status")
    known = _RESULT
    notes: JsonObject = _noted(beside)
    if call_id.__class__ is not str:
        call_id = take_id(value, "toolUseId", notes)
    parts: list[Any] = []
    if content is None:
        note_odd(notes, CONTENT, value.get("content", ABSENT), [])
    else:
        values = read_odd_result(content, model)
        if values is None:
            parts = [read_part(block, model, _WITHIN) for block in content]
        else:
            parts = values
            note_odd(notes, CONTENT, content)
    is_error = _STATUS.get(status) if status.__class__ is str else None
    if is_error is None and "status" in value:
        note_odd(notes, "status", status)
    if not notes and known.issuperset(value):
        return Result(call_id, parts, None, is_error)
    extras = extras_of(ID, rest(value, known), notes)
    return Result(call_id, parts, None, is_error, False, extras)


def read_odd_result(content: Json, model: str | None = None) -> list[Part] | None:
    """Return the parts of a result whose content is no list of blocks; None for such a list.

    A single block counts as a list of one; an object is a value, anything else a text.
    """
    if isinstance(content, list):
        is_value = bool(content) and not all(map(_is_block, content))
        return [text_of(content)] if is_value else None
    if isinstance(content, dict):
        part = read_part(content, model, _WITHIN) if _is_block(content) else None
        return [Data(content) if part is None or isinstance(part, Native) else part]
    return [text_of(content)]


def _read_value(value: Json, beside: JsonObject, model: str | None) -> Data:
    del model
    notes: JsonObject = {}
    if not isinstance(value, dict):
        note_odd(notes, "json", value)
    return Data(value, extras_of(ID, beside, notes))


_Reader: TypeAlias = Callable[[Json, JsonObject, str | None], Part | None]
_READERS: Final[dict[str, _Reader]] = {
    "text": _read_text,
    "toolUse": _read_call,
    "toolResult": read_result,
    "reasoningContent": _read_reasoning,
    "citationsContent": _read_cited,
    "guardContent": _read_guarded,
    "searchResult": read_search,
    "image": reader_of("image"),
    "document": reader_of("document"),
    "video": reader_of("video"),
    "audio": reader_of("audio"),
}
_WITHIN: Final = {
    "json": _read_value,
    **{tag: _READERS[tag] for tag in ("text", "image", "document", "video", "searchResult")},
}
"""Blocks that a result can have."""
_NOTHING: Final[JsonObject] = {}
_SAID: Final = frozenset({*_READERS, "cachePoint", "toolAddition", "toolRemoval"})
_KINDS: Final = _SAID | frozenset(_WITHIN)


def _is_block(value: Json) -> bool:
    """Return whether a key of an object is the kind of a block in a result."""
    return isinstance(value, dict) and not _KINDS.isdisjoint(value)


def _is_said(value: Json) -> bool:
    """Return whether a key of an object is the kind of a block outside of results."""
    return isinstance(value, dict) and not _SAID.isdisjoint(value)


def read_part(
    block: Json, model: str | None, readers: Mapping[str, _Reader] = MappingProxyType(_READERS)
) -> Part:
    if not isinstance(block, dict):
        return Native(ID, "", block)
    beside = _NOTHING
    if len(block) == 1:
        (tag,) = block
    else:
        tags = [key for key in block if key in readers]
        if len(tags) != 1:
            return Native(ID, next(iter(block), ""), block)
        (tag,) = tags
        beside = {key: value for key, value in block.items() if key != tag}
    reader = readers.get(tag)
    value = block[tag]
    part = reader(value, beside, model) if reader is not None else None
    if part is not None:
        return part
    own_id = value.get("toolUseId") if isinstance(value, dict) else None
    return Native(ID, tag, block, own_id if isinstance(own_id, str) else None)


def read_parts(content: list[Json], model: str | None) -> list[Part]:
    parts: list[Part] = []
    for block in content:
        if block.__class__ is dict and len(block) == 1 and block.get("text").__class__ is str:
            parts.append(Text(block["text"]))
        else:
            parts.append(read_part(block, model))
    return parts


read_message: Final = message_reader(ID, read_parts, _is_said, takes_text=False, is_typed=False)


def _write_text(part: Text, pen: Pen) -> JsonObject:
    if part.extras is None:
        return {"text": part.text}
    pen.tell_foreign(part)
    notes = noted(part.extras, ID)
    block: JsonObject = {"text": part.text}
    if CITED in notes:
        cited = notes[CITED]
        if joined(cited["content"], "") != part.text:
            cited = {**cited, "content": [{"text": part.text}]}
        block = {CITED: cited}
    elif GUARDED in notes:
        block = {GUARDED: {"text": {**notes[GUARDED], "text": part.text}}}
    put_back_all(block, notes)
    return {**block, **leftovers(part.extras, ID)}


def _write_data(part: Data, pen: Pen) -> JsonObject:
    """Write a value as JSON in a result where objects are accepted, elsewhere as text."""
    pen.tell_foreign(part)
    is_taken = isinstance(part.value, dict) or odd(noted(part.extras, ID), "json") is not None
    if pen.index == CONTENT and is_taken:
        return {"json": part.value, **leftovers(part.extras, ID)}
    pen.lose("L305")
    return {"text": dump(part.value)}


def _write_media(part: Media, pen: Pen) -> JsonObject:
    pen.tell_foreign(part)
    return write_media(part, pen)


def _write_reasoning(part: Reasoning, pen: Pen) -> JsonObject | None:
    if part.provider != ID or not _is_same_model(part.model, pen.model):
        pen.lose("L301", before=part.text)
        return None
    notes = noted(part.extras, ID)
    beside = notes.get(BESIDE, {})
    if part.is_hidden:
        sealed = write_bytes(part.seal or "", raw=RAW in notes)
        return {"reasoningContent": {"redactedContent": sealed}, **beside}
    thought: JsonObject = {"text": part.text or "", **leftovers(part.extras, ID)}
    if part.seal is not None:
        thought["signature"] = part.seal
    return {"reasoningContent": {"reasoningText": thought}, **beside}


def _is_same_model(wrote: str | None, reads: str | None) -> bool:
    """Return whether a signature is valid: for the same model, in whatever region."""
    if wrote is None or reads is None:
        return True
    return wrote.endswith(reads) or reads.endswith(wrote)


def _write_call(part: Call, pen: Pen) -> JsonObject:
    if is_usual(part):
        return {"toolUse": {"toolUseId": part.id, "name": part.name, "input": part.arguments}}
    beside = noted(part.extras, ID).get(BESIDE, {})
    return {"toolUse": write_odd_call(part, pen, "toolUseId"), **beside}


def _write_result(part: Result, pen: Pen) -> JsonObject:
    inner: JsonObject = {"toolUseId": part.call_id or ""}
    if part.name is not None:
        pen.lose("L325", "name", before=part.name)
    notes = _NOTHING
    if part.extras is not None:
        pen.tell_foreign(part)
        notes = noted(part.extras, ID)
        inner.update(leftovers(part.extras, ID))
    if _is_odd(part, notes):
        put_back(inner, notes, CONTENT)
    elif part.content or CONTENT not in notes:
        inner[CONTENT] = _write_content(part, pen)
    entry = odd(notes, "toolUseId")
    if entry is not None and is_same(part.call_id, entry.get(AS)):
        put_back(inner, notes, "toolUseId")
    if part.is_error is not None:
        inner["status"] = "error" if part.is_error else "success"
    elif odd(notes, "status") is not None:
        put_back(inner, notes, "status")
    return {"toolResult": inner, **notes[BESIDE]} if BESIDE in notes else {"toolResult": inner}


def _is_odd(result: Result, notes: JsonObject) -> bool:
    """Return whether content was no list of blocks, and is unchanged."""
    entry = odd(notes, CONTENT)
    if entry is None:
        return False
    was = entry.get(WAS)
    return result.content == ([] if was is None else read_odd_result(was))


def _write_content(result: Result, pen: Pen) -> list[JsonObject]:
    """Write the content; blank texts are rejected in results too, and an error needs a text."""
    content = result.content
    if len(content) == 1:  # usually a single text: no writer is needed
        (part,) = content
        if part.__class__ is Text and part.extras is None and (pen.is_own or part.text.strip()):
            return [{"text": part.text}]
    if pen.is_own:
        return pen.inside().write(content)
    last = content[-1] if content else None
    is_object = isinstance(last, Data) and isinstance(last.value, dict)
    blocks = pen.inside().write(content, skipped(content, pen.told, pen.place, values=is_object))
    said = [block for block in blocks if is_said(block)]
    return said or ([{"text": SILENT_FAILURE}] if result.is_error else [])


def is_said(block: JsonObject) -> bool:
    """Return whether a block is more than a blank text."""
    return "text" not in block or not is_blank(block["text"])


WRITERS: Final[Writers] = {
    Text: _write_text,
    Call: _write_call,
    Result: _write_result,
    Reasoning: _write_reasoning,
    Media: _write_media,
    Data: _write_data,
    Refusal: write_refusal,
    Native: write_native,
}
