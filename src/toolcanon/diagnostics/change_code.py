"""What is said of a kind of change, wherever it was seen."""

from __future__ import annotations

from dataclasses import dataclass

from toolcanon.diagnostics.change import DriftVerdict


@dataclass(frozen=True, slots=True)
class ChangeCode:
    """One thing that can change."""

    code: str
    name: str
    verdict: DriftVerdict
    """As a rule; every change has its own."""
    says: str
    why: str
    remedy: str = ""
    mirror: str = ""
    """The name of the change when the versions are swapped; empty when there is none."""
