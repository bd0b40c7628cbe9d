"""Results of functions and media, read and written.

``response`` is an object in which ``output`` and ``error`` have a meaning; without them the whole
object is the output. So a text is written as ``{"output": text}``, a failure as ``{"error": …}``,
an object unchanged. Media are beside the response.

The same two objects are in parts and in the parts of a function's response.
"""

from __future__ import annotations

import re
from base64 import b64encode
from typing import Final, TypeAlias

from toolcanon.formats.wire.codec import (
    NOTES,
    WriteLog,
    dump,
    extras_of,
    foreign_keys,
    has_foreign,
    in_words,
    leftovers,
    media_kind,
    noted,
)
from toolcanon.formats.wire.odd_members import WAS, is_as_read, note_odd, odd, put_back, take_id
from toolcanon.formats.wire.results import result_text, skipped
from toolcanon.ir.conversation import Data, Media, Native, Result, Text
from toolcanon.jsonio.types import Json, JsonObject

ID: Final = "gemini"

CALL: Final = "functionCall"
RESPONSE: Final = "functionResponse"
INLINE: Final = "inlineData"
FILE: Final = "fileData"
SEAL: Final = "thoughtSignature"
MIME: Final = "mimeType"
URI: Final = "fileUri"
TITLE: Final = "displayName"
_UPPER: Final = re.compile(r"([A-Z])")


def snake(key: str) -> str:
    """Return the snake_case form of a key.

    >>> snake("functionCall")
    'function_call'
    """
    return _UPPER.sub(r"_\1", key).lower()


PAYLOADS: Final = {
    spelled: key
    for key in (
        "text",
        CALL,
        RESPONSE,
        INLINE,
        FILE,
        "executableCode",
        "codeExecutionResult",
        "toolCall",
        "toolResponse",
    )
    for spelled in (key, snake(key))
}
"""The kinds of a part, by either case style."""

# Names of our notes on a part. Unknown keys of the part itself are beside the notes, those of the
# object within it are below INNER.
KEY: Final = "key"
INNER: Final = "inner"
BARE: Final = "bare"
SPELLED: Final = "spelled"
WRAPPED: Final = "wrapped"
WHOLE: Final = "whole"
ALPHABET: Final = "alphabet"


def pick(source: JsonObject, key: str) -> str | None:
    """Return the form in which an object has a key; None when it is absent or null."""
    if source.get(key) is not None:
        return key
    other = snake(key)
    return other if source.get(other) is not None else None


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


Content: TypeAlias = Text | Media | Data | Native
At: TypeAlias = tuple[str | int, ...]
_WORDS: Final = frozenset({"output", "error"})
_PLAIN: Final = frozenset({"name", "response", "id"})


def read_result(part: JsonObject, key: str) -> Result | None:
    """Return the result of a part; None when it is malformed."""
    said = part[key]
    if not isinstance(said, dict) or NOTES in said:
        return None
    name, call_id, response = said.get("name"), said.get("id"), said.get("response")
    notes: JsonObject = {}
    if (  # plain: a name, an object, perhaps an id, nothing else
        response.__class__ is dict
        and name.__class__ is str
        and len(said) == (2 if call_id.__class__ is not str else 3)
        and len(part) == 1
        and key == RESPONSE
    ):
        is_error, content = _read_response(response, notes)
        extras = {ID: {NOTES: notes}} if notes else None
        return Result(call_id, content, name, is_error, extras=extras)
    return _read_odd(part, key, said, notes)


def _read_odd(part: JsonObject, key: str, said: JsonObject, notes: JsonObject) -> Result:
    """Read a response with unusual fields; ``inner`` gets those without a field of ours."""
    name, call_id, response = said.get("name"), said.get("id"), said.get("response")
    inner: JsonObject = {}
    if not isinstance(name, str):
        name = None
        if "name" in said:
            inner["name"] = said["name"]
    if not isinstance(call_id, str):
        if call_id is not None:
            call_id = take_id(said, "id", notes)
        elif "id" in said:
            inner["id"] = None
    is_error: bool | None = None
    content: list[Content] = []
    if isinstance(response, dict):
        is_error, content = _read_response(response, notes)
    elif "response" in said:
        note_odd(notes, "response", response)
        content = _odd_response(response)
    else:
        notes[BARE] = True
    if not _PLAIN.issuperset(said):
        content = [*content, *_read_beside(said, inner)]
    if key != RESPONSE:
        notes[KEY] = key
    if inner:
        notes[INNER] = inner
    extras = None
    if notes or len(part) > 1:
        extras = extras_of(ID, {k: value for k, value in part.items() if k != key}, notes)
    return Result(call_id, content, name, is_error, extras=extras)


def _read_response(response: JsonObject, notes: JsonObject) -> tuple[bool | None, list[Content]]:
    if not response:
        return None, []
    if len(response) == 1:
        ((word, value),) = response.items()
        if word == "output" or (word == "error" and (value or isinstance(value, str))):
            if isinstance(value, dict) and word == "output" and _WORDS.isdisjoint(value):
                notes[WRAPPED] = True  # it would be written without the wrapper
            said = Text(value) if isinstance(value, str) else Data(value)
            return (True if word == "error" else None), [said]
    if _WORDS.isdisjoint(response):
        return None, [Data(response)]
    notes[WHOLE] = True
    return (True if response.get("error") else None), [Data(response)]


