"""Media, and field names that several modules use."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from toolcanon.formats.wire.blocks import Pen
from toolcanon.formats.wire.codec import (
    MISSED,
    extras_of,
    in_words,
    leftovers,
    noted,
    rest,
    split_uri,
)
from toolcanon.ir.conversation import Media, MediaKind
from toolcanon.jsonio.types import Json, JsonObject

ID: Final = "bedrock"

SERVED: Final = "server_tool_use"
"""The type of a call of a provider's tool; other calls have none, or ``tool_use``."""

# Notes: raw bytes instead of base64 text, keys beside the one of the block's kind, and text in a
# block of its own kind.
RAW: Final = "raw"
BESIDE: Final = "beside"
CITED: Final = "citationsContent"
GUARDED: Final = "guardContent"


def read_bytes(value: Json) -> tuple[str, bool] | None:
    """Return the base64 text of bytes, and whether they were raw, as in the AWS SDKs."""
    if isinstance(value, str):
        return value, False
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode(), True
    return None


def write_bytes(data: str, *, raw: bool) -> Json:
    """Return raw bytes or base64 text; other text stays a text."""
    if not raw:
        return data
    try:
        return base64.b64decode(data, validate=True)
    except binascii.Error:
        return data


def joined(content: Json, between: str = "\n") -> str | None:
    """Return the text of a list of texts; None when there are other values in it."""
    if not isinstance(content, list):
        return None
    texts = [
        block["text"]
        for block in content
        if isinstance(block, dict) and block.keys() == {"text"} and isinstance(block["text"], str)
    ]
    return between.join(texts) if len(texts) == len(content) else None


_OFFICE: Final = "application/vnd.openxmlformats-officedocument"
_TYPES: Final[dict[MediaKind, dict[str, str]]] = {
    "image": {word: f"image/{word}" for word in ("png", "jpeg", "gif", "webp")},
    "document": {
        "pdf": "application/pdf",
        "csv": "text/csv",
        "doc": "application/msword",
        "docx": f"{_OFFICE}.wordprocessingml.document",
        "xls": "application/vnd.ms-excel",
        "xlsx": f"{_OFFICE}.spreadsheetml.sheet",
        "html": "text/html",
        "txt": "text/plain",
        "md": "text/markdown",
    },
    "video": {
        "mp4": "video/mp4",
        "mov": "video/quicktime",
        "mkv": "video/x-matroska",
        "webm": "video/webm",
        "flv": "video/x-flv",
        "mpeg": "video/mpeg",
        "mpg": "video/mpeg",
        "wmv": "video/x-ms-wmv",
        "three_gp": "video/3gpp",
    },
    "audio": {
        "mp3": "audio/mpeg",
        "wav": "audio/wav",
        "ogg": "audio/ogg",
        "opus": "audio/opus",
        "flac": "audio/flac",
        "aac": "audio/aac",
        "m4a": "audio/mp4",
        "webm": "audio/webm",
    },
}
_FORMATS: Final = {
    kind: {mime: word for word, mime in reversed(words.items())} for kind, words in _TYPES.items()
}
"""The first format of each type."""

# Names of our notes.
_FORMAT: Final = "format"  # as it was written, where the type does not imply it; None where absent
_AROUND: Final = "source"  # keys of a source without a field
_PIECES: Final = "pieces"  # the blocks of a document made of blocks
_FOUND: Final = "search"  # a search result, not a document

_MEDIA: Final = frozenset({"format", "source"})
_SEARCH: Final = frozenset({"source", "title", "content"})
_S3: Final = "s3://"
_URI: Final = frozenset({"uri"})
_FORBIDDEN: Final = re.compile(r"[^A-Za-z0-9()\[\] -]+")
_LONGEST_NAME: Final = 200


def reader_of(kind: MediaKind) -> Callable[[Json, JsonObject, str | None], Media | None]:
    """Return the reader for blocks of that kind."""

    def read(value: Json, beside: JsonObject, model: str | None) -> Media | None:
        del model
        source = value.get("source") if isinstance(value, dict) else None
        sourced = _read_source(source) if isinstance(source, dict) else None
        if sourced is None:
            return None
        fields, notes = sourced
        known = _MEDIA
        word = value.get("format")
        if isinstance(word, str):
            mime = fields["mime"] = _TYPES[kind].get(word)
            if mime is None or _FORMATS[kind][mime] != word:
                notes[_FORMAT] = word
        elif "format" in value:
            return None
        else:
            notes[_FORMAT] = None
        if isinstance(value.get("name"), str):
            known |= {"name"}
            fields["name"] = value["name"]
        if beside:
            notes[BESIDE] = beside
        return Media(kind, **fields, extras=extras_of(ID, rest(value, known), notes))

    return read


