"""Canonical bytes (RFC 8785), digests, and exact numbers.

Two deviations, both where the RFC gives no answer: integers beyond 2^53 are written with their
decimal digits instead of being rejected or rounded, so that two different integers never share a
digest; and lone surrogates raise an error of this package. orjson reads them as floats without a
warning and fails to write them, so nothing searches for them before something fails.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from json.encoder import encode_basestring
from typing import Final

import orjson

from toolcanon.errors import LimitExceeded, LoneSurrogate, NumberOutOfRange
from toolcanon.jsonio.load import DEEPEST
from toolcanon.jsonio.snapshot import PLAIN_ONLY
from toolcanon.jsonio.types import Json, Pointer


def odd_key(value: Json) -> Pointer | None:
    """Return the place of the first key that is not a string; None when all are strings.

    >>> str(odd_key({"a": [{1: "b"}]}))
    '/a/0/1'
    """
    stack = [(Pointer(), value)]
    seen: set[int] = set()
    while stack:
        at, item = stack.pop()
        if not isinstance(item, (dict, list)) or id(item) in seen:
            continue
        seen.add(id(item))
        members = list(item.items() if isinstance(item, dict) else enumerate(item))
        if isinstance(item, dict):
            for key, _ in members:
                if not isinstance(key, str):
                    return at / str(key)
        stack += [(at / key, inner) for key, inner in reversed(members)]
    return None


_TAG = "tc1:sha256:"
_LARGEST_PLAIN = 1e21
_SMALLEST_PLAIN = 1e-6
_SORTED: Final = orjson.OPT_SORT_KEYS | PLAIN_ONLY
_AS_ZEROS: Final = bytes.maketrans(b"123456789", b"000000000")
_FLOAT: Final = re.compile(rb"[:,\[]-?[0-9]+[.eE]|^-?[0-9]+[.eE]")
_ASTRAL: Final = bytes(range(0xF0, 0x100))


def digest(value: Json) -> str:
    """``tc1:sha256:…`` of the canonical bytes; the tag names the algorithm and its version."""
    return _TAG + hashlib.sha256(canonical_bytes(value)).hexdigest()


def canonical_bytes(value: Json) -> bytes:
    """Return the one spelling of a JSON value: sorted keys, fixed numbers, no blanks."""
    text = _by_orjson(value)
    if text is not None:
        return text
    parts: list[str] = []
    _write(value, parts, 0)
    try:
        return "".join(parts).encode()
    except UnicodeEncodeError:
        raise LoneSurrogate("") from None


def _by_orjson(value: Json) -> bytes | None:
    """The bytes as orjson writes them, which takes a tenth of the time; None where they may differ.

    It spells floats differently, writes NaN as null, and sorts keys by their characters, where
    UTF-16 puts those beyond the first plane before some others.
    """
    try:
        text = orjson.dumps(value, None, _SORTED)
    except TypeError:  # integers past 64 bits, lone surrogates, depth past 254, what is no JSON
        return None
    if b"null" in text:
        return None
    zeros = text.translate(_AS_ZEROS)
    if (b"0." in zeros or b"0e" in zeros) and _FLOAT.search(text):
        return None
    if not text.isascii() and len(text.translate(None, _ASTRAL)) < len(text):
        return None
    return text


def _write(value: Json, parts: list[str], depth: int) -> None:
    if value is None:
        parts.append("null")
    elif value is True:
        parts.append("true")
    elif value is False:
        parts.append("false")
    elif isinstance(value, str):
        parts.append(encode_basestring(value))
    elif isinstance(value, int):
        parts.append(str(value))
    elif isinstance(value, float):
        parts.append(_number(value))
    elif depth > DEEPEST:
        raise LimitExceeded("depth", DEEPEST)
    elif isinstance(value, dict):
        _write_object(value, parts, depth)
    elif isinstance(value, (list, tuple)):
        mark = "["
        for item in value:
            parts.append(mark)
            _write(item, parts, depth + 1)
            mark = ","
        parts.append("]" if value else "[]")
    else:
        msg = f"{type(value).__name__} is not a JSON value"
        raise TypeError(msg)


def _write_object(value: dict[str, Json], parts: list[str], depth: int) -> None:
    mark = "{"
    for key in sorted(value, key=_utf16):
        parts.append(f"{mark}{encode_basestring(key)}:")
        _write(value[key], parts, depth + 1)
        mark = ","
    parts.append("}" if value else "{}")


def _utf16(key: str) -> bytes:
    return key.encode("utf-16-be", "surrogatepass")


def _number(value: float) -> str:
    """ECMAScript's Number::toString, which the RFC prescribes."""
    if not math.isfinite(value):
        raise NumberOutOfRange(str(value))
    if value == 0:
        return "0"
    text = repr(value)
    if not _SMALLEST_PLAIN <= abs(value) < _LARGEST_PLAIN:
        mantissa, _, exponent = text.partition("e")
        power = int(exponent)
        return f"{mantissa.removesuffix('.0')}e{'+' if power > 0 else '-'}{abs(power)}"
    return _plain(text) if "e" in text else text.removesuffix(".0")


def _plain(text: str) -> str:
    """1.5e-05 as 0.000015, 2e+20 in full: Python goes to exponents sooner than ECMAScript."""
    mantissa, _, exponent = text.partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    power = int(exponent)
    if power > 0:
        return f"{sign}{whole}{fraction.ljust(power, '0')}"
    return f"{sign}0.{'0' * (-power - 1)}{whole}{fraction}"


_MANY_DIGITS: Final = b"0" * 19
_SHORT: Final = 512
_loads = orjson.loads
_MAY_BE_ROUNDED: Final[frozenset[type]] = frozenset({float, dict, list})


def loads_exactly(text: str | bytes) -> Json:
    """Return the value of a text; raises ValueError for what is no JSON.

    >>> loads_exactly("36893488147419103233")
    36893488147419103233
    """
    value: Json = _loads(text)
    if (
        len(text) > _SHORT
        and value.__class__ is dict
        and _MAY_BE_ROUNDED.isdisjoint(map(type, value.values()))
    ):
        return value  # the text of a file, as a rule
    if not may_be_rounded(text):
        return value
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deep") from None


def may_be_rounded(text: str | bytes) -> bool:
    """Return whether digits stand in a row that orjson may have read as another number.

    A regular expression costs more than the parser itself, and of all that find something in
    bytes partition is the quickest to call.
    """
    raw = text.encode() if isinstance(text, str) else text
    return bool(raw.translate(_AS_ZEROS).partition(_MANY_DIGITS)[1])


def dumps_exactly(value: Json) -> str:
    """Return the shortest text of a value.

    >>> dumps_exactly([2**70])
    '[1180591620717411303424]'
    """
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # lone surrogates as well, which only an escape can write
        return json.dumps(value, separators=(",", ":"))
