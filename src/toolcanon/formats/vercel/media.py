"""Media, field names, and members of parts.

In JSON a URL is a text: the SDK's own form for it (``{"type": "url", "url": URL}``) has a
JavaScript object.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from toolcanon.formats.vercel.tools import AWAITS, ID
from toolcanon.formats.wire.codec import (
    NOT_JSON,
    NOTES,
    WriteLog,
    arguments_object,
    data_uri,
    dump,
    extras_of,
    foreign_keys,
    has_foreign,
    in_words,
    media_kind,
    noted,
    own,
    read_arguments,
    rest,
    split_uri,
)
from toolcanon.formats.wire.results import Place
from toolcanon.ir.conversation import (
    Call,
    Data,
    Extras,
    Media,
    MediaKind,
    Message,
    Reasoning,
    Refusal,
    Result,
    Text,
)
from toolcanon.jsonio.types import Json, JsonObject

Layout: TypeAlias = Literal["model", "ui", "step"]
"""ModelMessage, for models; UIMessage, for pages; or one step of a model, which is an answer and
becomes either of them."""

# Notes of a message.
LAYOUT: Final = "layout"  # absent for a ModelMessage
MORE: Final = "more"  # continues the UI message before it
STEPS: Final = "steps"  # marks of new steps before it
AFTER: Final = "after"  # marks of new steps behind it
STEERING: Final = "steering"  # a user's text within an answer: other fields of its part
CONTENT: Final = "content"  # a list where a text would do, or None where it is absent
LIST: Final = "list"
ROLE: Final = "role"  # an unknown role

# Notes of a part.
STATE: Final = "state"  # of a UI tool part
DYNAMIC: Final = "dynamic"  # a UI tool part whose name is in a key of its own
INPUT: Final = "input"  # arguments that are not an object: a list with them, or without
RAW: Final = "raw"  # arguments taken from a key for unreadable ones: the usual key, or not
DENIED: Final = "denied"  # a result: the user denied the call; the reason, or None
IMPLIED: Final = "implied"  # a result that follows from an answer to an approval request
OUTPUT: Final = "output"  # the form of a result's output
VOID: Final = "void"  # absent, in a UI tool part

WIRE_ID: Final = "id"  # of a call or a result, if not a string: a list with it, or without

DENIAL: Final = "Tool call execution denied."
"""The SDK's text where a user gave no reason (convert-to-model-messages.ts, 7.0.170)."""
TOOL_CALL_ID: Final = "toolCallId"


def read_id(part: JsonObject) -> tuple[str | None, JsonObject]:
    """Return the id of a call in a part, and the note on one that is not a string.

    >>> read_id({"toolCallId": 7}), read_id({})
    (('7', {'id': [7]}), (None, {'id': []}))
    """
    found = part.get(TOOL_CALL_ID)
    if isinstance(found, str):
        return found, {}
    said = None if found is None else dump(found)
    return said, {WIRE_ID: [found] if TOOL_CALL_ID in part else []}


def has_id(part: JsonObject) -> bool:
    """Return whether its id is valid: a text, a number, or absent."""
    return not isinstance(part.get(TOOL_CALL_ID), (dict, list))


def spelled_id(extras: Extras, call_id: str | None) -> JsonObject | None:
    """Return the id as it was written, if it was not a string and is unchanged."""
    spelled = noted(extras, ID).get(WIRE_ID)
    if spelled is None:
        return None
    was = {TOOL_CALL_ID: spelled[0]} if spelled else {}
    return was if read_id(was)[0] == call_id else None


def layout_of(message: Message) -> Layout | None:
    """Return the layout that a message was read from; None for a message of another format."""
    if message.extras is None or ID not in message.extras:
        return None
    found: Layout = noted(message.extras, ID).get(LAYOUT, "model")
    return found


