"""How large an untrusted document may be. Every number can be raised by its owner."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What the loader and the readers accept before they refuse.

    The defaults leave room for anything real: the largest published servers describe about a
    hundred tools in a fifth of a megabyte and nest twelve levels deep.
    """

    bytes: int = 32 * 1024 * 1024
    depth: int = 256
    values: int = 2_000_000
    digits: int = 400
    tools: int = 10_000
    name: int = 1024
    line: int = 16 * 1024 * 1024


DEFAULT_LIMITS = Limits()
