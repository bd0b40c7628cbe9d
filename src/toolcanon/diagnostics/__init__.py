"""The shapes and codes of what we say; no logic."""

from .codes import CODES, Code
from .effect import Effect
from .loss import Loss, Losses
from .repair import Repair

__all__ = ["CODES", "Code", "Effect", "Loss", "Losses", "Repair"]
