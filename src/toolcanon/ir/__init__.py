"""The canonical tool and what belongs to it."""

from .tool import (
    DEFAULT_VERSION,
    STATED_HINTS,
    CanonicalTool,
    Grammar,
    Kind,
    ToolCapability,
    ToolHints,
    ToolSecurity,
    stated_hints,
    trusted_tool,
)

IR_VERSION = 1
"""Raised when a canonical document of the version before can no longer be read unchanged."""

__all__ = [
    "DEFAULT_VERSION",
    "IR_VERSION",
    "STATED_HINTS",
    "CanonicalTool",
    "Grammar",
    "Kind",
    "ToolCapability",
    "ToolHints",
    "ToolSecurity",
    "stated_hints",
    "trusted_tool",
]
