"""The loader for one line of many: as strict as the one for documents, and quicker about it."""

from __future__ import annotations

from toolcanon.jsonio.limits import Limits
from toolcanon.jsonio.load import Loaded, loads
from toolcanon.jsonio.quick import DEEPEST_WRITTEN, LONGEST_NUMBER, UNPROVEN, proven


def usual_length(limits: Limits) -> int:
    """How long a text may be that breaks none of the loader's limits if orjson can write it."""
    if limits.depth < DEEPEST_WRITTEN or limits.digits < LONGEST_NUMBER:
        return 0
    return min(limits.values, limits.bytes)


def loads_line(line: bytes, limits: Limits, *, duplicates: bool = False) -> Loaded:
    """The same as ``loads``."""
    size = len(line)
    if size <= usual_length(limits):
        value = proven(line)
        if value is not UNPROVEN:
            return Loaded(value, (), size)
    return loads(line, limits, duplicates=duplicates)
