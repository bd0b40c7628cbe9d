"""Content blocks of messages read and written, media included."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from toolcanon.formats.wire.blocks import (
    BLOCKS,
    CONTENT,
    INPUT,
    SILENT_FAILURE,
    STRING,
    UNANSWERABLE,
    Pen,
    Writers,
    is_plain_text,
    is_usual,
    message_reader,
    write_native,
    write_odd_call,
    write_refusal,
)
from toolcanon.formats.wire.codec import (
    MISSED,
    NOT_OBJECT,
    NOTES,
    dump,
    extras_of,
    in_words,
    leftovers,
    noted,
    rest,
    split_uri,
)
from toolcanon.formats.wire.odd_members import (
    ABSENT,
    AS,
    WAS,
    is_as_read,
    is_same,
    json_text,
    note_odd,
    note_type,
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
    MediaKind,
    Native,
    Part,
    Reasoning,
    Refusal,
    Result,
    Text,
)
from toolcanon.jsonio.types import Json, JsonObject

ID: Final = "anthropic"


IMAGES: Final = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
PDF: Final = "application/pdf"
PLAIN: Final = "text/plain"

# The fields of each kind of source.
_SOURCES: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "base64": (("media_type", "mime"), ("data", "data")),
    "text": (("media_type", "mime"), ("data", "text")),
    "url": (("url", "url"),),
    "file": (("file_id", "file_id"),),
}
_IMAGE: Final = frozenset({"type", "source"})
_DOCUMENT: Final = frozenset({"type", "source", "title"})
_SEARCH: Final = frozenset({"type", "source", "title", "content"})
_CONTENT: Final = frozenset({"type", "content"})

# Names of our notes.
_AROUND: Final = "source"  # keys of a source without a field
_BLOCKS: Final = "content"  # the blocks of a document made of blocks
_HERE: Final = "file"  # the file is stored by this provider
_FOUND: Final = "search"  # a search result, not a document


def read_media(block: JsonObject, model: str | None) -> Media | None:
    """Return an image or a document; None for an unknown shape."""
    del model
    kind: MediaKind = "image" if block["type"] == "image" else "document"
    source = block.get("source")
    read = _read_source(source) if isinstance(source, dict) else None
    if read is None:
        return None
    fields, notes = read
    if kind == "image" and "text" in fields:
        return None
    known = _IMAGE
    if kind == "document" and isinstance(block.get("title"), str):
        known = _DOCUMENT
        fields["name"] = block["title"]
    return Media(kind, **fields, extras=extras_of(ID, rest(block, known), notes))


def _read_source(source: JsonObject) -> tuple[dict[str, Any], JsonObject] | None:
    kind = source.get("type")
    if kind == "content":
        text = _joined(source.get("content"))
        if text is None:
            return None
        around = rest(source, _CONTENT)
        return {"mime": PLAIN, "text": text}, {_BLOCKS: source["content"], **_note(around)}
    pairs = _SOURCES.get(kind) if isinstance(kind, str) else None
    if pairs is None:
        return None
    fields = {field: source.get(key) for key, field in pairs}
    if not all(isinstance(value, str) for value in fields.values()):
        return None
    around = rest(source, frozenset({"type", *(key for key, _ in pairs)}))
    return fields, {**_note(around), **({_HERE: True} if kind == "file" else {})}


def _note(around: JsonObject) -> JsonObject:
    return {_AROUND: around} if around else {}


def _joined(content: Json) -> str | None:
    """Return the text of text blocks; None when there are other blocks among them."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    texts = []
    for block in content:
        is_text = isinstance(block, dict) and block.get("type") == "text"
        if not is_text or not isinstance(block.get("text"), str):
            return None
        texts.append(block["text"])
    return "\n".join(texts)


def read_search(block: JsonObject, model: str | None) -> Media | None:
    """Return a search result as a document with a title and its source."""
    del model
    source, title, content = block.get("source"), block.get("title"), block.get("content")
    text = _joined(content) if isinstance(content, list) else None
    if text is None or not isinstance(source, str) or not isinstance(title, str):
        return None
    notes = {_FOUND: source, _BLOCKS: content, MISSED: {"source": source}}
    extras = extras_of(ID, rest(block, _SEARCH), notes)
    return Media("document", PLAIN, text=text, name=title, extras=extras)


