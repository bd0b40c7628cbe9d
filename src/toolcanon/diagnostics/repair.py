"""A repair: one thing that was mended in what a model sent."""

from __future__ import annotations

from dataclasses import dataclass

from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject


@dataclass(frozen=True, slots=True)
class Repair:
    """What was mended, where, and what stood there."""

    code: str
    name: str
    at: Pointer
    before: Json = None
    after: Json = None

    def to_dict(self) -> JsonObject:
        """Plain JSON."""
        return {
            "code": self.code,
            "name": self.name,
            "at": str(self.at),
            "before": self.before,
            "after": self.after,
        }
