"""Parts of messages: contents, calls and their results.

Unknown fields stay in extras at their place: ``{"image_url": {"detail": "low"}}``. A part of an
unknown shape is ``Native``, with its own place in front of its type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from toolcanon.formats.wire.codec import (
    NOT_JSON,
    NOT_OBJECT,
    WriteLog,
    arguments_text,
    data_uri,
    extras_of,
    in_words,
    leftovers,
    noted,
    read_arguments,
    rest,
    shown,
    split_uri,
)
from toolcanon.formats.wire.odd_members import ABSENT as MISSING
from toolcanon.formats.wire.odd_members import (
    WAS,
    are_blocks,
    is_as_read,
    is_same,
    json_text,
    note_odd,
    note_type,
    odd,
    put_back,
    put_back_all,
    take_id,
    take_text,
    text_of,
)
from toolcanon.formats.wire.results import Natives, Place
from toolcanon.ir.conversation import (
    Call,
    Data,
    Media,
    MediaKind,
    Native,
    Part,
    Reasoning,
    Refusal,
    Text,
)
from toolcanon.jsonio.types import Json, JsonObject

ID: Final = "openai"
NATIVES: Final = Natives(ID)
CONTENT: Final = "content"
CALL: Final = "tool_calls"
MESSAGE: Final = "message"

_TEXT: Final = frozenset({"type", "text"})
_REFUSAL: Final = frozenset({"type", "refusal"})
_SOUNDS: Final = {"wav": "audio/wav", "mp3": "audio/mpeg"}
_TYPES: Final = {"image": "image_url", "audio": "input_audio"}
_FORMATS: Final = {
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/wave": "wav",
    "audio/mpeg": "mp3",
    "audio/mp3": "mp3",
}
IN_CONTENT: Final = "part"
"""A refusal that is a part of the content rather than a field of the message."""

SPELLED: Final = "content"
LIST, EMPTY, NULL, ABSENT = "list", "empty", "null", "absent"
"""The form of content, noted under SPELLED where it does not follow from the parts."""


def read_part(part: Json) -> Text | Refusal | Media | Native:
    """Read one part of a content list."""
    if isinstance(part, dict):
        kind = part.get("type")
        if kind == "text":
            text = part.get("text")
            if isinstance(text, str):
                return Text(text, None if len(part) == 2 else extras_of(ID, rest(part, _TEXT)))  # noqa: PLR2004 - type and text
            return _read_odd_text(part)
        if isinstance(kind, str) and kind in _READERS:
            found = _READERS[kind](part)
            if found is not None:
                return found
    return NATIVES.make(CONTENT, part)


def _read_odd_text(part: JsonObject) -> Text:
    """Read a text that is not a string."""
    made, notes = text_of(part.get("text")), dict[str, Json]()
    note_odd(notes, "text", part.get("text", MISSING), made.text)
    made.extras = extras_of(ID, rest(part, _TEXT), notes)
    return made


def read_odd_result(content: Json) -> list[Part] | None:
    """Return the parts of a result whose content has an invalid shape; None for a list of parts.

    A single part counts as a list of one; anything else is a value, as a whole.
    """
    if not isinstance(content, list):
        part = read_part(content)
        return [Data(content) if part.__class__ is Native else part]
    is_value = not are_blocks(content) or all(
        read_part(item).__class__ is Native for item in content
    )
    return [Data(content)] if content and is_value else None


def read_odd_words(content: Json, notes: JsonObject) -> list[Part] | None:
    """Return the parts of other content with an invalid shape; values in it become texts."""
    if isinstance(content, list) and are_blocks(content):
        return None
    parts: list[Part] = []
    written: list[Json] = []
    for item in content if isinstance(content, list) else [content]:
        part: Part = read_part(item)
        is_value = part.__class__ is Native
        parts.append(text_of(item) if is_value else part)
        written.append({"type": "text", "text": text_of(item).text} if is_value else item)
    note_odd(notes, CONTENT, content, as_content(written, None, EMPTY))
    return parts


def _read_refusal(part: JsonObject) -> Refusal | None:
    text = part.get("refusal")
    if not isinstance(text, str):
        return None
    return Refusal(text, extras_of(ID, rest(part, _REFUSAL), {IN_CONTENT: True}))


def _read_image(part: JsonObject) -> Media | None:
    inner = part.get("image_url")
    notes: JsonObject = {}
    left = rest(part, frozenset({"type", "image_url"}))
    if isinstance(inner, str):
        url = inner
        note_odd(notes, "image_url", inner, {"url": inner})
    elif isinstance(inner, dict) and isinstance(inner.get("url"), str):
        url = inner["url"]
        if len(inner) > 1:
            left["image_url"] = rest(inner, frozenset({"url"}))
    else:
        return None
    return _from_uri("image", url, extras_of(ID, left, notes))


def note_misplaced(media: Media) -> None:
    """Note media where the provider accepts only text, and some servers accept more."""
    notes = dict(noted(media.extras, ID))
    note_odd(notes, "type", _TYPES.get(media.kind, "file"), "text")
    media.extras = extras_of(ID, leftovers(media.extras, ID), notes)


def is_misplaced(media: Media) -> bool:
    """Return whether media was read from a place for text."""
    return odd(noted(media.extras, ID), "type") is not None


def _from_uri(kind: MediaKind, uri: str, extras: dict[str, JsonObject] | None) -> Media:
    found = split_uri(uri)
    if found is None or found[0] is None:
        return Media(kind, url=uri, extras=extras)
    return Media(kind, mime=found[0], data=found[1], extras=extras)


def _read_sound(part: JsonObject) -> Media | None:
    inner = part.get("input_audio")
    if not isinstance(inner, dict):
        return None
    data, format_ = inner.get("data"), inner.get("format")
    if not isinstance(data, str) or not isinstance(format_, str):
        return None
    left = rest(part, frozenset({"type", "input_audio"}))
    if len(inner) > 2:  # noqa: PLR2004 - data and format
        left["input_audio"] = rest(inner, frozenset({"data", "format"}))
    mime = _SOUNDS.get(format_, f"audio/{format_}")
    return Media("audio", mime, data, extras=extras_of(ID, left, {"format": [mime, format_]}))


def _read_file(part: JsonObject) -> Media | None:
    inner = part.get("file")
    if not isinstance(inner, dict):
        return None
    data, file_id, name = inner.get("file_data"), inner.get("file_id"), inner.get("filename")
    if not all(item is None or isinstance(item, str) for item in (data, file_id, name)):
        return None
    left = rest(part, frozenset({"type", "file"}))
    known = [key for key in ("file_data", "file_id", "filename") if inner.get(key) is not None]
    if len(inner) > len(known):
        left["file"] = rest(inner, frozenset(known))
    mime = None
    if data is not None and (found := split_uri(data)) is not None and found[0] is not None:
        mime, data = found
    notes = {"file": True}
    kind = file_kind(mime, name)
    return Media(kind, mime, data, file_id=file_id, name=name, extras=extras_of(ID, left, notes))


def file_kind(mime: str | None, name: str | None) -> MediaKind:
    """Return the kind of a file; readable ones are documents."""
    if mime is None:
        return "document" if name is not None and name.lower().endswith(".pdf") else "file"
    return "document" if mime.startswith(("application/pdf", "text/")) else "file"


_READERS: Final[dict[str, Callable[[JsonObject], Refusal | Media | None]]] = {
    "refusal": _read_refusal,
    "image_url": _read_image,
    "input_audio": _read_sound,
    "file": _read_file,
}


def write_text(part: Text) -> JsonObject:
    """Return a text as a part of content."""
    if part.extras is None:
        return {"type": "text", "text": part.text}
    out = {"type": "text", "text": part.text, **leftovers(part.extras, ID)}
    put_back_all(out, noted(part.extras, ID))
    return out


def write_refusal(part: Refusal) -> JsonObject:
    """Return a refusal as a part of content."""
    return {"type": "refusal", "refusal": part.text, **leftovers(part.extras, ID)}


def write_media(media: Media) -> JsonObject | None:
    """Return a part of a user's content; None when the format has none for it."""
    left = dict(leftovers(media.extras, ID))
    notes = noted(media.extras, ID)
    if media.kind == "image":
        return _write_image(media, left, notes)
    if media.kind == "audio":
        return _write_sound(media, left, notes)
    if media.kind == "video":
        return None
    return _write_file(media, left, notes)


