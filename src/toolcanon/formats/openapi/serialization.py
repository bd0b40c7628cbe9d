"""How parameters and bodies are written: styles, forms, media types.

The tables of the specification (3.1.2, "Style Examples") decide; where they are silent, deepObject
nests by brackets with indices and a value inside a list or an object is its JSON text.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

from toolcanon.formats.wire.text_data import decoded, encoded
from toolcanon.jsonio.types import Json, JsonObject

JSON: Final = "application/json"
OCTETS: Final = "application/octet-stream"
_PLAINEST: Final = {"text": "text/plain", "multipart": "multipart/form-data"}


class BodyEncoding(StrEnum):
    """The encodings of a body, the preferred one first."""

    JSON = "json"
    FORM = "form"
    MULTIPART = "multipart"
    TEXT = "text"


def essence(media: Json) -> str:
    """Return a media type without its parameters."""
    return str(media).partition(";")[0].strip().lower()


def is_json(media: Json) -> bool:
    """Return whether a media type is JSON, by name or by suffix."""
    name = essence(media)
    return name in {JSON, "text/json"} or name.endswith("+json")


def is_any(media: Json) -> bool:
    """Return whether it is a range that includes JSON."""
    return essence(media) in {"*/*", "application/*"}


def is_range(media: Json) -> bool:
    """Return whether it is a range of types."""
    return "*" in essence(media)


def concrete(media: str) -> str:
    """Return the type to send: itself, or the most general one of a range.

    >>> concrete("text/*;q=0.5"), concrete("image/*"), concrete("text/csv; header=present")
    ('text/plain', 'application/octet-stream', 'text/csv; header=present')
    """
    if not is_range(media):
        return media
    return JSON if is_any(media) else _PLAINEST.get(essence(media).partition("/")[0], OCTETS)


def kind_of(media: Json) -> BodyEncoding:
    """Return how a body of this type is written."""
    name = essence(media)
    if is_json(media) or is_any(media):
        return BodyEncoding.JSON
    if name == "application/x-www-form-urlencoded":
        return BodyEncoding.FORM
    return (
        BodyEncoding.MULTIPART
        if name in {_PLAINEST["multipart"], "multipart/*"}
        else BodyEncoding.TEXT
    )


def preferred(content: JsonObject) -> str | None:
    """Return the type to use: JSON, then forms, then the first of the others; a range comes last.

    A type with ``+json`` is often a patch or a problem, so it comes after JSON itself.

    """
    order = list(BodyEncoding)

    def rank(media: str) -> tuple[int, bool, bool]:
        return order.index(kind_of(media)), is_range(media), essence(media) != JSON

    return min(content, key=rank, default=None)


Pairs: TypeAlias = list[tuple[str, str]]

_DELIMITERS: Final = {"spaceDelimited": " ", "pipeDelimited": "|"}
_EXACT: Final = 2**53  # not every larger integer is a float


class Unsayable(ValueError):
    """A value that cannot be written in the requested style."""


class How(NamedTuple):
    """The way in which one value is written."""

    name: str
    style: str
    explode: bool
    as_json: bool = False
    reserved: bool = False

    @classmethod
    def of(cls, name: str, stated: JsonObject, usual: str) -> How:
        """Return it from an entry of the recipe, or from an encoding of a form."""
        style = str(stated.get("style", usual))
        explode = stated.get("explode", style == "form") is True
        json_text, reserved = stated.get("json") is True, stated.get("reserved") is True
        return cls(name, style, explode, json_text, reserved)


def text_of(value: Json) -> str:
    """Return a scalar as text in every style; anything else as JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) <= _EXACT:
        return str(int(value))  # JSON has one kind of number: 3.0 is an integer there
    return json_text(value)


