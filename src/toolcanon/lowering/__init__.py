"""Schemas rewritten to what a target accepts, with the way back for the arguments."""

from .cache import lower_cached, lower_new
from .engine import lower
from .lens import Lens
from .lowered import Lowered
from .quick import quick

__all__ = ["Lens", "Lowered", "lower", "lower_cached", "lower_new", "quick"]