def _write_image(media: Media, left: JsonObject, notes: JsonObject) -> JsonObject | None:
    url = data_uri(media)
    if url is None:
        return None
    inner = {"url": url, **left.pop("image_url", {})}
    out = {"type": "image_url", "image_url": inner, **left}
    if is_as_read(out, notes, "image_url"):
        put_back(out, notes, "image_url")
    return out


def _write_sound(media: Media, left: JsonObject, notes: JsonObject) -> JsonObject | None:
    mime, format_ = notes.get("format", (None, None))
    if mime != media.mime:
        format_ = _FORMATS.get(media.mime or "")
    if media.data is None or format_ is None:
        return None
    inner = {"data": media.data, "format": format_, **left.pop("input_audio", {})}
    return {"type": "input_audio", "input_audio": inner, **left}


def _write_file(media: Media, left: JsonObject, notes: JsonObject) -> JsonObject | None:
    is_ours = "file" in notes  # an id is valid only if it was read here
    inner: JsonObject = {}
    if media.data is not None:
        inner["file_data"] = data_uri(media) if media.mime is not None else media.data
    if media.file_id is not None and is_ours:
        inner["file_id"] = media.file_id
    if not inner and not is_ours:
        return None
    if media.name is not None:
        inner["filename"] = media.name
    elif not is_ours:  # bytes without a name are rejected
        inner["filename"] = f"file.{(media.mime or '').rpartition('/')[2] or 'bin'}"
    inner.update(left.pop("file", {}))
    return {"type": "file", "file": inner, **left}


