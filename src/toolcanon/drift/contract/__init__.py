"""Differences between two versions of a schema in the values they accept, place by place."""

from .compare import differences
from .difference import Difference

__all__ = ["Difference", "differences"]
