"""The words of this wire that several modules use, and the names of our notes."""

from __future__ import annotations

from typing import Final

ID: Final = "anthropic"
