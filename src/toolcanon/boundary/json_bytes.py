"""Bodies as values and back, without giving up on what is odd but none of our business."""

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
"""Histories hold images and files; whoever sends them has them in memory already."""


def parsed(data: bytes) -> Json:
    """A value. Raises InputError for what is no JSON, or too deep."""
    if data.count(b"{") + data.count(b"[") <= DEFAULT_LIMITS.depth:
        try:
            value: Json = orjson.loads(data)
        except orjson.JSONDecodeError:
            pass  # the careful one knows why, or that nothing is wrong
        else:
            if not may_be_rounded(data):
                return value
    try:
        return loads(data, _LIMITS, duplicates=True).value
    except (LoneSurrogate, NumberOutOfRange):  # a model wrote that, and the application may cope
        return json.loads(data)


def dumped(value: Json) -> bytes:
    """The other way."""
    try:
        return dump(value).encode()
    except UnicodeEncodeError:
        return json.dumps(value).encode()
