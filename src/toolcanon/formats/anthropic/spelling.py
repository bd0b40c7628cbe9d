"""Names of fields that several modules use, and of our notes."""

from __future__ import annotations

from typing import Final

ID: Final = "anthropic"
