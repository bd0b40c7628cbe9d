"""JSON Schema algebra, blind to providers."""

from .upgrade import Upgraded, is_current, upgrade

__all__ = ["Upgraded", "is_current", "upgrade"]
