"""JSON Schema algebra, blind to providers."""

from .upgrade.walk import Upgraded, is_foreign, upgrade

__all__ = ["Upgraded", "is_foreign", "upgrade"]
