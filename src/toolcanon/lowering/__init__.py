"""Schemas rewritten to what a target accepts, with the way back for the arguments."""

from .lens import Lens
from .lowered import Lowered
from .memo import lower, rewrite
from .passthrough import Check, passthrough

__all__ = ["Check", "Lens", "Lowered", "lower", "passthrough", "rewrite"]
