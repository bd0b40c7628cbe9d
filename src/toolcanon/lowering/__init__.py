"""Schemas rewritten to what a target accepts, with the way back for the arguments."""

from .lens import Lens
from .lowered import Lowered
from .memo import lower, rewrite

__all__ = ["Lens", "Lowered", "lower", "rewrite"]
