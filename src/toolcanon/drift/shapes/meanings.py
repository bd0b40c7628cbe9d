"""The meaning of a number by its name, as far as it decides whether its size matters.

An identifier is a label, so its size has no meaning. Sequence numbers and times grow from one day
to the next; a constant factor is another unit all the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from toolcanon.drift.shapes.nodes import ITEMS, JSON, POOL

Meaning: TypeAlias = Literal["label", "sequence", "time"]
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_LAST: Final[dict[str, Meaning]] = {
    **dict.fromkeys(
        "id ids uid uids gid pid oid uuid guid key keys identifier identifiers".split(), "label"
    ),
    **dict.fromkeys(
        "seq sequence serial number no nr iid cursor revision rev version build".split(),
        "sequence",
    ),
    **dict.fromkeys(
        "ts timestamp timestamps epoch time at created updated modified date expires".split(),
        "time",
    ),
}
"""By the last word of a name."""
_EPOCH: Final = 1e8
"""Fewer seconds than these are before 1973; such a number is a duration rather than a time."""
_UNNAMED: Final = frozenset({ITEMS, POOL, JSON})


def meaning_of(path: Sequence[str]) -> Meaning | None:
    """Return the meaning of the numbers at a place by the name of their member.

    >>> meaning_of(("orders", "*", "customerId")), meaning_of(("created_at",)), meaning_of(("n",))
    ('label', 'time', None)
    """
    name = next((step for step in reversed(path) if step not in _UNNAMED), "")
    return _by_name(name)


@lru_cache(maxsize=4096)
def _by_name(name: str) -> Meaning | None:
    words = _WORD.findall(name)
    return _LAST.get(words[-1].lower()) if words else None


def is_expected(
    meaning: Meaning | None, way: str, least: float, *, is_whole: bool, has_factor: bool
) -> bool:
    """Return whether such numbers may move that way; ``least`` is one of the smaller ones."""
    if meaning == "label":
        return is_whole
    if meaning is None or has_factor or way != "larger":
        return False
    return least > _EPOCH if meaning == "time" else is_whole
