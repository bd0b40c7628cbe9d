"""Properties that are worked out when they are first asked for, and kept.

What ``functools.cached_property`` does, without its lock: up to Python 3.11 the lock costs more
than most of what is kept here, and a comparison is nobody else's. Two threads would at worst work
out the same thing twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property as kept
else:

    class kept:  # noqa: N801 - used as functools.cached_property is
        """A property that is its own value from the first look on."""

        def __init__(self, make: Callable[[Any], Any]) -> None:
            self._make = make
            self._name = make.__name__
            self.__doc__ = make.__doc__

        def __get__(self, holder: Any, owner: type | None = None) -> Any:
            if holder is None:
                return self
            found = holder.__dict__[self._name] = self._make(holder)
            return found


__all__ = ["kept"]
