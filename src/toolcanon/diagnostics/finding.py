"""A finding: one thing that is wrong, or would be, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import JsonObject

Level: TypeAlias = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found at one place of a tool or a conversation."""

    code: str
    name: str
    level: Level
    at: Pointer
    message: str
    """What is wrong here, in one sentence."""
    remedy: str = ""
    """What to do about it."""
    subject: str = ""
    """The tool or the call it is about."""
    target: str = ""
    """The dialect it matters for; empty when it matters everywhere."""
    quote: str = ""
    """What that provider answers to it, in its own words."""

    def to_dict(self) -> JsonObject:
        """Plain JSON; what says nothing is left out."""
        out: JsonObject = {
            "code": self.code,
            "name": self.name,
            "level": self.level,
            "at": str(self.at),
            "message": self.message,
        }
        for name in ("remedy", "subject", "target", "quote"):
            if value := getattr(self, name):
                out[name] = value
        return out
