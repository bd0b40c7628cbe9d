"""Images, sounds and files: ``inlineData`` with base64 text, ``fileData`` with a URL.

The same two objects are in parts and in the parts of a function's response.
"""

from __future__ import annotations

from base64 import b64encode
from typing import Final

from toolcanon.formats.gemini.spelling import (
    ALPHABET,
    BARE,
    FILE,
    ID,
    INLINE,
    INNER,
    KEY,
    MIME,
    PAYLOADS,
    SPELLED,
    TITLE,
    URI,
    snake,
)
from toolcanon.formats.wire.codec import NOTES, extras_of, leftovers, media_kind, noted
from toolcanon.ir.conversation import Media
from toolcanon.jsonio.types import JsonObject

_OWN_STORES: Final = ("gs://", "https://generativelanguage.googleapis.com/")
"""URLs that only this provider can open."""


def read_media(part: JsonObject, key: str) -> Media | None:
    """Return the media of a part under this key; None when it is malformed."""
    blob = part[key]
    if not isinstance(blob, dict) or NOTES in blob:
        return None
    fields: dict[str, str] = {}
    spelled: JsonObject = {}
    inner: JsonObject = {}
    wanted = _FIELDS[PAYLOADS[key]]
    for name, value in blob.items():
        field = wanted.get(name)
        if field is None or field in fields or not isinstance(value, str):
            inner[name] = value
            continue
        fields[field] = value
        if name not in _CAMEL:
            spelled[field] = name
    if "where" not in fields:
        return None
    notes: JsonObject = {}
    if key != PAYLOADS[key]:
        notes[KEY] = key
    if spelled:
        notes[SPELLED] = spelled
    if inner:
        notes[INNER] = inner
    if "mime" not in fields:
        notes[BARE] = True
    left = {name: value for name, value in part.items() if name != key}
    media = Media(media_kind(fields.get("mime")), fields.get("mime"), name=fields.get("name"))
    where = fields["where"]
    if PAYLOADS[key] == INLINE:
        media.data = _standard(where, notes)
    elif where.startswith(_OWN_STORES):
        media.file_id = where
    else:
        media.url = where
    media.extras = extras_of(ID, left, notes)
    return media


def _standard(data: str, notes: JsonObject) -> str:
    """Return standard base64; this provider's SDK uses the URL-safe alphabet."""
    if ("-" in data or "_" in data) and "+" not in data and "/" not in data:
        notes[ALPHABET] = True
        return data.replace("-", "+").replace("_", "/")
    return data


def can_write(media: Media) -> bool:
    """Return whether the media has bytes, or a URL that this provider can open."""
    return media.data is not None or media.text is not None or _address(media) is not None


def write_media(media: Media) -> JsonObject:
    """Return a part with the media, for which ``can_write`` must be true."""
    notes = noted(media.extras, ID)
    spelled = notes.get(SPELLED, {})
    blob = dict(notes.get(INNER, ()))
    if media.data is not None or media.text is not None:
        key, data, mime = INLINE, media.data, media.mime
        if data is None:
            data = b64encode((media.text or "").encode("utf-8", "surrogatepass")).decode()
            mime = mime or "text/plain"
        elif ALPHABET in notes:
            data = data.replace("+", "-").replace("/", "_")
        blob["data"] = data
        if mime is None and BARE not in notes:
            mime = "application/octet-stream"  # the wire requires one
    else:
        key, mime = FILE, media.mime
        blob[spelled.get("where", URI)] = _address(media)
    if mime is not None:
        blob[spelled.get("mime", MIME)] = mime
    if media.name is not None:
        blob[spelled.get("name", TITLE)] = media.name
    spelled_key: str = notes.get(KEY, key)
    part: JsonObject = {spelled_key if PAYLOADS[spelled_key] == key else key: blob}
    part.update(leftovers(media.extras, ID))
    return part


def _address(media: Media) -> str | None:
    if media.url is not None:
        return media.url
    found = media.file_id
    return found if found is not None and found.startswith(_OWN_STORES) else None


_CAMEL: Final = frozenset({"data", MIME, URI, TITLE})
_SHARED: Final = {MIME: "mime", snake(MIME): "mime", TITLE: "name", snake(TITLE): "name"}
_FIELDS: Final = {
    INLINE: {**_SHARED, "data": "where"},
    FILE: {**_SHARED, URI: "where", snake(URI): "where"},
}
