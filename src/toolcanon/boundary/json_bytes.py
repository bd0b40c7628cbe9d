"""Convert bodies to values and back, keeping unusual values that do not concern tools."""

from __future__ import annotations

import json
from typing import Final

import orjson

from toolcanon.errors import LoneSurrogate, NumberOutOfRange
from toolcanon.formats.wire.codec import dump
from toolcanon.jsonio import DEFAULT_LIMITS, Limits, loads
from toolcanon.jsonio.exact import may_be_rounded
from toolcanon.jsonio.types import Json

_LIMITS: Final = Limits(bytes=1 << 30, values=50_000_000)
"""Limits for histories, which hold images and files; the sender has them in memory already."""


def parsed(data: bytes) -> Json:
    """Return a value. Raises InputError for invalid JSON or too deep nesting."""
    if data.count(b"{") + data.count(b"[") <= DEFAULT_LIMITS.depth:
        try:
            value: Json = orjson.loads(data)
        except orjson.JSONDecodeError:
            pass  # the strict parser finds the error, if there is one
        else:
            if not may_be_rounded(data):
                return value
    try:
        return loads(data, _LIMITS, duplicates=True).value
    except (LoneSurrogate, NumberOutOfRange):  # written by a model; the application may accept it
        return json.loads(data)


def dumped(value: Json) -> bytes:
    """Return the bytes of a value."""
    try:
        return dump(value).encode()
    except UnicodeEncodeError:
        return json.dumps(value).encode()
