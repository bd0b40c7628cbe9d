"""The words of this wire that several modules use, and the names of our notes."""

from __future__ import annotations

from typing import Final

ID: Final = "anthropic"

ROLES: Final = frozenset({"user", "assistant", "system"})

# Notes: how content was spelled (a missing one is noted as None), a role that is none of ours, an
# input that is no object.
CONTENT: Final = "content"
STRING: Final = "text"
BLOCKS: Final = "blocks"
ROLE: Final = "role"
INPUT: Final = "input"
