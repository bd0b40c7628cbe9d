"""Text parsed by orjson where that is provably the same as parsing it strictly.

orjson says nothing of keys that stand twice and rounds long numbers. So what it read is written
again: where both texts have the same tokens but for the spelling of characters in strings, no key
stood twice and no number changed. Blanks may be left out of both to see that, inside strings too:
no token begins or ends by them. Anything else is left to the strict loader.
"""

from __future__ import annotations

import re
from typing import Final

import orjson

from toolcanon.jsonio.types import Json

LONGEST_NUMBER: Final = 32
"""No number that orjson writes is longer."""
DEEPEST_WRITTEN: Final = 254
"""No value that orjson writes is deeper."""
UNPROVEN: Final = object()
_ESCAPE: Final = re.compile(rb"\\u[0-9a-fA-F]{4}")
_BLANKS: Final = b" \t\r\n"
_HIGH: Final = bytes(range(0x80, 0x100))
_LINE: Final = orjson.OPT_APPEND_NEWLINE
_dumps, _loads = orjson.dumps, orjson.loads


def proven(text: bytes) -> Json:
    """The value of a text, or UNPROVEN."""
    try:
        value = _loads(text)
    except orjson.JSONDecodeError:
        return UNPROVEN
    try:
        written = _dumps(value, None, _LINE)
    except TypeError:  # deeper than orjson writes
        return UNPROVEN
    return value if text == written or _is_the_same(text, written) else UNPROVEN


def _is_the_same(given: bytes, written: bytes) -> bool:
    """Whether two texts differ in nothing but blanks and how characters are spelled in strings."""
    spelled = written
    if given.isascii() and not written.isascii():
        spelled = written.decode().encode("ascii", "backslashreplace")  # as most programs do
        if given == spelled:
            return True
    if given.translate(None, _BLANKS) == spelled.translate(None, _BLANKS):
        return True
    if b"\\u" not in given or b"\\\\u" in given or b"\\\\u" in written:
        return False  # nothing is escaped, or what is cannot be told by the eye
    return _plain(given) == _plain(written)


def _plain(text: bytes) -> bytes:
    return _ESCAPE.sub(b"", text).translate(None, _BLANKS + _HIGH)
