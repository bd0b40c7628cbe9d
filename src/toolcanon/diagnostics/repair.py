"""A repair: one change that makes arguments from a model acceptable."""

from __future__ import annotations

from dataclasses import dataclass

from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject


@dataclass(frozen=True, slots=True)
class Repair:
    """A repaired value: the code, the place, and the value before and after."""

    code: str
    name: str
    at: Pointer
    before: Json = None
    after: Json = None

    def to_dict(self) -> JsonObject:
        """Return plain JSON."""
        return {
            "code": self.code,
            "name": self.name,
            "at": str(self.at),
            "before": self.before,
            "after": self.after,
        }
