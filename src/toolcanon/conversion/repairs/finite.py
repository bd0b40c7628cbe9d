"""Numbers that JSON has no word for."""

from __future__ import annotations

import math

import orjson

from toolcanon.jsonio import DEEPEST
from toolcanon.jsonio.types import Json


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
