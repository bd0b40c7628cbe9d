"""Values that no JSON text can hold: lone surrogates, and numbers that are not finite.

Lone surrogates come from names of files that are not Unicode, and from texts cut in the middle.
They are spelled out as an escape, so that a reader sees what was there; numbers become words.
"""

from __future__ import annotations

import math

import orjson

from toolcanon.jsonio import DEEPEST
from toolcanon.jsonio.types import Json


def is_whole(text: str) -> bool:
    """Whether a text can be sent; most are ASCII, and know it."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_surely_whole(value: Json) -> bool:
    """Whether the quick writer takes a value: then all texts in it are whole."""
    try:
        orjson.dumps(value)
    except TypeError:  # or integers beyond 64 bits, depth
        return False
    return True


def whole(value: Json, depth: int = 0) -> Json:
    r"""The value with halves spelled out; the very same where there are none.

    >>> whole(["a", chr(0xDC80)])
    ['a', '\\udc80']
    """
    if isinstance(value, str):
        return value if is_whole(value) else value.encode("utf-8", "backslashreplace").decode()
    if not isinstance(value, (dict, list)) or depth > DEEPEST:
        return value
    if isinstance(value, list):
        items = [whole(inner, depth + 1) for inner in value]
        return value if all(map(_is, items, value)) else items
    made = {whole(key): whole(inner, depth + 1) for key, inner in value.items()}
    is_same = all(map(_is, made, value)) and all(map(_is, made.values(), value.values()))
    return value if is_same else made


def _is(one: Json, two: Json) -> bool:
    return one is two


def is_finite(value: Json) -> bool:
    """Whether JSON has words for every number in it; the quick writer says null for the others."""
    try:
        text = orjson.dumps(value)
    except TypeError:  # halves of characters, integers beyond 64 bits, depth
        text = b"null"
    if b"null" not in text:
        return True
    waiting = [value]
    while waiting:
        item = waiting.pop()
        kind = item.__class__
        if kind is dict:
            waiting.extend(item.values())
        elif kind is list:
            waiting.extend(item)
        elif kind is float and not math.isfinite(item):
            return False
    return True


def finite(value: Json, depth: int = 0) -> Json:
    """The value with words for such numbers; the loader allows for no more depth than this."""
    if depth > DEEPEST:
        return value
    if isinstance(value, dict):
        return {key: finite(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [finite(inner, depth + 1) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value