def left_of(extras: Extras) -> JsonObject:
    """Return the leftover keys."""
    found = own(extras, ID)
    if NOTES not in found and AWAITS not in found:
        return found
    left = {key: value for key, value in found.items() if key not in {NOTES, AWAITS}}
    inner = found.get(NOTES, {})
    if NOTES in inner:
        left[NOTES] = inner[NOTES]
    return left


_METADATA: Final = ("providerMetadata", "callProviderMetadata", "resultProviderMetadata")
_PASSING: Final = frozenset(
    {"state", "id", "approval", "rawInput", "inputEncoding", "title", "providerReference"}
)
"""Keys that only pages need, or that have another form there."""


def write_input(call: Call, told: WriteLog, at: Place, *, mine: bool) -> JsonObject:
    """Return the arguments of a call: any value, a text for a free-text tool."""
    if call.is_text:
        return {"input": call.text or ""}
    spelled = noted(call.extras, ID).get(INPUT)
    if mine and spelled == "text" and call.text is not None:
        value, problem = read_arguments(call.text)
        if problem is None and value == call.arguments:
            return {"input": call.text}
    elif isinstance(spelled, list):
        is_cut = call.problem == NOT_JSON and call.arguments is None
        if is_cut and mine:
            return _spelled_input(spelled)
        if not is_cut and call.arguments == (spelled[0] if spelled else None):
            return _spelled_input(spelled)
    value, code = arguments_object(call)
    if code is not None:
        told.lose(code, (*at, "arguments"), after=value)
    return {"input": value}


def _spelled_input(given: list[Json]) -> JsonObject:
    return {"input": given[0]} if given else {}


def said_in_words(
    part: Text | Refusal | Data | Reasoning, told: WriteLog, at: Place
) -> JsonObject | None:
    """Return the text of a part; None for reasoning of other providers."""
    if isinstance(part, Reasoning):
        if part.provider == ID and part.text is not None:
            return {"type": "reasoning", "text": part.text}
        told.lose("L301", at, part.text)
        return None
    if isinstance(part, Data):
        told.lose("L305", at)
        return {"type": "text", "text": dump(part.value)}
    if isinstance(part, Refusal):
        told.lose("L319", at)
    return {"type": "text", "text": part.text}


def wire_name(call: Call, told: WriteLog, at: Place) -> str:
    """Return the name of a call's tool, with its namespace in front."""
    if not call.namespace:
        return call.name
    name = f"{call.namespace}_{call.name}"
    told.lose("L315", (*at, "namespace"), call.namespace, name)
    return name


def kept(
    part: Text | Refusal | Data | Media | Reasoning | Call | Result,
    told: WriteLog,
    at: Place,
    *,
    mine: bool,
    options: str,
) -> JsonObject:
    """Return the keys beside our fields: all of them in the layout that they were read from.

    In the other layout, provider metadata and provider options have another name (``options``).
    """
    if part.extras is None:
        return {}
    if has_foreign(part.extras, ID):
        told.lose("L308", at, foreign_keys(part.extras, ID))
    left = left_of(part.extras)
    if mine or not left:
        return dict(left)
    out: JsonObject = {}
    for key in ("providerOptions", *_METADATA):
        if isinstance(left.get(key), dict) and options not in out:
            out[options] = left[key]
    others = sorted(left.keys() - _PASSING - {"providerOptions", *_METADATA})
    if others:
        told.lose("L308", at, {ID: {key: left[key] for key in others}})
    return out


# A note on how a part was written: the key and the field of the bytes, the prefix before them, the
# tag of the object around them, all ids, and the type as read.
_AS: Final = "as"
_KEY, _FIELD, _PREFIX, _TAG, _WHERE, _MIME = "key", "field", "prefix", "tag", "where", "mime"
_OCTETS: Final = "application/octet-stream"
_WEB: Final = ("https://", "http://")
_GENERAL: Final[dict[MediaKind, str]] = {
    "image": "image/*",
    "audio": "audio/*",
    "video": "video/*",
}

