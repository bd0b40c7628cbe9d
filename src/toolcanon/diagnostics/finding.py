"""A finding: one thing that is wrong, or would be, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject

Level: TypeAlias = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file; lines and columns count from 1, columns in characters."""

    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Fix:
    """A change to one value that makes a finding go away."""

    says: str
    """What it does, in a few words: "write the type in lower case"."""
    after: Json = None
    """The value to put there."""
    is_removal: bool = False
    """Whether the member goes, rather than getting a value."""
    is_safe: bool = False
    """Whether no caller and no model can be worse off for it."""
    at: Pointer | None = None
    """Where in the canonical tool, when it is not the place of the finding."""
    origin: Pointer | None = None
    """The same place in what was handed in."""


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
    source: str = ""
    """The fact behind it, where that was found and when."""
    origin: Pointer | None = None
    """The same place in what was handed in; ``at`` leads into the canonical tool."""
    place: Place | None = None
    """The same place in a file."""
    fix: Fix | None = None

    def to_dict(self) -> JsonObject:
        """Plain JSON; what says nothing is left out."""
        out: JsonObject = {
            "code": self.code,
            "name": self.name,
            "level": self.level,
            "at": str(self.at),
            "message": self.message,
        }
        for name in ("remedy", "subject", "target", "quote", "source"):
            if value := getattr(self, name):
                out[name] = value
        if self.origin is not None:
            out["origin"] = str(self.origin)
        if self.place is not None:
            place = self.place
            out["place"] = {"file": place.file, "line": place.line, "column": place.column}
        if self.fix is not None:
            out["fix"] = {"says": self.fix.says, "safe": self.fix.is_safe}
        return out
