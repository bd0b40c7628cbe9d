"""What one code is."""

from __future__ import annotations

from dataclasses import dataclass

from toolcanon.diagnostics.effect import Effect


@dataclass(frozen=True, slots=True)
class Code:
    """One thing we can say."""

    code: str
    name: str
    effect: Effect
    says: str
    why: str