_FILE: Final = ("data", "mediaType", "filename")
_KEYS: Final[dict[str, tuple[str, ...]]] = {
    "file": _FILE,
    "image": ("image", "mediaType"),
    "file-data": _FILE,
    "image-data": _FILE,
    "media": _FILE,
    "file-url": ("url", "mediaType"),
    "image-url": ("url", "mediaType"),
    "file-id": ("fileId", "mediaType"),
    "image-file-id": ("fileId", "mediaType"),
    "file-reference": ("providerReference", "mediaType"),
    "image-file-reference": ("providerReference", "mediaType"),
}
"""The keys of bytes, type and name for each kind of part."""
KINDS: Final = frozenset(_KEYS)


def read_media(part: JsonObject) -> Media | None:
    """Read a file part of a model message or of a result; None for an unknown shape."""
    kind = part["type"]
    keys = _KEYS[kind]
    mime = part.get("mediaType")
    if mime is not None and not isinstance(mime, str):
        return None
    return _read(part, keys, part.get(keys[0]), mime, is_image=kind.startswith("image"))


def read_ui_media(part: JsonObject) -> Media | None:
    """Read a file part of a UI message."""
    mime, url = part.get("mediaType"), part.get("url")
    if not isinstance(mime, str) or not isinstance(url, str):
        return None
    return _read(part, ("url", "mediaType", "filename"), url, mime, is_image=False)


def _read(
    part: JsonObject, keys: tuple[str, ...], where: Json, mime: str | None, *, is_image: bool
) -> Media | None:
    media = Media("file", mime if _is_full(mime) else None)
    found = _locate(media, where, is_text=keys[0] in {"url", "data", "image"})
    if found is None:
        return None
    field, prefix, tag = found
    name = part.get("filename") if "filename" in keys else None
    known = {"type", *keys}
    if isinstance(name, str):
        media.name = name
    else:
        known.discard("filename")
    media.kind = "image" if is_image else media_kind(media.mime or mime)
    said: JsonObject = {"type": part["type"], _KEY: keys[0], _FIELD: field, _MIME: media.mime}
    if prefix:
        said[_PREFIX] = prefix
    if tag:
        said[_TAG] = tag
    if field == "file_id":
        said[_WHERE] = where
    if "mediaType" in part:
        said["mediaType"] = mime
    media.extras = extras_of(ID, rest(part, frozenset(known)), {_AS: said})
    return media


def _locate(media: Media, where: Json, *, is_text: bool) -> tuple[str, str, str] | None:
    """Set the bytes; return our field, the prefix of the text, and the tag of its object."""
    if isinstance(where, dict):
        return _locate_tagged(media, where) if "type" in where else _locate_reference(media, where)
    if not isinstance(where, str):
        return None
    if not is_text:
        media.file_id = where
        return "file_id", "", ""
    inline = split_uri(where)
    if inline is not None:
        media.mime, media.data = inline[0] or media.mime, inline[1]
        return "data", where[: len(where) - len(inline[1])], ""
    if where.startswith(_WEB):
        media.url = where
        return "url", "", ""
    media.data = where
    return "data", "", ""


def _locate_reference(media: Media, where: JsonObject) -> tuple[str, str, str] | None:
    """Read ids by provider, of which the first is used."""
    first = next(iter(where.values()), None)
    if not isinstance(first, str):
        return None
    media.file_id = first
    return "file_id", "", ""


def _locate_tagged(media: Media, where: JsonObject) -> tuple[str, str, str] | None:
    """Read an object whose type is also the key of its value."""
    kind = where["type"]
    if len(where) != 2 or not isinstance(kind, str) or kind not in where:  # noqa: PLR2004
        return None
    value = where[kind]
    if kind == "text" and isinstance(value, str):
        media.text = value
        return "text", "", kind
    if isinstance(value, dict) and "type" in value:
        return None
    found = _locate(media, value, is_text=kind in {"data", "url"})
    return None if found is None else (found[0], found[1], kind)


