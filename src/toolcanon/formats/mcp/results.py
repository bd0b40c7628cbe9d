"""CallToolResult of the Model Context Protocol, every version up to 2026-07-28, and results.

``content`` is for the model; ``structuredContent`` is the same for programs, any JSON value. It
becomes the last part of a result's content. JSON-RPC responses are read as well: an error there is
a tool that failed, in the envelope of ``ToolResponse``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from toolcanon.errors import NotAConversation
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
from toolcanon.formats.wire.results import repeated
from toolcanon.formats.wire.text_data import encoded
from toolcanon.ir.conversation import Data, Extras, Media, Native, Result, Text
from toolcanon.ir.response import ErrorKind, ToolResponse
from toolcanon.jsonio.types import Json, JsonObject

ID: Final = "mcp"
STRUCTURED: Final = "structuredContent"
_TYPE: Final = "type"
_RESOURCE: Final = "resource"
_BARE: Final = "bare"
_UNTYPED: Final = "application/octet-stream"
Content: TypeAlias = Text | Media | Data | Native
At: TypeAlias = tuple[str | int, ...]

# JSON-RPC 2.0, and the error code of the protocol's library for a timeout.
_KINDS: Final[dict[int, ErrorKind]] = {
    -32601: "not_found",
    -32602: "validation",
    -32600: "validation",
    -32001: "timeout",
}


def read_result(value: JsonObject, call_id: str | None = None, name: str | None = None) -> Result:
    """Read a CallToolResult, or a whole JSON-RPC response with one or with an error."""
    if "jsonrpc" in value:
        return _read_reply(value, call_id, name)
    content = value.get("content")
    if not (isinstance(content, list) or ("content" not in value and STRUCTURED in value)):
        raise NotAConversation("/content", "the result of a tool needs a list of content blocks")
    if NOTES in value:
        raise NotAConversation("", f"the result of a tool cannot have a member {NOTES!r}")
    left = {key: item for key, item in value.items() if key not in {"content", STRUCTURED}}
    notes: JsonObject = {} if "content" in value else {_BARE: True}
    parts = [_read_block(block) for block in content or ()]
    if STRUCTURED in value:
        parts.append(Data(value[STRUCTURED], {ID: {NOTES: {STRUCTURED: True}}}))
    is_error = left.get("isError")
    if isinstance(is_error, bool):
        del left["isError"]
    else:
        is_error = None
    return Result(call_id, parts, name, is_error, extras=extras_of(ID, left, notes))


def _read_reply(reply: JsonObject, call_id: str | None, name: str | None) -> Result:
    result, error = reply.get("result"), reply.get("error")
    if isinstance(result, dict) and "jsonrpc" not in result:
        return read_result(result, call_id, name)
    if not isinstance(error, dict):
        raise NotAConversation("", "the reply has neither a result nor an error")
    code, message = error.get("code"), error.get("message")
    details = {key: item for key, item in error.items() if key != "message"}
    if not isinstance(message, str):
        details, message = dict(error), "the call was refused"
    kind = _KINDS.get(code, "execution") if isinstance(code, int) else "execution"
    return ToolResponse(ok=False, error=message, error_type=kind, details=details).to_result(
        call_id, name
    )


def _read_block(block: Json) -> Content:
    if isinstance(block, dict) and NOTES not in block:
        kind = block.get(_TYPE)
        reader = _READERS.get(kind) if isinstance(kind, str) else None
        found = reader(block) if reader is not None else None
        if found is not None:
            return found
        return Native(ID, kind if isinstance(kind, str) else "block", block)
    return Native(ID, "block", block)


def _read_text(block: JsonObject) -> Content | None:
    text = block.get("text")
    if not isinstance(text, str):
        return None
    return Text(text, extras_of(ID, _rest(block, "text")))


def _read_blob(block: JsonObject) -> Content | None:
    data, mime, kind = block.get("data"), block.get("mimeType"), block[_TYPE]
    if not isinstance(data, str) or not isinstance(mime, str):
        return None
    extras = extras_of(ID, _rest(block, "data", "mimeType"), {_TYPE: kind})
    return Media(kind, mime, data, extras=extras)


def _read_link(block: JsonObject) -> Content | None:
    """Read a link, which the model gets by name without its content: an id, and no URL to fetch."""
    uri, mime, name = block.get("uri"), block.get("mimeType"), block.get("name")
    if not isinstance(uri, str) or not isinstance(name, str):
        return None
    left = _rest(block, "uri", "name")
    if isinstance(mime, str):
        del left["mimeType"]
    else:
        mime = None
    notes = {_TYPE: "resource_link"}
    return Media(media_kind(mime), mime, file_id=uri, name=name, extras=extras_of(ID, left, notes))


def _read_resource(block: JsonObject) -> Content | None:
    resource = block.get(_RESOURCE)
    if not isinstance(resource, dict) or ("text" in resource) == ("blob" in resource):
        return None
    inner = dict(resource)
    mime = inner.get("mimeType")
    if isinstance(mime, str):
        del inner["mimeType"]
    else:
        mime = None
    held = inner.pop("text" if "text" in inner else "blob")
    if not isinstance(held, str):
        return None
    is_text = "text" in resource
    # Other fields of the resource, above all its URI, are content: other writers must report them.
    left = {**_rest(block, _RESOURCE), _RESOURCE: inner} if inner else _rest(block, _RESOURCE)
    notes = {_TYPE: _RESOURCE}
    return Media(
        "document" if is_text else media_kind(mime),
        mime,
        None if is_text else held,
        text=held if is_text else None,
        extras=extras_of(ID, left, notes),
    )


def _rest(block: JsonObject, *taken: str) -> JsonObject:
    return {key: item for key, item in block.items() if key != _TYPE and key not in taken}


def write_result(result: Result, told: WriteLog, at: At = ()) -> JsonObject:
    """Return a CallToolResult. The response around it has the id of the call."""
    notes = noted(result.extras, ID)
    out: JsonObject = dict(leftovers(result.extras, ID))
    _tell_keys(result.extras, told, at)
    blocks: list[Json] = []
    values = [part for part in result.content if isinstance(part, Data)]
    for index, part in enumerate(result.content):
        place = (*at, "content", index)
        if isinstance(part, Data):
            _write_value(part, result, values, blocks, out)
            if STRUCTURED not in out:
                told.lose("L305", place)
            _tell_keys(part.extras, told, place)
        elif isinstance(part, Native):
            if part.format == ID:
                blocks.append(part.value)
            else:
                told.lose("L307", place, part.value)
        else:
            _tell_keys(part.extras, told, place)
            blocks.append(_write_block(part, told, place))
    if blocks or _BARE not in notes:
        out["content"] = blocks
    if result.is_error is not None:
        out["isError"] = result.is_error
    return out


def _write_value(
    part: Data, result: Result, values: list[Data], blocks: list[Json], out: JsonObject
) -> None:
    """Write a single value as structured content, and as text for readers of text only."""
    is_own = STRUCTURED in noted(part.extras, ID)
    if (is_own and STRUCTURED not in out) or len(values) == 1:
        out[STRUCTURED] = part.value
    if not (is_own or len(result.content) - 1 in repeated(result.content)):
        blocks.append({_TYPE: "text", "text": dump(part.value)})


def _write_block(part: Text | Media, told: WriteLog, at: At) -> JsonObject:
    left = leftovers(part.extras, ID)
    if isinstance(part, Text):
        return {_TYPE: "text", "text": part.text, **left}
    kind = noted(part.extras, ID).get(_TYPE)
    where = part.url or part.file_id
    if kind == _RESOURCE or (kind is None and part.text is not None):
        return _resource(part, left)
    if part.data is not None:
        if kind in {"image", "audio"} or (kind is None and part.kind in {"image", "audio"}):
            mime = part.mime or _UNTYPED
            return {_TYPE: kind or part.kind, "data": part.data, "mimeType": mime, **left}
        return _resource(part, left)
    if where is not None and (kind == "resource_link" or part.url is not None):
        link = {_TYPE: "resource_link", "uri": where, "name": part.name or where, **left}
        return link if part.mime is None else {**link, "mimeType": part.mime}
    note = in_words(part)
    told.lose("L302", at, part.kind, note)
    return {_TYPE: "text", "text": note}


def _resource(part: Media, left: JsonObject) -> JsonObject:
    inner = dict(left.get(_RESOURCE, ()))
    if not noted(part.extras, ID):  # from another format, and the protocol requires a URI
        inner["uri"] = part.url or f"attachment:{encoded(part.name or part.kind)}"
    if part.mime is not None:
        inner["mimeType"] = part.mime
    if part.data is not None:
        inner["blob"] = part.data
    else:
        inner["text"] = part.text or ""
    return {_TYPE: _RESOURCE, **left, _RESOURCE: inner}


def _tell_keys(extras: Extras, told: WriteLog, at: At) -> None:
    if has_foreign(extras, ID):
        told.lose("L308", at, foreign_keys(extras, ID))


_READERS: Final[dict[str, Callable[[JsonObject], Content | None]]] = {
    "text": _read_text,
    "image": _read_blob,
    "audio": _read_blob,
    "resource_link": _read_link,
    _RESOURCE: _read_resource,
}
