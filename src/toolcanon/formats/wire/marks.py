"""Marks that tell a provider what to cache, where more than one provider knows them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from toolcanon.ir.conversation import Part
from toolcanon.jsonio.types import Json, JsonObject

_TTLS: Final = frozenset({"5m", "1h"})
"""How long a cache can be asked to last, in the words that all of them have."""


class Mark(NamedTuple):
    """All that comes before it is to be cached."""

    said: Json
    """As the provider has it."""
    ttl: str | None
    is_whole: bool
    """Whether that is all that it says."""
    behind: int = -1
    """The number of the part that it follows; -1 where nothing comes before it."""
    tool: str | None = None
    """The name of the tool that it follows, where it stands among tools."""


def mark_of(said: Json, word: str) -> Mark:
    """A mark of a provider that has a ``type``, which is that word, and may have a ``ttl``."""
    inner = said if isinstance(said, dict) else {}
    ttl = inner.get("ttl")
    if not isinstance(ttl, str) or ttl not in _TTLS:
        ttl = None
    return Mark(said, ttl, inner in ({"type": word}, {"type": word, "ttl": ttl}))


def control(mark: Mark, word: str) -> JsonObject:
    """The same for the other direction."""
    return {"type": word} if mark.ttl is None else {"type": word, "ttl": mark.ttl}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CacheMarks:
    """How one provider writes them. Nothing given is changed."""

    take: Callable[[list[Part]], tuple[list[Part], list[Mark]]]
    """Parts without marks, the same list where there are none, and the marks."""
    put: Callable[[list[Part], Mark], list[Part] | None]
    """Parts with a mark; None where it has no place."""
    take_tools: Callable[[list[Json]], tuple[list[Json], list[Mark]]]
    put_tools: Callable[[list[Json], Mark], list[Json]]
    """The mark goes behind the tool that it names, or behind the last one; there are some."""
