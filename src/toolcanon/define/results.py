"""The result of a function as the answer to a call, within size limits.

Text is text, bytes and images are media, everything else is a JSON value. Results over the limit
are truncated, with a notice for the model at that place.
"""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import AsyncIterable, Callable, Iterable
from dataclasses import dataclass, replace
from itertools import islice
from math import isfinite
from typing import Any, Final

import orjson
from pydantic_core import PydanticSerializationError, to_jsonable_python

from toolcanon.errors import NotAConversation, NotAToolResponse
from toolcanon.formats.mcp.results import STRUCTURED, read_result
from toolcanon.formats.wire.codec import Content, dump, media_kind
from toolcanon.formats.wire.results import once
from toolcanon.ir import CanonicalTool
from toolcanon.ir.conversation import Data, Media, Native, Result, Text
from toolcanon.ir.response import ToolResponse
from toolcanon.jsonio.types import Json, JsonObject

_NULL: Final = b"null"
MOST_CHARS: Final = 100_000
MOST_BYTES: Final = 20_000_000
MOST_YIELDED: Final = 10_000
PLAIN: Final = frozenset({str, int, float, bool, type(None), dict, list, tuple})
"""Types of most results; they contain nothing that needs conversion."""
_PARTS: Final = (Text, Media, Data, Native)
_SCALARS: Final = PLAIN - {dict, list, tuple}
_RAW: Final = (bytes, bytearray, memoryview)
_UNTYPED: Final = "application/octet-stream"
_SAID: Final = frozenset({"content", STRUCTURED, "isError", "_meta", "resultType"})
_PAGES: Final = frozenset(
    """cursor end end_line first from from_line head last limit lines max_chars max_items max_length
    max_lines max_results num_results offset page page_size page_token per_page range size skip
    start start_line tail to_line top top_k""".split()
)
"""Parameters by which tools usually let callers request less, or the rest."""

# The first bytes of file types, for bytes without a type.
_MAGIC: Final = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF8", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (0, b"%PDF-", "application/pdf"),
    (8, b"WAVE", "audio/wav"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"OggS", "audio/ogg"),
    (4, b"ftyp", "video/mp4"),
)


class NotSayable(Exception):
    """A tool returned a value that cannot be expressed in JSON."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Limits of a result for a model; None is no limit."""

    chars: int | None = MOST_CHARS
    """Characters of text and JSON together, including the notice of truncation."""
    media: int | None = MOST_BYTES
    """Bytes of each image, sound or file."""


def result_of(value: Any, dump_value: Callable[[Any], Json]) -> Result:
    """Return the answer with this value; it has no call yet. Raises NotSayable.

    A success carries no error flag: some models reject even a false one.
    """
    if value.__class__ is str:
        return Result(None, [Text(value)])
    found = _answered(value)
    if found is None:
        found = _of_value(value, dump_value)
    if not found.is_error:
        found.is_error = None
    return found


def _answered(value: Any) -> Result | None:
    """Return values that are answers already: ToolResponse, parts, results of the protocol."""
    if value.__class__ is dict:
        return _protocol(value)
    if value.__class__ in _SCALARS or (value.__class__ is list and not _has_parts(value)):
        return None
    if isinstance(value, ToolResponse):
        return value.to_result(None)
    if isinstance(value, Result):
        return replace(value, content=list(value.content))
    content = _media(value)
    if content is not None:
        return Result(None, content)
    if type(value).__name__ == "CallToolResult" and hasattr(value, "model_dump"):
        return _protocol(value.model_dump(mode="json", by_alias=True, exclude_none=True))
    return None


def _protocol(value: JsonObject) -> Result | None:
    if _is_protocol(value):
        try:
            return read_result(value)
        except NotAConversation:
            pass
    return None


def _of_value(value: Any, dump_value: Callable[[Any], Json]) -> Result:
    try:
        dumped = _dumped(value, dump_value)
    except (TypeError, ValueError, RecursionError):  # by pydantic, or a serializer of the tool
        kind = type(value).__name__
        raise NotSayable(f"it returned a {kind}, which cannot be told in JSON") from None
    if isinstance(dumped, str):
        return Result(None, [Text(dumped)])
    if isinstance(dumped, dict) and dumped.get("ok") is False:
        try:
            return ToolResponse.from_value(dumped).to_result(None)
        except NotAToolResponse:
            pass
    return Result(None, [Data(dumped)])


def _dumped(value: Any, dump_value: Callable[[Any], Json]) -> Json:
    try:
        return dump_value(value)
    except (PydanticSerializationError, UnicodeError):
        return dump_value(_cleaned(value))  # lone surrogates


def _cleaned(value: Json) -> Json:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {clean_text(key): _cleaned(item) for key, item in value.items()}
    return value