def _read_source(source: JsonObject) -> tuple[dict[str, Any], JsonObject] | None:
    if len(source) != 1:
        return None
    ((tag, value),) = source.items()
    if tag == "bytes":
        data = read_bytes(value)
        return None if data is None else ({"data": data[0]}, {RAW: True} if data[1] else {})
    if tag == "s3Location" and isinstance(value, dict) and str(value.get("uri")).startswith(_S3):
        around = rest(value, _URI)
        return {"url": value["uri"]}, {_AROUND: around} if around else {}
    if tag == "text" and isinstance(value, str):
        return {"text": value}, {}
    text = joined(value) if tag == "content" else None
    return None if text is None else ({"text": text}, {_PIECES: value})


def read_search(value: Json, beside: JsonObject, model: str | None) -> Media | None:
    """Return a search result as a document with a title and its source."""
    del model
    if not isinstance(value, dict):
        return None
    source, title, text = value.get("source"), value.get("title"), joined(value.get("content"))
    if text is None or not isinstance(source, str) or not isinstance(title, str):
        return None
    notes = {_FOUND: source, _PIECES: value["content"], MISSED: {"source": source}}
    if beside:
        notes[BESIDE] = beside
    extras = extras_of(ID, rest(value, _SEARCH), notes)
    return Media("document", "text/plain", text=text, name=title, extras=extras)


def write_media(media: Media, pen: Pen) -> JsonObject:
    """Return the block, or a text in its place where the target accepts none."""
    notes = noted(media.extras, ID)
    left = leftovers(media.extras, ID)
    beside = notes.get(BESIDE, {})
    if _FOUND in notes and media.text is not None:
        found = {"source": notes[_FOUND], "title": media.name or "", "content": _pieces(media)}
        return {"searchResult": {**found, **left}, **beside}
    kind = _kind_of(media)
    source = None
    if pen.is_own or (pen.role == "user" and not (kind == "audio" and pen.index == "content")):
        source = _write_source(media, notes)
    inner: JsonObject = {"source": source}
    word = _write_format(kind, media, notes)
    if word is not None:
        inner["format"] = word
    if source is None or (word is None and not pen.is_own):
        text = in_words(replace(media, text=None))
        pen.lose("L302", after=text)
        return {"text": text}
    if kind == "document" or pen.is_own:
        if media.name is not None or not pen.is_own:
            inner["name"] = media.name if pen.is_own else _clean(media.name)
    elif media.name is not None:
        pen.lose("L308", "name", before=media.name)
    block: JsonObject = {kind: {**inner, **left}}
    return {**({GUARDED: block} if GUARDED in notes else block), **beside}


def _kind_of(media: Media) -> MediaKind:
    if media.kind != "file":
        return media.kind
    lead = (media.mime or "").partition("/")[0]
    return lead if lead in {"image", "audio", "video"} else "document"  # type: ignore[return-value]


def _write_format(kind: MediaKind, media: Media, notes: JsonObject) -> str | None:
    if _FORMAT in notes:
        word = notes[_FORMAT]
        if word is None or _TYPES[kind].get(word) == media.mime:
            return word  # type: ignore[no-any-return]
    if kind == "document" and media.text is not None and media.mime is None:
        return "txt"
    inline = split_uri(media.url) if media.url is not None else None
    return _FORMATS[kind].get((inline[0] if inline else media.mime) or "")


def _write_source(media: Media, notes: JsonObject) -> JsonObject | None:
    if media.file_id is not None:
        return None
    if media.text is not None:
        return {"content": _pieces(media)} if _PIECES in notes else {"text": media.text}
    if media.data is not None:
        return {"bytes": write_bytes(media.data, raw=RAW in notes)}
    if media.url is None:
        return None
    inline = split_uri(media.url)
    if inline is not None:
        return {"bytes": inline[1]}
    if media.url.startswith(_S3):
        return {"s3Location": {"uri": media.url, **notes.get(_AROUND, {})}}
    return None


def _pieces(media: Media) -> Json:
    pieces = noted(media.extras, ID)[_PIECES]
    return pieces if joined(pieces) == media.text else [{"text": media.text}]


def _clean(name: str | None) -> str:
    """Return a non-empty name of letters, digits, single spaces, hyphens and brackets."""
    words = _FORBIDDEN.sub("-", name or "").split()
    return " ".join(words)[:_LONGEST_NAME].strip() or "document"
