"""Write parts of any provider as content blocks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from toolcanon.formats.anthropic.media import write_media
from toolcanon.formats.anthropic.reading import read_odd_result
from toolcanon.formats.anthropic.spelling import ID
from toolcanon.formats.wire.blocks import BLOCKS, CONTENT, SILENT_FAILURE, STRING
from toolcanon.formats.wire.codec import dump, leftovers, noted
from toolcanon.formats.wire.echo import skipped
from toolcanon.formats.wire.odd import AS, WAS, is_as_read, is_same, odd, put_back, put_back_all
from toolcanon.formats.wire.pen import (
    Pen,
    Writers,
    is_plain_text,
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
    Part,
    Reasoning,
    Refusal,
    Result,
    Text,
)
from toolcanon.jsonio.types import JsonObject

_DATED: Final = re.compile(r"(?:-latest|[-@]\d{8})$")


def _write_text(part: Text, pen: Pen) -> JsonObject:
    block: JsonObject = {"type": "text", "text": part.text}
    if part.extras is not None:
        pen.tell_foreign(part)
        block.update(leftovers(part.extras, ID))
        put_back_all(block, noted(part.extras, ID))
    return block


def _write_data(part: Data, pen: Pen) -> JsonObject:
    pen.tell_foreign(part)
    pen.lose("L305")
    return {"type": "text", "text": dump(part.value)}


def _write_media(part: Media, pen: Pen) -> JsonObject:
    pen.tell_foreign(part)
    return write_media(part, pen)


def _write_reasoning(part: Reasoning, pen: Pen) -> JsonObject | None:
    is_sealed = part.seal is not None or pen.is_own
    if part.provider != ID or not is_sealed or not _is_same_model(part.model, pen.model):
        pen.lose("L301", before=part.text)
        return None
    if part.is_hidden:
        return {"type": "redacted_thinking", "data": part.seal, **leftovers(part.extras, ID)}
    block: JsonObject = {"type": "thinking", "thinking": part.text or ""}
    block.update(leftovers(part.extras, ID))
    if part.seal is not None:
        block["signature"] = part.seal
    return block


def _is_same_model(wrote: str | None, reads: str | None) -> bool:
    """Return whether a signature is valid: for the same model, whatever its date."""
    if wrote is None or reads is None or wrote == reads:
        return True
    return _DATED.sub("", wrote) == _DATED.sub("", reads)


def _write_call(part: Call, pen: Pen) -> JsonObject:
    if is_usual(part):
        return {"type": "tool_use", "id": part.id, "name": part.name, "input": part.arguments}
    block = {"type": "tool_use", **write_odd_call(part, pen, "id")}
    notes = noted(part.extras, ID)
    if is_as_read(block, notes, "type"):
        put_back(block, notes, "type")
    return block


def _write_result(part: Result, pen: Pen) -> JsonObject:
    content = part.content
    echo = skipped(content, pen.told, pen.place) if len(content) > 1 else frozenset()
    block: JsonObject = {"type": "tool_result", "tool_use_id": part.call_id or ""}
    if part.name is not None:
        pen.lose("L325", "name", before=part.name)
    if part.extras is None:
        block[CONTENT] = _write_content(content, pen, echo)
    else:
        pen.tell_foreign(part)
        block.update(leftovers(part.extras, ID))
        notes = noted(part.extras, ID)
        spelled = notes.get(CONTENT, BLOCKS)
        if spelled == STRING and is_plain_text(content):
            block[CONTENT] = content[0].text  # type: ignore[union-attr]
        elif _is_odd(content, notes):
            put_back(block, notes, CONTENT)
        elif content or spelled is not None:
            block[CONTENT] = _write_content(content, pen, echo)
        entry = odd(notes, "tool_use_id")
        if entry is not None and is_same(part.call_id, entry.get(AS)):
            put_back(block, notes, "tool_use_id")
        if part.is_error is None and odd(notes, "is_error") is not None:
            put_back(block, notes, "is_error")
    if part.is_error is not None:
        block["is_error"] = part.is_error
        if part.is_error and not pen.is_own and not _is_not_empty(content):
            block[CONTENT] = [{"type": "text", "text": SILENT_FAILURE}]
    return block


def _is_odd(content: Sequence[Part], notes: JsonObject) -> bool:
    """Return whether content was no list of blocks, and is unchanged."""
    entry = odd(notes, CONTENT)
    if entry is None:
        return False
    was = entry.get(WAS)
    return list(content) == ([] if was is None else read_odd_result(was))


def _write_content(
    content: Sequence[Part], pen: Pen, echo: frozenset[int] = frozenset()
) -> list[JsonObject]:
    if is_plain_text(content):  # the most common case: no writer is needed
        return [{"type": "text", "text": content[0].text}]  # type: ignore[union-attr]
    return pen.inside().write(content, echo)


def _is_not_empty(content: Sequence[Part]) -> bool:
    return any(not isinstance(part, Text) or part.text.strip() for part in content)


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
