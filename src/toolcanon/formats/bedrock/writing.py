"""Parts into content blocks, whoever they were read from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from toolcanon.formats.bedrock.media import write_media
from toolcanon.formats.bedrock.spelling import (
    BESIDE,
    BLOCKS,
    CITED,
    CONTENT,
    GUARDED,
    ID,
    INPUT,
    RAW,
    ROLE,
    STRING,
    joined,
    write_bytes,
)
from toolcanon.formats.wire.codec import (
    arguments_object,
    dump,
    has_foreign,
    leftovers,
    noted,
    result_text,
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

_NOTHING: Final[JsonObject] = {}
SILENT_FAILURE: Final = "The tool failed without a message."


def _write_text(part: Text, pen: Pen) -> JsonObject:
    if part.extras is None:
        return {"text": part.text}
    _tell_foreign(part, pen)
    notes = noted(part.extras, ID)
    block: JsonObject = {"text": part.text}
    if CITED in notes:
        cited = notes[CITED]
        if joined(cited["content"], "") != part.text:
            cited = {**cited, "content": [{"text": part.text}]}
        block = {CITED: cited}
    elif GUARDED in notes:
        block = {GUARDED: {"text": {**notes[GUARDED], "text": part.text}}}
    return {**block, **leftovers(part.extras, ID)}


def _write_refusal(part: Refusal, pen: Pen) -> JsonObject:
    pen.lose("L319")
    return {"text": part.text}


def _write_data(part: Data, pen: Pen) -> JsonObject:
    """As it is in a result, where the provider takes objects; anywhere else as text."""
    _tell_foreign(part, pen)
    if pen.index == CONTENT and (isinstance(part.value, dict) or pen.is_own):
        return {"json": part.value, **leftovers(part.extras, ID)}
    pen.lose("L305")
    return {"text": dump(part.value)}


def _write_media(part: Media, pen: Pen) -> JsonObject:
    _tell_foreign(part, pen)
    return write_media(part, pen)


def _write_reasoning(part: Reasoning, pen: Pen) -> JsonObject | None:
    if part.provider != ID or not _is_same_model(part.model, pen.model):
        pen.lose("L301")
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
    """Seals are good for the model that wrote them; a prefix only says in which region."""
    if wrote is None or reads is None:
        return True
    return wrote.endswith(reads) or reads.endswith(wrote)


def _write_call(part: Call, pen: Pen) -> JsonObject:
    arguments = part.arguments
    is_usual = part.extras is None and part.problem is None and part.namespace is None
    if is_usual and arguments.__class__ is dict and part.id is not None and not part.is_text:
        return {"toolUse": {"toolUseId": part.id, "name": part.name, "input": arguments}}
    _tell_foreign(part, pen)
    notes = noted(part.extras, ID)
    spelled = notes.get(INPUT)
    inner: JsonObject = {"toolUseId": part.id, "name": part.name}
    if spelled is not None and arguments == (spelled[0] if spelled else None):
        if spelled:
            inner["input"] = arguments
    else:
        inner["input"], code = arguments_object(part)
        if code is not None:
            pen.lose(code, "arguments", after=inner["input"])
    if part.namespace:
        inner["name"] = f"{part.namespace}_{part.name}"
        pen.lose("L315", "namespace", before=part.namespace, after=inner["name"])
    if part.id is None:
        inner["toolUseId"] = f"call_{pen.index}_{pen.number}"
        pen.lose("L322", "id", after=inner["toolUseId"])
    inner.update(leftovers(part.extras, ID))
    return {"toolUse": inner, **notes.get(BESIDE, {})}


def _write_result(part: Result, pen: Pen) -> JsonObject:
    inner: JsonObject = {"toolUseId": part.call_id or ""}
    if part.name is not None:
        pen.lose("L325", "name", before=part.name)
    notes = _NOTHING
    if part.extras is not None:
        _tell_foreign(part, pen)
        notes = noted(part.extras, ID)
        inner.update(leftovers(part.extras, ID))
    if part.content or not (CONTENT in notes or CONTENT in inner):
        inner[CONTENT] = _write_content(part, pen)
    if part.is_error is not None:
        inner["status"] = "error" if part.is_error else "success"
    return {"toolResult": inner, **notes[BESIDE]} if BESIDE in notes else {"toolResult": inner}


def _write_content(result: Result, pen: Pen) -> list[JsonObject]:
    """Blank texts are refused within answers too, and an error must say something."""
    content = result.content
    if len(content) == 1:  # hardly ever anything but one text: saves the pen
        (part,) = content
        if part.__class__ is Text and part.extras is None and (pen.is_own or part.text.strip()):
            return [{"text": part.text}]
    blocks = write_parts(content, pen.inside())
    if pen.is_own:
        return blocks
    said = [block for block in blocks if is_said(block)]
    return said or ([{"text": SILENT_FAILURE}] if result.is_error else [])


def is_said(block: object) -> bool:
    """Whether a block is more than a blank text."""
    if not isinstance(block, dict) or "text" not in block:
        return True
    return bool(str(block["text"]).strip())


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
            blocks.append({"text": part.text})
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
        return {"text": text}
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
    is_text = len(parts) == 1 and parts[0].__class__ is Text and parts[0].extras is None
    if spelled == STRING and is_text:
        out[CONTENT] = parts[0].text  # type: ignore[union-attr]
    elif parts or not (spelled is None or CONTENT in out):
        out[CONTENT] = write_parts(parts, pen)
    return out
