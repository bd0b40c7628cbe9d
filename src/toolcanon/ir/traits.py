"""What can be said of a tool beside its name and schemas."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Kind(StrEnum):
    """How a tool is called."""

    FUNCTION = "function"
    """With arguments that a schema describes."""
    FREEFORM = "freeform"
    """With one text, which a grammar may constrain."""
    BUILTIN = "builtin"
    """At its provider, which alone knows how; carried as it stands."""


class ToolCapability(BaseModel):
    """What a tool does, for policies and searches. Inferred unless given."""

    action: str = Field("", description="Primary verb: read, write, search, call, delete …")
    domain: str = Field(
        "", description="Where it acts: filesystem, web, database, code, email, general …"
    )
    side_effects: bool = Field(default=False, description="Whether it changes external state.")
    idempotent: bool = Field(default=True, description="Whether calling twice is like once.")
    cost_estimate: Literal["free", "low", "medium", "high", "unknown"] = "unknown"


class ToolSecurity(BaseModel):
    """What a tool needs and what it does with data."""

    required_permissions: list[str] = Field(default_factory=list)
    data_classification: Literal["public", "internal", "confidential", "restricted"] = "public"
    pii_handling: Literal["none", "processes", "stores", "anonymizes"] = "none"


class ToolHints(BaseModel):
    """Statements about behaviour and delivery. Unset is not a default: nobody said anything."""

    model_config = ConfigDict(extra="forbid")

    read_only: bool | None = Field(None, description="Changes nothing outside.")
    destructive: bool | None = Field(None, description="May delete or overwrite.")
    idempotent: bool | None = Field(None, description="Repeating a call changes nothing more.")
    open_world: bool | None = Field(None, description="Reaches beyond a closed set of things.")
    strict: bool | None = Field(None, description="Arguments must follow the schema exactly.")
    deferred: bool | None = Field(None, description="Loaded only when searched for.")
    background: bool | None = Field(None, description="The model may go on without the result.")

    def said(self) -> dict[str, bool]:
        """Only what was stated."""
        return {name: value for name, value in self.__dict__.items() if value is not None}


class Grammar(BaseModel):
    """What the text of a free-text tool must look like."""

    syntax: str = Field(description="lark, regex …")
    definition: str
