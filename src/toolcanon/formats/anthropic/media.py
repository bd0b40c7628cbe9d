"""Images, documents and search results: a ``source`` of several kinds each."""

from __future__ import annotations

import base64
import binascii
from dataclasses import replace
from typing import Any, Final

from toolcanon.formats.anthropic.spelling import ID
from toolcanon.formats.wire.codec import (
    MISSED,
    extras_of,
    in_words,
    leftovers,
    noted,
    rest,
    split_uri,
)
from toolcanon.formats.wire.pen import Pen
from toolcanon.ir.conversation import Media, MediaKind
from toolcanon.jsonio.types import Json, JsonObject

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
        found = _write_text(media, notes, pen)
    elif media.data is not None:
        found = _write_data(media.mime, media.data, pen, is_image=is_image)
    elif media.url is not None:
        found = _write_url(media.url, media, pen, is_image=is_image)
    else:
        found = None
    around = notes.get(_AROUND)
    return {**found, **around} if found is not None and around else found


def _write_text(media: Media, notes: JsonObject, pen: Pen) -> JsonObject:
    if _BLOCKS in notes and _joined(notes[_BLOCKS]) == media.text:
        return {"type": "content", "content": notes[_BLOCKS]}
    mime = media.mime if pen.is_own and media.mime is not None else PLAIN
    return {"type": "text", "media_type": mime, "data": media.text}


def _write_data(mime: str | None, data: str, pen: Pen, *, is_image: bool) -> JsonObject | None:
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
        return _write_data(inline[0] or media.mime, inline[1], pen, is_image=is_image)
    is_pdf = media.kind in {"document", "file"} and media.mime in {None, PDF}
    if url.startswith(("https://", "http://")) and (is_image or is_pdf):
        return {"type": "url", "url": url}
    return None
