"""Legal, unique and reversible names."""

from .alias import alias, aliases

__all__ = ["alias", "aliases"]
