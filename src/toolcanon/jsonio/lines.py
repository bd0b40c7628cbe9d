"""The loader for one line of many: as strict as the one for documents, and quick about it.

A line written the way most programs write is parsed by orjson, written again and compared: where
both texts are the same, no key stood twice and no number changed. Anything else goes to the
strict loader.
"""

from __future__ import annotations

import re
from typing import Final

import orjson

from toolcanon.jsonio.limits import Limits
from toolcanon.jsonio.load import Loaded, loads

_LONGEST_NUMBER: Final = 32  # no number that orjson writes is longer
_ESCAPE: Final = re.compile(rb"\\u[0-9a-fA-F]{4}")
_HIGH: Final = bytes(range(0x80, 0x100))


def loads_line(line: bytes, limits: Limits, *, duplicates: bool = False) -> Loaded:
    """The same as ``loads``."""
    size = len(line)
    if (
        size <= limits.values
        and size <= limits.bytes
        and limits.digits >= _LONGEST_NUMBER
        and line.count(b"{") + line.count(b"[") <= limits.depth
    ):
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError:
            return loads(line, limits, duplicates=duplicates)
        if _is_the_same(line.strip(), orjson.dumps(value)):
            return Loaded(value, (), size)
    return loads(line, limits, duplicates=duplicates)


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
