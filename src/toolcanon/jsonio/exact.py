"""Text and values without rounding: orjson, but for integers past 64 bits.

orjson reads them as floats without a word and refuses to write them.
"""

from __future__ import annotations

import json
from typing import Final

import orjson

from toolcanon.jsonio.types import Json

_AS_ZEROS: Final = bytes.maketrans(b"123456789", b"000000000")
_MANY_DIGITS: Final = b"0" * 19
_SHORT: Final = 512
_loads = orjson.loads
_MAY_BE_ROUNDED: Final[frozenset[type]] = frozenset({float, dict, list})


def loads_exactly(text: str | bytes) -> Json:
    """The value of a text; raises ValueError for what is no JSON.

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
    """Whether digits stand in a row that orjson may have read as another number.

    A regular expression costs more than the parser itself, and of all that find something in
    bytes partition is the quickest to call.
    """
    raw = text.encode() if isinstance(text, str) else text
    return bool(raw.translate(_AS_ZEROS).partition(_MANY_DIGITS)[1])


def dumps_exactly(value: Json) -> str:
    """The shortest text of a value.

    >>> dumps_exactly([2**70])
    '[1180591620717411303424]'
    """
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # halves of characters as well, which only an escape can say
        return json.dumps(value, separators=(",", ":"))
