"""The limits of a dialect, and whether members can be lowered one by one.

Where they can, the result for one member is the same in every other tool with the same keywords at
the root. Rows are written by that (see ``bulk``); a test compares whole tools with it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from toolcanon.dialect import Dialect
from toolcanon.dialect.tables import NamePolicy

_SHARED: Final = ("tools", "optional", "members", "unions")
"""What all tools of a request share."""


@lru_cache(maxsize=64)
def shared_limits(dialect: Dialect | None) -> dict[str, int]:
    """Return the limits that all tools of a request share. Not to be changed."""
    said = {} if dialect is None else dialect.limits.said()
    return {name: most for name in _SHARED if isinstance(most := said.get(name), int)}


def surely_fits(text: bytes, dialect: Dialect, *, alone: bool = True) -> bool:
    """Return whether a strict tool is within all limits, by the look of its text.

    The text has the schema in it, as compact JSON. False means that it has to be measured. Of a
    tool that is alone in its request, what all tools share is looked at, too.
    """
    return _judge_of(dialect, alone)(text)


@lru_cache(maxsize=64)
def _judge_of(dialect: Dialect, alone: bool) -> Callable[[bytes], bool]:  # noqa: FBT001 - to be kept by it
    """Return the check for one dialect, whose limits are looked up once."""
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
        """Return whether a text is within the limits; short text can only exceed that of depth."""
        count = text.count
        for words, most in bounds if len(text) <= short else (*bounds, *long):
            if sum(map(count, words)) > most:
                return False
        return len(text) <= short or longest is None or len(text) <= longest

    return fits


def _bounds(*said: tuple[tuple[bytes, ...], int | None]) -> list[tuple[tuple[bytes, ...], int]]:
    """Return the words to count and how often they may occur, where there is such a limit."""
    return [(words, most) for words, most in said if most is not None]


def members_are_independent(dialect: Dialect) -> bool:
    """Return whether no member depends on others, while the whole fits the limits.

    Members depend on others where some member must be required or sizes must be reported.
    """
    return not (dialect.some_required or dialect.limits.schema_bytes is not None)


def optional_members_differ(dialect: Dialect) -> bool:
    """Return whether what becomes of a member depends on whether it is required."""
    return dialect.all_required


def member_names(dialect: Dialect) -> NamePolicy | None:
    """Return a function for the names that members keep; None for any."""
    return dialect.members
