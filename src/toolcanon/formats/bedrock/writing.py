"""Write parts of any provider as content blocks."""

from __future__ import annotations

from typing import Final

from toolcanon.formats.bedrock.media import write_media
from toolcanon.formats.bedrock.reading import read_odd_result
from toolcanon.formats.bedrock.spelling import (
    BESIDE,
    CITED,
    GUARDED,
    ID,
    RAW,
    joined,
    write_bytes,
)
from toolcanon.formats.wire.blocks import CONTENT, SILENT_FAILURE, is_blank
from toolcanon.formats.wire.codec import dump, leftovers, noted
from toolcanon.formats.wire.echo import skipped
from toolcanon.formats.wire.odd import AS, WAS, is_same, odd, put_back, put_back_all
from toolcanon.formats.wire.pen import (
    Pen,
    Writers,
    is_usual,
    write_native,
    write_odd_call,
    write_refusal,
)
from toolcanon.ir.conversation import (
    Call,
    Data,
    Media,
    Native,
    Reasoning,
    Refusal,
    Result,
    Text,
)
from toolcanon.jsonio.types import JsonObject

_NOTHING: Final[JsonObject] = {}


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
