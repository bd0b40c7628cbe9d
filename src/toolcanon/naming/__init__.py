"""Legal, unique and reversible names."""

from .alias import aliases

__all__ = ["aliases"]
