"""Bodies: JSON, forms in both encodings, and plain text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Final, NamedTuple

from toolcanon.formats.openapi.media import OCTETS, Kind, is_json
from toolcanon.formats.openapi.styles import How, Unsayable, json_text, pairs_of, text_of, without
from toolcanon.formats.wire.percent import decoded
from toolcanon.jsonio.types import Json, JsonObject

STYLED: Final = ("style", "explode", "reserved")
"""Fields of an encoding that define how a value is written; its media type is ignored then."""
# As browsers do: in a name only what would end the quotes or the line is escaped.
_QUOTED: Final = str.maketrans({'"': "%22", "\r": "%0D", "\n": "%0A"})


class Payload(NamedTuple):
    """The bytes of a body, and the value of its Content-Type."""

    data: bytes
    content_type: str


def payload(recipe: JsonObject, value: Json) -> Payload:
    """Return the body for a value, as the recipe defines it."""
    media, kind = str(recipe["content"]), recipe["kind"]
    if kind == Kind.JSON:
        return Payload(json_text(value).encode(), media)
    if kind == Kind.TEXT:
        return Payload(text_of(value).encode(), media)
    if not isinstance(value, dict):
        raise Unsayable("a form must be an object")
    encodings = recipe.get("encoding", {})
    if kind == Kind.FORM:
        pairs = [
            pair
            for name, item in value.items()
            for pair in _fields(str(name), item, encodings.get(name, {}))
        ]
        return Payload("&".join(f"{name}={text}" for name, text in pairs).encode(), media)
    return _multipart(media, value, encodings, frozenset(recipe.get("binary", ())))


def _fields(name: str, value: Json, encoding: JsonObject) -> list[tuple[str, str]]:
    if any(key in encoding for key in STYLED):
        return pairs_of(How.of(name, encoding, "form"), value)
    if is_json(encoding.get("contentType", "")):
        return pairs_of(How(name, "form", True, as_json=True), value)
    if isinstance(value, dict):  # the specification uses JSON for objects
        return pairs_of(How(name, "form", True, as_json=True), value)
    return pairs_of(How(name, "form", True), value)


class _Part(NamedTuple):
    name: str
    content_type: str | None
    data: bytes
    is_file: bool


def _multipart(
    media: str, value: JsonObject, encodings: JsonObject, binary: frozenset[str]
) -> Payload:
    parts: list[_Part] = []
    for name, stated in value.items():
        encoding = encodings.get(name, {})
        if name not in binary and any(key in encoding for key in STYLED):
            parts += _styled(How.of(str(name), encoding, "form"), stated)
            continue
        for item in stated if isinstance(stated, list) else [stated]:
            if item is not None:
                media_type = encoding.get("contentType")
                parts.append(_part(str(name), item, media_type, is_file=name in binary))
    boundary = _boundary(parts)
    lines: list[bytes] = []
    for name, content_type, data, is_file in parts:
        quoted = name.translate(_QUOTED)
        head = f'Content-Disposition: form-data; name="{quoted}"'
        if is_file:
            head += f'; filename="{quoted}"'
        if content_type is not None:
            head += f"\r\nContent-Type: {content_type}"
        lines += [f"--{boundary}\r\n{head}\r\n\r\n".encode(), data, b"\r\n"]
    lines.append(f"--{boundary}--\r\n".encode())
    return Payload(b"".join(lines), f"{media.partition(';')[0]}; boundary={boundary}")


def _styled(how: How, value: Json) -> Iterator[_Part]:
    """Yield parts as in a query, but without escapes: what would end a text is rejected."""
    if isinstance(value, (list, dict)) and how.style == "form" and not how.explode:
        without(",", map(text_of, [*value, *value.values()] if isinstance(value, dict) else value))
    for name, text in pairs_of(how._replace(reserved=False), value):
        yield _Part(decoded(name), None, decoded(text).encode(), is_file=False)


def _part(name: str, value: Json, stated: Json, *, is_file: bool) -> _Part:
    content_type = stated.partition(",")[0].strip() if isinstance(stated, str) else None
    if content_type is not None and ("\r" in content_type or "\n" in content_type):
        raise Unsayable("the media type of a part has a line break")
    if content_type is not None and "*" in content_type:
        content_type = None  # a range is not a type
    if is_file:
        return _Part(name, content_type or OCTETS, text_of(value).encode(), is_file=True)
    if isinstance(value, (dict, list)) or is_json(content_type or ""):
        return _Part(name, content_type or "application/json", json_text(value).encode(), False)
    return _Part(name, content_type, text_of(value).encode(), is_file=False)


def _boundary(parts: list[_Part]) -> str:
    """Return a boundary that occurs in no part, the same for the same parts."""
    everything = b"\r\n".join(part.data for part in parts)
    digest = hashlib.sha256(everything)
    while (boundary := f"part-{digest.hexdigest()[:24]}").encode() in everything:
        digest.update(b"again")
    return boundary
