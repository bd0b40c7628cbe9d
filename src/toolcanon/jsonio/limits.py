"""How large an untrusted document may be. Every number can be raised by its owner."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Limits:
    """What the loader accepts before it refuses.

    The defaults leave room for anything real: the largest published servers describe about a
    hundred tools in a fifth of a megabyte, their largest tool in ten kilobytes, and nest twelve
    levels deep.
    """

    bytes: int = 32 * 1024 * 1024
    depth: int = 256
    values: int = 1_500_000
    digits: int = 400
    tool: int = 1024 * 1024
    tools: int = 10_000
    line: int = 16 * 1024 * 1024


DEFAULT_LIMITS: Final = Limits()

_current: Final = ContextVar("limits", default=DEFAULT_LIMITS)


def current_limits() -> Limits:
    """What holds for whoever makes more of a document than it says itself."""
    return _current.get()


@contextmanager
def within(limits: Limits) -> Iterator[None]:
    """Read by these limits, however deep down the reader is that heeds them.

    >>> with within(Limits(values=10)):
    ...     current_limits().values
    10
    """
    token = _current.set(limits)
    try:
        yield
    finally:
        _current.reset(token)


DEEPEST: Final = 450
"""How deep a value may be whatever the limits say: beyond this Python's own stack gives way."""

LONGEST_NAME: Final = 1024