def json_text(value: Json) -> str:
    """Return JSON without blanks. Raises Unsayable for other values."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:  # other types, NaN, circles, depth
        raise Unsayable(f"it is not JSON ({error})") from None


def path_text(how: How, value: Json) -> str:
    """Return a value for a place in a path, percent-encoded."""
    if how.as_json:
        return encoded(json_text(value))
    prefix, between = (".", ".") if how.style == "label" else ("", ",")
    parts = _parts(value, how.explode)
    if how.style == "matrix":
        name = encoded(how.name)
        named = [(name, part) for part in parts]
        if how.explode and isinstance(value, dict):
            named = [(key, text) for key, _, text in (part.partition("=") for part in parts)]
        elif not (how.explode and isinstance(value, list)):
            named = [(name, ",".join(parts))]
        # RFC 6570, section 3.2.7: an empty value is written as its name alone.
        return "".join(f";{key}={text}" if text else f";{key}" for key, text in named)
    return prefix + (between if how.explode else ",").join(parts)


def _parts(value: Json, explode: bool) -> list[str]:  # noqa: FBT001
    if isinstance(value, list):
        return [encoded(text_of(item)) for item in value]
    if isinstance(value, dict):
        pairs = [(encoded(str(key)), encoded(text_of(item))) for key, item in value.items()]
        return (
            ["=".join(pair) for pair in pairs] if explode else [x for pair in pairs for x in pair]
        )
    return [encoded(text_of(value))]


def header_text(how: How, value: Json) -> str:
    """Return the value of a header. Raises Unsayable for separators and line breaks in it."""
    if how.as_json:
        text = json_text(value)
    elif isinstance(value, list):
        text = ",".join(without(",", map(text_of, value)))
    elif isinstance(value, dict):
        mark = "=" if how.explode else ","
        keys = without(mark, without(",", map(str, value)))
        pairs = zip(keys, without(",", map(text_of, value.values())), strict=True)
        text = ",".join(f"{key}{mark}{item}" for key, item in pairs)
    else:
        text = text_of(value)
    if any(ord(char) < 32 or ord(char) == 127 for char in text):  # noqa: PLR2004 - control codes
        raise Unsayable("a header cannot have line breaks or control characters")
    return text


def without(mark: str, texts: Iterable[str]) -> list[str]:
    """Return the texts. Raises Unsayable if one contains the separator."""
    found = list(texts)
    if any(mark in text for text in found):
        raise Unsayable(f"its parts are separated by {mark!r}, and one of them contains it")
    return found


def pairs_of(how: How, value: Json) -> Pairs:
    """Return a value for a query, a cookie or a form: percent-encoded names and values."""
    name = encoded(how.name)
    if how.as_json:
        return [(name, encoded(json_text(value), reserved=how.reserved))]
    if value is None or value in ([], {}):
        return []  # undefined in every style: treated as absent
    if how.style == "deepObject" and isinstance(value, (dict, list)):
        pairs = _bracketed(how.name, value)
        return [(encoded(key), encoded(text, reserved=how.reserved)) for key, text in pairs]
    if not isinstance(value, (dict, list)):
        return [(name, encoded(text_of(value), reserved=how.reserved))]
    if how.explode:
        items = value.items() if isinstance(value, dict) else ((how.name, x) for x in value)
        return [(encoded(str(key)), encoded(text_of(x), reserved=how.reserved)) for key, x in items]
    return [(name, _joined(how, value))]


def _joined(how: How, value: Json) -> str:
    parts = value if isinstance(value, list) else [x for pair in value.items() for x in pair]
    texts = [text_of(part) for part in parts]
    mark = _DELIMITERS.get(how.style)
    if mark is not None:
        without(mark, texts)
    escaped = [encoded(text, reserved=how.reserved) for text in texts]
    if mark is None:  # commas within values are escaped, those between them are not
        return ",".join(text.replace(",", encoded(",")) for text in escaped)
    return encoded(mark).join(escaped)


def _bracketed(prefix: str, value: Json) -> Pairs:
    if isinstance(value, dict):
        items = [(f"{prefix}[{key}]", item) for key, item in value.items()]
    elif isinstance(value, list):
        items = [(f"{prefix}[{index}]", item) for index, item in enumerate(value)]
    else:
        return [] if value is None else [(prefix, text_of(value))]
    return [pair for key, item in items for pair in _bracketed(key, item)]


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
    if kind == BodyEncoding.JSON:
        return Payload(json_text(value).encode(), media)
    if kind == BodyEncoding.TEXT:
        return Payload(text_of(value).encode(), media)
    if not isinstance(value, dict):
        raise Unsayable("a form must be an object")
    encodings = recipe.get("encoding", {})
    if kind == BodyEncoding.FORM:
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
