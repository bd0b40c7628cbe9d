"""Differences between two versions of a schema in the values they accept, place by place."""

from .compare import differences
from .containment_queries import Divergence

__all__ = ["Divergence", "differences"]
