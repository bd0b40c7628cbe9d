"""The description of one code."""

from __future__ import annotations

from dataclasses import dataclass

from toolcanon.diagnostics.effect import Effect


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of loss or repair."""

    code: str
    name: str
    effect: Effect
    says: str
    """What happened, as a clause without a full stop."""
    why: str
    """Why it happens, and what that means for callers."""
    edit: str = ""
    """What the author of a tool can change to avoid it; empty where nothing needs to change."""
