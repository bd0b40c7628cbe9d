"""Properties that are computed once and kept.

Like ``functools.cached_property``, but without its lock: up to Python 3.11 the lock costs more than
most of what is kept here, and a comparison is used by one thread. Two threads would at worst
compute a value twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property as kept
else:

    class kept:  # noqa: N801 - used as functools.cached_property is
        """A property whose value is kept after the first access."""

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
