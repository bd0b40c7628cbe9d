"""Schemas that envelopes demand."""

from __future__ import annotations

from toolcanon.jsonio.types import JsonObject


def no_parameters() -> JsonObject:
    """Where a schema is required and the tool takes nothing; its owner's to change."""
    return {"type": "object", "properties": {}}
