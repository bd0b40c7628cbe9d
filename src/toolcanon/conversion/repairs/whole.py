"""Texts without halves of characters: lone surrogates, which no UTF-8 can hold.

They come from names of files that are no Unicode, and from texts that were cut in the middle. They
are spelled out as an escape, so that whoever reads the text sees what stood there.
"""

from __future__ import annotations

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