def write_media(media: Media, pen: Pen) -> JsonObject:
    """Return the block, or a text in its place where the target accepts none."""
    notes = noted(media.extras, ID)
    if _FOUND in notes and media.text is not None:
        content = notes[_BLOCKS]
        if _joined(content) != media.text:
            content = [{"type": "text", "text": media.text}]
        block: JsonObject = {"type": "search_result", "source": notes[_FOUND], "content": content}
        return {**block, "title": media.name or "", **leftovers(media.extras, ID)}
    is_image = media.kind == "image"
    if not is_image and not pen.is_own:  # other providers accept files of any type
        is_image = (media.mime or "").startswith("image/")
    source = _write_source(media, notes, pen, is_image=is_image)
    if source is None:
        text = in_words(replace(media, text=None))
        pen.lose("L302", after=text)
        return {"type": "text", "text": text}
    block = {"type": "image" if is_image else "document", "source": source}
    if media.name is not None:
        if is_image:
            pen.lose("L308", "name", before=media.name)
        else:
            block["title"] = media.name
    return {**block, **leftovers(media.extras, ID)}


def _write_source(
    media: Media, notes: JsonObject, pen: Pen, *, is_image: bool
) -> JsonObject | None:
    if media.file_id is not None:
        found: JsonObject | None = None
        if _HERE in notes:
            found = {"type": "file", "file_id": media.file_id}
    elif media.text is not None and not is_image:
        found = _write_text_media(media, notes, pen)
    elif media.data is not None:
        found = _write_encoded_media(media.mime, media.data, pen, is_image=is_image)
    elif media.url is not None:
        found = _write_url(media.url, media, pen, is_image=is_image)
    else:
        found = None
    around = notes.get(_AROUND)
    return {**found, **around} if found is not None and around else found


def _write_text_media(media: Media, notes: JsonObject, pen: Pen) -> JsonObject:
    if _BLOCKS in notes and _joined(notes[_BLOCKS]) == media.text:
        return {"type": "content", "content": notes[_BLOCKS]}
    mime = media.mime if pen.is_own and media.mime is not None else PLAIN
    return {"type": "text", "media_type": mime, "data": media.text}


def _write_encoded_media(
    mime: str | None, data: str, pen: Pen, *, is_image: bool
) -> JsonObject | None:
    if (mime in IMAGES if is_image else mime == PDF) or (pen.is_own and mime is not None):
        return {"type": "base64", "media_type": mime, "data": data}
    if not is_image and mime is not None and mime.startswith("text/"):
        try:
            text = base64.b64decode(data, validate=True).decode()
        except (binascii.Error, ValueError):
            return None
        return {"type": "text", "media_type": PLAIN, "data": text}
    return None


def _write_url(url: str, media: Media, pen: Pen, *, is_image: bool) -> JsonObject | None:
    if pen.is_own:
        return {"type": "url", "url": url}
    inline = split_uri(url)
    if inline is not None:
        return _write_encoded_media(inline[0] or media.mime, inline[1], pen, is_image=is_image)
    is_pdf = media.kind in {"document", "file"} and media.mime in {None, PDF}
    if url.startswith(("https://", "http://")) and (is_image or is_pdf):
        return {"type": "url", "url": url}
    return None


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


_DATED: Final = re.compile(r"(?:-latest|[-@]\d{8})$")


def _write_text_part(part: Text, pen: Pen) -> JsonObject:
    block: JsonObject = {"type": "text", "text": part.text}
    if part.extras is not None:
        pen.tell_foreign(part)
        block.update(leftovers(part.extras, ID))
        put_back_all(block, noted(part.extras, ID))
    return block


def _write_data_part(part: Data, pen: Pen) -> JsonObject:
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
    Text: _write_text_part,
    Call: _write_call,
    Result: _write_result,
    Reasoning: _write_reasoning,
    Media: _write_media,
    Data: _write_data_part,
    Refusal: write_refusal,
    Native: write_native,
}