def _is_full(mime: str | None) -> bool:
    """Return whether a type is more specific than "image" or "image/*"."""
    return mime is not None and "/" in mime and not mime.endswith("/*")


def _spelled_media(media: Media) -> JsonObject | None:
    """Return the keys as they were read, if they are unchanged."""
    said = noted(media.extras, ID).get(_AS)
    if said is None or said[_MIME] != media.mime:
        return None
    held = {key: getattr(media, key) for key in ("data", "url", "text", "file_id")}
    value = held.pop(said[_FIELD])
    if value is None or any(other is not None for other in held.values()):
        return None
    where: Json = said[_WHERE] if _WHERE in said else said.get(_PREFIX, "") + value
    if _WHERE in said:
        again = Media("file")
        _locate(again, where, is_text=False)
        if again.file_id != value:
            return None
    elif said.get(_TAG):
        where = {"type": said[_TAG], said[_TAG]: where}
    out: JsonObject = {"type": said["type"], said[_KEY]: where}
    if "mediaType" in said:
        out["mediaType"] = said["mediaType"]
    return out


def media_type(media: Media) -> str:
    """Return the type, or as much of it as is known."""
    return media.mime or _GENERAL.get(media.kind) or ("text/plain" if media.text else _OCTETS)


def write_file(media: Media, told: WriteLog, at: Place, *, mine: bool) -> JsonObject | None:
    """Return a part of a model message; None without bytes, URL or id."""
    spelled = _spelled_media(media) if mine else None
    if spelled is not None:
        out = dict(spelled)
    else:
        where: Json = {"type": "text", "text": media.text} if media.text is not None else None
        where = where or media.data or media.url
        if media.file_id is not None or where is None:
            return None
        held = left_of(media.extras).get("providerReference")
        if isinstance(held, dict):  # beside its URL in a UI message
            where = {"type": "reference", "reference": held}
        out = {"type": "file", "data": where, "mediaType": media_type(media)}
    return _finish(out, media, told, at, mine=mine)


def write_ui_file(media: Media, told: WriteLog, at: Place, *, mine: bool) -> JsonObject | None:
    """Return a part of a UI message, which can have only a URL."""
    spelled = _spelled_media(media) if mine else None
    if spelled is not None:
        out = dict(spelled)
    else:
        url = data_uri(media)
        if media.file_id is not None or url is None:
            return None
        out = {"type": "file", "url": url, "mediaType": media_type(media)}
    return _finish(out, media, told, at, mine=mine, options="providerMetadata")


def write_in_result(media: Media, told: WriteLog, at: Place, *, mine: bool) -> JsonObject | None:
    """Return a part of a result's content."""
    spelled = _spelled_media(media) if mine else None
    if spelled is not None:
        out = dict(spelled)
    elif media.file_id is not None:
        return None
    elif media.text is not None:
        where = {"type": "text", "text": media.text}
        out = {"type": "file", "data": where, "mediaType": media_type(media)}
    elif media.data is not None:
        where = {"type": "data", "data": media.data}
        out = {"type": "file", "data": where, "mediaType": media_type(media)}
    elif media.url is not None:
        out = {"type": "file-url", "url": media.url, "mediaType": media_type(media)}
    else:
        return None
    return _finish(out, media, told, at, mine=mine)


def _finish(  # noqa: PLR0913 - the last step of three writers
    out: JsonObject,
    media: Media,
    told: WriteLog,
    at: Place,
    *,
    mine: bool,
    options: str = "providerOptions",
) -> JsonObject:
    if media.name is not None:
        if out["type"] in {"file", "file-data"}:
            out["filename"] = media.name
        else:
            told.lose("L308", (*at, "name"), media.name)
    out.update(kept(media, told, at, mine=mine, options=options))
    return out


def described(media: Media, told: WriteLog, at: Place) -> JsonObject:
    """Return a text in place of a file that the target cannot read."""
    text = in_words(media)
    told.lose("L302", at, after=text)
    return {"type": "text", "text": text}
