"""Types and codes of losses, findings, changes and repairs; no logic."""

from .codes import CODES
from .finding import FINDINGS, FilePlace, Finding, FindingCode, Fix, Level
from .loss import Code, Effect, Loss, Losses, LossKinds, Repair

__all__ = [
    "CODES",
    "FINDINGS",
    "Code",
    "Effect",
    "FilePlace",
    "Finding",
    "FindingCode",
    "Fix",
    "Level",
    "Loss",
    "LossKinds",
    "Losses",
    "Repair",
]
