"""Parts of content of messages and outputs: texts, refusals, images, sounds and files.

Unknown fields stay in extras; empty lists without meaning are only noted. A part of an unknown
shape is ``Native``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from toolcanon.formats.wire.codec import (
    NOTES,
    WriteLog,
    data_uri,
    extras_of,
    in_words,
    leftovers,
    noted,
    own,
    rest,
    shown,
    split_uri,
)
from toolcanon.formats.wire.odd_members import ABSENT as MISSING
from toolcanon.formats.wire.odd_members import is_as_read, note_odd, put_back, put_back_all, text_of
from toolcanon.formats.wire.results import Natives, Place
from toolcanon.ir.conversation import (
    Data,
    Extras,
    Media,
    MediaKind,
    Native,
    Part,
    Reasoning,
    Refusal,
    Text,
)
from toolcanon.jsonio.types import Json, JsonObject

ID: Final = "openai-responses"
NATIVES: Final = Natives(ID)
CONTENT: Final = "content"
ITEM: Final = "item"
ABSENT: Final = "absent"
"""Fields that were absent or unreadable; unreadable ones are among the leftovers."""
LIST: Final = "list"
_BLANK: Final = "blank"
"""Lists that were present and empty."""
_OURS: Final = "ours"
"""The file was read here: its id is not valid elsewhere."""
_TEXTS: Final = frozenset({"input_text", "output_text", "text"})
_SOUNDS: Final = {"wav": "audio/wav", "mp3": "audio/mpeg"}


def read_part(part: Json, usual: str) -> Text | Refusal | Media | Native:
    """Read one part; ``usual`` is the type of texts there."""
    if isinstance(part, dict):
        kind = part.get("type")
        if isinstance(kind, str):
            if kind in _TEXTS:
                is_text_ = isinstance(part.get("text"), str)
                return _read_text(part, kind, usual) if is_text_ else _odd_text(part, kind, usual)
            if kind in _READERS:
                found = _READERS[kind](part)
                if found is not None:
                    return found
    return NATIVES.make(CONTENT, part)


def _read_text(part: JsonObject, kind: str, usual: str) -> Text:
    if len(part) == 2 and kind == usual:  # noqa: PLR2004 - type and text
        return Text(part["text"])
    if len(part) == 3 and kind == usual and part.get("annotations") == []:  # noqa: PLR2004
        return Text(part["text"], {ID: {NOTES: {_BLANK: ["annotations"]}}})
    notes: JsonObject = {}
    if kind != usual:  # of another role, or of another API; rejected here
        note_odd(notes, "type", kind, usual)
    left = dict(part)
    del left["type"]
    text = left.pop("text")
    blank = [key for key, value in left.items() if value == []]
    if blank:
        notes[_BLANK] = blank
        for key in blank:
            del left[key]
    return Text(text, extras_of(ID, left, notes))


def _odd_text(part: JsonObject, kind: str, usual: str) -> Text:
    """Read a text that is not a string."""
    words = text_of(part.get("text")).text
    made = _read_text({**part, "text": words}, kind, usual)
    notes = dict(noted(made.extras, ID))
    note_odd(notes, "text", part.get("text", MISSING), words)
    made.extras = extras_of(ID, leftovers(made.extras, ID), notes)
    return made


def _read_refusal(part: JsonObject) -> Refusal | None:
    text = part.get("refusal")
    if not isinstance(text, str):
        return None
    return Refusal(text, extras_of(ID, rest(part, frozenset({"type", "refusal"}))))


def _read_image(part: JsonObject) -> Media | None:
    left, notes = dict(part), dict[str, Json]()
    media = Media("image")
    del left["type"]
    uri = left.get("image_url")
    if isinstance(uri, dict) and isinstance(uri.get("url"), str):  # as Chat has it
        note_odd(notes, "image_url", uri, uri["url"])
        if "detail" in uri and "detail" not in left:
            note_odd(notes, "detail", MISSING, uri["detail"])
            left["detail"] = uri["detail"]
        uri = uri["url"]
    if isinstance(uri, str):
        del left["image_url"]
        found = split_uri(uri)
        if found is None or found[0] is None:
            media.url = uri
        else:
            media.mime, media.data = found
    media.file_id = _take_id(left, notes)
    if "detail" not in left:
        notes[ABSENT] = True
    media.extras = extras_of(ID, left, notes)
    return media


def note_misplaced(media: Media) -> None:
    """Note media in an assistant's message, where the provider accepts only text."""
    notes = dict(noted(media.extras, ID))
    kind = {"image": "input_image", "audio": "input_audio"}.get(media.kind, "input_file")
    note_odd(notes, "type", kind, "output_text")
    media.extras = extras_of(ID, leftovers(media.extras, ID), notes)


def _take_id(left: JsonObject, notes: JsonObject) -> str | None:
    if not isinstance(left.get("file_id"), str):
        return None
    notes[_OURS] = True
    return left.pop("file_id")  # type: ignore[no-any-return]


def _read_file(part: JsonObject) -> Media | None:
    left, notes = dict(part), dict[str, Json]()
    media = Media("file")
    del left["type"]
    if isinstance(left.get("file_data"), str):
        media.data = left.pop("file_data")
        found = split_uri(media.data or "")
        if found is not None and found[0] is not None:
            media.mime, media.data = found
    if isinstance(left.get("file_url"), str):
        media.url = left.pop("file_url")
    media.file_id = _take_id(left, notes)
    if isinstance(left.get("filename"), str):
        media.name = left.pop("filename")
    else:
        notes[_OURS] = True
    media.kind = _file_kind(media)
    media.extras = extras_of(ID, left, notes)
    return media