def clean_text(text: str) -> str:
    """Return the text with lone surrogates escaped, which no message may contain."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text


def _is_protocol(value: JsonObject) -> bool:
    """Return whether it is a CallToolResult or a reply with one, not just has content."""
    if value.get("jsonrpc") == "2.0":
        return "result" in value or "error" in value
    content = value.get("content")
    return (
        content is not None
        and value.keys() <= _SAID
        and isinstance(content, list)
        and all(isinstance(block, dict) and isinstance(block.get("type"), str) for block in content)
        and bool(content or STRUCTURED in value or "isError" in value)
    )


def _media(value: Any) -> list[Content] | None:
    """Return the parts of a value that is, or holds, bytes, images or parts; None otherwise."""
    if isinstance(value, _PARTS):
        return [value]
    if isinstance(value, _RAW):
        return [_of_bytes(bytes(value))]
    if _is_picture(value):
        return [_of_picture(value)]
    if isinstance(value, (list, tuple)) and any(map(_is_part, value)):
        return [part for item in value for part in _media(item) or [_plain_part(item)]]
    return None


def _has_parts(values: list[Any]) -> bool:
    return not PLAIN.issuperset(map(type, values)) and any(map(_is_part, values))


def _is_part(value: Any) -> bool:
    return value.__class__ not in PLAIN and _is_no_json(value)


def _is_no_json(value: Any) -> bool:
    return isinstance(value, (*_PARTS, *_RAW)) or _is_picture(value)


def _plain_part(value: Any) -> Content:
    if isinstance(value, str):
        return Text(value)
    return Data(to_jsonable_python(value))


def _of_bytes(raw: bytes) -> Content:
    for start, mark, mime in _MAGIC:
        if raw.startswith(mark, start):
            return Media(media_kind(mime), mime, b64encode(raw).decode())
    try:
        return Text(raw.decode())
    except UnicodeDecodeError:
        return Media("file", _UNTYPED, b64encode(raw).decode())


def _is_picture(value: Any) -> bool:
    """Return whether it is a PIL image or similar: it has a size and a mode and can be saved."""
    return hasattr(value, "save") and hasattr(value, "mode") and hasattr(value, "size")


def _of_picture(picture: Any) -> Content:
    out = io.BytesIO()
    try:
        picture.save(out, format="PNG")
    except (OSError, ValueError, TypeError, KeyError) as error:  # raised by image classes
        raise NotSayable(f"its image cannot be saved as PNG ({error})") from None
    return _of_bytes(out.getvalue())


def collected(values: Iterable[Any]) -> Any:
    """Return what a generator yields: texts joined, other values as a list. Raises NotSayable."""
    return _joined(list(islice(values, MOST_YIELDED + 1)))


async def acollected(values: AsyncIterable[Any]) -> Any:
    """Return what an async generator yields, like ``collected``."""
    found: list[Any] = []
    async for value in values:
        found.append(value)
        if len(found) > MOST_YIELDED:
            break
    return _joined(found)


def _joined(found: list[Any]) -> Any:
    if len(found) > MOST_YIELDED:
        raise NotSayable(f"it yields more than {MOST_YIELDED:,} values")
    return "".join(found) if found and all(isinstance(one, str) for one in found) else found


def fitted(content: list[Content], sizes: Sizes, tool: CanonicalTool) -> list[Content]:
    """Return as much of the content as the limits allow, with a notice where it is truncated.

    The notice names the tool's parameters for requesting less. NaN, infinities and lone surrogates
    are escaped.
    """
    if len(content) == 1 and _is_ready(content[0], sizes.chars):  # the usual case
        return content
    content = [_escaped(part, sizes.media) for part in content]
    if sizes.chars is None:
        return content
    lengths = [len(_words(part)) for part in content]
    if sum(lengths) <= sizes.chars:
        return content
    if len(content) > 1:  # of text and structured content with equal value, the one that fits
        reduced = once(content)
        if len(reduced) < len(content):
            return fitted(reduced, sizes, tool)
    return _cut(content, lengths, sizes.chars, _advice(tool.inputs))


def _is_ready(part: Content, limit: int | None) -> bool:
    """Return whether a part can surely be sent unchanged; a cheap check."""
    if part.__class__ is Text:
        return part.text.isascii() and (limit is None or len(part.text) <= limit)
    if part.__class__ is not Data:
        return False
    try:
        text = orjson.dumps(part.value)
    except TypeError:  # integers beyond 64 bits, lone surrogates, great depth
        return False
    # orjson also writes null for NaN and infinities.
    return _NULL not in text and (limit is None or len(text) <= limit)


def _escaped(part: Content, limit: int | None) -> Content:
    if isinstance(part, Text):
        return replace(part, text=clean_text(part.text))
    if isinstance(part, Data):
        return replace(part, value=_cleaned(part.value))
    if isinstance(part, Media) and part.data is not None and limit is not None:
        return _weighed(part, part.data, limit)
    return part


def _cut(content: list[Content], lengths: list[int], limit: int, advice: str) -> list[Content]:
    total = sum(lengths)
    room = max(limit - len(_notice(total, total, limit, advice)), 0)
    kept: list[Content] = []
    used = 0
    for part, length in zip(content, lengths, strict=True):
        if not length or used + length <= room:
            kept.append(part)
            used += length
        elif used <= room:
            notice = _notice(total - room, total, limit, advice)
            kept.append(Text(f"{_words(part)[: room - used]}{notice}"))
            used = total  # later parts do not fit
    return kept


def _notice(left: int, total: int, limit: int, advice: str) -> str:
    return f"\n[{left:,} of {total:,} characters left out: {limit:,} are sent at most. {advice}]"


def _advice(inputs: JsonObject) -> str:
    properties = inputs.get("properties")
    names = [name for name in properties if name in _PAGES] if isinstance(properties, dict) else []
    if names:
        return f"Call the tool again with {' and '.join(names[:3])} to get the rest."
    return "Call the tool again with arguments that ask for less to get the rest."


def _weighed(media: Media, data: str, limit: int) -> Content:
    size = len(data) * 3 // 4 - data[-2:].count("=")
    if size <= limit:
        return media
    what = f"{media.kind} {media.mime}" if media.mime else media.kind
    return Text(f"[{what} left out: it has {size:,} bytes, {limit:,} are sent at most.]")


def _words(part: Content) -> str:
    if isinstance(part, Text):
        return part.text
    if isinstance(part, Data):
        return dump(part.value)
    return (part.text or "") if isinstance(part, Media) else ""
