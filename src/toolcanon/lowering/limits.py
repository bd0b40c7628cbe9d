"""Limits of a dialect, judged by the look of a text: most tools surely fit without measuring."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from toolcanon.dialect import Dialect

_SHARED: Final[dict[str, Callable[[bytes, Dialect], int]]] = {
    "tools": lambda _text, _dialect: 1,
    # A member is a schema, so an object where a schema may not be true or false.
    "optional": lambda text, dialect: text.count(b":" if dialect.booleans else b":{"),
    "members": lambda text, dialect: text.count(b":" if dialect.booleans else b":{"),
    "unions": lambda text, _dialect: text.count(b'"anyOf"') + text.count(b'"type":['),
}
"""What all tools of a request share, and at most how much of it a text takes."""


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
    limits, count = dialect.limits, text.count
    if not dialect.strict:
        return True
    if dialect.some_required or not (dialect.empty_objects and dialect.nested_unions):
        return False  # it is not only about size
    # No more levels than objects; a closed object has its members written out.
    objects = count(b'"properties"') + (0 if dialect.closed else count(b'"object"'))
    if limits.depth is not None and objects > limits.depth:
        return False
    if len(text) > _short(dialect) and not (
        (limits.properties is None or count(b":") <= limits.properties)
        and (limits.enum_values is None or count(b",") + count(b"[") <= limits.enum_values)
        and (limits.characters is None or len(text) <= limits.characters)
        and (limits.large_enum is None or len(text) <= limits.large_enum[1])
    ):
        return False
    shared = shared_limits(dialect)
    if not (alone and shared):
        return True
    return all(_SHARED[name](text, dialect) <= most for name, most in shared.items())


@lru_cache(maxsize=64)
def _short(dialect: Dialect) -> int:
    """How long a text may be that has room for none of the limits but that of depth."""
    limits = dialect.limits
    rooms = [limits.properties, limits.enum_values, limits.characters]
    rooms += [] if limits.large_enum is None else [limits.large_enum[1]]
    return min((room for room in rooms if room is not None), default=0)
