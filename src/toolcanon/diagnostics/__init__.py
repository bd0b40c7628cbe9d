"""Types and codes of losses, findings, changes and repairs; no logic."""

from .code import Code
from .codes import CODES
from .effect import Effect
from .finding import Finding, Fix, Level, Place
from .finding_codes import FINDINGS, FindingCode
from .loss import Loss, Losses, LossKinds
from .repair import Repair

__all__ = [
    "CODES",
    "FINDINGS",
    "Code",
    "Effect",
    "Finding",
    "FindingCode",
    "Fix",
    "Level",
    "Loss",
    "LossKinds",
    "Losses",
    "Place",
    "Repair",
]
