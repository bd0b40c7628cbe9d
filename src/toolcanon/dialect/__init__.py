"""What a target accepts, as data."""

from .names import NamePolicy
from .source import Source

__all__ = ["NamePolicy", "Source"]
