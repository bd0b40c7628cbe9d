"""The loader for one line of many: as strict as the one for documents, and quicker about it."""

from __future__ import annotations

from toolcanon.jsonio.limits import Limits
from toolcanon.jsonio.load import Loaded, loads
from toolcanon.jsonio.quick import LONGEST_NUMBER, UNPROVEN, proven


def loads_line(line: bytes, limits: Limits, *, duplicates: bool = False) -> Loaded:
    """The same as ``loads``."""
    size = len(line)
    if (
        size <= limits.values
        and size <= limits.bytes
        and limits.digits >= LONGEST_NUMBER
        and line.count(b"{") + line.count(b"[") <= limits.depth
    ):
        value = proven(line)
        if value is not UNPROVEN:
            return Loaded(value, (), size)
    return loads(line, limits, duplicates=duplicates)