def tell_words(part: Media | Data, told: WriteLog, at: Place) -> str:
    """Return a text in place of a part, and report it."""
    text = in_words(part)
    told.lose("L305" if isinstance(part, Data) else "L302", at, None, text)
    return text


def write_part(part: Part, told: WriteLog, at: Place, role: str) -> list[Json]:
    """Return content for a part: one part, or none when it is dropped."""
    NATIVES.tell_foreign(part, told, at)
    if isinstance(part, Text):
        return [write_text(part)]
    if isinstance(part, Media):
        made = write_media(part) if role == "user" or is_misplaced(part) else None
        return [made or {"type": "text", "text": tell_words(part, told, at)}]
    if isinstance(part, Data):
        return [{"type": "text", "text": tell_words(part, told, at)}]
    if isinstance(part, Refusal):
        if IN_CONTENT in noted(part.extras, ID):
            return [write_refusal(part)]
        told.lose("L319", at)
        return [{"type": "text", "text": part.text}]
    if isinstance(part, Native) and NATIVES.has(part, CONTENT):
        return [part.value]
    told.lose("L301" if isinstance(part, Reasoning) else "L307", at, shown(part))
    return []


def is_text(part: Json) -> bool:
    """Return whether a written part is a text."""
    return (
        isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)
    )


def as_content(parts: list[Json], spelled: str | None, usual: str) -> Json:
    """Return content from its parts: a single plain text as such, empty content as it was."""
    if spelled != LIST and len(parts) == 1 and is_text(parts[0]) and len(parts[0]) == 2:  # noqa: PLR2004
        return parts[0]["text"]
    if parts or spelled == LIST:
        return parts
    return None if (spelled or usual) == NULL else ""


_CALL: Final = frozenset({"id", "type", "function"})
_CUSTOM_CALL: Final = frozenset({"id", "type", "custom"})
_FUNCTION: Final = frozenset({"name", "arguments"})
_CUSTOM: Final = frozenset({"name", "input"})
LEGACY: Final = "legacy"


def read_call(call: Json) -> Call | Native:
    """Read one entry of ``tool_calls``."""
    if isinstance(call, dict):
        function = call.get("function")
        if isinstance(function, dict):
            return _read_function(call, function)
        if call.get("type") == "custom" and isinstance(call.get("custom"), dict):
            return _read_custom(call, call["custom"])
    return NATIVES.make(CALL, call)