def _file_kind(media: Media) -> MediaKind:
    if media.mime is not None:
        return "document" if media.mime.startswith(("application/pdf", "text/")) else "file"
    where = (media.name or media.url or "").lower()
    return "document" if where.endswith(".pdf") else "file"


def _read_sound(part: JsonObject) -> Media | None:
    inner = part.get("input_audio")
    if not isinstance(inner, dict) or inner.keys() != {"data", "format"}:
        return None
    data, format_ = inner["data"], inner["format"]
    if not isinstance(data, str) or not isinstance(format_, str):
        return None
    mime = _SOUNDS.get(format_, f"audio/{format_}")
    left = rest(part, frozenset({"type", "input_audio"}))
    return Media("audio", mime, data, extras=extras_of(ID, left, {"format": format_}))


_READERS: Final[dict[str, Callable[[JsonObject], Refusal | Media | None]]] = {
    "refusal": _read_refusal,
    "input_image": _read_image,
    "input_file": _read_file,
    "input_audio": _read_sound,
}


def write_text(part: Text, usual: str) -> JsonObject:
    if part.extras is None:
        return {"type": usual, "text": part.text}
    notes = noted(part.extras, ID)
    out: JsonObject = {"type": usual, "text": part.text}
    for key in notes.get(_BLANK, ()):
        out[key] = []
    restore(out, part.extras)
    put_back_all(out, notes)
    return out


def restore(out: JsonObject, extras: Extras) -> None:
    """Write leftover fields at their places."""
    kept = own(extras, ID)
    for key, value in kept.items():
        if key != NOTES:
            out.setdefault(key, value)
        elif NOTES in value:  # a key of the payload that looks like our notes
            out[NOTES] = value[NOTES]


def write_media(media: Media) -> JsonObject | None:
    """Return a part of an input; None when the format has none for it."""
    notes, left = noted(media.extras, ID), leftovers(media.extras, ID)
    if media.kind == "image":
        return _write_image(media, notes, left)
    if media.kind == "audio":
        if media.data is None or "format" not in notes:  # only where it was read here
            return None
        inner = {"data": media.data, "format": notes["format"]}
        return {"type": "input_audio", "input_audio": inner, **left}
    if media.kind == "video" or (media.text is not None and media.data is None):
        return None
    return _write_file(media, notes, left)


def _write_image(media: Media, notes: JsonObject, left: JsonObject) -> JsonObject | None:
    out: JsonObject = {"type": "input_image"}
    uri = data_uri(media)
    if uri is not None:
        out["image_url"] = uri
    if media.file_id is not None and _OURS in notes:
        out["file_id"] = media.file_id
    if len(out) == 1 and not (left or notes):
        return None
    if ABSENT not in notes and "detail" not in left:
        out["detail"] = "auto"
    out.update(left)
    for key in ("image_url", "detail"):
        if is_as_read(out, notes, key):
            put_back(out, notes, key)
    return out


def _write_file(media: Media, notes: JsonObject, left: JsonObject) -> JsonObject | None:
    is_ours = _OURS in notes or bool(left)
    out: JsonObject = {"type": "input_file"}
    if media.data is not None:
        out["file_data"] = data_uri(media) if media.mime is not None else media.data
    if media.url is not None:
        out["file_url"] = media.url
    if media.file_id is not None and _OURS in notes:
        out["file_id"] = media.file_id
    if len(out) == 1 and not is_ours:
        return None
    if media.name is not None:
        out["filename"] = media.name
    elif media.data is not None and not is_ours:  # bytes without a name are rejected
        out["filename"] = f"file.{(media.mime or '').rpartition('/')[2] or 'bin'}"
    return {**out, **left}


def write_input(part: Part, told: WriteLog, at: Place, *, media: bool = True) -> list[Json]:
    """Return content for a part of an input or output: one part, or none when it is dropped."""
    NATIVES.tell_foreign(part, told, at)
    if isinstance(part, Text):
        return [write_text(part, "input_text")]
    if isinstance(part, Media):
        made = write_media(part) if media else None
        return [made or _in_words(part, told, at, "L302")]
    if isinstance(part, Data):
        return [_in_words(part, told, at, "L305")]
    if isinstance(part, Refusal):
        told.lose("L319", at)
        return [{"type": "input_text", "text": part.text}]
    if isinstance(part, Native) and NATIVES.has(part, CONTENT):
        return [part.value]
    told.lose("L301" if isinstance(part, Reasoning) else "L307", at, shown(part))
    return []


def _in_words(part: Media | Data, told: WriteLog, at: Place, code: str) -> JsonObject:
    text = in_words(part)
    told.lose(code, at, None, text)
    return {"type": "input_text", "text": text}


def is_text(part: Json, usual: str) -> bool:
    """Return whether a written part is a plain text and nothing else."""
    return (
        isinstance(part, dict)
        and len(part) == 2  # noqa: PLR2004 - type and text
        and part.get("type") == usual
        and isinstance(part.get("text"), str)
    )
