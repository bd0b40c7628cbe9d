"""Text parsed by orjson where that is provably the same as parsing it strictly.

orjson says nothing of keys that stand twice and rounds long numbers. So what it read is written
again: where both texts are the same but for the spelling of characters beyond ASCII, no key stood
twice and no number changed. Texts written otherwise are left to the strict loader.
"""

from __future__ import annotations

import re
from typing import Final

import orjson

from toolcanon.jsonio.types import Json

LONGEST_NUMBER: Final = 32
"""No number that orjson writes is longer."""
UNPROVEN: Final = object()
_ESCAPE: Final = re.compile(rb"\\u[0-9a-fA-F]{4}")
_HIGH: Final = bytes(range(0x80, 0x100))
_INDENTED: Final = (b'{\n  "', b"[\n  ")


def proven(text: bytes) -> Json:
    """The value of a text, or UNPROVEN."""
    given = text.strip()
    option = orjson.OPT_INDENT_2 if given.startswith(_INDENTED) else None
    try:
        value = orjson.loads(text)
        written = orjson.dumps(value, option=option)
    except (orjson.JSONDecodeError, TypeError):  # no JSON; deeper than orjson writes
        return UNPROVEN
    return value if _is_the_same(given, written) else UNPROVEN


def _is_the_same(given: bytes, written: bytes) -> bool:
    """Whether two texts differ in nothing but how characters beyond ASCII are spelled."""
    if given == written:
        return True
    if b"\\u" not in given:
        return False
    if written.decode().encode("ascii", "backslashreplace") == given:  # as most programs escape
        return True
    return _plain(given) == _plain(written)


def _plain(text: bytes) -> bytes:
    return _ESCAPE.sub(b"", text).translate(None, _HIGH)