def _read_function(call: JsonObject, function: JsonObject) -> Call | Native:
    name, text, id_ = function.get("name"), function.get("arguments"), call.get("id")
    kind = call.get("type")
    is_known = kind is None or kind == "function"
    if not isinstance(name, str) or not (is_known or isinstance(text, (str, dict))):
        return NATIVES.make(CALL, call)
    if (
        isinstance(text, str)
        and isinstance(id_, str)
        and len(function) == 2  # noqa: PLR2004 - name and arguments
        and len(call) == 3  # noqa: PLR2004 - id, type and function
        and kind == "function"
    ):
        arguments, problem = read_arguments(text)
        return Call(name, arguments, id_, text, problem)
    left, notes = rest(call, _CALL), dict[str, Json]()
    if kind is None:
        note_odd(notes, "type", call.get("type", MISSING), "function")
    made = _read_arguments(name, function, notes)
    made.id = take_id(call, "id", notes)
    if inner := rest(function, _FUNCTION):
        left["function"] = inner
    made.extras = extras_of(ID, left, notes)
    if not is_known:
        note_type(made, ID, kind, "function")
    return made


def _read_arguments(name: str, function: JsonObject, notes: JsonObject) -> Call:
    """Read arguments as text; some servers send a value, or nothing."""
    value = function.get("arguments")
    if isinstance(value, str):
        arguments, problem = read_arguments(value)
        return Call(name, arguments, None, value, problem)
    if "arguments" not in function:
        note_odd(notes, "arguments", MISSING, "{}")
        return Call(name, None, None, "", NOT_JSON)
    note_odd(notes, "arguments", value, json_text({} if value is None else value))
    return Call(name, value, problem=None if isinstance(value, dict) else NOT_OBJECT)


def _read_custom(call: JsonObject, custom: JsonObject) -> Call | Native:
    name = custom.get("name")
    if not isinstance(name, str):
        return NATIVES.make(CALL, call)
    left, notes = rest(call, _CUSTOM_CALL), dict[str, Json]()
    text = take_text(custom, "input", notes)
    id_ = take_id(call, "id", notes)
    if inner := rest(custom, _CUSTOM):
        left["custom"] = inner
    return Call(name, None, id_, text, is_text=True, extras=extras_of(ID, left, notes))


def read_legacy(function: Json) -> Call | None:
    """Read the only call of a message without a list of them."""
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        return None
    notes: JsonObject = {LEGACY: True}
    made = _read_arguments(function["name"], function, notes)
    made.extras = extras_of(ID, rest(function, _FUNCTION), notes)
    return made


def is_legacy(call: Call) -> bool:
    """Return whether it was a ``function_call``, without an id."""
    return call.id is None and call.extras is not None and LEGACY in noted(call.extras, ID)


def has_no_id(call: Call) -> bool:
    """Return whether it was read without an id and still has none."""
    return call.id is None and odd(noted(call.extras, ID), "id") is not None


def write_call(call: Call, name: str, id_: str | None) -> JsonObject:
    """Return one entry of ``tool_calls``."""
    key, said = ("custom", "input") if call.is_text else ("function", "arguments")
    if call.extras is None:
        text = (call.text or "") if call.is_text else arguments_text(call)
        return {"id": id_, "type": key, key: {"name": name, said: text}}
    left, notes = dict(leftovers(call.extras, ID)), noted(call.extras, ID)
    out: JsonObject = {} if id_ is None else {"id": id_}
    out["type"] = key
    inner = left.pop(key, {})
    out[key] = write_function(call, name, notes, inner)
    for other, value in left.items():
        out.setdefault(other, value)
    for member in ("id", "type"):
        if is_as_read(out, notes, member):
            put_back(out, notes, member)
    return out


def write_function(call: Call, name: str, notes: JsonObject, left: JsonObject) -> JsonObject:
    out: JsonObject = {"name": name}
    if call.is_text:
        out["input"] = call.text or ""
        if is_as_read(out, notes, "input"):
            put_back(out, notes, "input")
    else:
        out["arguments"] = arguments_text(call)
        entry = odd(notes, "arguments")
        if entry is not None and not call.text and is_same(call.arguments, entry.get(WAS)):
            put_back(out, notes, "arguments")
    out.update(left)
    return out


def write_legacy(call: Call) -> JsonObject:
    """Return the value of ``function_call``."""
    notes = noted(call.extras, ID)
    return write_function(call, call.name, notes, leftovers(call.extras, ID))
