"""Where a fact comes from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """A document or a piece of software, and when it was looked at."""

    where: str
    checked: str
    says: str = ""
    about: tuple[str, ...] = ()
    """The fields of a dialect, or of its limits, that it is the source of; none where it tells of
    the dialect as a whole."""