def _odd_response(response: Json) -> list[Content]:
    """Read a response that is not an object, which is not valid."""
    if response is None:
        return []
    return [Text(response) if isinstance(response, str) else Data(response)]


def _read_beside(said: JsonObject, inner: JsonObject) -> list[Content]:
    """Read the media beside a response; other unknown values go to ``inner``."""
    inner.update((key, value) for key, value in said.items() if key not in _PLAIN)
    parts = said.get("parts")
    if not isinstance(parts, list) or not parts:
        return []
    del inner["parts"]
    return [_read_medium(part) for part in parts]


def _read_medium(part: Json) -> Content:
    if isinstance(part, dict) and NOTES not in part:
        for key in part:
            if PAYLOADS.get(key) in {INLINE, FILE}:
                media = read_media(part, key)
                if media is not None:
                    return media
    return Native(ID, "part", part)


def plain_result(result: Result, name: str | None) -> JsonObject | None:
    """Write a result of one text without notes or losses; None for other results."""
    if result.extras is None and len(result.content) == 1:
        only = result.content[0]
        if only.__class__ is Text and only.extras is None:
            word = "error" if result.is_error else "output"
            said: JsonObject = {"response": {word: only.text}}
            if name is not None:
                said["name"] = name
            if result.call_id is not None:
                said["id"] = result.call_id
            return {RESPONSE: said}
    return None


def write_result(
    result: Result, name: str | None, told: WriteLog, at: At, *, own: bool
) -> JsonObject:
    """Return a part; with ``own`` it is written as it was."""
    return plain_result(result, name) or _write_odd(result, name, told, at, own=own)


def _write_odd(
    result: Result, name: str | None, told: WriteLog, at: At, *, own: bool
) -> JsonObject:
    notes = noted(result.extras, ID)
    said = dict(notes.get(INNER, ()))
    words: list[Text | Data | Media] = []
    beside: list[Json] = []
    echo = skipped(result.content, told, at, values=True)
    for index, part in enumerate(result.content):
        if index in echo:
            continue
        _sort(part, words, beside, told, (*at, "content", index))
    entry = odd(notes, "response")
    if entry is not None and result.is_error is None and _odd_response(entry[WAS]) == words:
        put_back(said, notes, "response")
    elif words or result.is_error or BARE not in notes:
        said["response"] = _response(result, words, told, at, own=own)
    if name is not None:
        said["name"] = name
    if result.call_id is not None:
        said["id"] = result.call_id
    if is_as_read(said, notes, "id"):
        put_back(said, notes, "id")
    if beside:
        said["parts"] = beside
    if has_foreign(result.extras, ID):
        told.lose("L308", at, foreign_keys(result.extras, ID))
    part_key = notes.get(KEY, RESPONSE)
    left = leftovers(result.extras, ID)
    return {part_key: said, **left} if left else {part_key: said}


def _sort(
    part: Content,
    words: list[Text | Data | Media],
    beside: list[Json],
    told: WriteLog,
    at: At,
) -> None:
    """Put one part of a result's content into the response, or beside it."""
    if isinstance(part, Native):
        if part.format == ID:
            beside.append(part.value)
        else:
            told.lose("L307", at, part.value)
        return
    if has_foreign(part.extras, ID):
        told.lose("L308", at, foreign_keys(part.extras, ID))
    if not isinstance(part, Media) or (part.text is not None and part.data is None):
        words.append(part)
    elif can_write(part):
        beside.append(write_media(part))
    else:
        note = Text(in_words(part))
        told.lose("L302", at, part.kind, note.text)
        words.append(note)


def _response(
    result: Result, words: list[Text | Data | Media], told: WriteLog, at: At, *, own: bool
) -> JsonObject:
    word = "error" if result.is_error else "output"
    if not words:
        return {"error": ""} if result.is_error else {}
    first = words[0]
    if len(words) == 1 and isinstance(first, Text):
        return {word: first.text}
    last = words[-1]
    if not isinstance(last, Data) or len(words) > 1:
        if any(isinstance(part, Data) for part in words):
            told.lose("L305", at)
        return {word: result_text(Result(None, list(words)))}
    value = last.value
    if not own and has_reference(value):
        # Here "$ref" refers to a part beside the response, and a dangling one is rejected.
        told.lose("L305", at)
        return {word: dump(value)}
    if isinstance(value, dict) and _stands_alone(value, result):
        return value
    if not own and word == "output":
        told.lose("L306", at)
    return {word: value}


def _stands_alone(value: JsonObject, result: Result) -> bool:
    """Return whether an object can be the response itself without a change of meaning."""
    notes = noted(result.extras, ID)
    if _WORDS.isdisjoint(value):
        return not result.is_error and WRAPPED not in notes
    return WHOLE in notes and bool(value.get("error")) == bool(result.is_error)


def has_reference(value: Json) -> bool:
    """Return whether a value contains an object with the key ``$ref``."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            if "$ref" in item:
                return True
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return False
