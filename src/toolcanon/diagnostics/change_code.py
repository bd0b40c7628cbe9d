"""The description of one kind of change."""

from __future__ import annotations

from dataclasses import dataclass

from toolcanon.diagnostics.change import DriftVerdict


@dataclass(frozen=True, slots=True)
class ChangeCode:
    """One kind of change."""

    code: str
    name: str
    verdict: DriftVerdict
    """The usual verdict; each change has its own."""
    says: str
    why: str
    remedy: str = ""
    mirror: str = ""
    """The name of the change when the versions are swapped; empty when there is none."""
