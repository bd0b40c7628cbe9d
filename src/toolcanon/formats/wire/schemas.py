"""Schemas that envelopes demand."""

from __future__ import annotations

from typing import Any, Final

NO_PARAMETERS: Final[dict[str, Any]] = {"type": "object", "properties": {}}
"""What to write where a schema is required and the tool takes nothing. Copy before use."""
