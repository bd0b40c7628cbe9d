"""Where a node stands while a schema is walked."""

from __future__ import annotations

from typing import TypeAlias

Path: TypeAlias = "tuple[Path, str | int] | None"
"""Its parent's path and its own step. Cheaper than pointers that grow at every step."""

Place: TypeAlias = tuple[str | int, ...]
"""The same as a plain pointer."""


def path_of(place: Place) -> Path:
    """A pointer as a path."""
    at: Path = None
    for step in place:
        at = (at, step)
    return at


def place_of(at: Path, root: str) -> Place:
    """A path as a pointer that begins with what its root is called."""
    steps: list[str | int] = []
    while at is not None:
        at, step = at
        steps.append(step)
    steps.append(root)
    steps.reverse()
    return tuple(steps)
