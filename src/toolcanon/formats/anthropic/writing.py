"""Parts into content blocks, whoever they were read from."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from toolcanon.formats.anthropic.media import write_media
from toolcanon.formats.anthropic.spelling import BLOCKS, CONTENT, ID, INPUT, ROLE, STRING
from toolcanon.formats.wire.codec import (
    arguments_object,
    dump,
    has_foreign,
    leftovers,
    noted,
    result_text,
    said_once,
)
from toolcanon.formats.wire.hand import Pen
from toolcanon.formats.wire.turns import WIRE_ROLES
from toolcanon.ir.conversation import (
    Call,
    Data,
    Media,
    Message,
    Native,
    Part,
    Reasoning,
    Refusal,
    Result,
    Text,
)
from toolcanon.jsonio.types import JsonObject

SILENT_FAILURE: Final = "The tool failed without a message."
"""An error must say something (bytedance/trae-agent#231, 2025-07)."""

_DATED: Final = re.compile(r"(?:-latest|[-@]\d{8})$")


def _write_text(part: Text, pen: Pen) -> JsonObject:
    block: JsonObject = {"type": "text", "text": part.text}
    if part.extras is not None:
        _tell_foreign(part, pen)
        block.update(leftovers(part.extras, ID))
    return block


def _write_refusal(part: Refusal, pen: Pen) -> JsonObject:
    pen.lose("L319")
    return {"type": "text", "text": part.text}


def _write_data(part: Data, pen: Pen) -> JsonObject:
    _tell_foreign(part, pen)
    pen.lose("L305")
    return {"type": "text", "text": dump(part.value)}


def _write_media(part: Media, pen: Pen) -> JsonObject:
    _tell_foreign(part, pen)
    return write_media(part, pen)


def _write_reasoning(part: Reasoning, pen: Pen) -> JsonObject | None:
    is_sealed = part.seal is not None or pen.is_own
    if part.provider != ID or not is_sealed or not _is_same_model(part.model, pen.model):
        pen.lose("L301")
        return None
    if part.is_hidden:
        return {"type": "redacted_thinking", "data": part.seal, **leftovers(part.extras, ID)}
    block: JsonObject = {"type": "thinking", "thinking": part.text or ""}
    block.update(leftovers(part.extras, ID))
    if part.seal is not None:
        block["signature"] = part.seal
    return block


def _is_same_model(wrote: str | None, reads: str | None) -> bool:
    """Seals are good for the model that wrote them; a date only says which of its days."""
    if wrote is None or reads is None or wrote == reads:
        return True
    return _DATED.sub("", wrote) == _DATED.sub("", reads)


def _write_call(part: Call, pen: Pen) -> JsonObject:
    arguments = part.arguments
    is_usual = part.extras is None and part.problem is None and part.namespace is None
    if is_usual and arguments.__class__ is dict and part.id is not None and not part.is_text:
        return {"type": "tool_use", "id": part.id, "name": part.name, "input": arguments}
    _tell_foreign(part, pen)
    spelled = noted(part.extras, ID).get(INPUT)
    block: JsonObject = {"type": "tool_use", "id": part.id, "name": part.name}
    if spelled is not None and arguments == (spelled[0] if spelled else None):
        if spelled:
            block["input"] = arguments
    else:
        block["input"], code = arguments_object(part)
        if code is not None:
            pen.lose(code, "arguments", after=block["input"])
    if part.namespace:
        block["name"] = f"{part.namespace}_{part.name}"
        pen.lose("L315", "namespace", before=part.namespace, after=block["name"])
    if part.id is None:
        block["id"] = f"call_{pen.index}_{pen.number}"
        pen.lose("L322", "id", after=block["id"])
    block.update(leftovers(part.extras, ID))
    return block


def _write_result(part: Result, pen: Pen) -> JsonObject:
    content = said_once(part.content, pen.told, pen.place)
    block: JsonObject = {"type": "tool_result", "tool_use_id": part.call_id or ""}
    if part.name is not None:
        pen.lose("L325", "name", before=part.name)
    if part.extras is None:
        block[CONTENT] = _write_content(content, pen)
    else:
        _tell_foreign(part, pen)
        block.update(leftovers(part.extras, ID))
        spelled = noted(part.extras, ID).get(CONTENT, BLOCKS)
        if spelled == STRING and _is_plain_text(content):
            block[CONTENT] = content[0].text  # type: ignore[union-attr]
        elif content or not (spelled is None or CONTENT in block):
            block[CONTENT] = _write_content(content, pen)
    if part.is_error is not None:
        block["is_error"] = part.is_error
        if part.is_error and not pen.is_own and not _says_something(content):
            block[CONTENT] = [{"type": "text", "text": SILENT_FAILURE}]
    return block


def _write_content(content: Sequence[Part], pen: Pen) -> list[JsonObject]:
    if len(content) == 1:  # hardly ever anything but one text: saves the pen
        (part,) = content
        if part.__class__ is Text and part.extras is None:
            return [{"type": "text", "text": part.text}]
    return write_parts(content, pen.inside())


def _says_something(content: Sequence[Part]) -> bool:
    return any(not isinstance(part, Text) or part.text.strip() for part in content)


def _is_plain_text(parts: Sequence[Part]) -> bool:
    return len(parts) == 1 and parts[0].__class__ is Text and parts[0].extras is None


def _write_native(part: Native, pen: Pen) -> JsonObject | None:
    if part.format == ID and (pen.is_own or isinstance(part.value, dict)):
        return part.value  # type: ignore[no-any-return]
    pen.lose("L307", before=part.type)
    return None


def _tell_foreign(part: Text | Data | Media | Call | Result, pen: Pen) -> None:
    if has_foreign(part.extras, ID):
        pen.lose("L308", before=part.extras)


_WRITERS: Final[dict[type, Callable[[Any, Pen], JsonObject | None]]] = {
    Text: _write_text,
    Call: _write_call,
    Result: _write_result,
    Reasoning: _write_reasoning,
    Media: _write_media,
    Data: _write_data,
    Refusal: _write_refusal,
    Native: _write_native,
}


def write_part(part: Part, pen: Pen) -> JsonObject | None:
    """One block; None for what the target has no words for."""
    return _WRITERS[part.__class__](part, pen)


def write_parts(parts: Sequence[Part], pen: Pen) -> list[JsonObject]:
    """The blocks of parts that stand together."""
    blocks: list[Any] = []
    for number, part in enumerate(parts):
        if part.__class__ is Text and part.extras is None:
            blocks.append({"type": "text", "text": part.text})
            continue
        pen.number = number
        block = _WRITERS[part.__class__](part, pen)
        if block is not None or (part.__class__ is Native and part.format == ID):
            blocks.append(block)
    return blocks


def write_words(part: Part, pen: Pen) -> JsonObject | None:
    """A block of a system prompt: words, and what is our own."""
    if isinstance(part, Media):
        text = result_text(Result(None, [part]))
        pen.lose("L302", after=text)
        return {"type": "text", "text": text}
    if isinstance(part, (Call, Result, Reasoning)):
        pen.lose("L307")
        return None
    return write_part(part, pen)


def write_own(message: Message, pen: Pen) -> JsonObject:
    """A message of this format, as its provider had it."""
    parts = message.parts
    out: JsonObject = {"role": WIRE_ROLES.get(message.role, "user")}
    if not message.extras[ID]:  # type: ignore[index]
        out[CONTENT] = write_parts(parts, pen)
        return out
    out.update(leftovers(message.extras, ID))
    notes = noted(message.extras, ID)
    if ROLE in notes and message.role == "user":
        del out["role"]
        out.update(("role", role) for role in notes[ROLE])
    spelled = notes.get(CONTENT, BLOCKS)
    if spelled == STRING and _is_plain_text(parts):
        out[CONTENT] = parts[0].text  # type: ignore[union-attr]
    elif parts or not (spelled is None or CONTENT in out):
        out[CONTENT] = write_parts(parts, pen)
    return out
