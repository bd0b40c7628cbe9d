"""Write values into paths, queries, headers and cookies, style by style.

The tables of the specification (3.1.2, "Style Examples") decide; where they are silent, deepObject
nests by brackets with indices and a value inside a list or an object is its JSON text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

from toolcanon.formats.wire.percent import encoded
from toolcanon.jsonio.types import Json, JsonObject

Pairs: TypeAlias = list[tuple[str, str]]

_DELIMITERS: Final = {"spaceDelimited": " ", "pipeDelimited": "|"}
_EXACT: Final = 2**53  # not every larger integer is a float


class Unsayable(ValueError):
    """A value that cannot be written in the requested style."""


class How(NamedTuple):
    """How one value is written."""

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
