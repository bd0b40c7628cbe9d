"""A finding: one problem of a tool or a conversation, with its place and its remedy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject

Level: TypeAlias = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file; lines and columns count from 1, columns in characters."""

    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Fix:
    """A change to one value that resolves a finding."""

    says: str
    """What the fix does, in a few words: "write the type in lower case"."""
    after: Json = None
    """The new value."""
    is_removal: bool = False
    """Whether the member is removed instead of changed."""
    is_safe: bool = False
    """Whether the fix cannot break a caller or change what a model reads."""
    at: Pointer | None = None
    """The place in the canonical tool, if it differs from the place of the finding."""
    origin: Pointer | None = None
    """The same place in the given payload."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem at one place of a tool or a conversation."""

    code: str
    name: str
    level: Level
    at: Pointer
    message: str
    """What is wrong here, in one sentence."""
    remedy: str = ""
    """What to do about it."""
    subject: str = ""
    """The name of the tool or the call."""
    target: str = ""
    """The dialect it applies to; empty when it applies to every target."""
    quote: str = ""
    """The error message of that provider, as its API returns it."""
    source: str = ""
    """The fact the finding is based on, with its source and date."""
    origin: Pointer | None = None
    """The same place in the given payload; ``at`` points into the canonical tool."""
    place: Place | None = None
    """The same place in a file."""
    fix: Fix | None = None

    def to_dict(self) -> JsonObject:
        """Return plain JSON without empty fields."""
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
