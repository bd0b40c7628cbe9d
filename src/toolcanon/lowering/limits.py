"""Limits of a dialect, judged by the look of a text: most tools surely fit without measuring."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from toolcanon.dialect import Dialect

_SHARED: Final = ("tools", "optional", "members", "unions")
"""What all tools of a request share."""


@lru_cache(maxsize=64)
def shared_limits(dialect: Dialect | None) -> dict[str, int]:
    """The limits that all tools of a request share. Not to be changed."""
    said = {} if dialect is None else dialect.limits.said()
    return {name: most for name in _SHARED if isinstance(most := said.get(name), int)}


def surely_fits(text: bytes, dialect: Dialect, *, alone: bool = True) -> bool:
    """Whether a strict tool is within all limits, by the look of its text.

    The text has the schema in it, as compact JSON. False means that it has to be measured. Of a
    tool that is alone in its request, what all tools share is looked at, too.
    """
    return _judge_of(dialect, alone)(text)


@lru_cache(maxsize=64)
def _judge_of(dialect: Dialect, alone: bool) -> Callable[[bytes], bool]:  # noqa: FBT001 - to be kept by it
    """The same for one dialect: what it says of limits is looked up once."""
    if not dialect.strict:
        return lambda _: True
    if dialect.some_required or not (dialect.empty_objects and dialect.nested_unions):
        return lambda _: False  # it is not only about size
    limits = dialect.limits
    large = None if limits.large_enum is None else limits.large_enum[1]
    rooms = (limits.properties, limits.enum_values, limits.characters, large)
    short = min((room for room in rooms if room is not None), default=0)
    # No more levels than objects; a closed object has its members written out.
    levels = (b'"properties"',) if dialect.closed else (b'"properties"', b'"object"')
    # A member is a schema, so an object where a schema may not be true or false.
    members = (b":" if dialect.booleans else b":{",)
    bounds = _bounds(
        (levels, limits.depth),
        *(((members, limits.optional), (members, limits.members)) if alone else ()),
        *((((b'"anyOf"', b'"type":['), limits.unions),) if alone else ()),
    )
    long = _bounds(((b":",), limits.properties), ((b",", b"["), limits.enum_values))
    longest = min((room for room in (limits.characters, large) if room is not None), default=None)

    def fits(text: bytes) -> bool:
        """No text that is short has room for more than its levels."""
        count = text.count
        for words, most in bounds if len(text) <= short else (*bounds, *long):
            if sum(map(count, words)) > most:
                return False
        return len(text) <= short or longest is None or len(text) <= longest

    return fits


def _bounds(*said: tuple[tuple[bytes, ...], int | None]) -> list[tuple[tuple[bytes, ...], int]]:
    """Words to be counted and how often they may occur, where there is such a limit."""
    return [(words, most) for words, most in said if most is not None]
